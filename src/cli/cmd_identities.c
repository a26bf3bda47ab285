/* The exact relations between variants, one line each, as one would put them on a slide. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "lab/config/config.h"
#include "nn/identities.h"

#define EXPLANATION_WIDTH 57 /* so that a line of the table has 100 columns */

static const char *const sizes[] = {"n_embd", "n_head", "seq_len", "pos_dim", "seed"};
#define N_SIZE (sizeof sizes / sizeof sizes[0])

static bool is_size(const char *key)
{
    for (size_t i = 0; i < N_SIZE; i++) {
        if (strcmp(sizes[i], key) == 0) {
            return true;
        }
    }
    return false;
}

/* apply_set reads one --set with the parser of the configuration, so that a key means the same. */
static enum status apply_set(struct config *config, const char *assignment, struct error *err)
{
    const char *equals = strchr(assignment, '=');
    char key[64];
    if (!equals || equals == assignment) {
        return error_set(err, STATUS_USAGE, "expected key=value, found '%s'", assignment);
    }
    snprintf(key, sizeof key, "%.*s", (int)(equals - assignment), assignment);
    const struct config_key *found = config_key_find(key, err);
    if (!found) {
        return STATUS_USAGE;
    }
    if (!is_size(found->name)) {
        return error_set(err, STATUS_USAGE,
                         "identities do not depend on %s; they take n_embd, n_head, seq_len, "
                         "pos_dim and seed",
                         found->name);
    }
    return config_set(config, key, equals + 1, err);
}

static enum status choose_sizes(const struct arguments *arguments,
                                struct identities_options *options, struct error *err)
{
    struct config config = config_default();
    enum status status = arguments_set_once(arguments, err);
    for (size_t i = 0; i < arguments->n_set && status == STATUS_OK; i++) {
        status = apply_set(&config, arguments->set[i], err);
    }
    *options = (struct identities_options){.n_embd = config.n_embd,
                                           .n_head = config.n_head,
                                           .seq_len = config.seq_len,
                                           .pos_dim = config.pos_dim,
                                           .seed = config.seed};
    return status == STATUS_OK ? identities_check(options, err) : status;
}

/* A long equation is broken before its sign. */
static void break_equation(char *text, size_t width)
{
    char *sign = strstr(text, " = ");
    if (sign && strlen(text) > width) {
        *sign = '\n';
    }
}

/* break_lines turns blanks into line ends, so that no line is longer than width. */
static void break_lines(char *text, size_t width)
{
    char *blank = NULL, *line = text;
    for (char *at = text; *at; at++) {
        if (*at == '\n') {
            line = at + 1;
            blank = NULL;
        } else if (*at == ' ') {
            blank = at;
        }
        if (blank && (size_t)(at - line) >= width) {
            *blank = '\n';
            line = blank + 1;
            blank = NULL;
        }
    }
}

static void add_row(struct table *table, const struct identity_result *result)
{
    char explanation[512];
    snprintf(explanation, sizeof explanation, "%s", result->formula);
    break_equation(explanation, EXPLANATION_WIDTH);
    size_t used = strlen(explanation);
    snprintf(explanation + used, sizeof explanation - used, "\n%s", result->why);
    break_lines(explanation, EXPLANATION_WIDTH);
    table_text(table, result->name);
    table_number(table, result->error);
    table_number(table, result->bound);
    table_number(table, result->control);
    table_bool(table, result->passed);
    table_number(table, result->condition);
    table_text(table, result->formula);
    table_text(table, result->why);
    table_text(table, explanation);
}

static enum status measure_all(const struct identities_options *options, struct table *table,
                               size_t *n_failed, struct error *err)
{
    for (size_t i = 0; i < identities_count(); i++) {
        struct identity_result result;
        enum status status = identities_measure(options, i, &result, err);
        if (status != STATUS_OK) {
            return status;
        }
        add_row(table, &result);
        if (!result.passed) {
            ++*n_failed;
            terminal_say("%s: error %.3g is above %.3g", result.name, result.error, result.bound);
        }
    }
    return STATUS_OK;
}

enum status cmd_identities(const struct arguments *arguments, struct error *err)
{
    static const struct column columns[] = {
        {"name", "identity", 0},    {"error", "error", -2}, {"bound", "allowed", -2},
        {"control", "control", -2}, {"holds", NULL, 0},     {"condition", NULL, 0},
        {"formula", NULL, 0},       {"why", NULL, 0},       {NULL, "what, and why", 0},
    };
    struct identities_options options;
    enum status status = choose_sizes(arguments, &options, err);
    if (status != STATUS_OK) {
        return status;
    }
    struct table *table = table_create(columns, sizeof columns / sizeof columns[0]);
    size_t n_failed = 0;
    status = measure_all(&options, table, &n_failed, err);
    if (status == STATUS_OK) {
        status = table_print(table, arguments->format, err);
    }
    table_free(table);
    if (status == STATUS_OK && arguments->format == FORMAT_TEXT) {
        puts("\nerror: largest difference of the two sides, in units of the largest number, in "
             "double precision\n"
             "allowed: what rounding may do; control: the same measured where the premise does not "
             "hold");
    }
    if (status == STATUS_OK && n_failed > 0) {
        status = error_set(err, STATUS_FAILED, "%zu of %zu identities do not hold", n_failed,
                           identities_count());
    }
    return status;
}

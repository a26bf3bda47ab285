/* The exact relations between variants, one line each, as one would put them on a slide. */
#include <stdio.h>
#include <string.h>

#include "base/wrap.h"
#include "cli/command.h"
#include "cli/options.h"
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

/* Read with the parser of the configuration, so that a key means the same. */
static enum status set_size(void *config, const char *key, const char *value, struct error *err)
{
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
    return config_set(config, key, value, err);
}

static enum status choose_sizes(const struct arguments *arguments,
                                struct identities_options *options, struct error *err)
{
    struct config config = config_default();
    TRY(arguments_each_set(arguments, set_size, &config, err));
    *options = (struct identities_options){.n_embd = config.n_embd,
                                           .n_head = config.n_head,
                                           .seq_len = config.seq_len,
                                           .pos_dim = config.pos_dim,
                                           .seed = config.seed};
    return identities_check(options, err);
}

/* A long equation is broken before its sign. */
static void break_equation(char *text, size_t width)
{
    char *sign = strstr(text, " = ");
    if (sign && strlen(text) > width) {
        *sign = '\n';
    }
}

/* The equation and, on lines of their own, its reason. */
static void explain(struct text *text, const struct identity_result *result)
{
    char equation[256];
    snprintf(equation, sizeof equation, "%s", result->formula);
    break_equation(equation, EXPLANATION_WIDTH);
    text_wrap(text, equation, 0, 0, EXPLANATION_WIDTH);
    text_wrap(text, result->why, 0, 0, EXPLANATION_WIDTH);
    if (!text->failed) {
        text->data[text->size - 1] = '\0'; /* the last line's end */
    }
}

static void add_row(struct table *table, const struct identity_result *result)
{
    struct text explanation = {0};
    explain(&explanation, result);
    table_text(table, result->name);
    table_number(table, result->error);
    table_number(table, result->bound);
    table_number(table, result->control);
    table_bool(table, result->passed);
    table_number(table, result->condition);
    table_text(table, result->formula);
    table_text(table, result->why);
    table_text(table, explanation.failed ? "" : explanation.data);
    text_free(&explanation);
}

static enum status measure_all(const struct identities_options *options, struct table *table,
                               size_t *n_failed, struct error *err)
{
    for (size_t i = 0; i < identities_count(); i++) {
        struct identity_result result;
        TRY(identities_measure(options, i, &result, err));
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
        {"name", "identity"},       {"error", "error", -2}, {"bound", "allowed", -2},
        {"control", "control", -2}, {"holds", NULL},        {"condition", NULL},
        {"formula", NULL},          {"why", NULL},          {NULL, "what, and why"},
    };
    struct identities_options options;
    TRY(choose_sizes(arguments, &options, err));
    struct table *table = table_create(columns, sizeof columns / sizeof columns[0]);
    size_t n_failed = 0;
    enum status status = measure_all(&options, table, &n_failed, err);
    if (status == STATUS_OK) {
        status = table_print(table, arguments->format, err);
    }
    table_free(table);
    TRY(status);
    if (arguments->format == FORMAT_TEXT) {
        puts("\nerror: largest difference of the two sides, in units of the largest number, in "
             "double precision\n"
             "allowed: what rounding may do; control: the same measured where the premise does not "
             "hold");
    }
    return n_failed == 0 ? STATUS_OK
                         : error_set(err, STATUS_FAILED, "%zu of %zu identities do not hold",
                                     n_failed, identities_count());
}

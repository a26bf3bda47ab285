#include "cli/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "lesson/lesson.h"
#include "nn/cost.h"

#define MAX_SECONDS 3600

/* ---- values: read_KIND fills the member; parse_option puts the option's name before what is wrong
 * with it ---- */

static enum status read_flag(const struct option *option, const char *text,
                             struct arguments *arguments, void *value, struct error *err)
{
    (void)option, (void)text, (void)arguments, (void)err;
    *(bool *)value = true;
    return STATUS_OK;
}

static enum status read_text(const struct option *option, const char *text,
                             struct arguments *arguments, void *value, struct error *err)
{
    (void)option, (void)arguments, (void)err;
    *(const char **)value = text;
    return STATUS_OK;
}

static enum status read_count(const struct option *option, const char *text,
                              struct arguments *arguments, void *value, struct error *err)
{
    (void)arguments;
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno || number < option->least ||
        number > option->most) {
        return error_set(err, STATUS_USAGE, "expected a whole number in %zu..%zu, found '%s'",
                         option->least, option->most, text);
    }
    *(size_t *)value = (size_t)number;
    return STATUS_OK;
}

static enum status read_list(const struct option *option, const char *text,
                             struct arguments *arguments, void *value, struct error *err)
{
    (void)option, (void)arguments, (void)err;
    struct text_list *list = value;
    list->text[list->n++] = text; /* there is room for every word of the line */
    return STATUS_OK;
}

/* One number, or for `bench` several separated by commas. */
static enum status read_threads(const struct option *option, const char *text,
                                struct arguments *arguments, void *value, struct error *err)
{
    size_t n_most = arguments->command->id == COMMAND_bench ? MAX_THREAD_LIST : 1;
    char word[64];
    size_t count = 0;
    arguments->n_thread_list = 0;
    for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        if (arguments->n_thread_list == n_most) {
            return error_set(err, STATUS_USAGE, "expected at most %d numbers, found '%s'",
                             MAX_THREAD_LIST, text);
        }
        int n = n_most == 1 ? (int)strlen(at) : (int)strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", n, at);
        TRY(read_count(option, word, arguments, &count, err));
        arguments->thread_list[arguments->n_thread_list++] = (int)count;
    }
    *(int *)value = arguments->thread_list[0];
    return STATUS_OK;
}

static enum status read_seconds(const struct option *option, const char *text,
                                struct arguments *arguments, void *value, struct error *err)
{
    (void)option, (void)arguments;
    double *seconds = value;
    char *end;
    *seconds = strtod(text, &end);
    if (end == text || *end || !(*seconds > 0 && *seconds <= MAX_SECONDS)) {
        return error_set(err, STATUS_USAGE, "expected a number above 0 and up to %d, found '%s'",
                         MAX_SECONDS, text);
    }
    return STATUS_OK;
}

static enum status read_memory(const struct option *option, const char *text,
                               struct arguments *arguments, void *value, struct error *err)
{
    (void)option, (void)arguments;
    return cost_parse_bytes(text, value, err);
}

static enum status read_shard(const struct option *option, const char *text,
                              struct arguments *arguments, void *value, struct error *err)
{
    (void)option, (void)value;
    unsigned long i, n;
    char rest;
    if (text[0] < '0' || text[0] > '9' || sscanf(text, "%lu/%lu%c", &i, &n, &rest) != 2 || i >= n) {
        return error_set(err, STATUS_USAGE, "expected I/N with 0 <= I < N, such as 0/4, found '%s'",
                         text);
    }
    arguments->shard = i;
    arguments->n_shard = n;
    return STATUS_OK;
}

static enum status read_format(const struct option *option, const char *text,
                               struct arguments *arguments, void *value, struct error *err)
{
    (void)arguments, (void)err;
    for (size_t i = 0; word_choice(option->word, i); i++) {
        if (strcmp(word_choice(option->word, i), text) == 0) {
            *(enum format *)value = (enum format)i;
        }
    }
    return STATUS_OK;
}

/* ---- the rows ---- */

static const struct option options[OPTION_COUNT] = {
#define OPTION(member, kind, name_, argument_, ...)                                                \
    {.name = name_,                                                                                \
     .argument = argument_,                                                                        \
     .read = read_##kind,                                                                          \
     .offset = offsetof(struct arguments, member),                                                 \
     __VA_ARGS__},
#include "cli/options.def"
};

const struct option *option_at(size_t id)
{
    return id < OPTION_COUNT ? &options[id] : NULL;
}

bool option_taken(const struct option *option, const struct command *command)
{
    return option->commands >> command->id & 1;
}

const struct option *option_of(const struct command *command, size_t i)
{
    for (size_t id = 0; id < OPTION_COUNT; id++) {
        if (option_taken(&options[id], command) && i-- == 0) {
            return &options[id];
        }
    }
    return NULL;
}

bool option_is_repeatable(const struct option *option)
{
    return option->read == read_list;
}

const char *option_help(const struct option *option, const struct command *command)
{
    for (size_t i = 0; i < OPTION_MAX_OWN && option->own[i].help; i++) {
        if (option->own[i].command == command->id) {
            return option->own[i].help;
        }
    }
    return option->help;
}

/* ---- the line ---- */

static void *value_of(const struct option *option, struct arguments *arguments)
{
    return (char *)arguments + option->offset;
}

/* option_find looks up name (of n_byte bytes) among the options of the command. */
static enum status option_find(const struct command *command, const char *name, size_t n_byte,
                               const struct option **found, struct error *err)
{
    const char *taken[OPTION_COUNT];
    size_t n_taken = 0;
    bool elsewhere = false;
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)n_byte, name);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        bool same = strlen(options[i].name) == n_byte && !memcmp(options[i].name, name, n_byte);
        if (option_taken(&options[i], command)) {
            if (same) {
                *found = &options[i];
                return STATUS_OK;
            }
            taken[n_taken++] = options[i].name;
        }
        elsewhere = elsewhere || same;
    }
    if (elsewhere) {
        return error_set(err, STATUS_USAGE, "%s does not take --%s; see qkvlab %s --help",
                         command->name, word, command->name);
    }
    const char *nearest = suggest_nearest(word, taken, n_taken);
    if (nearest) {
        return error_set(err, STATUS_USAGE, "unknown option --%s; did you mean --%s?", word,
                         nearest);
    }
    return error_set(err, STATUS_USAGE, "unknown option --%s; see qkvlab %s --help", word,
                     command->name);
}

static enum status letter_find(const struct command *command, const char *word,
                               const struct option **found, struct error *err)
{
    for (size_t i = 0; (*found = option_of(command, i)); i++) {
        if ((*found)->letter == word[1] && !word[2]) {
            return STATUS_OK;
        }
    }
    return error_set(err, STATUS_USAGE, "unknown option %s: options begin with --", word);
}

static enum status check_repetition(const struct option *option, const char *value,
                                    struct arguments *arguments, struct error *err)
{
    if (option_is_repeatable(option)) {
        const struct text_list *list = value_of(option, arguments);
        for (size_t i = 0; i < list->n; i++) {
            if (strcmp(list->text[i], value) == 0) {
                return error_set(err, STATUS_USAGE, "--%s %s is given twice", option->name, value);
            }
        }
    } else if (arguments->seen[option - options] && option->argument) {
        return error_set(err, STATUS_USAGE, "--%s is given twice; it takes one value",
                         option->name);
    }
    return STATUS_OK;
}

static enum status read_value(const struct option *option, const char *value,
                              struct arguments *arguments, struct error *err)
{
    enum status status = word_check(option->word, value, err);
    if (status == STATUS_OK) {
        status = option->read(option, value, arguments, value_of(option, arguments), err);
    }
    if (status != STATUS_OK) {
        error_prefix(err, "--%s", option->name);
    }
    return status;
}

/* The option words[*at], with its value, which may be the next word. */
static enum status parse_option(struct arguments *arguments, size_t *at, size_t n,
                                char *const *words, struct error *err)
{
    const struct option *option = NULL;
    const char *word = words[*at], *value = NULL;
    if (word[1] == '-') {
        size_t n_byte = strcspn(word + 2, "=");
        TRY(option_find(arguments->command, word + 2, n_byte, &option, err));
        value = word[2 + n_byte] == '=' ? word + 2 + n_byte + 1 : NULL;
    } else {
        TRY(letter_find(arguments->command, word, &option, err));
    }
    if (value && !option->argument) {
        return error_set(err, STATUS_USAGE, "--%s takes no value, found '%s'", option->name, value);
    }
    if (!value && option->argument) {
        if (*at + 1 == n) {
            return error_set(err, STATUS_USAGE, "--%s needs %s behind it", option->name,
                             option->argument);
        }
        value = words[++*at];
    }
    TRY(check_repetition(option, value, arguments, err));
    arguments->seen[option - options] = true;
    return read_value(option, value ? value : "", arguments, err);
}

static enum status check_operands(const struct arguments *arguments, struct error *err)
{
    const struct command *command = arguments->command;
    if (arguments->n_operand < command->least) {
        return error_set(err, STATUS_USAGE, "%s needs %s; see qkvlab %s --help", command->name,
                         command->operands, command->name);
    }
    if (arguments->n_operand > command->most) {
        return error_set(err, STATUS_USAGE, "%s: '%s' is one word too many; see qkvlab %s --help",
                         command->name, arguments->operand[command->most], command->name);
    }
    bool names_files = command->operand == WORD_FOLDER || command->operand == WORD_FILE;
    for (size_t i = 0; names_files && i < arguments->n_operand; i++) {
        if (word_check(command->operand, arguments->operand[i], err) != STATUS_OK) {
            error_prefix(err, "%s", command->name);
            return STATUS_USAGE;
        }
    }
    return STATUS_OK;
}

/* Every list gets room for a whole line of n words, every other value its standard. */
static enum status set_out(struct arguments *arguments, size_t n, struct error *err)
{
    arguments->operand = calloc(n + 1, sizeof *arguments->operand);
    bool enough = arguments->operand != NULL;
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        if (option_is_repeatable(&options[i])) {
            struct text_list *list = value_of(&options[i], arguments);
            list->text = calloc(n + 1, sizeof *list->text);
            enough = enough && list->text;
        } else if (options[i].standard) {
            TRY(read_value(&options[i], options[i].standard, arguments, err));
        }
    }
    return enough ? STATUS_OK : error_memory(err, "reading the command line");
}

enum status arguments_parse(struct arguments *arguments, const struct command *command, size_t n,
                            char *const *words, struct error *err)
{
    *arguments = (struct arguments){.command = command};
    TRY(set_out(arguments, n, err));
    bool only_operands = false;
    for (size_t i = 0; i < n; i++) {
        const char *word = words[i];
        if (only_operands || word[0] != '-' || word[1] == '\0') {
            arguments->operand[arguments->n_operand++] = word;
        } else if (strcmp(word, "--") == 0) {
            only_operands = true;
        } else {
            TRY(parse_option(arguments, &i, n, words, err));
        }
    }
    return arguments->help ? STATUS_OK : check_operands(arguments, err);
}

static enum status check_set_once(const struct arguments *arguments, struct error *err)
{
    for (size_t i = 0; i < arguments->n_set; i++) {
        size_t n_byte = strcspn(arguments->set[i], "=");
        for (size_t k = 0; k < i; k++) {
            if (strcspn(arguments->set[k], "=") == n_byte &&
                memcmp(arguments->set[k], arguments->set[i], n_byte) == 0) {
                return error_set(err, STATUS_USAGE, "%.*s is set twice; it takes one value",
                                 (int)n_byte, arguments->set[i]);
            }
        }
    }
    return STATUS_OK;
}

enum status arguments_each_set(const struct arguments *arguments, set_function set, void *context,
                               struct error *err)
{
    TRY(check_set_once(arguments, err));
    for (size_t i = 0; i < arguments->n_set; i++) {
        const char *assignment = arguments->set[i], *equals = strchr(assignment, '=');
        char key[64];
        if (!equals || equals == assignment) {
            return error_set(err, STATUS_USAGE, "expected key=value, found '%s'", assignment);
        }
        snprintf(key, sizeof key, "%.*s", (int)(equals - assignment), assignment);
        TRY(set(context, key, equals + 1, err));
    }
    return STATUS_OK;
}

void arguments_free(struct arguments *arguments)
{
    free(arguments->operand);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        if (option_is_repeatable(&options[i])) {
            free(((struct text_list *)value_of(&options[i], arguments))->text);
        }
    }
}

enum status arguments_refuse(const struct arguments *arguments, enum option_id id,
                             const char *reason, struct error *err)
{
    return arguments->seen[id] ? error_set(err, STATUS_USAGE, "--%s: %s", options[id].name, reason)
                               : STATUS_OK;
}

const char *arguments_folder(const struct arguments *arguments)
{
    return arguments->n_operand > 0 ? arguments->operand[0] : DEFAULT_OUT;
}

#include "cli/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn/cost.h"

#define ON(command) (1u << COMMAND_##command)
#define ON_TRAINING (ON(RUN) | ON(QUICK))
#define ON_TABLES                                                                                  \
    (ON(RUN) | ON(QUICK) | ON(STATUS) | ON(ATTENTION) | ON(LIST) | ON(CROSSCHECK) | ON(SELFTEST) | \
     ON(BENCH) | ON(COST) | ON(IDENTITIES) | ON(DATA))
#define ON_ALL ((1u << COMMAND_COUNT) - 1)

#define MAX_THREADS 1024
#define MAX_JOBS 1024
#define MAX_ROUNDS 1000
#define MAX_SECONDS 3600
#define MAX_CONTEXT 1000000000
#define MAX_BYTES 16

static const struct option_spec options[OPTION_COUNT] = {
    [OPTION_SET] = {"set", "KEY=VALUE", WORD_ASSIGNMENT,
                    ON_TRAINING | ON(BENCH) | ON(COST) | ON(IDENTITIES),
                    "Set a configuration key; KEY=A,B,C makes a grid. May be repeated."},
    [OPTION_SEEDS] = {"seeds", "LIST", WORD_TEXT, ON_TRAINING,
                      "The seeds to train: 0, 0,1,2 or 0-5. Always a list, never a count."},
    [OPTION_OUT] = {"out", "DIR", WORD_FOLDER, ON_TRAINING | ON(DATA),
                    "Where runs and pictures are kept (default " DEFAULT_OUT ")."},
    [OPTION_JOBS] = {"jobs", "N", WORD_TEXT, ON_TRAINING,
                     "Train N runs at a time, each in a process of its own (default 1)."},
    [OPTION_THREADS] = {"threads", "N", WORD_TEXT,
                        ON_TRAINING | ON(CROSSCHECK) | ON(BENCH) | ON(DATA),
                        "Compute with N threads in all (default: every processor). Results do not "
                        "depend on it. For bench also a list: 1,2,4."},
    [OPTION_SHARD] = {"shard", "I/N", WORD_TEXT, ON_TRAINING,
                      "Only the part I (from 0) of N of the grid, for several machines."},
    [OPTION_DRY_RUN] = {"dry-run", NULL, WORD_NONE, ON_TRAINING,
                        "Print the list of runs with their size; train and write nothing."},
    [OPTION_VARIANT] = {"variant", "ID", WORD_TEXT, ON(BENCH) | ON(COST),
                        "Only this variant. May be repeated."},
    [OPTION_SHAPE] = {"shape", "NAME", WORD_SHAPE, ON(BENCH),
                      "Measure this shape of the standard list. May be repeated."},
    [OPTION_ROUNDS] = {"rounds", "N", WORD_TEXT, ON(BENCH),
                       "Alternate N times between models and ceiling (default 7)."},
    [OPTION_SECONDS] = {"seconds", "S", WORD_TEXT, ON(BENCH),
                        "Measure each model for S seconds over all rounds, but at least a step a "
                        "round (default 2)."},
    [OPTION_SCALING] = {"scaling", NULL, WORD_NONE, ON(BENCH),
                        "Vary seq_len, n_embd, n_layer and batch_size of one model, and fit how "
                        "time and memory grow."},
    [OPTION_CONTEXT] = {"context", "N", WORD_TEXT, ON(COST),
                        "Size of the cache in tokens (default: 32000 for language models, else a "
                        "sequence)."},
    [OPTION_BYTES] = {"bytes", "N", WORD_TEXT, ON(COST),
                      "Bytes of a cached number (default: 2 for language models, else 4)."},
    [OPTION_MEMORY] = {"memory", "SIZE", WORD_TEXT, ON(COST),
                       "Memory for caches, such as 40GB: adds how many sequences fit at a time."},
    [OPTION_DATA] = {"data", "DIR", WORD_FOLDER, ON_TRAINING | ON(DATA),
                     "Look for data sets here first."},
    [OPTION_CACHE] = {"cache", "DIR", WORD_FOLDER, ON_TRAINING | ON(DATA),
                      "Keep decoded images here (default: in the user's cache folder)."},
    [OPTION_FORMAT] = {"format", "FORMAT", WORD_FORMAT, ON_TABLES,
                       "Print the table as text (default), csv or json."},
    [OPTION_QUIET] = {"quiet", NULL, WORD_NONE,
                      ON_TRAINING | ON(REPORT) | ON(ATTENTION) | ON(BENCH),
                      "No progress and no hints on stderr, only errors."},
    [OPTION_HELP] = {"help", NULL, WORD_NONE, ON_ALL, "Show this help."},
};

const struct option_spec *option_at(size_t id)
{
    return id < OPTION_COUNT ? &options[id] : NULL;
}

bool option_taken(const struct option_spec *option, const struct command *command)
{
    for (size_t id = 0; id < COMMAND_COUNT; id++) {
        if (command_at(id) == command) {
            return option->commands >> id & 1;
        }
    }
    return false;
}

/* ---- values ---- */

static enum status parse_count(const char *name, const char *text, size_t least, size_t most,
                               size_t *value, struct error *err)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno || number < least || number > most) {
        return error_set(err, STATUS_USAGE, "--%s: expected a whole number in %zu..%zu, found '%s'",
                         name, least, most, text);
    }
    *value = (size_t)number;
    return STATUS_OK;
}

/* parse_threads reads one number, or for `bench` several separated by commas. */
static enum status parse_threads(const char *text, struct arguments *arguments, struct error *err)
{
    size_t n_most = arguments->command == command_at(COMMAND_BENCH) ? MAX_THREAD_LIST : 1;
    char word[64];
    size_t count = 0;
    arguments->n_thread_list = 0;
    for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        if (arguments->n_thread_list == n_most) {
            return error_set(err, STATUS_USAGE,
                             "--threads: expected at most %d numbers, found '%s'", MAX_THREAD_LIST,
                             text);
        }
        int n = n_most == 1 ? (int)strlen(at) : (int)strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", n, at);
        enum status status = parse_count("threads", word, 1, MAX_THREADS, &count, err);
        if (status != STATUS_OK) {
            return status;
        }
        arguments->thread_list[arguments->n_thread_list++] = (int)count;
    }
    arguments->threads = arguments->thread_list[0];
    return STATUS_OK;
}

static enum status parse_seconds(const char *text, double *seconds, struct error *err)
{
    char *end;
    *seconds = strtod(text, &end);
    if (end == text || *end || !(*seconds > 0 && *seconds <= MAX_SECONDS)) {
        return error_set(err, STATUS_USAGE,
                         "--seconds: expected a number above 0 and up to %d, found '%s'",
                         MAX_SECONDS, text);
    }
    return STATUS_OK;
}

static enum status parse_memory(const char *text, uint64_t *n_byte, struct error *err)
{
    enum status status = cost_parse_bytes(text, n_byte, err);
    if (status != STATUS_OK) {
        error_prefix(err, "--memory");
    }
    return status;
}

static enum status parse_shard(const char *text, size_t *shard, size_t *n_shard, struct error *err)
{
    unsigned long i, n;
    char rest;
    if (text[0] < '0' || text[0] > '9' || sscanf(text, "%lu/%lu%c", &i, &n, &rest) != 2 || i >= n) {
        return error_set(err, STATUS_USAGE,
                         "--shard: expected I/N with 0 <= I < N, such as 0/4, found '%s'", text);
    }
    *shard = i;
    *n_shard = n;
    return STATUS_OK;
}

static enum status parse_format(const char *text, enum format *format, struct error *err)
{
    enum status status = word_check(WORD_FORMAT, "format", text, err);
    for (size_t i = 0; status == STATUS_OK && word_choice(WORD_FORMAT, i); i++) {
        if (strcmp(word_choice(WORD_FORMAT, i), text) == 0) {
            *format = (enum format)i;
        }
    }
    return status;
}

static enum status apply(struct arguments *arguments, size_t id, const char *value,
                         struct error *err)
{
    switch (id) {
    case OPTION_SET:
        arguments->set[arguments->n_set++] = value;
        break;
    case OPTION_SEEDS:
        arguments->seeds = value;
        break;
    case OPTION_OUT:
        if (value[0] == '\0') {
            return error_set(err, STATUS_USAGE, "--out: expected the name of a folder, found ''");
        }
        arguments->out = value;
        break;
    case OPTION_JOBS:
        return parse_count("jobs", value, 1, MAX_JOBS, &arguments->jobs, err);
    case OPTION_THREADS:
        return parse_threads(value, arguments, err);
    case OPTION_SHARD:
        return parse_shard(value, &arguments->shard, &arguments->n_shard, err);
    case OPTION_DRY_RUN:
        arguments->dry_run = true;
        break;
    case OPTION_VARIANT:
        arguments->variant[arguments->n_variant++] = value;
        break;
    case OPTION_SHAPE:
        arguments->shape[arguments->n_shape++] = value;
        break;
    case OPTION_ROUNDS:
        return parse_count("rounds", value, 1, MAX_ROUNDS, &arguments->rounds, err);
    case OPTION_SECONDS:
        return parse_seconds(value, &arguments->seconds, err);
    case OPTION_SCALING:
        arguments->scaling = true;
        break;
    case OPTION_CONTEXT:
        return parse_count("context", value, 1, MAX_CONTEXT, &arguments->context, err);
    case OPTION_BYTES:
        return parse_count("bytes", value, 1, MAX_BYTES, &arguments->bytes, err);
    case OPTION_MEMORY:
        return parse_memory(value, &arguments->memory, err);
    case OPTION_DATA:
        arguments->data = value;
        break;
    case OPTION_CACHE:
        arguments->cache = value;
        break;
    case OPTION_FORMAT:
        return parse_format(value, &arguments->format, err);
    case OPTION_QUIET:
        arguments->quiet = true;
        break;
    case OPTION_HELP:
        arguments->help = true;
        break;
    }
    return STATUS_OK;
}

/* ---- the line ---- */

/* option_find looks up name (of n_byte bytes) among the options of the command. */
static enum status option_find(const struct command *command, const char *name, size_t n_byte,
                               size_t *id, struct error *err)
{
    const char *taken[OPTION_COUNT];
    size_t n_taken = 0;
    const struct option_spec *elsewhere = NULL;
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        bool same = strlen(options[i].name) == n_byte && !memcmp(options[i].name, name, n_byte);
        bool ours = option_taken(&options[i], command);
        if (same && ours) {
            *id = i;
            return STATUS_OK;
        }
        if (same) {
            elsewhere = &options[i];
        }
        if (ours) {
            taken[n_taken++] = options[i].name;
        }
    }
    if (elsewhere) {
        return error_set(err, STATUS_USAGE, "%s does not take --%s; see qkvlab %s --help",
                         command->name, elsewhere->name, command->name);
    }
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)n_byte, name);
    const char *nearest = text_nearest(word, taken, n_taken);
    if (nearest) {
        return error_set(err, STATUS_USAGE, "unknown option --%s: did you mean --%s?", word,
                         nearest);
    }
    return error_set(err, STATUS_USAGE, "unknown option --%s; see qkvlab %s --help", word,
                     command->name);
}

static enum status parse_option(struct arguments *arguments, size_t *at, size_t n,
                                char *const *words, struct error *err)
{
    const char *name = words[*at] + 2;
    size_t n_byte = strcspn(name, "=");
    size_t id = 0;
    enum status status = option_find(arguments->command, name, n_byte, &id, err);
    if (status != STATUS_OK) {
        return status;
    }
    const struct option_spec *option = &options[id];
    const char *value = name[n_byte] == '=' ? name + n_byte + 1 : NULL;
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
    return apply(arguments, id, value, err);
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
    return STATUS_OK;
}

enum status arguments_parse(struct arguments *arguments, const struct command *command, size_t n,
                            char *const *words, struct error *err)
{
    *arguments = (struct arguments){.command = command, .out = DEFAULT_OUT, .jobs = 1};
    arguments->set = calloc(n + 1, sizeof *arguments->set);
    arguments->variant = calloc(n + 1, sizeof *arguments->variant);
    arguments->shape = calloc(n + 1, sizeof *arguments->shape);
    arguments->operand = calloc(n + 1, sizeof *arguments->operand);
    if (!arguments->set || !arguments->variant || !arguments->shape || !arguments->operand) {
        return error_set(err, STATUS_MEMORY, "out of memory");
    }
    bool only_operands = false;
    for (size_t i = 0; i < n; i++) {
        const char *word = words[i];
        enum status status = STATUS_OK;
        if (only_operands || word[0] != '-' || word[1] == '\0') {
            arguments->operand[arguments->n_operand++] = word;
        } else if (strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (strcmp(word, "-h") == 0) {
            arguments->help = true;
        } else if (word[1] != '-') {
            status = error_set(err, STATUS_USAGE, "unknown option %s: options begin with --", word);
        } else {
            status = parse_option(arguments, &i, n, words, err);
        }
        if (status != STATUS_OK) {
            return status;
        }
    }
    return arguments->help ? STATUS_OK : check_operands(arguments, err);
}

void arguments_free(struct arguments *arguments)
{
    free(arguments->set);
    free(arguments->variant);
    free(arguments->shape);
    free(arguments->operand);
}

const char *arguments_folder(const struct arguments *arguments)
{
    return arguments->n_operand > 0 ? arguments->operand[0] : DEFAULT_OUT;
}

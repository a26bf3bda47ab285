#include "cli/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "lesson/lesson.h"
#include "nn/cost.h"

#define ON(command) (1u << COMMAND_##command)
#define ON_TRAINING (ON(RUN) | ON(QUICK))
#define ON_LEARNING (ON(BASELINE) | ON(CHECK))
#define ON_TABLES                                                                                  \
    (ON(RUN) | ON(QUICK) | ON(STATUS) | ON(ATTENTION) | ON(LIST) | ON(CROSSCHECK) | ON(SELFTEST) | \
     ON(BENCH) | ON(COST) | ON(IDENTITIES) | ON(DATA) | ON(CHECK))
#define ON_ALL ((1u << COMMAND_COUNT) - 1)

#define MAX_THREADS 1024
#define MAX_JOBS 1024
#define MAX_ROUNDS 1000
#define MAX_SECONDS 3600
#define MAX_CONTEXT 1000000000
#define MAX_BYTES 16

static const struct option_spec options[OPTION_COUNT] = {
    [OPTION_SET] = {"set", "KEY=VALUE", WORD_ASSIGNMENT,
                    ON_TRAINING | ON(LESSON) | ON(BENCH) | ON(COST) | ON(IDENTITIES) | ON_LEARNING,
                    "Set a configuration key; KEY=A,B,C makes a grid. May be repeated."},
    [OPTION_SEEDS] = {"seeds", "LIST", WORD_TEXT, ON_TRAINING | ON(LESSON) | ON_LEARNING,
                      "The seeds to train: 0, 0,1,2 or 0-5. Always a list, never a count."},
    [OPTION_OUT] = {"out", "DIR", WORD_FOLDER, ON_TRAINING | ON(LESSON) | ON(DATA),
                    "Where runs and pictures are kept (default " DEFAULT_OUT ")."},
    [OPTION_JOBS] = {"jobs", "N", WORD_TEXT, ON_TRAINING | ON(LESSON),
                     "Train N runs at a time, each in a process of its own (default 1)."},
    [OPTION_THREADS] = {"threads", "N", WORD_TEXT,
                        ON_TRAINING | ON(LESSON) | ON(CROSSCHECK) | ON(BENCH) | ON(DATA) |
                            ON_LEARNING,
                        "Compute with N threads in all (default: every processor). Results do not "
                        "depend on it."},
    [OPTION_SHARD] = {"shard", "I/N", WORD_TEXT, ON_TRAINING,
                      "Only the part I (from 0) of N of the grid, for several machines."},
    [OPTION_DRY_RUN] =
        {"dry-run", NULL, WORD_NONE, ON_TRAINING | ON(LESSON),
         "Print the list of runs with their size and the time they will take, from a few "
         "seconds of trying. Nothing is trained to its end or written."},
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
    [OPTION_USERS] = {"users", NULL, WORD_NONE, ON(COST),
                      "Add how many sequences fit at a time into the memory for caches."},
    [OPTION_MEMORY] = {"memory", "SIZE", WORD_TEXT, ON(COST),
                       "Memory for caches, such as 80GB (default 40GB); implies --users."},
    [OPTION_BASELINE] =
        {"baseline", "ID", WORD_TEXT, ON(REPORT),
         "Compare variants with this one (default qkv). Repeated: each with that of "
         "its own sharing."},
    [OPTION_LANG] =
        {"lang", "CODE", WORD_LANGUAGE, ON(LESSON),
         "The language of the page (default en); another word is answered with those there "
         "are."},
    [OPTION_SLIDES] = {"slides", NULL, WORD_NONE, ON(LESSON),
                       "Write the key pictures as slides of 1920 x 1080, too."},
    [OPTION_DATA] = {"data", "DIR", WORD_FOLDER, ON_TRAINING | ON(DATA) | ON_LEARNING,
                     "Look for data sets here first."},
    [OPTION_CACHE] = {"cache", "DIR", WORD_FOLDER, ON_TRAINING | ON(DATA) | ON_LEARNING,
                      "Keep decoded images here (default: in the user's cache folder)."},
    [OPTION_OUTPUT] = {"output", "FILE", WORD_FILE, ON(BASELINE),
                       "The file to write; -o FILE is the same."},
    [OPTION_CURVES] = {"curves", "DIR", WORD_FOLDER, ON_LEARNING,
                       "Train nothing: take the curves of another program, *.csv in DIR with the "
                       "columns step, loss and, if there are, grad_norm and accuracy; a file a "
                       "seed, a subfolder a configuration."},
    [OPTION_WITH] = {"with", "FILE", WORD_FILE, ON(CHECK),
                     "Train nothing: compare with another baseline."},
    [OPTION_TIER] = {"tier", "TIER", WORD_TIER, ON(CHECK),
                     "Compare in this tier: exact, paired or band."},
    [OPTION_PNG] = {"png", "FILE", WORD_FILE, ON(CHECK), "Draw old and new curves."},
    [OPTION_JUNIT] = {"junit", "FILE", WORD_FILE, ON(CHECK),
                      "Write the result as JUnit XML too, a test case for each configuration."},
    [OPTION_UPDATE] = {"update", NULL, WORD_NONE, ON(CHECK),
                       "Where something differs, record the baseline anew; the exit status is 1 "
                       "this once."},
    [OPTION_NO_PAIRED] = {"no-paired", NULL, WORD_NONE, ON(BASELINE),
                          "Leave the harmless changes out: recorded several times as fast, for "
                          "the tiers exact and band alone."},
#ifdef QKVLAB_FAULTS
    [OPTION_FAULT] = {"fault", "NAME", WORD_FAULT, ON_LEARNING,
                      "Plant this fault in all that is trained."},
#endif
    [OPTION_FORMAT] = {"format", "FORMAT", WORD_FORMAT, ON_TABLES,
                       "Print the table as text (default), csv or json."},
    [OPTION_QUIET] = {"quiet", NULL, WORD_NONE,
                      ON_TRAINING | ON(LESSON) | ON(REPORT) | ON(ATTENTION) | ON(BENCH) |
                          ON_LEARNING,
                      "No progress and no hints on stderr, only errors."},
    [OPTION_HELP] = {"help", NULL, WORD_NONE, ON_ALL, "Show this help."},
};

/* What a command says about an option instead, because it takes less or more than the others. */
static const struct {
    enum option_id option;
    enum command_id command;
    const char *help;
} own_help[] = {
    {OPTION_SET, COMMAND_COST, "Set a size of the model, to one value. May be repeated."},
    {OPTION_SET, COMMAND_IDENTITIES, "Set a size or the seed, to one value. May be repeated."},
    {OPTION_SET, COMMAND_BENCH,
     "Measure a model with this key instead of the standard list; with --shape, that shape with "
     "this key. KEY=A,B,C makes several. May be repeated."},
    {OPTION_VARIANT, COMMAND_BENCH, "Measure this variant (default qkv). May be repeated."},
    {OPTION_THREADS, COMMAND_BENCH,
     "Compute with N threads in all (default: every processor), or measure several numbers in "
     "turn: 1,2,4."},
    {OPTION_SET, COMMAND_CHECK,
     "Change a key of every configuration, to see whether that shows. May be repeated."},
    {OPTION_SEEDS, COMMAND_BASELINE,
     "The seeds to train, such as 0-9 (the default without a preset or file)."},
    {OPTION_SEEDS, COMMAND_CHECK,
     "The seeds to train (default: those of the baseline; in tier band as many others)."},
    {OPTION_FORMAT, COMMAND_CHECK, "Print the result as text (default) or json."},
    {OPTION_OUT, COMMAND_DATA, "Where pictures are kept, in DIR/data (default " DEFAULT_OUT ")."},
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

const char *option_help(const struct option_spec *option, const struct command *command)
{
    for (size_t i = 0; i < sizeof own_help / sizeof own_help[0]; i++) {
        if (option == &options[own_help[i].option] && command == command_at(own_help[i].command)) {
            return own_help[i].help;
        }
    }
    return option->help;
}

/* ---- values ---- */

/* How the value of an option is read, and where in struct arguments it goes. */
struct reader {
    enum status (*read)(const struct reader *reader, const char *name, const char *text,
                        struct arguments *arguments, struct error *err);
    size_t offset, n_offset; /* of the value; of a list's length */
    size_t least, most;      /* of whole numbers */
};

static void *value_at(const struct reader *reader, struct arguments *arguments)
{
    return (char *)arguments + reader->offset;
}

static enum status parse_count(const struct reader *reader, const char *name, const char *text,
                               size_t *value, struct error *err)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno || number < reader->least ||
        number > reader->most) {
        return error_set(err, STATUS_USAGE, "--%s: expected a whole number in %zu..%zu, found '%s'",
                         name, reader->least, reader->most, text);
    }
    *value = (size_t)number;
    return STATUS_OK;
}

static enum status read_count(const struct reader *reader, const char *name, const char *text,
                              struct arguments *arguments, struct error *err)
{
    return parse_count(reader, name, text, value_at(reader, arguments), err);
}

static enum status read_flag(const struct reader *reader, const char *name, const char *text,
                             struct arguments *arguments, struct error *err)
{
    (void)name, (void)text, (void)err;
    *(bool *)value_at(reader, arguments) = true;
    return STATUS_OK;
}

static enum status read_text(const struct reader *reader, const char *name, const char *text,
                             struct arguments *arguments, struct error *err)
{
    (void)name, (void)err;
    *(const char **)value_at(reader, arguments) = text;
    return STATUS_OK;
}

static enum status read_folder(const struct reader *reader, const char *name, const char *text,
                               struct arguments *arguments, struct error *err)
{
    if (text[0] == '\0') {
        return error_set(err, STATUS_USAGE, "--%s: expected the name of a folder, found ''", name);
    }
    return read_text(reader, name, text, arguments, err);
}

static enum status read_file(const struct reader *reader, const char *name, const char *text,
                             struct arguments *arguments, struct error *err)
{
    if (text[0] == '\0') {
        return error_set(err, STATUS_USAGE, "--%s: expected the name of a file, found ''", name);
    }
    return read_text(reader, name, text, arguments, err);
}

static enum status read_list(const struct reader *reader, const char *name, const char *text,
                             struct arguments *arguments, struct error *err)
{
    const char **list = *(const char ***)value_at(reader, arguments);
    size_t *n = (size_t *)((char *)arguments + reader->n_offset);
    for (size_t i = 0; i < *n; i++) {
        if (strcmp(list[i], text) == 0) {
            return error_set(err, STATUS_USAGE, "--%s %s is given twice", name, text);
        }
    }
    list[(*n)++] = text;
    return STATUS_OK;
}

/* One number, or for `bench` several separated by commas. */
static enum status read_threads(const struct reader *reader, const char *name, const char *text,
                                struct arguments *arguments, struct error *err)
{
    size_t n_most = arguments->command == command_at(COMMAND_BENCH) ? MAX_THREAD_LIST : 1;
    char word[64];
    size_t count = 0;
    arguments->n_thread_list = 0;
    for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        if (arguments->n_thread_list == n_most) {
            return error_set(err, STATUS_USAGE, "--%s: expected at most %d numbers, found '%s'",
                             name, MAX_THREAD_LIST, text);
        }
        int n = n_most == 1 ? (int)strlen(at) : (int)strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", n, at);
        enum status status = parse_count(reader, name, word, &count, err);
        if (status != STATUS_OK) {
            return status;
        }
        arguments->thread_list[arguments->n_thread_list++] = (int)count;
    }
    arguments->threads = arguments->thread_list[0];
    return STATUS_OK;
}

static enum status read_seconds(const struct reader *reader, const char *name, const char *text,
                                struct arguments *arguments, struct error *err)
{
    double *seconds = value_at(reader, arguments);
    char *end;
    *seconds = strtod(text, &end);
    if (end == text || *end || !(*seconds > 0 && *seconds <= MAX_SECONDS)) {
        return error_set(err, STATUS_USAGE,
                         "--%s: expected a number above 0 and up to %d, found '%s'", name,
                         MAX_SECONDS, text);
    }
    return STATUS_OK;
}

static enum status read_memory(const struct reader *reader, const char *name, const char *text,
                               struct arguments *arguments, struct error *err)
{
    (void)name;
    enum status status = cost_parse_bytes(text, value_at(reader, arguments), err);
    if (status != STATUS_OK) {
        error_prefix(err, "--memory");
    }
    return status;
}

static enum status read_shard(const struct reader *reader, const char *name, const char *text,
                              struct arguments *arguments, struct error *err)
{
    (void)reader;
    unsigned long i, n;
    char rest;
    if (text[0] < '0' || text[0] > '9' || sscanf(text, "%lu/%lu%c", &i, &n, &rest) != 2 || i >= n) {
        return error_set(err, STATUS_USAGE,
                         "--%s: expected I/N with 0 <= I < N, such as 0/4, found '%s'", name, text);
    }
    arguments->shard = i;
    arguments->n_shard = n;
    return STATUS_OK;
}

static enum status read_format(const struct reader *reader, const char *name, const char *text,
                               struct arguments *arguments, struct error *err)
{
    enum format *format = value_at(reader, arguments);
    enum status status = word_check(WORD_FORMAT, name, text, err);
    for (size_t i = 0; status == STATUS_OK && word_choice(WORD_FORMAT, i); i++) {
        if (strcmp(word_choice(WORD_FORMAT, i), text) == 0) {
            *format = (enum format)i;
        }
    }
    return status;
}

#define AT(member) offsetof(struct arguments, member)

static const struct reader readers[OPTION_COUNT] = {
    [OPTION_SET] = {read_list, AT(set), AT(n_set), 0, 0},
    [OPTION_SEEDS] = {read_text, AT(seeds), 0, 0, 0},
    [OPTION_OUT] = {read_folder, AT(out), 0, 0, 0},
    [OPTION_JOBS] = {read_count, AT(jobs), 0, 1, MAX_JOBS},
    [OPTION_THREADS] = {read_threads, AT(threads), 0, 1, MAX_THREADS},
    [OPTION_SHARD] = {read_shard, AT(shard), 0, 0, 0},
    [OPTION_DRY_RUN] = {read_flag, AT(dry_run), 0, 0, 0},
    [OPTION_VARIANT] = {read_list, AT(variant), AT(n_variant), 0, 0},
    [OPTION_SHAPE] = {read_list, AT(shape), AT(n_shape), 0, 0},
    [OPTION_ROUNDS] = {read_count, AT(rounds), 0, 1, MAX_ROUNDS},
    [OPTION_SECONDS] = {read_seconds, AT(seconds), 0, 0, 0},
    [OPTION_SCALING] = {read_flag, AT(scaling), 0, 0, 0},
    [OPTION_CONTEXT] = {read_count, AT(context), 0, 1, MAX_CONTEXT},
    [OPTION_BYTES] = {read_count, AT(bytes), 0, 1, MAX_BYTES},
    [OPTION_USERS] = {read_flag, AT(users), 0, 0, 0},
    [OPTION_MEMORY] = {read_memory, AT(memory), 0, 0, 0},
    [OPTION_BASELINE] = {read_list, AT(baseline), AT(n_baseline), 0, 0},
    [OPTION_LANG] = {read_text, AT(language), 0, 0, 0},
    [OPTION_SLIDES] = {read_flag, AT(slides), 0, 0, 0},
    [OPTION_DATA] = {read_folder, AT(data), 0, 0, 0},
    [OPTION_CACHE] = {read_folder, AT(cache), 0, 0, 0},
    [OPTION_OUTPUT] = {read_file, AT(output), 0, 0, 0},
    [OPTION_CURVES] = {read_folder, AT(curves), 0, 0, 0},
    [OPTION_WITH] = {read_file, AT(with), 0, 0, 0},
    [OPTION_TIER] = {read_text, AT(tier), 0, 0, 0},
    [OPTION_PNG] = {read_file, AT(png), 0, 0, 0},
    [OPTION_JUNIT] = {read_file, AT(junit), 0, 0, 0},
    [OPTION_UPDATE] = {read_flag, AT(update), 0, 0, 0},
    [OPTION_NO_PAIRED] = {read_flag, AT(no_paired), 0, 0, 0},
#ifdef QKVLAB_FAULTS
    [OPTION_FAULT] = {read_text, AT(fault), 0, 0, 0},
#endif
    [OPTION_FORMAT] = {read_format, AT(format), 0, 0, 0},
    [OPTION_QUIET] = {read_flag, AT(quiet), 0, 0, 0},
    [OPTION_HELP] = {read_flag, AT(help), 0, 0, 0},
};

bool option_is_repeatable(size_t id)
{
    return readers[id].read == read_list;
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
    const char *nearest = suggest_nearest(word, taken, n_taken);
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
    if (arguments->seen >> id & 1 && option->argument && !option_is_repeatable(id)) {
        return error_set(err, STATUS_USAGE, "--%s is given twice; it takes one value",
                         option->name);
    }
    arguments->seen |= (uint64_t)1 << id;
    return readers[id].read(&readers[id], option->name, value, arguments, err);
}

_Static_assert(OPTION_COUNT <= 64, "seen has a bit for each option");

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
        if (arguments->operand[i][0] == '\0') {
            return error_set(err, STATUS_USAGE, "%s: expected the name of a %s, found ''",
                             command->name, command->operand == WORD_FILE ? "file" : "folder");
        }
    }
    return STATUS_OK;
}

enum status arguments_parse(struct arguments *arguments, const struct command *command, size_t n,
                            char *const *words, struct error *err)
{
    *arguments = (struct arguments){
        .command = command, .out = DEFAULT_OUT, .language = LESSON_LANGUAGE, .jobs = 1};
    arguments->set = calloc(n + 1, sizeof *arguments->set);
    arguments->variant = calloc(n + 1, sizeof *arguments->variant);
    arguments->shape = calloc(n + 1, sizeof *arguments->shape);
    arguments->baseline = calloc(n + 1, sizeof *arguments->baseline);
    arguments->operand = calloc(n + 1, sizeof *arguments->operand);
    if (!arguments->set || !arguments->variant || !arguments->shape || !arguments->baseline ||
        !arguments->operand) {
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
        } else if (strcmp(word, "-o") == 0 && option_taken(&options[OPTION_OUTPUT], command)) {
            status = i + 1 < n && !arguments->output
                         ? read_file(&readers[OPTION_OUTPUT], "output", words[++i], arguments, err)
                         : error_set(err, STATUS_USAGE, "-o needs one FILE behind it");
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

enum status arguments_set_once(const struct arguments *arguments, struct error *err)
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

void arguments_free(struct arguments *arguments)
{
    free(arguments->set);
    free(arguments->variant);
    free(arguments->shape);
    free(arguments->baseline);
    free(arguments->operand);
}

enum status arguments_refuse(const struct arguments *arguments, enum option_id id,
                             const char *reason, struct error *err)
{
    return arguments->seen >> id & 1
               ? error_set(err, STATUS_USAGE, "--%s: %s", options[id].name, reason)
               : STATUS_OK;
}

const char *arguments_folder(const struct arguments *arguments)
{
    return arguments->n_operand > 0 ? arguments->operand[0] : DEFAULT_OUT;
}

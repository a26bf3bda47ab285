#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "lab/config/config.h"
#include "lab/data/dataset.h"
#include "lab/kind/kind.h"
#include "nn/cost.h"
#include "nn/variant.h"

#define N_ROW(rows) (sizeof(rows) / sizeof((rows)[0]))

/* ---- variants ---- */

static void append(char *text, size_t size, const char *more)
{
    strncat(text, more, size - strlen(text) - 1);
}

/* "q k v" where nothing is shared, "qk v" where Q and K are one projection, "k v" where Q is none.
 */
static void describe_slots(const struct variant *variant, char *text, size_t size)
{
    text[0] = '\0';
    for (int slot = 0; slot < ROLE_COUNT; slot++) {
        char roles[4];
        variant_slot_roles(variant, slot, roles);
        append(text, size, text[0] && roles[0] ? " " : "");
        append(text, size, roles);
    }
}

/* The axes besides sharing that differ from the plain row: "score_term=position2d". */
static void describe_axes(const struct variant *variant, char *text, size_t size)
{
    const struct variant *plain = variant_named(0);
    text[0] = '\0';
    for (size_t i = 0; variant_axis_key(i); i++) {
        char value[VARIANT_TEXT_SIZE], usual[VARIANT_TEXT_SIZE];
        variant_axis_value(variant, i, value);
        variant_axis_value(plain, i, usual);
        if (strcmp(value, usual) == 0) {
            continue;
        }
        append(text, size, text[0] ? ", " : "");
        append(text, size, variant_axis_key(i));
        append(text, size, "=");
        append(text, size, value);
    }
}

static const char *describe_symmetry(const struct variant *variant)
{
    if (variant_scores_symmetric(variant)) {
        return "yes";
    }
    return variant_product_symmetric(variant) ? "QK^T" : "no";
}

/* One of the rows that vary sharing alone, which `quick` trains. */
static bool is_sharing_row(const struct variant *variant)
{
    const struct variant *row = variant_sharing_row(0);
    for (size_t i = 0; row != NULL && row != variant; i++) {
        row = variant_sharing_row(i + 1);
    }
    return row != NULL;
}

static struct table *list_variants(void)
{
    static const struct column columns[] = {
        {"id", "id"},
        {"name", NULL},
        {"projections", "learned"},
        {"n_projection", NULL},
        {"n_cached", "cached"},
        {"product_symmetric", NULL},
        {"scores_symmetric", NULL},
        {"product_gram", NULL},
        {NULL, "symm"},
        {"axes", NULL},
        {"sharing_row", NULL},
        {"equation", "one head computes"},
    };
    struct table *table = table_create(columns, N_ROW(columns));
    for (size_t i = 0; variant_named(i); i++) {
        const struct variant *variant = variant_named(i);
        char id[VARIANT_TEXT_SIZE], name[VARIANT_TEXT_SIZE], slots[16], axes[256];
        char equation[VARIANT_EQUATION_SIZE];
        variant_id(variant, id);
        variant_name(variant, name);
        describe_slots(variant, slots, sizeof slots);
        describe_axes(variant, axes, sizeof axes);
        variant_equation(variant, equation);
        table_text(table, id);
        table_text(table, name);
        table_text(table, slots);
        table_integer(table, (long long)variant_n_slot(variant));
        table_integer(table, (long long)variant_cache_roles(variant));
        table_bool(table, variant_product_symmetric(variant));
        table_bool(table, variant_scores_symmetric(variant));
        table_bool(table, variant_product_gram(variant));
        table_text(table, describe_symmetry(variant));
        table_text(table, axes);
        table_bool(table, is_sharing_row(variant));
        table_text(table, equation);
    }
    return table;
}

/* ---- tasks ---- */

#define EXAMPLE_TOKENS 16

/* Which position an output needs, at the two ends of a sequence: "0<-15, 15<-0". */
static void add_needed(struct table *table, const struct task *task)
{
    int first = task_needed_key(task, 0, EXAMPLE_TOKENS);
    int last = task_needed_key(task, EXAMPLE_TOKENS - 1, EXAMPLE_TOKENS);
    if (first == TASK_NO_KEY) {
        table_text(table, "no single one");
    } else {
        table_format(table, "0<-%d, %d<-%d", first, EXAMPLE_TOKENS - 1, last);
    }
}

static struct table *list_tasks(void)
{
    static const struct column columns[] = {
        {"name", "name"},
        {"formula", "formula"},
        {"example", "example"},
        {"position_floor", "floor", 3},
        {"needed_key", "needed key"},
    };
    struct table *table = table_create(columns, N_ROW(columns));
    for (size_t i = 0; task_at(i); i++) {
        const struct task *task = task_at(i);
        if (task->kind->find) {
            continue; /* a data set */
        }
        table_text(table, task->name);
        table_text(table, task->summary);
        table_text(table, task->example);
        table_number(table, task_chance(task, EXAMPLE_TOKENS));
        add_needed(table, task);
    }
    return table;
}

static void print_tasks_legend(void)
{
    printf("\nat T = %d. floor: accuracy of the best predictor that knows only the position;\n"
           "needed key: output <- the input position it must attend to\n",
           EXAMPLE_TOKENS);
}

/* ---- data sets ---- */

static void add_count(struct table *table, size_t n)
{
    if (n > 0) {
        table_integer(table, (long long)n);
    } else {
        table_missing(table);
    }
}

static struct table *list_datasets(void)
{
    static const struct column columns[] = {
        {"name", "name"},       {"title", "title"},   {"n_train", "training"},  {"n_test", "test"},
        {"n_class", "classes"}, {"image_size", "px"}, {"n_channel", "colours"},
    };
    struct table *table = table_create(columns, N_ROW(columns));
    for (size_t i = 0; dataset_at(i); i++) {
        const struct dataset *dataset = dataset_at(i);
        table_text(table, dataset->task.name);
        table_text(table, dataset->task.title);
        add_count(table, dataset->task.n_train);
        add_count(table, dataset->task.n_test);
        table_integer(table, (long long)dataset->task.n_answer);
        table_integer(table, (long long)dataset->image_size);
        table_integer(table, (long long)dataset->n_channel);
    }
    return table;
}

/* ---- keys ---- */

/* The first kind's default is "default", those of the others "default_<kind>". */
static struct table *list_keys(void)
{
    static const struct column before[] = {
        {"name", NULL}, {"alias", NULL}, {NULL, "key"}, {"type", NULL}};
    static const struct column after[] = {
        {"accepted", NULL}, {"help", NULL}, {NULL, "what it is (what it takes)"}};
    struct column first = {"default", "default"};
    struct table *table = table_create(before, N_ROW(before));
    for (size_t k = 0; kind_at(k); k++) {
        char key[64], title[64];
        snprintf(key, sizeof key, "default_%s", kind_at(k)->name);
        snprintf(title, sizeof title, "for %s", kind_at(k)->name);
        struct column other = {key, title};
        table_column(table, k == 0 ? &first : &other);
    }
    for (size_t c = 0; c < N_ROW(after); c++) {
        table_column(table, &after[c]);
    }
    for (size_t i = 0; config_key_at(i); i++) {
        const struct config_key *key = config_key_at(i);
        table_text(table, key->name);
        table_text(table, key->alias);
        table_format(table, "%s%s%s", key->name, key->alias ? ", " : "",
                     key->alias ? key->alias : "");
        table_text(table, key->type);
        for (size_t k = 0; kind_at(k); k++) {
            table_text(table, config_kind_preset(kind_at(k), key));
        }
        table_text(table, key->accepted);
        table_text(table, key->help);
        table_format(table, "%s (%s)", key->help, key->accepted);
    }
    return table;
}

/* ---- models ---- */

static struct table *list_models(void)
{
    static const struct column columns[] = {
        {"name", "name"},
        {"n_param", "parameters with qkv"},
        {"summary", "what"},
    };
    struct table *table = table_create(columns, N_ROW(columns));
    for (size_t i = 0; cost_model_at(i); i++) {
        const struct cost_model *model = cost_model_at(i);
        struct cost cost;
        table_text(table, model->name);
        if (cost_compute(model, variant_named(0), &cost, NULL) == STATUS_OK) {
            table_integer(table, (long long)cost.n_param);
        } else {
            table_missing(table);
        }
        table_text(table, model->summary);
    }
    return table;
}

/* What a task has instead of the defaults of its kind: "  cifar10: epochs 40". */
static void print_own_defaults(const struct task *task)
{
    size_t n = 0;
    for (size_t k = 0; config_key_at(k); k++) {
        const struct config_key *key = config_key_at(k);
        const char *own = config_preset(task, key), *usual = config_kind_preset(task->kind, key);
        if (own && strcmp(own, usual) != 0) {
            printf(n++ == 0 ? "  %s: %s %s" : ", %.0s%s %s", task->name, key->name, own);
        }
    }
    fputs(n > 0 ? "\n" : "", stdout);
}

static void print_keys_legend(void)
{
    puts("\ndefault: of tasks; -: tasks have no such key; derived: follows from image_size and "
         "patch.\n"
         "Some data sets have defaults of their own:");
    for (size_t i = 0; task_at(i); i++) {
        print_own_defaults(task_at(i));
    }
    puts("On a command line --set n_embd=32,64 --seeds 0-4; in a file `n_embd: [32, 64]` and\n"
         "`seeds: 0-4`. Files take two more keys: include, the name of a preset or another file,\n"
         "and without_data, keys that take over where the files of a data set are missing.");
}

/* ---- the subjects, one row each ---- */

static const struct subject {
    const char *name, *what;
    struct table *(*table)(void);
    enum status (*print)(const struct arguments *arguments, struct error *err); /* if no table */
    const char *legend; /* below a table, where the titles of its columns cannot say it */
    void (*print_more)(void);
} subjects[] = {
    {"variants", "which projections Q, K and V share, and what follows from that", list_variants,
     .legend = "learned: the projections, each named by the roles that read it\n"
               "cached: how many of K and V a decoder must keep\n"
               "symm: the scores are symmetric (yes), or the product QK^T in them\n"
               "X: the block's input after LayerNorm; d_h: head width; w, a, b: learned with the\n"
               "scores; P: fixed sines and cosines of positions; f: LayerNorm(W_2 GELU(W_1 RMSNorm "
               "X))\n"
               "Any row takes further axes behind its id, as in kv:n_kv_head=1:causal=1; a + is\n"
               "score_term=position2d. See `qkvlab list keys`."},
    {"tasks", "what is learned: sequences that are drawn", list_tasks,
     .print_more = print_tasks_legend},
    {"datasets", "what is learned: images", list_datasets,
     .legend = "px: side of an image. Where each was looked for and found: qkvlab data list"},
    {"presets", "ready-made sweeps with the time they take here; with a NAME, its file",
     .print = list_presets,
     .legend = "time: estimated for this machine as it is now, one run at a time on every "
               "processor, nothing\ndone yet; MiB: memory of the largest run. `qkvlab list presets "
               "NAME` prints the file,\n`qkvlab run NAME --dry-run` the runs and what is left of "
               "them."},
    {"models", "sizes of models that `qkvlab cost` counts", list_models},
    {"keys", "what --set and configuration files take, with defaults", list_keys,
     .print_more = print_keys_legend},
    {"schema", "the same as a JSON Schema, for editors", .print = list_schema},
};

const char *list_subject_at(size_t i)
{
    return i < N_ROW(subjects) ? subjects[i].name : NULL;
}

static enum status list_subjects(enum format format, struct error *err)
{
    static const struct column columns[] = {{"topic", "topic"}, {"what", "what"}};
    struct table *table = table_create(columns, N_ROW(columns));
    for (size_t i = 0; i < N_ROW(subjects); i++) {
        table_text(table, subjects[i].name);
        table_text(table, subjects[i].what);
    }
    return table_finish(table, format, err);
}

enum status cmd_list(const struct arguments *arguments, struct error *err)
{
    if (arguments->n_operand == 0) {
        return list_subjects(arguments->format, err);
    }
    TRY(word_check(WORD_LIST, arguments->operand[0], err));
    const struct subject *subject = subjects;
    while (strcmp(subject->name, arguments->operand[0]) != 0) {
        subject++;
    }
    if (arguments->n_operand > 1) {
        return subject->print == list_presets
                   ? list_preset(arguments->operand[1], err)
                   : error_set(err, STATUS_USAGE,
                               "only presets have a NAME, as in: qkvlab list presets quick");
    }
    TRY(subject->print ? subject->print(arguments, err)
                       : table_finish(subject->table(), arguments->format, err));
    if (arguments->format == FORMAT_TEXT && subject->legend) {
        printf("\n%s\n", subject->legend);
    }
    if (arguments->format == FORMAT_TEXT && subject->print_more) {
        subject->print_more();
    }
    return STATUS_OK;
}

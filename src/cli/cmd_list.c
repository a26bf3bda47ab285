#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/list_presets.h"
#include "cli/list_schema.h"
#include "cli/options.h"
#include "cli/table.h"
#include "lab/config/config.h"
#include "lab/data/dataset.h"
#include "lab/data/task.h"
#include "nn/cost.h"
#include "nn/variant.h"

#define N_COLUMN(columns) (sizeof(columns) / sizeof((columns)[0]))

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
        {"id", "id", 0},
        {"name", NULL, 0},
        {"projections", "learned", 0},
        {"n_projection", NULL, 0},
        {"n_cached", "cached", 0},
        {"product_symmetric", NULL, 0},
        {"scores_symmetric", NULL, 0},
        {"product_gram", NULL, 0},
        {NULL, "symm", 0},
        {"axes", NULL, 0},
        {"sharing_row", NULL, 0},
        {"equation", "one head computes", 0},
    };
    struct table *table = table_create(columns, N_COLUMN(columns));
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
static void describe_needed(const struct task *task, char *text, size_t size)
{
    int first = task->needed_key(0, EXAMPLE_TOKENS);
    int last = task->needed_key(EXAMPLE_TOKENS - 1, EXAMPLE_TOKENS);
    if (first == TASK_NO_KEY) {
        snprintf(text, size, "no single one");
    } else {
        snprintf(text, size, "0<-%d, %d<-%d", first, EXAMPLE_TOKENS - 1, last);
    }
}

static struct table *list_tasks(void)
{
    static const struct column columns[] = {
        {"name", "name", 0},
        {"formula", "formula", 0},
        {"example", "example", 0},
        {"position_floor", "floor", 3},
        {"needed_key", "needed key", 0},
    };
    struct table *table = table_create(columns, N_COLUMN(columns));
    for (size_t i = 0; task_at(i); i++) {
        const struct task *task = task_at(i);
        char needed[64];
        describe_needed(task, needed, sizeof needed);
        table_text(table, task->name);
        table_text(table, task->formula);
        table_text(table, task->example);
        table_number(table, task_floor(task, EXAMPLE_TOKENS));
        table_text(table, needed);
    }
    return table;
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
        {"name", "name", 0},         {"title", "title", 0},     {"n_train", "training", 0},
        {"n_test", "test", 0},       {"n_class", "classes", 0}, {"image_size", "px", 0},
        {"n_channel", "colours", 0},
    };
    struct table *table = table_create(columns, N_COLUMN(columns));
    for (size_t i = 0; dataset_at(i); i++) {
        const struct dataset *dataset = dataset_at(i);
        table_text(table, dataset->name);
        table_text(table, dataset->title);
        add_count(table, dataset->n_train);
        add_count(table, dataset->n_test);
        table_integer(table, (long long)dataset->n_class);
        table_integer(table, (long long)dataset->image_size);
        table_integer(table, (long long)dataset->n_channel);
    }
    return table;
}

/* ---- keys ---- */

static void add_text_or_missing(struct table *table, const char *text)
{
    if (text) {
        table_text(table, text);
    } else {
        table_missing(table);
    }
}

static struct table *list_keys(void)
{
    static const struct column columns[] = {
        {"name", NULL, 0},     {"alias", NULL, 0},        {NULL, "key", 0},
        {"type", NULL, 0},     {"default", "default", 0}, {"default_images", "for images", 0},
        {"accepted", NULL, 0}, {"help", NULL, 0},         {NULL, "what it is (what it takes)", 0},
    };
    struct table *table = table_create(columns, N_COLUMN(columns));
    for (size_t i = 0; config_key_at(i); i++) {
        const struct config_key *key = config_key_at(i);
        char shown[128], what[1024];
        snprintf(shown, sizeof shown, "%s%s%s", key->name, key->alias ? ", " : "",
                 key->alias ? key->alias : "");
        snprintf(what, sizeof what, "%s (%s)", key->help, key->accepted);
        table_text(table, key->name);
        add_text_or_missing(table, key->alias);
        table_text(table, shown);
        table_text(table, key->type);
        add_text_or_missing(table, key->preset);
        add_text_or_missing(table, key->preset_images);
        table_text(table, key->accepted);
        table_text(table, key->help);
        table_text(table, what);
    }
    return table;
}

/* ---- models ---- */

static struct table *list_models(void)
{
    static const struct column columns[] = {
        {"name", "name", 0},
        {"n_param", "parameters with qkv", 0},
        {"summary", "what", 0},
    };
    struct table *table = table_create(columns, N_COLUMN(columns));
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

/* What a data set has instead of the defaults for images: "  cifar10: epochs 40". */
static void print_own_defaults(const struct dataset *dataset)
{
    size_t n = 0;
    for (size_t k = 0; config_key_at(k); k++) {
        const struct config_key *key = config_key_at(k);
        const char *own = dataset_preset(dataset, key->name);
        if (!own || !key->preset_images || strcmp(own, key->preset_images) == 0) {
            continue;
        }
        if (n++ == 0) {
            printf("  %s: %s %s", dataset->name, key->name, own);
        } else {
            printf(", %s %s", key->name, own);
        }
    }
    fputs(n > 0 ? "\n" : "", stdout);
}

static void print_keys_legend(void)
{
    puts("\ndefault: of tasks; -: tasks have no such key; derived: follows from image_size and "
         "patch.\n"
         "Some data sets have defaults of their own:");
    for (size_t i = 0; dataset_at(i); i++) {
        print_own_defaults(dataset_at(i));
    }
    puts("On a command line --set n_embd=32,64 --seeds 0-4; in a file `n_embd: [32, 64]` and\n"
         "`seeds: 0-4`. Files take two more keys: include, the name of a preset or another file,\n"
         "and without_data, keys that take over where the files of a data set are missing.");
}

/* What the columns of a text table mean, where their titles cannot say it. */
static void print_legend(const char *topic)
{
    if (strcmp(topic, "variants") == 0) {
        puts("\nlearned: the projections, each named by the roles that read it\n"
             "cached: how many of K and V a decoder must keep\n"
             "symm: the scores are symmetric (yes), or the product QK^T in them\n"
             "X: the block's input after LayerNorm; d_h: head width; w, a, b: learned with the\n"
             "scores; P: fixed sines and cosines of positions; f: LayerNorm(W_2 GELU(W_1 RMSNorm "
             "X))\n"
             "Any row takes further axes behind its id, as in kv:n_kv_head=1:causal=1; a + is\n"
             "score_term=position2d. See `qkvlab list keys`.");
    } else if (strcmp(topic, "tasks") == 0) {
        printf("\nat T = %d. floor: accuracy of the best predictor that knows only the position;\n"
               "needed key: output <- the input position it must attend to\n",
               EXAMPLE_TOKENS);
    } else if (strcmp(topic, "presets") == 0) {
        puts("\ntime: estimated for this machine as it is now, one run at a time on every "
             "processor, "
             "nothing\ndone yet; MiB: memory of the largest run. `qkvlab list presets NAME` prints "
             "the file,\n`qkvlab run NAME --dry-run` the runs and what is left of them.");
    } else if (strcmp(topic, "keys") == 0) {
        print_keys_legend();
    } else if (strcmp(topic, "datasets") == 0) {
        puts("\npx: side of an image. Where each was looked for and found: qkvlab data list");
    }
}

static const char *describe_topic(const char *topic)
{
    static const struct {
        const char *topic, *what;
    } topics[] = {
        {"variants", "which projections Q, K and V share, and what follows from that"},
        {"tasks", "what is learned: sequences that are drawn"},
        {"datasets", "what is learned: images"},
        {"presets", "ready-made sweeps with the time they take here; with a NAME, its file"},
        {"models", "sizes of models that `qkvlab cost` counts"},
        {"keys", "what --set and configuration files take, with defaults"},
        {"schema", "the same as a JSON Schema, for editors"},
    };
    for (size_t i = 0; i < N_COLUMN(topics); i++) {
        if (strcmp(topics[i].topic, topic) == 0) {
            return topics[i].what;
        }
    }
    return "";
}

static enum status list_topics(enum format format, struct error *err)
{
    static const struct column columns[] = {{"topic", "topic", 0}, {"what", "what", 0}};
    struct table *table = table_create(columns, N_COLUMN(columns));
    for (size_t i = 0; word_choice(WORD_TOPIC, i); i++) {
        table_text(table, word_choice(WORD_TOPIC, i));
        table_text(table, describe_topic(word_choice(WORD_TOPIC, i)));
    }
    enum status status = table_print(table, format, err);
    table_free(table);
    return status;
}

static enum status list_table(const char *topic, enum format format, struct error *err)
{
    struct table *table = !strcmp(topic, "variants")   ? list_variants()
                          : !strcmp(topic, "tasks")    ? list_tasks()
                          : !strcmp(topic, "datasets") ? list_datasets()
                          : !strcmp(topic, "models")   ? list_models()
                                                       : list_keys();
    enum status status = table_print(table, format, err);
    table_free(table);
    return status;
}

enum status cmd_list(const struct arguments *arguments, struct error *err)
{
    if (arguments->n_operand == 0) {
        return list_topics(arguments->format, err);
    }
    const char *topic = arguments->operand[0];
    bool presets = strcmp(topic, "presets") == 0;
    enum status status = word_check(WORD_TOPIC, "topic", topic, err);
    if (status == STATUS_OK && arguments->n_operand > 1) {
        return presets ? list_preset(arguments->operand[1], err)
                       : error_set(err, STATUS_USAGE,
                                   "only presets have a NAME, as in: qkvlab "
                                   "list presets quick");
    }
    if (status == STATUS_OK && strcmp(topic, "schema") == 0) {
        return list_schema(err);
    }
    if (status == STATUS_OK) {
        status = presets ? list_presets(arguments, err) : list_table(topic, arguments->format, err);
    }
    if (status == STATUS_OK && arguments->format == FORMAT_TEXT) {
        print_legend(topic);
    }
    return status;
}

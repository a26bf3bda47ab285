/* The two tables of a plan: what it would train, and what came out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plan.h"
#include "cli/run_json.h"
#include "lab/memory.h"
#include "lab/record.h"
#include "nn/model.h"

/* The configuration as text for every key, to see which keys the grid varies. */
static json_t *config_of(const struct plan *plan, size_t run)
{
    return config_json(&plan->config[run]);
}

/* varies: the runs of the plan differ in this key. */
static bool varies(json_t *const *configs, size_t n_run, const char *key)
{
    for (size_t i = 1; i < n_run; i++) {
        json_t *first = json_object_get(configs[0], key), *other = json_object_get(configs[i], key);
        bool both_without = first == NULL && other == NULL; /* a key of another kind of task */
        if (!both_without && !json_equal(first, other)) {
            return true;
        }
    }
    return false;
}

#define MAX_VARIED 12

/* A run's id shows its task, its seed, and its variant with all further axes. */
static bool is_in_id(const char *key)
{
    for (size_t i = 0; variant_axis_key(i); i++) {
        if (strcmp(variant_axis_key(i), key) == 0) {
            return true;
        }
    }
    return !strcmp(key, "task") || !strcmp(key, "variant") || !strcmp(key, "seed");
}

/* Keys that the grid varies, besides those that every run's id shows. */
static size_t varied_keys(const struct plan *plan, const char *key[MAX_VARIED], bool *fine)
{
    size_t n = 0;
    json_t **configs = calloc(plan->n_run + 1, sizeof(json_t *));
    *fine = configs != NULL;
    for (size_t i = 0; configs && i < plan->n_run; i++) {
        configs[i] = config_of(plan, i);
    }
    for (size_t k = 0; configs && config_key_at(k) && n < MAX_VARIED; k++) {
        const char *name = config_key_at(k)->name;
        if (!is_in_id(name) && varies(configs, plan->n_run, name)) {
            key[n++] = name;
        }
    }
    for (size_t i = 0; configs && i < plan->n_run; i++) {
        json_decref(configs[i]);
    }
    free(configs);
    return n;
}

static void add_json(struct table *table, const json_t *value)
{
    if (json_is_integer(value)) {
        table_integer(table, json_integer_value(value));
    } else if (json_is_real(value)) {
        table_number(table, json_real_value(value));
    } else if (json_is_boolean(value)) {
        table_bool(table, json_boolean_value(value));
    } else if (json_is_string(value)) {
        table_text(table, json_string_value(value));
    } else {
        table_missing(table);
    }
}

#define N_COLUMN(columns) (sizeof(columns) / sizeof((columns)[0]))

static size_t append_columns(struct column *column, size_t n, const struct column *more,
                             size_t n_more)
{
    memcpy(column + n, more, n_more * sizeof *more);
    return n + n_more;
}

/* The columns that name a run: in text its id and the varied keys, in CSV and JSON also task,
 * variant and seed alone. */
static size_t name_columns(struct column *column, const char *const *varied, size_t n_varied)
{
    static const struct column names[] = {
        {"id", "run", 0}, {"task", NULL, 0}, {"variant", NULL, 0}, {"seed", NULL, 0}};
    size_t n = append_columns(column, 0, names, N_COLUMN(names));
    for (size_t i = 0; i < n_varied; i++) {
        struct column key = {varied[i], varied[i], -6};
        n = append_columns(column, n, &key, 1);
    }
    return n;
}

static void add_name(struct table *table, const struct config *config, const char *const *varied,
                     size_t n_varied)
{
    char id[CONFIG_ID_SIZE], variant[VARIANT_TEXT_SIZE];
    config_id(config, id);
    variant_id(&config->variant, variant);
    table_text(table, id);
    table_text(table, config_task_name(config));
    table_text(table, variant);
    table_integer(table, (long long)config->seed);
    json_t *values = config_json(config);
    for (size_t i = 0; i < n_varied; i++) {
        add_json(table, json_object_get(values, varied[i]));
    }
    json_decref(values);
}

/* ---- before ---- */

static size_t count_parameters(const struct model_shape *shape)
{
    struct model model;
    if (model_create(&model, shape, NULL) != STATUS_OK) {
        return 0;
    }
    size_t n_param = model.layout.n_param;
    model_free(&model);
    return n_param;
}

static void add_size(struct table *table, const struct config *config, int threads)
{
    struct model_shape shape = config_shape(config);
    if (config_steps(config) > 0) {
        table_integer(table, (long long)config_steps(config));
    } else {
        table_missing(table);
    }
    table_integer(table, (long long)count_parameters(&shape));
    table_number(table, (double)memory_of_run(config, threads) / (1024.0 * 1024.0));
}

static bool is_done(const struct plan *plan, size_t run)
{
    char id[CONFIG_ID_SIZE];
    config_id(&plan->config[run], id);
    return record_is_done(plan->arguments->out, id);
}

enum status plan_preview(const struct plan *plan, struct error *err)
{
    static const struct column sizes[] = {{"steps", "steps", 0},
                                          {"parameters", "parameters", 0},
                                          {"memory_mib", "MiB", 1},
                                          {"done", "done", 0}};
    const char *varied[MAX_VARIED];
    struct column column[TABLE_MAX_COLUMN];
    bool fine;
    size_t n_varied = varied_keys(plan, varied, &fine);
    size_t n = name_columns(column, varied, n_varied), n_done = 0;
    n = append_columns(column, n, sizes, N_COLUMN(sizes));
    struct table *table = fine ? table_create(column, n) : NULL;
    for (size_t run = 0; run < plan->n_run; run++) {
        add_name(table, &plan->config[run], varied, n_varied);
        add_size(table, &plan->config[run], plan->arguments->threads);
        table_bool(table, is_done(plan, run));
        n_done += is_done(plan, run);
    }
    enum status status = table_print(table, plan->arguments->format, err);
    table_free(table);
    if (status == STATUS_OK && !plan->arguments->quiet) {
        fprintf(stderr, "%zu run%s, %zu of them done; nothing was trained or written (--dry-run)\n",
                plan->n_run, plan->n_run == 1 ? "" : "s", n_done);
    }
    return status;
}

/* ---- after ---- */

static json_t *read_run(const struct plan *plan, size_t run)
{
    char id[CONFIG_ID_SIZE];
    config_id(&plan->config[run], id);
    return run_json_read(plan->arguments->out, id);
}

/* Tasks and data sets are measured by different numbers; a plan of one kind shows no columns of the
 * other. */
struct kinds {
    bool tasks, images;
};

static struct kinds kinds_of(const struct plan *plan)
{
    struct kinds kinds = {false, false};
    for (size_t run = 0; run < plan->n_run; run++) {
        kinds.images |= config_is_vision(&plan->config[run]);
        kinds.tasks |= !config_is_vision(&plan->config[run]);
    }
    return kinds;
}

static size_t result_columns(struct column *column, size_t n, struct kinds kinds)
{
    static const struct column status = {"status", "status", 0};
    static const struct column of_tasks[] = {{"token_accuracy", "token", 4},
                                             {"sequence_accuracy", "sequence", 4}};
    static const struct column of_images[] = {{"top1", "top-1", 4}, {"top5", "top-5", 4}};
    static const struct column loss = {"loss", "loss", -5};
    static const struct column escape = {"escape_step", "escape", 0};
    static const struct column seconds = {"wall_seconds", "seconds", 1};
    n = append_columns(column, n, &status, 1);
    n = append_columns(column, n, of_tasks, kinds.tasks ? N_COLUMN(of_tasks) : 0);
    n = append_columns(column, n, of_images, kinds.images ? N_COLUMN(of_images) : 0);
    n = append_columns(column, n, &loss, 1);
    n = append_columns(column, n, &escape, kinds.tasks);
    return append_columns(column, n, &seconds, 1);
}

static void add_results(struct table *table, const json_t *run, struct kinds kinds)
{
    const json_t *results = json_object_get(run, "results");
    table_text(table, json_get_text(run, "status", "not done"));
    if (kinds.tasks) {
        add_json(table, json_object_get(results, "token_accuracy"));
        add_json(table, json_object_get(results, "sequence_accuracy"));
    }
    if (kinds.images) {
        add_json(table, json_object_get(results, "top1"));
        add_json(table, json_object_get(results, "top5"));
    }
    add_json(table, json_object_get(results, "loss"));
    if (kinds.tasks) {
        add_json(table, json_object_get(results, "escape_step"));
    }
    add_json(table, json_object_get(json_object_get(run, "timing"), "wall_seconds"));
}

enum status plan_results(const struct plan *plan, struct error *err)
{
    const char *varied[MAX_VARIED];
    struct column column[TABLE_MAX_COLUMN];
    bool fine;
    struct kinds kinds = kinds_of(plan);
    size_t n_varied = varied_keys(plan, varied, &fine);
    size_t n = name_columns(column, varied, n_varied);
    n = result_columns(column, n, kinds);
    struct table *table = fine ? table_create(column, n) : NULL;
    for (size_t run = 0; run < plan->n_run; run++) {
        json_t *root = read_run(plan, run);
        add_name(table, &plan->config[run], varied, n_varied);
        add_results(table, root, kinds);
        json_decref(root);
    }
    enum status status = table_print(table, plan->arguments->format, err);
    table_free(table);
    return status;
}

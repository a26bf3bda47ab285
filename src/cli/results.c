/* The two tables of a plan: what it would train, and what came out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/forecast.h"
#include "cli/plan.h"
#include "cli/terminal.h"
#include "lab/record/record.h"
#include "nn/model.h"

#define MAX_VARIED 12

/* differs_by_seed_alone tells most runs of a large grid from the first without looking at each key.
 * False may be wrong, true is not. */
static bool differs_by_seed_alone(const struct config *config, const struct config *first)
{
    struct config other;
    memcpy(&other, config, sizeof other);
    other.seed = first->seed;
    return memcmp(&other, first, sizeof other) == 0;
}

/* Marks the keys in which runs of one kind differ from the first of that kind: what tasks and
 * images have different defaults of is no choice of the grid. */
static void mark_varied(const struct plan *plan, bool vision, bool varied[64])
{
    const struct config *first = NULL;
    json_t *values = NULL;
    for (size_t i = 0; i < plan->n_run; i++) {
        const struct config *config = &plan->config[i];
        if (config_is_vision(config) != vision) {
            continue;
        }
        if (!first) {
            first = config;
            values = config_json(config);
        }
        if (differs_by_seed_alone(config, first)) {
            continue;
        }
        json_t *other = config_json(config);
        for (size_t k = 0; config_key_at(k); k++) {
            json_t *a = json_object_get(values, config_key_at(k)->name);
            json_t *b = json_object_get(other, config_key_at(k)->name);
            varied[k] |= a && !json_equal(a, b);
        }
        json_decref(other);
    }
    json_decref(values);
}

/* Keys that the grids vary, besides those that every run's id shows. */
static size_t varied_keys(const struct plan *plan, const char *key[MAX_VARIED])
{
    bool varied[64] = {false};
    mark_varied(plan, false, varied);
    mark_varied(plan, true, varied);
    size_t n = 0;
    for (size_t k = 0; config_key_at(k) && n < MAX_VARIED; k++) {
        if (varied[k] && !config_is_in_id(config_key_at(k)->name)) {
            key[n++] = config_key_at(k)->name;
        }
    }
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
    json_t *values = n_varied > 0 ? config_json(config) : NULL;
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

/* Sizes of a run; the same for the next one where that differs in its seed alone. */
struct size {
    const struct config *config; /* of which they are; NULL: not yet of any */
    size_t n_step, n_param;
    double memory_mib;
};

static void find_size(struct size *size, const struct config *config, int threads)
{
    if (size->config && differs_by_seed_alone(config, size->config)) {
        return;
    }
    struct model_shape shape = config_shape(config);
    *size = (struct size){.config = config,
                          .n_step = config_steps(config),
                          .n_param = count_parameters(&shape),
                          .memory_mib = forecast_memory_mib(config, threads)};
}

static void add_size(struct table *table, const struct size *size)
{
    if (size->n_step > 0) {
        table_integer(table, (long long)size->n_step);
    } else {
        table_missing(table);
    }
    table_integer(table, (long long)size->n_param);
    table_number(table, size->memory_mib);
}

static void add_time(struct table *table, const struct forecast *forecast, size_t run,
                     const struct config *config)
{
    char text[FORECAST_RANGE_SIZE];
    if (forecast->done[run]) {
        table_missing(table);
        table_missing(table);
        return;
    }
    double seconds = estimator_run_seconds(forecast->estimator, config);
    forecast_duration(seconds, text);
    table_number(table, seconds);
    table_text(table, text);
}

static enum status print_preview(const struct plan *plan, const struct forecast *forecast,
                                 struct error *err)
{
    static const struct column sizes[] = {{"steps", "steps", 0},    {"n_param", "parameters", 0},
                                          {"memory_mib", "MiB", 0}, {"estimated_seconds", NULL, 0},
                                          {NULL, "time", 0},        {"done", "done", 0}};
    const char *varied[MAX_VARIED];
    struct column column[TABLE_MAX_COLUMN];
    size_t n_varied = varied_keys(plan, varied);
    size_t n = name_columns(column, varied, n_varied);
    n = append_columns(column, n, sizes, N_COLUMN(sizes));
    struct table *table = table_create(column, n);
    struct size size = {0};
    for (size_t run = 0; run < plan->n_run; run++) {
        const struct config *config = &plan->config[run];
        add_name(table, config, varied, n_varied);
        find_size(&size, config, forecast->threads);
        add_size(table, &size);
        add_time(table, forecast, run, config);
        table_bool(table, forecast->done[run]);
    }
    enum status status = table_print(table, plan->arguments->format, err);
    table_free(table);
    return status;
}

enum status plan_preview(const struct plan *plan, struct error *err)
{
    struct forecast forecast;
    enum status status = forecast_make(&forecast, plan, err);
    if (status == STATUS_OK) {
        status = print_preview(plan, &forecast, err);
    }
    if (status == STATUS_OK && !plan->arguments->quiet) {
        if (plan->grids.note[0]) {
            terminal_say("%s", plan->grids.note);
        }
        forecast_say(&forecast);
    }
    forecast_free(&forecast);
    return status;
}

/* ---- after ---- */

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

static void add_result(struct table *table, const struct run_record *run, const char *key)
{
    table_number(table, run_record_result(run, key));
}

static void add_results(struct table *table, const struct run_record *run, bool done,
                        struct kinds kinds)
{
    double escape = run_record_result(run, "escape_step");
    table_text(table, done ? run_status_name(run->status) : "not done");
    if (kinds.tasks) {
        add_result(table, run, "token_accuracy");
        add_result(table, run, "sequence_accuracy");
    }
    if (kinds.images) {
        add_result(table, run, "top1");
        add_result(table, run, "top5");
    }
    add_result(table, run, "loss");
    if (kinds.tasks && isfinite(escape)) {
        table_integer(table, (long long)escape);
    } else if (kinds.tasks) {
        table_missing(table);
    }
    table_number(table, done ? run->wall_seconds : NAN);
}

enum status plan_results(const struct plan *plan, struct error *err)
{
    const char *varied[MAX_VARIED];
    struct column column[TABLE_MAX_COLUMN];
    struct kinds kinds = kinds_of(plan);
    size_t n_varied = varied_keys(plan, varied);
    size_t n = name_columns(column, varied, n_varied);
    n = result_columns(column, n, kinds);
    struct table *table = table_create(column, n);
    for (size_t run = 0; run < plan->n_run; run++) {
        char id[CONFIG_ID_SIZE];
        struct run_record record;
        config_id(&plan->config[run], id);
        bool done = record_load(plan->arguments->out, id, &record);
        add_name(table, &plan->config[run], varied, n_varied);
        add_results(table, &record, done, kinds);
        run_record_free(&record);
    }
    enum status status = table_print(table, plan->arguments->format, err);
    table_free(table);
    return status;
}

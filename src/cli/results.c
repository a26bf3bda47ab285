/* The two tables of a plan: what it would train, and what came out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/forecast.h"
#include "cli/plan.h"
#include "cli/terminal.h"
#include "cli/varied.h"
#include "lab/record/record.h"

static bool is_in_id(const struct config *configs, size_t n, const char *key)
{
    (void)configs, (void)n;
    return config_is_in_id(key);
}

static struct varied find_varied(const struct plan *plan)
{
    return varied_find(plan->config, plan->n_run, is_in_id);
}

/* A table whose first columns name a run: in text its id and the varied keys, in CSV and JSON also
 * task, variant and seed alone. */
static struct table *make_table(const struct varied *varied)
{
    static const struct column names[] = {
        {"id", "run", 0}, {"task", NULL, 0}, {"variant", NULL, 0}, {"seed", NULL, 0}};
    struct table *table = table_create(names, sizeof names / sizeof names[0]);
    varied_columns(varied, table);
    return table;
}

static void add_name(struct table *table, const struct config *config, const struct varied *varied)
{
    char variant[VARIANT_TEXT_SIZE];
    variant_id(&config->variant, variant);
    table_text(table, config->id);
    table_text(table, config->task->name);
    table_text(table, variant);
    table_integer(table, (long long)config->seed);
    varied_cells(varied, config, table);
}

/* ---- before ---- */

static void add_preview(struct table *table, const struct forecast *forecast, size_t run)
{
    const struct plan *plan = forecast->plan;
    const struct config *config = &plan->config[run];
    char text[FORECAST_RANGE_SIZE];
    size_t n_step = config_steps(config);
    if (n_step > 0) {
        table_integer(table, (long long)n_step);
    } else {
        table_missing(table);
    }
    table_integer(table, (long long)config->n_param);
    table_number(table, forecast_memory_mib(config, plan->threads));
    if (plan->done[run]) {
        table_missing(table);
        table_missing(table);
    } else {
        double seconds = estimator_run_seconds(&forecast->estimator, config);
        forecast_duration(seconds, text);
        table_number(table, seconds);
        table_text(table, text);
    }
    table_bool(table, plan->done[run]);
}

static enum status print_preview(const struct forecast *forecast, struct error *err)
{
    static const struct column sizes[] = {{"steps", "steps", 0},    {"n_param", "parameters", 0},
                                          {"memory_mib", "MiB", 0}, {"estimated_seconds", NULL, 0},
                                          {NULL, "time", 0},        {"done", "done", 0}};
    const struct plan *plan = forecast->plan;
    struct varied varied = find_varied(plan);
    struct table *table = make_table(&varied);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        table_column(table, &sizes[i]);
    }
    for (size_t run = 0; run < plan->n_run; run++) {
        add_name(table, &plan->config[run], &varied);
        add_preview(table, forecast, run);
    }
    return table_finish(table, plan->arguments->format, err);
}

enum status plan_preview(const struct plan *plan, struct error *err)
{
    struct forecast forecast;
    enum status status = forecast_make(&forecast, plan, err);
    if (status == STATUS_OK) {
        status = print_preview(&forecast, err);
    }
    if (status == STATUS_OK && !plan->arguments->quiet) {
        if (plan->grids.note[0]) {
            terminal_say("%s", plan->grids.note);
        }
        forecast_say(&forecast);
    }
    estimator_free(&forecast.estimator);
    return status;
}

/* ---- after ---- */

/* Kinds are measured by different numbers; a plan shows those of its kinds: shares of right
 * answers, then the loss, then steps. */
#define MAX_RESULT 16

struct results {
    const struct kind_result *row[MAX_RESULT];
    size_t n;
};

static int place_of(const struct kind_result *row)
{
    return kind_result_is_step(row) ? 2 : row->what == RESULT_LOSS;
}

static void add_rows(struct results *results, const struct kind *kind, int place)
{
    for (const struct kind_result *row = kind->result; row->key; row++) {
        bool shown = row->title && place_of(row) == place && results->n < MAX_RESULT;
        for (size_t i = 0; i < results->n && shown; i++) {
            shown = strcmp(results->row[i]->key, row->key) != 0;
        }
        if (shown) {
            results->row[results->n++] = row;
        }
    }
}

static bool has_kind(const struct plan *plan, const struct kind *kind)
{
    size_t run = 0;
    while (run < plan->n_run && plan->config[run].task->kind != kind) {
        run++;
    }
    return run < plan->n_run;
}

static struct results results_of(const struct plan *plan)
{
    struct results results = {.n = 0};
    for (int place = 0; place < 3; place++) {
        for (size_t k = 0; kind_at(k); k++) {
            if (has_kind(plan, kind_at(k))) {
                add_rows(&results, kind_at(k), place);
            }
        }
    }
    return results;
}

static void result_columns(struct table *table, const struct results *results)
{
    static const int decimals[] = {4, -5, 0};
    table_column(table, &(struct column){.key = "status", .title = "status"});
    for (size_t i = 0; i < results->n; i++) {
        const struct kind_result *row = results->row[i];
        table_column(table, &(struct column){.key = row->key,
                                             .title = row->title,
                                             .decimals = decimals[place_of(row)]});
    }
    table_column(table, &(struct column){.key = "wall_seconds", .title = "seconds", .decimals = 1});
}

static void add_results(struct table *table, const struct run_record *run, bool done,
                        const struct results *results)
{
    table_text(table, done ? run_status_name(run->status) : "not done");
    for (size_t i = 0; i < results->n; i++) {
        double value = run_record_result(run, results->row[i]->key);
        if (kind_result_is_step(results->row[i]) && isfinite(value)) {
            table_integer(table, (long long)value);
        } else {
            table_number(table, value);
        }
    }
    table_number(table, done ? run->wall_seconds : NAN);
}

enum status plan_results(const struct plan *plan, struct error *err)
{
    struct results results = results_of(plan);
    struct varied varied = find_varied(plan);
    struct table *table = make_table(&varied);
    result_columns(table, &results);
    for (size_t run = 0; run < plan->n_run; run++) {
        struct run_record record;
        bool done = record_load(plan->arguments->out, plan->config[run].id, &record);
        add_name(table, &plan->config[run], &varied);
        add_results(table, &record, done, &results);
        run_record_free(&record);
    }
    return table_finish(table, plan->arguments->format, err);
}

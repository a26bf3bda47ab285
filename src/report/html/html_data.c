/* html_data: cells hold the very texts of report.md's tables, so that the two cannot disagree; the
 * numbers beside them are what columns sort by.
 */
#include "report/html/html_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "lab/training/metrics.h"
#include "report/statistics/published.h"
#include "report/statistics/published_images.h"
#include "report/text/image_runs.h"
#include "report/text/tables.h"

static json_t *integer(size_t n)
{
    return json_integer((json_int_t)n);
}

/* Decimals of a measure in report.md. */
static int decimals(enum measure measure)
{
    bool four = measure == MEASURE_LOSS || measure == MEASURE_FINAL_TRAIN_LOSS ||
                measure == MEASURE_TOP1 || measure == MEASURE_TOP5;
    return measure_is_step(measure) ? 0 : four ? 4 : 3;
}

/* ---- cells ---- */

/* [text, mean, n, min, max]; NULL where no run has the measure. A step that never came is a result,
 * too. */
static json_t *measure_json(const struct cell *cell, enum measure measure)
{
    struct stats stats = cell_stats(cell, measure);
    bool is_task_step = measure_is_step(measure) && cell->run->task;
    if (stats.n == 0 && !is_task_step) {
        return NULL;
    }
    char text[TABLES_CELL_SIZE];
    tables_cell_text(cell, measure, decimals(measure), text);
    return json_pack("[s, o, I, o, o]", text, json_number(stats.mean), (json_int_t)stats.n,
                     json_number(stats.min), json_number(stats.max));
}

static const struct cell *find_baseline(const struct html_index *index, size_t cell)
{
    const struct cell *of = html_cell(index, cell), *baseline = NULL;
    size_t setting = html_setting_of_cell(index, cell);
    size_t from = of->run->task ? 0 : index->set->n_cell;
    size_t end = of->run->task ? index->set->n_cell : html_n_cell(index);
    for (size_t i = from; i < end && !baseline; i++) {
        const struct cell *other = html_cell(index, i);
        if (other->run->task == of->run->task && other->run->dataset == of->run->dataset &&
            strcmp(other->run->variant_id, PAIRED_BASELINE) == 0 &&
            html_setting_of_cell(index, i) == setting) {
            baseline = other;
        }
    }
    return baseline;
}

/* The paired differences to the baseline by measure, [n, mean, min, max]. */
static json_t *gap_json(const struct html_index *index, size_t cell)
{
    static const enum measure told[] = {MEASURE_TOKEN_ACCURACY, MEASURE_TOP1,
                                        MEASURE_MEAN_TRAIN_LOSS, MEASURE_ESCAPE_STEP,
                                        MEASURE_REACHES_90};
    const struct cell *of = html_cell(index, cell), *baseline = find_baseline(index, cell);
    json_t *object = json_object();
    for (size_t i = 0; baseline && baseline != of && i < sizeof(told) / sizeof(told[0]); i++) {
        struct stats gap = cell_difference(of, baseline, told[i]);
        if (gap.n > 0) {
            json_object_set_new(
                object, measure_key(told[i]),
                json_pack("[I, f, f, f]", (json_int_t)gap.n, gap.mean, gap.min, gap.max));
        }
    }
    if (json_object_size(object) == 0) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static json_t *published_of(const struct run *run)
{
    json_t *object = json_object();
    for (int i = 0; i < PUBLISHED_SOURCE_COUNT; i++) {
        enum published_source source = (enum published_source)i;
        double value = run->task ? published_accuracy(source, run->variant_id, run->task->name)
                                 : published_top1(source, run->variant_id, run->dataset->task.name);
        json_object_set_new(object, i == PUBLISHED_PAPER ? "paper" : "reproduction",
                            json_number(value));
    }
    if (run->task && strcmp(run->task->name, "reverse") == 0) {
        json_object_set_new(
            object, "same_size",
            json_number(published_reverse(run->variant_id, run->n_embd, run->n_token)));
    }
    return object;
}

/* First steps of the mean curve below 2.2 and 0.1, and the published ones where the setting is the
 * one in which they were measured. */
static json_t *dynamics_of_cell(const struct cell *cell)
{
    const struct run *run = cell->run;
    const struct published_dynamics *steps = published_dynamics(run->variant_id);
    size_t n_step;
    double *curve = cell_mean_curve(cell, &n_step);
    bool comparable = steps && published_dynamics_comparable(run->n_embd, run->n_layer, run->n_head,
                                                             run->n_token, n_step);
    json_t *row = NULL;
    if (curve) {
        row = json_pack("[I, I, o, o]", (json_int_t)metrics_first_below(curve, n_step, 2.2),
                        (json_int_t)metrics_first_below(curve, n_step, 0.1),
                        comparable ? json_integer(steps->below_2_2) : json_null(),
                        comparable ? json_integer(steps->below_0_1) : json_null());
    }
    free(curve);
    return row;
}

static void set_if(json_t *object, const char *key, json_t *value)
{
    if (value) {
        json_object_set_new(object, key, value);
    }
}

static json_t *departures_json(const struct run *run)
{
    struct text text = {0};
    image_runs_append_departures(&text, run);
    json_t *string = json_string(text.size > 0 ? text.data : "");
    text_free(&text);
    return string;
}

/* The page leaves them out of what it averages over cells itself. */
static bool all_are_copies(const struct cell *cell)
{
    size_t n_copy = 0;
    for (size_t i = 0; i < cell->n_run; i++) {
        n_copy += cell->run[i].copy_of != NULL;
    }
    return n_copy > 0 && n_copy == cell->n_ok;
}

static json_t *cell_json(const struct html_index *index, size_t number)
{
    const struct cell *cell = html_cell(index, number);
    const struct run *run = cell->run;
    json_t *measures = json_object();
    for (int i = 0; i < MEASURE_COUNT; i++) {
        if (cell_tells(cell, (enum measure)i)) {
            set_if(measures, measure_key((enum measure)i), measure_json(cell, (enum measure)i));
        }
    }
    json_t *object = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "setting",
        integer(html_setting_of_cell(index, number)), "task", integer(html_task(index, run)),
        "variant", integer(html_variant(index, run)), "first", integer(html_run_number(index, run)),
        "n_run", integer(cell->n_run), "n_ok", integer(cell->n_ok), "n_param",
        integer(run->n_param), "measures", measures, "published", published_of(run));
    set_if(object, "gap", gap_json(index, number));
    if (all_are_copies(cell)) {
        json_object_set_new(object, "copies", json_true());
    }
    if (!run->task) {
        set_if(object, "departures", departures_json(run));
    }
    if (run->task && strcmp(run->task->name, "reverse") == 0) {
        set_if(object, "dynamics", dynamics_of_cell(cell));
    }
    return object;
}

json_t *html_cells(const struct html_index *index)
{
    json_t *array = json_array();
    for (size_t i = 0; i < html_n_cell(index); i++) {
        json_array_append_new(array, cell_json(index, i));
    }
    return array;
}

/* ---- runs ---- */

/* [id, cell, seed, status, n_step, message, measures...] */
static json_t *run_json(const struct run *run, size_t cell)
{
    json_t *row =
        json_pack("[s, o, I, s, o, s]", run->id, integer(cell), (json_int_t)run->seed, run->status,
                  integer(run->n_step), json_get_text(run->root, "message", ""));
    for (int i = 0; i < MEASURE_COUNT; i++) {
        json_array_append_new(row, json_number(run->measure[i]));
    }
    return row;
}

json_t *html_runs(const struct html_index *index)
{
    json_t *array = json_array();
    for (size_t i = 0; i < html_n_cell(index); i++) {
        const struct cell *cell = html_cell(index, i);
        for (size_t j = 0; j < cell->n_run; j++) {
            json_array_append_new(array, run_json(&cell->run[j], i));
        }
    }
    return array;
}

/* ---- published ---- */

json_t *html_published(void)
{
    json_t *object = json_object();
    static const char *const key[PUBLISHED_SOURCE_COUNT] = {"paper", "reproduction"};
    for (int i = 0; i < PUBLISHED_SOURCE_COUNT; i++) {
        enum published_source source = (enum published_source)i;
        json_object_set_new(object, key[i],
                            json_pack("{s:s, s:s, s:s, s:s}", "name", published_name(source),
                                      "conditions", published_conditions(source), "image_name",
                                      published_images_name(source), "image_conditions",
                                      published_images_conditions(source)));
    }
    json_object_set_new(object, "reverse", json_string(published_reverse_conditions));
    json_object_set_new(object, "dynamics", json_string(published_dynamics_conditions));
    return object;
}

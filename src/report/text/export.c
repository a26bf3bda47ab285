/* export: CSV after RFC 4180, but with plain newlines. */
#include "report/text/export.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

/* Copies are kept apart from the settings' runs. */
static const struct run *find_original(const struct run_set *set, const struct run *copy)
{
    size_t i = 0;
    while (i + 1 < set->n_run && strcmp(set->run[i].id, copy->copy_of) != 0) {
        i++;
    }
    return &set->run[i];
}

size_t setting_number(const struct run_set *set, const struct run *run)
{
    size_t i = 0;
    if (run >= set->copy && run < set->copy + set->n_copy) {
        run = find_original(set, run);
    }
    while (i < set->n_setting && run >= set->setting[i].run + set->setting[i].n_run) {
        i++;
    }
    return i + 1;
}

static void append_field(struct text *text, const char *value)
{
    if (!strpbrk(value, ",\"\n\r")) {
        text_append(text, ",%s", value);
        return;
    }
    text_append(text, ",\"");
    for (const char *c = value; *c; c++) {
        text_append(text, *c == '"' ? "\"\"" : "%c", *c);
    }
    text_append(text, "\"");
}

static void append_number(struct text *text, double value)
{
    if (isfinite(value)) {
        text_append(text, ",%.10g", value);
    } else {
        text_append(text, ",");
    }
}

/* Runs on images belong to no setting. */
static void append_setting(struct text *text, const struct run_set *set, const struct run *run)
{
    if (run->task) {
        text_append(text, "%zu", setting_number(set, run));
    }
}

/* ---- runs ---- */

static void append_shape(struct text *text, const struct run *run)
{
    append_field(text, run_task_name(run));
    append_field(text, run->variant_id);
    append_field(text, run->variant_name);
}

static void append_run(struct text *text, const struct run_set *set, const struct run *run)
{
    text_append(text, "%s,", run->id);
    append_setting(text, set, run);
    append_shape(text, run);
    text_append(text, ",%lld,%s,%zu,%zu,%zu,%zu,%zu,%zu,%zu", run->seed, run->status, run->n_embd,
                run->n_layer, run->n_head, run->n_token, run->n_step, run->n_param, run->n_slot);
    append_number(text, run->floor);
    for (int j = 0; j < MEASURE_COUNT; j++) {
        append_number(text, run->measure[j]);
    }
    append_field(text, json_get_text(run->root, "weights_sha256", ""));
    append_field(text, json_get_text(run->root, "message", ""));
    append_field(text, run->copy_of ? run->copy_of : "");
    text_append(text, "\n");
}

void export_runs(struct text *text, const struct run_set *set)
{
    text_append(text, "id,setting,task,variant,variant_name,seed,status,n_embd,n_layer,n_head,"
                      "seq_len,n_step,n_param,n_slot,position_floor");
    for (int i = 0; i < MEASURE_COUNT; i++) {
        text_append(text, ",%s", measure_key((enum measure)i));
    }
    text_append(text, ",weights_sha256,message,copy_of\n");
    for (size_t i = 0; i < set->n_run; i++) {
        append_run(text, set, &set->run[i]);
    }
    for (size_t i = 0; i < set->n_image_run; i++) {
        append_run(text, set, &set->image_run[i]);
    }
    for (size_t i = 0; i < set->n_copy; i++) {
        append_run(text, set, &set->copy[i]);
    }
}

static void append_heads(struct text *text, const struct run_set *set, const struct run *run)
{
    const json_t *attention = json_object_get(run->root, "attention"), *head;
    for (size_t n = 0; run_is_ok(run) && (head = run_head(run, n)) != NULL; n++) {
        text_append(text, "%s,", run->id);
        append_setting(text, set, run);
        append_shape(text, run);
        text_append(text, ",%lld,%lld,%zu", run->seed, json_get_integer(attention, "layer", -1), n);
        for (int j = MEASURE_NEEDED; j <= MEASURE_ASYMMETRY_SCORES; j++) {
            append_number(text, json_get_number(head, measure_key((enum measure)j), NAN));
        }
        text_append(text, "\n");
    }
}

void export_heads(struct text *text, const struct run_set *set)
{
    text_append(text, "id,setting,task,variant,variant_name,seed,layer,head");
    for (int i = MEASURE_NEEDED; i <= MEASURE_ASYMMETRY_SCORES; i++) {
        text_append(text, ",%s", measure_key((enum measure)i));
    }
    text_append(text, "\n");
    for (size_t i = 0; i < set->n_run; i++) {
        append_heads(text, set, &set->run[i]);
    }
    for (size_t i = 0; i < set->n_image_run; i++) {
        append_heads(text, set, &set->image_run[i]);
    }
}

/* ---- cells ---- */

static double bar_or_nan(const struct stats *stats)
{
    return stats_has_bar(stats) ? stats->sd : NAN;
}

static void append_stats(struct text *text, const struct stats *stats)
{
    text_append(text, ",%zu", stats->n);
    append_number(text, stats->mean);
    append_number(text, bar_or_nan(stats));
    append_number(text, stats->min);
    append_number(text, stats->max);
}

static void append_cell(struct text *text, const struct run_set *set, const struct cell *cell)
{
    append_setting(text, set, cell->run);
    append_shape(text, cell->run);
    text_append(text, ",%zu,%zu,%zu,%zu", cell->n_run, cell->n_ok, cell->run->n_param,
                cell->run->n_slot);
    for (int j = 0; j < MEASURE_COUNT; j++) {
        struct stats stats = cell_stats(cell, (enum measure)j);
        append_stats(text, &stats);
    }
    for (size_t j = 0; j < cell->n_run; j++) {
        text_append(text, "%s%s", j ? " " : ",", cell->run[j].id);
    }
    text_append(text, "\n");
}

void export_cells(struct text *text, const struct run_set *set)
{
    text_append(text, "setting,task,variant,variant_name,n_run,n_ok,n_param,n_slot");
    for (int i = 0; i < MEASURE_COUNT; i++) {
        const char *key = measure_key((enum measure)i);
        text_append(text, ",%s_n,%s_mean,%s_sd,%s_min,%s_max", key, key, key, key, key);
    }
    text_append(text, ",run_ids\n");
    for (size_t i = 0; i < set->n_cell; i++) {
        append_cell(text, set, &set->cell[i]);
    }
    for (size_t i = 0; i < set->n_image_cell; i++) {
        append_cell(text, set, &set->image_cell[i]);
    }
}

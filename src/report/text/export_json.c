/* export_json: the same content as the tables, as strict JSON. */
#include <math.h>

#include "report/runs/run_notes.h"
#include "report/statistics/published.h"
#include "report/text/export.h"

#define REPORT_FORMAT "qkvlab-report-1"

static json_t *count(size_t n)
{
    return json_integer((json_int_t)n);
}

/* Runs on images belong to no setting. */
static json_t *setting_or_null(const struct run_set *set, const struct run *run)
{
    return run->task ? count(setting_number(set, run)) : json_null();
}

static json_t *run_json(const struct run_set *set, const struct run *run)
{
    json_t *object = json_object();
    json_object_set_new(object, "id", json_string(run->id));
    json_object_set_new(object, "setting", setting_or_null(set, run));
    json_object_set_new(object, "task", json_string(run_task_name(run)));
    json_object_set_new(object, "variant", json_string(run->variant_id));
    json_object_set_new(object, "seed", json_integer(run->seed));
    json_object_set_new(object, "status", json_string(run->status));
    json_object_set_new(object, "n_param", count(run->n_param));
    json_object_set_new(object, "n_slot", count(run->n_slot));
    json_object_set_new(object, "n_step", count(run->n_step));
    json_object_set_new(object, "position_floor", json_number(run->floor));
    for (int i = 0; i < MEASURE_COUNT; i++) {
        json_object_set_new(object, measure_key((enum measure)i), json_number(run->measure[i]));
    }
    const char *const copied[] = {"weights_sha256", "data", "attention", "message"};
    for (size_t i = 0; i < sizeof(copied) / sizeof(copied[0]); i++) {
        json_t *value = json_object_get(run->root, copied[i]);
        if (value) {
            json_object_set(object, copied[i], value);
        }
    }
    json_object_set_new(object, "copy_of", run->copy_of ? json_string(run->copy_of) : json_null());
    return object;
}

static json_t *stats_json(const struct stats *stats)
{
    json_t *object = json_object();
    json_object_set_new(object, "n", count(stats->n));
    json_object_set_new(object, "mean", json_number(stats->mean));
    json_object_set_new(object, "sd", json_number(stats_has_bar(stats) ? stats->sd : NAN));
    json_object_set_new(object, "min", json_number(stats->min));
    json_object_set_new(object, "max", json_number(stats->max));
    return object;
}

static json_t *cell_json(const struct run_set *set, const struct cell *cell)
{
    json_t *object = json_object(), *runs = json_array(), *measures = json_object();
    for (size_t i = 0; i < cell->n_run; i++) {
        if (run_is_ok(&cell->run[i])) {
            json_array_append_new(runs, json_string(cell->run[i].id));
        }
    }
    for (int i = 0; i < MEASURE_COUNT; i++) {
        struct stats stats = cell_stats(cell, (enum measure)i);
        json_object_set_new(measures, measure_key((enum measure)i), stats_json(&stats));
    }
    json_object_set_new(object, "setting", setting_or_null(set, cell->run));
    json_object_set_new(object, "task", json_string(run_task_name(cell->run)));
    json_object_set_new(object, "variant", json_string(cell->run->variant_id));
    json_object_set_new(object, "n_run", count(cell->n_run));
    json_object_set_new(object, "n_ok", count(cell->n_ok));
    json_object_set_new(object, "runs", runs);
    json_object_set_new(object, "measures", measures);
    return object;
}

static json_t *findings_json(const struct findings *findings)
{
    json_t *array = json_array();
    for (size_t i = 0; i < findings->n_finding; i++) {
        json_t *object = json_object();
        json_object_set_new(object, "text", json_string(findings->finding[i].text.data));
        json_object_set_new(object, "rule", json_string(findings->finding[i].rule));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *grid_json(const char *variant, const char *task, enum published_source source)
{
    return json_pack("{s:s, s:s, s:s, s:f, s:s, s:s}", "kind", "grid mean", "task", task, "variant",
                     variant, "token_accuracy", published_accuracy(source, variant, task), "source",
                     published_name(source), "conditions", published_conditions(source));
}

static json_t *reverse_json(const char *variant, size_t n_embd, size_t n_token)
{
    return json_pack(
        "{s:s, s:s, s:s, s:I, s:I, s:f, s:s, s:s}", "kind", "Reverse at one size", "task",
        "reverse", "variant", variant, "n_embd", (json_int_t)n_embd, "seq_len", (json_int_t)n_token,
        "token_accuracy", published_reverse(variant, n_embd, n_token), "source",
        published_name(PUBLISHED_REPRODUCTION), "conditions", published_reverse_conditions);
}

static json_t *dynamics_json(const struct published_dynamics *steps)
{
    return json_pack("{s:s, s:s, s:s, s:i, s:i, s:s, s:s}", "kind", "learning dynamics", "task",
                     "reverse", "variant", steps->variant, "step_below_2.2", steps->below_2_2,
                     "step_below_0.1", steps->below_0_1, "source",
                     published_name(PUBLISHED_REPRODUCTION), "conditions",
                     published_dynamics_conditions);
}

static void append_grid_json(json_t *array, const char *variant, const char *task)
{
    for (int i = 0; i < PUBLISHED_SOURCE_COUNT; i++) {
        enum published_source source = (enum published_source)i;
        if (isfinite(published_accuracy(source, variant, task))) {
            json_array_append_new(array, grid_json(variant, task, source));
        }
    }
}

/* What was published for the variants and tasks of a setting, whatever its conditions. */
static json_t *published_json(const struct setting *setting)
{
    json_t *array = json_array();
    const struct run *run = setting->run;
    for (size_t i = 0; i < setting->n_variant; i++) {
        const char *variant = setting->variant[i]->variant_id;
        for (size_t j = 0; j < setting->n_task; j++) {
            append_grid_json(array, variant, setting->task[j]->name);
        }
        if (isfinite(published_reverse(variant, run->n_embd, run->n_token))) {
            json_array_append_new(array, reverse_json(variant, run->n_embd, run->n_token));
        }
        if (published_dynamics(variant)) {
            json_array_append_new(array, dynamics_json(published_dynamics(variant)));
        }
    }
    return array;
}

static json_t *setting_json(const struct run_set *set, const struct setting *setting,
                            const struct findings *findings)
{
    json_t *object = json_object(), *seeds = json_array();
    for (size_t i = 0; i < setting->n_seed; i++) {
        json_array_append_new(seeds, json_integer(setting->seed[i]));
    }
    json_object_set_new(object, "setting", count(setting_number(set, setting->run)));
    json_object_set_new(object, "seeds", seeds);
    const char *const copied[] = {"config", "build", "machine"};
    for (size_t i = 0; i < sizeof(copied) / sizeof(copied[0]); i++) {
        json_t *value = json_object_get(setting->run->root, copied[i]);
        if (value) {
            json_object_set(object, copied[i], value);
        }
    }
    json_object_set_new(object, "of_run", json_string(setting->run->id));
    json_object_set_new(object, "findings", findings_json(findings));
    json_object_set_new(object, "published", published_json(setting));
    return object;
}

static json_t *left_out_json(const struct run_set *set)
{
    json_t *array = json_array();
    for (size_t i = 0; i < set->n_left_out; i++) {
        json_t *object = json_object();
        json_object_set_new(object, "folder", json_text(set->left_out[i].name));
        json_object_set_new(object, "reason", json_text(set->left_out[i].reason));
        json_array_append_new(array, object);
    }
    return array;
}

json_t *export_json(const struct run_set *set, const struct findings *findings,
                    const struct statistics *statistics)
{
    json_t *root = json_object(), *settings = json_array(), *cells = json_array(),
           *runs = json_array();
    for (size_t i = 0; i < set->n_setting; i++) {
        json_array_append_new(settings, setting_json(set, &set->setting[i], &findings[i]));
        if (statistics->setting) {
            json_object_set_new(json_array_get(settings, i), "comparisons",
                                export_comparisons_json(&statistics->setting[i]));
        }
    }
    for (size_t i = 0; i < set->n_cell; i++) {
        json_array_append_new(cells, cell_json(set, &set->cell[i]));
    }
    for (size_t i = 0; i < set->n_run; i++) {
        json_array_append_new(runs, run_json(set, &set->run[i]));
    }
    for (size_t i = 0; i < set->n_image_cell; i++) {
        json_array_append_new(cells, cell_json(set, &set->image_cell[i]));
    }
    for (size_t i = 0; i < set->n_image_run; i++) {
        json_array_append_new(runs, run_json(set, &set->image_run[i]));
    }
    for (size_t i = 0; i < set->n_copy; i++) {
        json_array_append_new(runs, run_json(set, &set->copy[i]));
    }
    json_object_set_new(root, "format", json_string(REPORT_FORMAT));
    json_object_set_new(root, "notes", run_notes_json(set));
    json_object_set_new(root, "findings", findings_json(&statistics->findings));
    json_object_set_new(root, "comparisons", export_comparisons_json(&statistics->all));
    json_object_set_new(root, "overview", export_overview_json(statistics));
    json_object_set_new(root, "settings", settings);
    json_object_set_new(root, "cells", cells);
    json_object_set_new(root, "runs", runs);
    json_object_set_new(root, "left_out", left_out_json(set));
    return root;
}

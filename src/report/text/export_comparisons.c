/* export_comparisons: comparisons and grid averages, as CSV and as JSON. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"
#include "report/text/export.h"

/* ---- CSV ---- */

static void append_number(struct text *text, double value)
{
    if (isfinite(value)) {
        text_append(text, ",%.10g", value);
    } else {
        text_append(text, ",");
    }
}

/* Names of variants have commas, but no quotes. */
static void append_names(struct text *text, const struct run *run)
{
    text_append(text, ",%s,%s,\"%s\"", run_task_name(run), run->variant_id, run->variant_name);
}

static void append_comparison(struct text *text, const char *setting,
                              const struct comparison_table *table,
                              const struct comparison *comparison)
{
    const struct stats *difference = &comparison->difference;
    text_append(text, "%s", setting);
    append_names(text, comparison->paired->run);
    text_append(text, ",%s,%s,%zu,%zu,%zu", comparison->paired->baseline->variant_id,
                measure_key(table->measure), difference->n, comparison->n_configuration,
                comparison->n_seed);
    append_number(text, comparison->variant.mean);
    append_number(text, comparison->baseline.mean);
    append_number(text, difference->mean);
    append_number(text, difference->sd);
    append_number(text, difference->min);
    append_number(text, difference->max);
    append_number(text, comparison->low);
    append_number(text, comparison->high);
    text_append(text, ",%zu,%zu,%zu,%zu,%s,%zu", comparison->n_above, comparison->n_below,
                comparison->n_only_variant, comparison->n_only_baseline,
                comparison_unit_name(comparison->unit), comparison->n_unit);
    append_number(text, comparison->p);
    append_number(text, comparison->p_holm);
    text_append(text, ",%zu,%s,", table->n_tested, comparison->exact ? "true" : "false");
    if (comparison->n_needed < SIZE_MAX) {
        text_append(text, "%zu", comparison->n_needed);
    }
    text_append(text, ",%s\n", comparison_verdict_key(comparison->verdict));
}

static void append_comparisons(struct text *text, const char *setting,
                               const struct comparisons *comparisons)
{
    for (size_t i = 0; i < comparisons->n_table; i++) {
        const struct comparison_table *table = &comparisons->table[i];
        for (size_t j = 0; j < table->n_comparison; j++) {
            append_comparison(text, setting, table, &table->comparison[j]);
        }
    }
}

void export_comparisons(struct text *text, const struct statistics *statistics)
{
    text_append(text, "setting,task,variant,variant_name,baseline,measure,n_pair,n_configuration,"
                      "n_seed,mean_variant,mean_baseline,difference,sd,min,max,low,high,n_above,"
                      "n_below,n_only_variant,n_only_baseline,unit,n_unit,p,p_holm,n_in_family,"
                      "exact,n_needed,verdict\n");
    append_comparisons(text, "all", &statistics->all);
    for (size_t i = 0; statistics->setting && i < statistics->set->n_setting; i++) {
        char number[24];
        snprintf(number, sizeof(number), "%zu", i + 1);
        append_comparisons(text, number, &statistics->setting[i]);
    }
}

static void append_overview_cell(struct text *text, const struct overview_cell *cell)
{
    const struct run *run = cell->run;
    text_append(text, "%s,%s,\"%s\",%zu,%zu", run_task_name(run), run->variant_id,
                run->variant_name, cell->n_run, cell->n_ok);
    for (int i = 0; i < MEASURE_COUNT; i++) {
        const struct spread *spread = &cell->measure[i];
        text_append(text, ",%zu,%zu", spread->n, spread->n_configuration);
        append_number(text, spread->mean);
        append_number(text, spread->between);
        append_number(text, spread->within);
    }
    text_append(text, "\n");
}

static void append_overview(struct text *text, const struct overview *overview)
{
    for (size_t i = 0; i < overview->n_variant * overview->n_task; i++) {
        if (overview->cell[i].run) {
            append_overview_cell(text, &overview->cell[i]);
        }
    }
}

void export_overview(struct text *text, const struct statistics *statistics)
{
    text_append(text, "task,variant,variant_name,n_run,n_ok");
    for (int i = 0; i < MEASURE_COUNT; i++) {
        const char *key = measure_key((enum measure)i);
        text_append(text, ",%s_n,%s_n_configuration,%s_mean,%s_sd_between,%s_sd_within", key, key,
                    key, key, key);
    }
    text_append(text, "\n");
    append_overview(text, &statistics->tasks);
    append_overview(text, &statistics->images);
}

/* ---- JSON ---- */

static json_t *count(size_t n)
{
    return n < SIZE_MAX ? json_integer((json_int_t)n) : json_null();
}

static json_t *comparison_json(const struct comparison *comparison)
{
    const struct run *run = comparison->paired->run;
    char words[COMPARISON_WORDS_SIZE];
    comparison_words(comparison, words);
    return json_pack(
        "{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o, s:s, s:o, s:o, s:o, s:b, s:o, s:s, s:s}",
        "task", run_task_name(run), "variant", run->variant_id, "baseline",
        comparison->paired->baseline->variant_id, "n_pair", count(comparison->difference.n),
        "n_configuration", count(comparison->n_configuration), "n_seed", count(comparison->n_seed),
        "mean_variant", json_number(comparison->variant.mean), "mean_baseline",
        json_number(comparison->baseline.mean), "difference",
        json_number(comparison->difference.mean), "sd", json_number(comparison->difference.sd),
        "min", json_number(comparison->difference.min), "max",
        json_number(comparison->difference.max), "low", json_number(comparison->low), "high",
        json_number(comparison->high), "n_above", count(comparison->n_above), "n_below",
        count(comparison->n_below), "n_only_variant", count(comparison->n_only_variant),
        "n_only_baseline", count(comparison->n_only_baseline), "unit",
        comparison_unit_name(comparison->unit), "n_unit", count(comparison->n_unit), "p",
        json_number(comparison->p), "p_holm", json_number(comparison->p_holm), "exact",
        (int)comparison->exact, "n_needed", count(comparison->n_needed), "verdict",
        comparison_verdict_key(comparison->verdict), "words", words);
}

json_t *export_comparisons_json(const struct comparisons *comparisons)
{
    json_t *tables = json_array();
    for (size_t i = 0; i < comparisons->n_table; i++) {
        const struct comparison_table *table = &comparisons->table[i];
        json_t *rows = json_array();
        for (size_t j = 0; j < table->n_comparison; j++) {
            json_array_append_new(rows, comparison_json(&table->comparison[j]));
        }
        json_array_append_new(
            tables, json_pack("{s:s, s:b, s:o, s:o, s:o}", "measure", measure_key(table->measure),
                              "images", (int)table->images, "n_tested", count(table->n_tested),
                              "n_min", count(table->n_min), "comparisons", rows));
    }
    return tables;
}

static json_t *spread_json(const struct spread *spread)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "n", count(spread->n), "n_configuration",
                     count(spread->n_configuration), "mean", json_number(spread->mean),
                     "sd_between", json_number(spread->between), "sd_within",
                     json_number(spread->within));
}

static json_t *overview_cell_json(const struct overview_cell *cell)
{
    json_t *measures = json_object();
    for (int i = 0; i < MEASURE_COUNT; i++) {
        if (cell->measure[i].n > 0) {
            json_object_set_new(measures, measure_key((enum measure)i),
                                spread_json(&cell->measure[i]));
        }
    }
    return json_pack("{s:s, s:s, s:o, s:o, s:o}", "task", run_task_name(cell->run), "variant",
                     cell->run->variant_id, "n_run", count(cell->n_run), "n_ok", count(cell->n_ok),
                     "measures", measures);
}

json_t *export_overview_json(const struct statistics *statistics)
{
    json_t *array = json_array();
    const struct overview *const part[] = {&statistics->tasks, &statistics->images};
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < part[i]->n_variant * part[i]->n_task; j++) {
            if (part[i]->cell[j].run) {
                json_array_append_new(array, overview_cell_json(&part[i]->cell[j]));
            }
        }
    }
    return array;
}

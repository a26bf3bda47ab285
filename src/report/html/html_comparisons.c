/* html_comparisons: the comparisons with the baseline and the averages over configurations, as they
 * stand in report.md.
 */
#include <math.h>
#include <string.h>

#include "report/html/html_data.h"

static json_t *integer(size_t n)
{
    return json_integer((json_int_t)n);
}

/* ---- comparisons ---- */

static json_t *comparison_json(const struct html_index *index, const struct comparison *comparison)
{
    char words[COMPARISON_WORDS_SIZE];
    const struct run *run = comparison->paired->run;
    char needed[COMPARISON_NEEDED_SIZE];
    comparison_words(comparison, words);
    comparison_needed(comparison, needed);
    json_t *row = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "task", integer(html_task(index, run)),
        "variant", integer(html_variant(index, run)), "difference",
        json_number(comparison->difference.mean), "n_pair", integer(comparison->difference.n),
        "low", json_number(comparison->low), "high", json_number(comparison->high),
        "n_configuration", integer(comparison->n_configuration), "p", json_number(comparison->p),
        "p_holm", json_number(comparison->p_holm));
    json_t *rest =
        json_pack("{s:o, s:o, s:o, s:s, s:s, s:s, s:s}", "n_seed", integer(comparison->n_seed),
                  "n_above", integer(comparison->n_above), "n_below", integer(comparison->n_below),
                  "unit", comparison_unit_name(comparison->unit), "words", words, "short",
                  comparison_verdict_words(comparison), "needed", needed);
    json_object_update(row, rest);
    json_decref(rest);
    json_object_set_new(row, "verdict", json_string(comparison_verdict_key(comparison->verdict)));
    return row;
}

static json_t *table_json(const struct html_index *index, const struct comparison_table *table)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < table->n_comparison; i++) {
        json_array_append_new(rows, comparison_json(index, &table->comparison[i]));
    }
    return json_pack("{s:s, s:s, s:b, s:b, s:o, s:o}", "key", measure_key(table->measure), "title",
                     measure_title(table->measure), "step", measure_is_step(table->measure),
                     "images", table->images, "n_tested", integer(table->n_tested), "rows", rows);
}

json_t *html_comparisons(const struct html_index *index, const struct comparisons *comparisons)
{
    json_t *array = json_array();
    for (size_t i = 0; i < comparisons->n_table; i++) {
        json_array_append_new(array, table_json(index, &comparisons->table[i]));
    }
    return array;
}

/* ---- averages over configurations ---- */

static json_t *spread_json(const struct spread *spread)
{
    return json_pack("[I, I, o, o, o]", (json_int_t)spread->n, (json_int_t)spread->n_configuration,
                     json_number(spread->mean), json_number(spread->between),
                     json_number(spread->within));
}

static json_t *overview_cell_json(const struct html_index *index, const struct overview_cell *cell)
{
    json_t *measures = json_object();
    for (int i = 0; i < MEASURE_COUNT; i++) {
        if (cell->measure[i].n > 0) {
            json_object_set_new(measures, measure_key((enum measure)i),
                                spread_json(&cell->measure[i]));
        }
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "task", integer(html_task(index, cell->run)),
                     "variant", integer(html_variant(index, cell->run)), "n_run",
                     integer(cell->n_run), "n_ok", integer(cell->n_ok), "measures", measures);
}

static json_t *overview_json(const struct html_index *index, const struct overview *overview)
{
    json_t *cells = json_array();
    for (size_t i = 0; i < overview->n_variant * overview->n_task; i++) {
        if (overview->cell[i].run) {
            json_array_append_new(cells, overview_cell_json(index, &overview->cell[i]));
        }
    }
    return json_pack("{s:I, s:o}", "n_configuration", (json_int_t)overview->n_configuration,
                     "cells", cells);
}

json_t *html_overviews(const struct html_index *index, const struct statistics *statistics)
{
    return json_pack("[o, o]", overview_json(index, &statistics->tasks),
                     overview_json(index, &statistics->images));
}

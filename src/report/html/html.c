/* html: the page is its template with five places filled. */
#include "report/html/html.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/text.h"
#include "report/html/html_assets.h"
#include "report/html/html_data.h"
#include "report/runs/run_notes.h"

#define FORMAT "qkvlab-html-1"

/* ---- data ---- */

static json_t *tasks_json(const struct html_index *index)
{
    json_t *array = json_array();
    for (size_t i = 0; i < index->n_task; i++) {
        const struct run *run = index->task[i];
        json_array_append_new(array, json_pack("{s:s, s:s, s:s, s:b}", "name", run_task_name(run),
                                               "title", run_task_title(run), "formula",
                                               run->task ? run->task->summary : "", "images",
                                               run->dataset != NULL));
    }
    return array;
}

static json_t *variants_json(const struct html_index *index)
{
    json_t *array = json_array();
    for (size_t i = 0; i < index->n_variant; i++) {
        const struct run *run = index->variant[i];
        json_array_append_new(
            array, json_pack("{s:s, s:s, s:I, s:b, s:b}", "id", run->variant_id, "name",
                             run->variant_name, "n_slot", (json_int_t)run->n_slot,
                             "product_symmetric", variant_product_symmetric(&run->variant),
                             "scores_symmetric", variant_scores_symmetric(&run->variant)));
    }
    return array;
}

static json_t *measures_json(void)
{
    json_t *array = json_array();
    for (int i = 0; i < MEASURE_COUNT; i++) {
        enum measure measure = (enum measure)i;
        json_array_append_new(array,
                              json_pack("{s:s, s:s, s:b}", "key", measure_key(measure), "title",
                                        measure_title(measure), "step", measure_is_step(measure)));
    }
    return array;
}

static json_t *left_out_json(const struct run_set *set)
{
    json_t *array = json_array();
    for (size_t i = 0; i < set->n_left_out; i++) {
        json_array_append_new(array, json_pack("[o, o]", json_text(set->left_out[i].name),
                                               json_text(set->left_out[i].reason)));
    }
    return array;
}

static json_t *curve_problems_json(const struct html_index *index)
{
    json_t *array = json_array();
    for (size_t i = 0; i < html_n_cell(index); i++) {
        const struct cell *cell = html_cell(index, i);
        for (size_t j = 0; j < cell->n_run; j++) {
            if (cell->run[j].curve_problem.text[0]) {
                json_array_append_new(array, json_pack("[s, o]", cell->run[j].id,
                                                       json_text(cell->run[j].curve_problem.text)));
            }
        }
    }
    return array;
}

static json_t *latex_json(const struct latex *latex)
{
    json_t *array = json_array();
    for (size_t i = 0; i < LATEX_N_TABLE; i++) {
        const struct latex_table *table = &latex->table[i];
        if (table->text.size > 0) {
            json_array_append_new(
                array, json_pack("[s, s, s]", table->file, table->title, table->text.data));
        }
    }
    return array;
}

static json_t *page_json(const struct html_index *index, const struct html_content *content)
{
    json_t *cells = html_cells(index), *notes = json_object();
    json_object_set_new(notes, "curves", html_add_curves(index, cells));
    json_object_set_new(notes, "maps", html_add_maps(index, cells));
    json_object_set_new(notes, "images", html_add_images(index, cells));
    return json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o, s:o, s:o, s:I, s:i, s:i}",
        "format", FORMAT, "baseline", PAIRED_BASELINE, "run_notes", run_notes_json(index->set),
        "findings", html_findings(&content->statistics->findings), "comparisons",
        html_comparisons(index, &content->statistics->all), "overviews",
        html_overviews(index, content->statistics), "tasks", tasks_json(index), "variants",
        variants_json(index), "measures", measures_json(), "colours", html_colours(), "settings",
        html_settings(index, content), "cells", cells, "runs", html_runs(index), "notes", notes,
        "published", html_published(), "left_out", left_out_json(index->set), "curve_problems",
        curve_problems_json(index), "latex", latex_json(content->latex), "n_partial",
        (json_int_t)index->set->n_partial, "min_bar", STATS_BAR_MIN, "min_pair",
        COMPARISONS_MIN_UNIT);
}

/* ---- page ---- */

/* The places of the template, each written {{name}}. */
static void append_place(struct text *text, const char *name, size_t length, const char *json)
{
    const char *place[] = {"style-hash", "script-hash", "style", "script", "data"};
    size_t i = 0;
    while (i < 5 && (strlen(place[i]) != length || strncmp(place[i], name, length) != 0)) {
        i++;
    }
    switch (i) {
    case 0:
        html_append_hash(text, html_style);
        break;
    case 1:
        html_append_hash(text, html_script);
        break;
    case 2:
        text_append(text, "%s", html_style);
        break;
    case 3:
        text_append(text, "%s", html_script);
        break;
    default:
        html_append_json(text, json);
    }
}

static void append_page(struct text *text, const char *json)
{
    const char *at = html_template;
    for (const char *open; (open = strstr(at, "{{")) != NULL;) {
        const char *close = strstr(open, "}}");
        text_append(text, "%.*s", (int)(open - at), at);
        append_place(text, open + 2, (size_t)(close - open - 2), json);
        at = close + 2;
    }
    text_append(text, "%s", at);
}

enum status html_write(const struct html_content *content, const char *folder, struct error *err)
{
    char path[PATH_SIZE];
    struct html_index index;
    struct text text = {0};
    enum status status = path_format(path, err, "%s/report.html", folder);
    if (status != STATUS_OK) {
        return status;
    }
    status = html_index_make(content->set, &index, err);
    json_t *page = status == STATUS_OK ? page_json(&index, content) : NULL;
    char *json =
        page ? json_dumps(page, JSON_COMPACT | JSON_REAL_PRECISION(HTML_REAL_DIGITS)) : NULL;
    if (json) {
        append_page(&text, json);
        status = text_write_unsynced(&text, path, err);
    } else if (status == STATUS_OK) {
        status = error_memory(err, "writing %s", path);
    }
    text_free(&text);
    free(json);
    json_decref(page);
    html_index_free(&index);
    return status;
}

/* exports: everything for programs: a row a run, a head, a cell, a comparison, and averages, as CSV
 * and as members of report.json with the ids of the runs behind each number. A number that is not
 * there is an empty field or null; sd is there from STATS_BAR_MIN values on.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "report/content/finding.h"
#include "report/content/topics.h"
#include "report/statistics/published.h"

#define REPORT_FORMAT "qkvlab-report-2"
#define DIGITS 10

static struct table *create(const struct column *columns, size_t n_column)
{
    struct table *table = table_create(columns, n_column);
    table_digits(table, DIGITS);
    return table;
}

static void add_count(struct table *table, size_t n)
{
    table_integer(table, (long long)n);
}

/* Settings are numbered from 1; a data set's runs have none. */
static void add_setting(struct table *table, const struct run *run)
{
    if (run->kind->has_settings) {
        add_count(table, run->level[FACTOR_SETTING] + 1);
    } else {
        table_missing(table);
    }
}

static void add_names(struct table *table, const struct run *run)
{
    table_text(table, run_task_name(run));
    table_text(table, run->variant_id);
    table_text(table, run->variant_name);
}

/* ---- runs ---- */

static const struct run *original_of(const struct frame *frame, const struct run *run)
{
    size_t i = 0;
    while (run >= frame->run + frame->n_run && i + 1 < frame->n_run &&
           strcmp(run_id(&frame->run[i]), run->copy_of) != 0) {
        i++;
    }
    return run >= frame->run + frame->n_run ? &frame->run[i] : run;
}

static void add_run(struct table *table, const struct frame *frame, const struct run *run)
{
    const struct config *config = run_config(run);
    table_text(table, run_id(run));
    add_setting(table, original_of(frame, run));
    add_names(table, run);
    table_integer(table, run_seed(run));
    table_text(table, run_status_name(run->record.status));
    add_count(table, config->n_embd);
    add_count(table, config->n_layer);
    add_count(table, config->n_head);
    add_count(table, config->seq_len);
    add_count(table, run->n_step);
    table_integer(table, run->record.n_param);
    add_count(table, variant_n_slot(&config->variant));
    table_number(table, run->floor);
    for (int i = 0; i < MEASURE_COUNT; i++) {
        table_number(table, run->measure[i]);
    }
    table_text(table, run->record.weights_sha256);
    table_text(table, run->record.message);
    table_text(table, run->copy_of);
}

/* What the file of a run says of images and of attention is handed on as it is. */
static void complete_run(json_t *object, const struct run *run)
{
    static const char *const section[] = {"data", "attention"};
    for (size_t i = 0; i < sizeof section / sizeof *section; i++) {
        json_t *value = run_record_section(&run->record, section[i]);
        if (value) {
            json_object_set(object, section[i], value);
        }
    }
}

static void say_runs_table(struct document *document, const struct frame *frame)
{
    static const struct column columns[] = {{.key = "id"},
                                            {.key = "setting"},
                                            {.key = "task"},
                                            {.key = "variant"},
                                            {.key = "variant_name", .path = ""},
                                            {.key = "seed"},
                                            {.key = "status"},
                                            {.key = "n_embd", .path = ""},
                                            {.key = "n_layer", .path = ""},
                                            {.key = "n_head", .path = ""},
                                            {.key = "seq_len", .path = ""},
                                            {.key = "n_step"},
                                            {.key = "n_param"},
                                            {.key = "n_slot"},
                                            {.key = "position_floor"}};
    struct table *table = create(columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < MEASURE_COUNT; i++) {
        table_column(table, &(struct column){.key = measure_row((enum measure)i)->key});
    }
    table_column(table, &(struct column){.key = "weights_sha256"});
    table_column(table, &(struct column){.key = "message"});
    table_column(table, &(struct column){.key = "copy_of"});
    for (size_t i = 0; i < frame->n_run + frame->n_copy; i++) {
        add_run(table, frame, &frame->run[i]);
    }
    json_t *runs = table_json(table);
    for (size_t i = 0; runs && i < frame->n_run + frame->n_copy; i++) {
        complete_run(json_array_get(runs, i), &frame->run[i]);
    }
    document_data(document, table, "runs.csv", "a row a run, with the hash of its final weights");
    document_member(document, "runs", runs);
}

static void say_heads(struct document *document, const struct group *all)
{
    static const struct column columns[] = {
        {.key = "id"},           {.key = "setting"}, {.key = "task"},  {.key = "variant"},
        {.key = "variant_name"}, {.key = "seed"},    {.key = "layer"}, {.key = "head"}};
    struct table *table = create(columns, sizeof columns / sizeof *columns);
    const char *key;
    for (size_t i = 0; (key = attention_number_key(i)) != NULL; i++) {
        table_column(table, &(struct column){.key = key});
    }
    for (size_t i = 0; i < all->n_run; i++) {
        const struct run *run = all->run[i];
        const struct run_attention *attention = &run->record.attention;
        for (size_t head = 0; run_is_ok(run) && head < attention->n_head; head++) {
            table_text(table, run_id(run));
            add_setting(table, run);
            add_names(table, run);
            table_integer(table, run_seed(run));
            table_integer(table, attention->layer);
            add_count(table, head);
            for (size_t k = 0; (key = attention_number_key(k)) != NULL; k++) {
                table_number(table, attention_number(&attention->head[head], key));
            }
        }
    }
    document_data(document, table, "heads.csv", "a row a head");
}

/* ---- cells and averages ---- */

/* Columns <measure>_<number> of every measure, in JSON measures/<measure>/<number>. */
static void add_measure_columns(struct table *table, const char *const *number, size_t n_number)
{
    for (int i = 0; i < MEASURE_COUNT; i++) {
        for (size_t k = 0; k < n_number; k++) {
            const char *measure = measure_row((enum measure)i)->key;
            char key[96], path[96];
            snprintf(key, sizeof key, "%s_%s", measure, number[k]);
            snprintf(path, sizeof path, "measures/%s/%s", measure, number[k]);
            table_column(table, &(struct column){.key = key, .path = path});
        }
    }
}

static void add_cell(struct table *table, const struct group *cell)
{
    const struct run *run = cell->run[0];
    struct text ids = {0};
    add_setting(table, run);
    add_names(table, run);
    add_count(table, cell->n_run);
    add_count(table, cell->n_ok);
    table_integer(table, run->record.n_param);
    add_count(table, variant_n_slot(&run_config(run)->variant));
    for (int i = 0; i < MEASURE_COUNT; i++) {
        struct stats stats = group_stats(cell, (enum measure)i);
        add_count(table, stats.n);
        table_number(table, stats.mean);
        table_number(table, stats_has_bar(&stats) ? stats.sd : NAN);
        table_number(table, stats.min);
        table_number(table, stats.max);
    }
    for (size_t i = 0; i < cell->n_run; i++) {
        text_append(&ids, "%s%s", i ? " " : "", run_id(cell->run[i]));
    }
    table_text(table, ids.data);
    text_free(&ids);
}

static json_t *finished_ids(const struct group *cell)
{
    json_t *ids = json_array();
    for (size_t i = 0; i < cell->n_run; i++) {
        if (run_is_ok(cell->run[i])) {
            json_array_append_new(ids, json_string(run_id(cell->run[i])));
        }
    }
    return ids;
}

static void say_cells(struct document *document, const struct group *all)
{
    static const struct column columns[] = {{.key = "setting"},
                                            {.key = "task"},
                                            {.key = "variant"},
                                            {.key = "variant_name", .path = ""},
                                            {.key = "n_run"},
                                            {.key = "n_ok"},
                                            {.key = "n_param", .path = ""},
                                            {.key = "n_slot", .path = ""}};
    static const char *const number[] = {"n", "mean", "sd", "min", "max"};
    struct table *table = create(columns, sizeof columns / sizeof *columns);
    add_measure_columns(table, number, sizeof number / sizeof *number);
    table_column(table, &(struct column){.key = "run_ids", .path = ""});
    struct groups cells = groups_by(all, FACTOR_BIT(CELL));
    for (size_t i = 0; i < cells.n_group; i++) {
        add_cell(table, &cells.group[i]);
    }
    json_t *rows = table_json(table);
    for (size_t i = 0; rows && i < cells.n_group; i++) {
        json_object_set_new(json_array_get(rows, i), "runs", finished_ids(&cells.group[i]));
    }
    document_data(document, table, "cells.csv", "a row a cell, with the ids of its runs");
    document_member(document, "cells", rows);
}

/* Measures that no run has are not in the JSON. */
static void drop_empty(json_t *row)
{
    json_t *measures = json_object_get(row, "measures"), *value;
    const char *key;
    void *next;
    json_object_foreach_safe(measures, next, key, value)
    {
        if (json_integer_value(json_object_get(value, "n")) == 0) {
            json_object_del(measures, key);
        }
    }
}

static void add_average(struct table *table, const struct group *block)
{
    add_names(table, block->run[0]);
    add_count(table, block->n_run);
    add_count(table, block->n_ok);
    for (int k = 0; k < MEASURE_COUNT; k++) {
        struct spread spread = group_spread(block, (enum measure)k);
        add_count(table, spread.n);
        add_count(table, spread.n_configuration);
        table_number(table, spread.mean);
        table_number(table, spread.between);
        table_number(table, spread.within);
    }
}

/* By kind, then variant, then task. */
static void add_averages(struct table *table, const struct group *all)
{
    struct group originals = group_where(all, run_is_original);
    struct groups rows = groups_by(&originals, FACTOR_BIT(KIND) | FACTOR_BIT(VARIANT));
    for (size_t i = 0; i < rows.n_group; i++) {
        struct groups blocks = groups_by(&rows.group[i], FACTOR_BIT(TASK));
        for (size_t k = 0; k < blocks.n_group; k++) {
            add_average(table, &blocks.group[k]);
        }
    }
}

static void say_averages(struct document *document, const struct group *all)
{
    static const struct column columns[] = {{.key = "task"},
                                            {.key = "variant"},
                                            {.key = "variant_name", .path = ""},
                                            {.key = "n_run"},
                                            {.key = "n_ok"}};
    static const char *const number[] = {"n", "n_configuration", "mean", "sd_between", "sd_within"};
    struct table *table = create(columns, sizeof columns / sizeof *columns);
    add_measure_columns(table, number, sizeof number / sizeof *number);
    add_averages(table, all);
    json_t *rows = table_json(table), *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        drop_empty(row);
    }
    document_data(document, table, "overview.csv", "averages over all configurations");
    document_member(document, "overview", rows);
}

/* ---- comparisons ---- */

static struct table *create_comparisons(void)
{
    static const struct column columns[] = {{.key = "setting", .path = ""},
                                            {.key = "task"},
                                            {.key = "variant"},
                                            {.key = "variant_name", .path = ""},
                                            {.key = "baseline"},
                                            {.key = "measure", .path = ""},
                                            {.key = "n_pair"},
                                            {.key = "n_configuration"},
                                            {.key = "n_seed"},
                                            {.key = "mean_variant"},
                                            {.key = "mean_baseline"},
                                            {.key = "difference"},
                                            {.key = "sd"},
                                            {.key = "min"},
                                            {.key = "max"},
                                            {.key = "low"},
                                            {.key = "high"},
                                            {.key = "n_above"},
                                            {.key = "n_below"},
                                            {.key = "n_only_variant"},
                                            {.key = "n_only_baseline"},
                                            {.key = "p"},
                                            {.key = "p_corrected"},
                                            {.key = "n_in_family", .path = ""},
                                            {.key = "exact"},
                                            {.key = "n_needed"},
                                            {.key = "verdict"},
                                            {.path = "words"}};
    return create(columns, sizeof columns / sizeof *columns);
}

static void add_comparison(struct table *table, const char *setting,
                           const struct comparison_table *of, const struct comparison *comparison)
{
    const struct stats *difference = &comparison->difference;
    char words[COMPARISON_WORDS_SIZE];
    comparison_words(comparison, words);
    table_text(table, setting);
    add_names(table, comparison->paired->run);
    table_text(table, comparison->paired->reference->variant_id);
    table_text(table, measure_row(of->measure)->key);
    add_count(table, difference->n);
    add_count(table, comparison->n_configuration);
    add_count(table, comparison->n_seed);
    table_number(table, comparison->variant.mean);
    table_number(table, comparison->reference.mean);
    table_number(table, difference->mean);
    table_number(table, difference->sd);
    table_number(table, difference->min);
    table_number(table, difference->max);
    table_number(table, comparison->low);
    table_number(table, comparison->high);
    add_count(table, comparison->n_above);
    add_count(table, comparison->n_below);
    add_count(table, comparison->n_only_variant);
    add_count(table, comparison->n_only_reference);
    table_number(table, comparison->p);
    table_number(table, comparison->p_corrected);
    add_count(table, of->n_tested);
    table_flag(table, of->exact);
    if (comparison->n_needed < SIZE_MAX) {
        add_count(table, comparison->n_needed);
    } else {
        table_missing(table);
    }
    table_text(table, comparison_verdict_key(comparison->verdict));
    table_text(table, words);
}

static void add_comparisons(struct table *table, const char *setting,
                            const struct comparisons *comparisons)
{
    for (size_t i = 0; i < comparisons->n_table; i++) {
        const struct comparison_table *of = &comparisons->table[i];
        for (size_t k = 0; k < of->n_comparison; k++) {
            add_comparison(table, setting, of, &of->comparison[k]);
        }
    }
}

/* A member for each measure, with its rows. */
static json_t *comparisons_json(const struct comparisons *comparisons)
{
    json_t *tables = json_array();
    for (size_t i = 0; i < comparisons->n_table; i++) {
        const struct comparison_table *of = &comparisons->table[i];
        struct table *rows = create_comparisons();
        for (size_t k = 0; k < of->n_comparison; k++) {
            add_comparison(rows, "", of, &of->comparison[k]);
        }
        json_array_append_new(
            tables,
            json_pack("{s:s, s:b, s:I, s:I, s:o}", "measure", measure_row(of->measure)->key,
                      "images", of->kind->bit == OF_IMAGES, "n_tested", (json_int_t)of->n_tested,
                      "n_min", (json_int_t)FLIPS_MIN_SEED, "comparisons", table_json(rows)));
        table_free(rows);
    }
    return tables;
}

static void say_comparisons(struct document *document, const struct material *material)
{
    struct table *table = create_comparisons();
    add_comparisons(table, "all", &material->all);
    for (size_t i = 0; material->of_part && i < material->n_part; i++) {
        char number[24];
        snprintf(number, sizeof number, "%zu", i + 1);
        add_comparisons(table, number, &material->of_part[i]);
    }
    document_data(document, table, "comparisons.csv",
                  "a row a comparison with the baseline, for every measure");
    document_member(document, "comparisons", comparisons_json(&material->all));
}

/* ---- settings ---- */

static json_t *seeds_json(const struct group *part)
{
    json_t *seeds = json_array();
    struct groups levels = groups_by(part, FACTOR_BIT(SEED));
    for (size_t i = 0; i < levels.n_group; i++) {
        json_array_append_new(seeds, json_integer(run_seed(levels.group[i].run[0])));
    }
    return seeds;
}

static json_t *part_json(const struct material *material, size_t part)
{
    static const char *const section[] = {"config", "build", "machine"};
    const struct group *group = material->part[part].group;
    const struct run *run = group->run[0];
    json_t *object =
        json_pack("{s:I, s:o}", "setting", (json_int_t)part + 1, "seeds", seeds_json(group));
    for (size_t i = 0; i < sizeof section / sizeof *section; i++) {
        json_t *value = run_record_section(&run->record, section[i]);
        if (value) {
            json_object_set(object, section[i], value);
        }
    }
    json_object_set_new(object, "of_run", json_string(run_id(run)));
    json_object_set_new(object, "findings", findings_json(&material->findings_of_part[part]));
    json_object_set_new(object, "published", published_json(&material->part[part]));
    if (material->of_part) {
        json_object_set_new(object, "comparisons", comparisons_json(&material->of_part[part]));
    }
    return object;
}

static void say_settings(struct document *document, const struct material *material)
{
    json_t *parts = json_array();
    for (size_t i = 0; i < material->n_part; i++) {
        json_array_append_new(parts, part_json(material, i));
    }
    document_member(document, "settings", parts);
}

/* On the page, which does not show the pictures. */
static void say_pictures(struct document *document)
{
    unsigned before = document_for(document, FOR_PAGE);
    struct text text = {0};
    for (size_t i = 0; i < document->n_block; i++) {
        const struct block *block = &document->block[i];
        const char *name = block->plot    ? block->plot->name
                           : block->sheet ? block->sheet->name
                                          : NULL;
        if (name) {
            text_append(&text, "%s[%s.png](%s.png)", text.data ? ", " : "pictures: ", name, name);
        }
    }
    if (text.data) {
        document_item(document, 1, "%s", text.data);
    }
    document->failed |= text.failed;
    text_free(&text);
    document_for(document, before);
}

/* The list of the files: those that this topic and others have added. */
static void say_list(struct document *document)
{
    document_heading(document, 2, "Files beside this page");
    for (size_t i = 0, n = document->n_block; i < n; i++) {
        if (document->block[i].kind == BLOCK_TABLE && document->block[i].file) {
            document_item(document, 1, "[%s](%s): %s", document->block[i].file,
                          document->block[i].file, document->block[i].note);
        }
    }
    document_item(document, 1, "[report.json](report.json): all of it for programs");
    document_item(document, 1, "the charts once more as `.svg`");
    say_pictures(document);
    document_paragraph(document, TONE_PLAIN,
                       "A cell holds the runs whose configuration, program and class of machine "
                       "are identical except for the seed. The folder of a run, `runs/<id>/`, "
                       "holds its curve, its attention maps and `run.json` with machine, build and "
                       "timings.");
}

void say_files(struct document *document, const struct material *material)
{
    const struct group *all = &material->frame->all;
    document_member(document, "format", json_string(REPORT_FORMAT));
    say_runs_table(document, material->frame);
    say_heads(document, all);
    say_cells(document, all);
    say_comparisons(document, material);
    say_averages(document, all);
    say_settings(document, material);
    document_begin(document, GROUP_SECTION, "files", "Files");
    say_list(document);
    document_end(document);
}

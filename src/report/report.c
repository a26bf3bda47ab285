/* report: reads the runs, computes the findings, writes the files. The order of report.md is that
 * of a reader: what was run, what it says, the pictures, the tables, then the small print.
 */
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/path.h"
#include "base/text.h"
#include "report/figures/figure_gap.h"
#include "report/figures/figure_run.h"
#include "report/figures/figures.h"
#include "report/figures/heatmap.h"
#include "report/html/html.h"
#include "report/report_folder.h"
#include "report/runs/run_notes.h"
#include "report/statistics/findings.h"
#include "report/text/export.h"
#include "report/text/image_runs.h"
#include "report/text/latex.h"
#include "report/text/markdown.h"

enum status report_attention_pictures(const char *run_folder, size_t *n_picture, struct error *err)
{
    enum status status = heatmap_write_run(run_folder, n_picture, err);
    if (status == STATUS_OK) {
        status = figure_run(run_folder, err);
        *n_picture += status == STATUS_OK;
    }
    return status;
}

const enum measure grid_gap_measure[GRID_N_GAP] = {MEASURE_TOKEN_ACCURACY, MEASURE_MEAN_TRAIN_LOSS};

/* With one setting the figures have plain names; further ones are numbered. */
static void stem_of(size_t setting, char stem[REPORT_STEM_SIZE])
{
    stem[0] = '\0';
    if (setting > 0) {
        snprintf(stem, REPORT_STEM_SIZE, "setting%zu-", setting + 1);
    }
}

static enum status make_findings(const struct statistics *statistics, size_t i,
                                 struct setting_report *report, struct error *err)
{
    const struct setting *setting = &statistics->set->setting[i];
    stem_of(i, report->stem);
    if (statistics->set->n_setting > 1) {
        findings_make_chance(setting, 1, " of this setting", &report->findings);
    }
    if (statistics->setting) {
        findings_make_comparisons(&statistics->setting[i], &report->findings);
    }
    findings_make(setting, &report->findings);
    report->has_attention = calloc(setting->n_seed, sizeof(*report->has_attention));
    return report->findings.failed || !report->has_attention
               ? error_memory(err, "writing the report")
               : STATUS_OK;
}

static enum status write_figures(const struct setting *setting, const char *folder,
                                 struct setting_report *report, struct error *err)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < setting->n_seed; i++) {
        status = figure_attention(setting, setting->seed[i], folder, report->stem,
                                  &report->has_attention[i], err);
    }
    if (status == STATUS_OK) {
        status = figure_curves(setting, folder, report->stem, &report->has_curves, err);
    }
    if (status == STATUS_OK) {
        status = figure_accuracy(setting, folder, report->stem, err);
    }
    return status;
}

typedef void export_statistics(struct text *text, const struct statistics *statistics);

static enum status write_statistics(export_statistics *table, const struct statistics *statistics,
                                    const char *folder, const char *name, struct error *err)
{
    char path[PATH_SIZE];
    struct text text = {0};
    enum status status = path_format(path, err, "%s/%s", folder, name);
    table(&text, statistics);
    if (status == STATUS_OK) {
        status = text_write_unsynced(&text, path, err);
    }
    text_free(&text);
    return status;
}

typedef void export_table(struct text *text, const struct run_set *set);

static enum status write_table(export_table *table, const struct run_set *set, const char *folder,
                               const char *name, struct error *err)
{
    char path[PATH_SIZE];
    struct text text = {0};
    enum status status = path_format(path, err, "%s/%s", folder, name);
    table(&text, set);
    if (status == STATUS_OK) {
        status = text_write_unsynced(&text, path, err);
    }
    text_free(&text);
    return status;
}

static enum status write_json(const struct run_set *set, const struct setting_report *reports,
                              const struct statistics *statistics, const char *folder,
                              struct error *err)
{
    char path[PATH_SIZE];
    enum status status = path_format(path, err, "%s/report.json", folder);
    struct findings *findings = calloc(set->n_setting + 1, sizeof(*findings));
    if (!findings) {
        return error_memory(err, "writing the report");
    }
    for (size_t i = 0; i < set->n_setting; i++) {
        findings[i] = reports[i].findings;
    }
    json_t *root = export_json(set, findings, statistics);
    if (status == STATUS_OK) {
        struct text text = {0};
        json_append(&text, root);
        text_append(&text, "\n");
        status = text_write_unsynced(&text, path, err);
        text_free(&text);
    }
    json_decref(root);
    free(findings);
    return status;
}

static enum status write_markdown(const struct run_set *set, const struct setting_report *reports,
                                  const struct statistics *statistics,
                                  const struct grid_report *grid, const char *path,
                                  struct error *err)
{
    struct text text = {0};
    markdown_append_report(&text, set, reports, statistics, grid);
    enum status status = text_write_unsynced(&text, path, err);
    text_free(&text);
    return status;
}

static enum status write_html(const struct run_set *set, const struct setting_report *reports,
                              const struct statistics *statistics, const char *folder,
                              struct error *err)
{
    struct latex latex;
    latex_make(set, statistics, &latex);
    enum status status = latex_write(&latex, folder, err);
    if (status == STATUS_OK) {
        struct html_content content = {set, reports, statistics, &latex};
        status = html_write(&content, folder, err);
    }
    latex_free(&latex);
    return status;
}

static enum status write_all(const struct run_set *set, struct setting_report *reports,
                             const struct statistics *statistics, const char *folder,
                             struct error *err)
{
    struct grid_report grid = {0};
    enum status status = STATUS_OK;
    char page[PATH_SIZE];
    for (size_t i = 0; status == STATUS_OK && i < set->n_setting; i++) {
        status = make_findings(statistics, i, &reports[i], err);
        if (status == STATUS_OK && statistics_draws_setting(statistics, i)) {
            status = write_figures(&set->setting[i], folder, &reports[i], err);
        }
    }
    for (size_t i = 0; status == STATUS_OK && i < GRID_N_GAP; i++) {
        status = figure_gap(statistics, grid_gap_measure[i], folder, &grid.has_gap[i], err);
    }
    if (status == STATUS_OK) {
        status = image_runs_draw(set, folder, err);
    }
    if (status == STATUS_OK) {
        status = write_table(export_runs, set, folder, "runs.csv", err);
    }
    if (status == STATUS_OK) {
        status = write_table(export_heads, set, folder, "heads.csv", err);
    }
    if (status == STATUS_OK) {
        status = write_table(export_cells, set, folder, "cells.csv", err);
    }
    if (status == STATUS_OK) {
        status = write_statistics(export_comparisons, statistics, folder, "comparisons.csv", err);
    }
    if (status == STATUS_OK) {
        status = write_statistics(export_overview, statistics, folder, "overview.csv", err);
    }
    if (status == STATUS_OK) {
        status = write_json(set, reports, statistics, folder, err);
    }
    if (status == STATUS_OK) {
        status = path_format(page, err, "%s/report.md", folder);
    }
    if (status == STATUS_OK) {
        status = write_markdown(set, reports, statistics, &grid, page, err);
    }
    if (status == STATUS_OK) {
        status = write_html(set, reports, statistics, folder, err);
    }
    return status;
}

/* What was there stays as it is where the new report cannot be written to the end. */
static enum status replace_report(const struct run_set *set, struct setting_report *reports,
                                  const struct statistics *statistics, const char *out,
                                  struct error *err)
{
    struct report_folder folder;
    enum status status = report_folder_begin(out, &folder, err);
    if (status != STATUS_OK) {
        return status;
    }
    status = write_all(set, reports, statistics, folder.work, err);
    if (status == STATUS_OK) {
        return report_folder_finish(&folder, err);
    }
    report_folder_abandon(&folder);
    if (folder_exists(folder.path)) {
        error_prefix(err, "%s stays as it was", folder.path);
    }
    return status;
}

static enum status make_statistics(const struct run_set *set, const char *const *baseline,
                                   size_t n_baseline, struct statistics *statistics,
                                   struct error *err)
{
    struct baselines baselines;
    enum status status = baselines_read(baseline, n_baseline, &baselines, err);
    if (status == STATUS_OK) {
        status = statistics_make(set, &baselines, statistics, err);
    }
    baselines_free(&baselines);
    return status;
}

enum status report_write(const char *out, struct report_summary *summary, struct error *err)
{
    return report_write_against(out, NULL, 0, summary, err);
}

enum status report_write_against(const char *out, const char *const *baseline, size_t n_baseline,
                                 struct report_summary *summary, struct error *err)
{
    *summary = (struct report_summary){0};
    struct run_set set;
    struct setting_report *reports = NULL;
    struct statistics statistics = {0};
    enum status status = path_format(summary->markdown, err, "%s/report/report.md", out);
    if (status != STATUS_OK) {
        return status;
    }
    status = run_set_load(out, &set, err);
    if (status == STATUS_OK) {
        reports = calloc(set.n_setting + 1, sizeof(*reports));
        if (!reports) {
            status = error_memory(err, "writing the report");
        }
    }
    if (status == STATUS_OK) {
        status = make_statistics(&set, baseline, n_baseline, &statistics, err);
    }
    if (status == STATUS_OK) {
        status = replace_report(&set, reports, &statistics, out, err);
    }
    summary->n_run = set.n_ok + set.n_image_ok;
    summary->n_repeat = set.n_repeat;
    summary->n_planned = set.n_planned;
    summary->n_missing = set.n_missing;
    summary->n_without_maps = run_notes_without_maps(&set);
    summary->n_without_curve = run_notes_without_curve(&set);
    summary->n_left_out = set.n_run + set.n_image_run - summary->n_run + set.n_left_out;
    for (size_t i = 0; reports && i < set.n_setting; i++) {
        findings_free(&reports[i].findings);
        free(reports[i].has_attention);
    }
    free(reports);
    statistics_free(&statistics);
    run_set_free(&set);
    return status;
}

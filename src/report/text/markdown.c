/* markdown: what was run, what it says, how to read the pictures, the tables, the small print.
 * There is no date and no timing in it, so that two reports of the same runs are the same bytes.
 */
#include "report/text/markdown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/figures/figures.h"
#include "report/runs/run_notes.h"
#include "report/text/image_runs.h"
#include "report/text/markdown_runs.h"
#include "report/text/tables.h"

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* ---- findings ---- */

static void append_caveat(struct text *text, const struct setting *setting)
{
    text_append(text,
                "_With %zu seed%s this describes what these runs did; only what is said to be "
                "tested was. Differences are paired: the same seed gives every variant the "
                "same data in the same order._\n\n",
                setting->n_seed, plural(setting->n_seed));
}

/* What was tested, over all runs of the page. */
static void append_tested(struct text *text, const struct statistics *statistics)
{
    const struct findings *findings = &statistics->findings;
    size_t n_told = 0;
    for (size_t i = 0; i < findings->n_finding; i++) {
        if (findings->finding[i].headline) {
            text_append(text, "%s- %s\n", n_told++ ? "" : "## What the tests say\n\n",
                        findings->finding[i].text.data);
        }
    }
    text_append(text, n_told > 0 ? "\n" : "");
}

static void append_tested_rest(struct text *text, const struct statistics *statistics)
{
    const struct findings *findings = &statistics->findings;
    size_t n_told = 0;
    for (size_t i = 0; i < findings->n_finding; i++) {
        if (!findings->finding[i].headline) {
            text_append(text, "%s- %s\n", n_told++ ? "" : "### Further measures, tested\n\n",
                        findings->finding[i].text.data);
        }
    }
    const char *rule = NULL;
    for (size_t i = 0; i < findings->n_finding; i++) {
        if (findings->finding[i].rule != rule) {
            text_append(text, "\n%s: %s\n", i > 0 ? "And" : "The rule", findings->finding[i].rule);
        }
        rule = findings->finding[i].rule;
    }
    text_append(text, findings->n_finding > 0 ? "\n" : "");
}

/* Over several settings: averages and differences over all of them. */
static void append_grid(struct text *text, const struct statistics *statistics)
{
    text_append(text, "## Over all %zu configurations\n\n### Accuracy\n\n",
                statistics->tasks.n_configuration);
    tables_append_overview(text, &statistics->tasks);
    text_append(text, "### Learning dynamics\n\n");
    tables_append_overview_dynamics(text, &statistics->tasks);
    text_append(text, "### Differences from the baseline\n\n");
    tables_append_comparisons(text, &statistics->all, false);
    append_tested_rest(text, statistics);
}

/* What averages over a grid hide: each size, each setting, and a few curves. */
static void append_grid_parts(struct text *text, const struct run_set *set,
                              const struct setting_report *reports,
                              const struct statistics *statistics, const struct grid_report *grid)
{
    if (grid->has_gap[0]) {
        text_append(text,
                    "## The gap to the baseline by size\n\n"
                    "One size changes along an axis, and a point is a mean over the same "
                    "combinations of the other sizes; combinations that were not run at every "
                    "value are left out. A gap that closes at one end may mean that both solve "
                    "the task there, or that neither learns it: the tables by setting tell "
                    "which.\n\n");
    }
    for (size_t i = 0; i < GRID_N_GAP; i++) {
        if (grid->has_gap[i]) {
            text_append(text, "![Gap to the baseline in %s, by size](gap-%s.png)\n\n",
                        measure_title(grid_gap_measure[i]), measure_key(grid_gap_measure[i]));
        }
    }
    for (size_t i = 0, n_told = 0; !statistics_tells_settings(statistics) && i < set->n_setting;
         i++) {
        if (!statistics_draws_setting(statistics, i)) {
            continue;
        }
        char title[SETTING_TITLE_SIZE];
        if (n_told++ == 0) {
            text_append(text, "## Curves and accuracies of single settings\n\n"
                              "One setting for each sequence length. The dotted line of a curve "
                              "is chance, ln 10. A ring of the accuracies is one seed, the bar "
                              "the mean; their dashed line is chance, or what the position alone "
                              "gives. The curves of every setting are in "
                              "[report.html](report.html).\n\n");
        }
        setting_title(&set->setting[i], title);
        text_append(text, "### %s (setting %zu)\n\n", title, i + 1);
        if (reports[i].has_curves) {
            text_append(text, "![Training loss by step](%scurves.png)\n\n", reports[i].stem);
        }
        text_append(text, "![Token accuracy by task and variant](%saccuracy.png)\n\n",
                    reports[i].stem);
    }
    tables_append_published_grid(text, set, &statistics->tasks);
    text_append(text, "## Every setting\n\n");
    tables_append_by_setting(text, set, &statistics->tasks);
}

static void append_summary(struct text *text, const struct setting *setting,
                           const struct findings *findings)
{
    for (size_t i = 0; i < findings->n_finding; i++) {
        if (findings->finding[i].headline) {
            text_append(text, "- %s\n", findings->finding[i].text.data);
        }
    }
    if (findings->n_finding == 0) {
        text_append(text, "- Too few variants to compare.\n");
    }
    text_append(text, "\n");
    append_caveat(text, setting);
}

/* The rules, and under each what it gave that is not among the sentences above. */
static void append_rules(struct text *text, const struct findings *findings)
{
    text_append(text, "### The rules behind the findings\n\n");
    const char *rule = NULL;
    for (size_t i = 0; i < findings->n_finding; i++) {
        const struct finding *finding = &findings->finding[i];
        if (rule != finding->rule) {
            text_append(text, "- %s\n", finding->rule);
        }
        rule = finding->rule;
        if (!finding->headline) {
            text_append(text, "  - %s\n", finding->text.data);
        }
    }
    text_append(text, "\n");
}

/* ---- figures ---- */

static void append_figures(struct text *text, const struct setting *setting,
                           const struct setting_report *report)
{
    text_append(
        text,
        "### Token accuracy\n\n"
        "A ring is one seed, the bar the mean of several; the dashed line is chance, or what a "
        "predictor reaches that knows only the position. A run is often still on its "
        "way when training ends: look at the rings before the mean.\n\n"
        "![Token accuracy by task and variant](%saccuracy.png)\n\n",
        report->stem);
    if (report->has_curves) {
        text_append(text,
                    "### Learning curves\n\n"
                    "Training loss of every step. The dotted line is chance, ln 10: a variant "
                    "that stays on it has learned nothing yet. All variants see the same "
                    "batches, so what differs is when they leave it. With a fixed number of "
                    "steps, accuracy mostly measures that moment.\n\n"
                    "![Training loss by step](%scurves.png)\n\n",
                    report->stem);
    }
    bool told = false;
    for (size_t i = 0; i < setting->n_seed; i++) {
        if (!report->has_attention[i]) {
            continue;
        }
        if (!told) {
            text_append(
                text,
                "### Attention maps\n\n"
                "Row: the position that asks (query), from the top; column: the "
                "position it reads (key), from the left; the colour is the share of "
                "attention, on the same scale everywhere. A row adds up to 1, so a "
                "map that looks at everything alike is flat and dark. Reverse needs "
                "the anti-diagonal, Swap two shifted halves, Shift the line beside "
                "the diagonal; Copy and Sub need the diagonal or no attention at "
                "all, since every position carries its own digit past it. Below each map: the "
                "share of attention on the needed keys. Maps differ by seed.\n\n");
        }
        told = true;
        text_append(text, "![Attention maps of seed %lld](%sattention-seed%lld.png)\n\n",
                    setting->seed[i], report->stem, setting->seed[i]);
    }
}

/* ---- small print ---- */

/* Folder names and messages come from outside: they must not break the table. */
static void append_escaped(struct text *text, const char *value)
{
    for (; *value; value++) {
        if (*value == '|' || *value == '`' || *value == '<') {
            text_append(text, "\\%c", *value);
        } else {
            text_append(text, "%c", (unsigned char)*value < ' ' ? ' ' : *value);
        }
    }
}

static void append_left_out_row(struct text *text, const char *name, const char *status,
                                const char *reason)
{
    text_append(text, "| ");
    append_escaped(text, name);
    text_append(text, " | %s | ", status);
    append_escaped(text, reason);
    text_append(text, " |\n");
}

static void append_unfinished_run(struct text *text, const struct run *run)
{
    char reason[RUN_TEXT_SIZE];
    const json_t *results = json_object_get(run->root, "results");
    long long step = json_get_integer(results, "diverged_step", -1);
    if (step >= 0) {
        snprintf(reason, sizeof(reason), "diverged at step %lld", step);
    } else {
        snprintf(reason, sizeof(reason), "no message");
    }
    append_left_out_row(text, run->id, run->status, json_get_text(run->root, "message", reason));
}

static void append_left_out(struct text *text, const struct run_set *set)
{
    text_append(text, "## Runs that are in no mean\n\n");
    if (set->n_partial > 0) {
        text_append(text, "%zu run%s unfinished; the same command finishes them.\n\n",
                    set->n_partial, set->n_partial == 1 ? " is" : "s are");
    }
    if (set->n_run == set->n_ok && set->n_image_run == set->n_image_ok && set->n_left_out == 0) {
        text_append(text, "None: every finished run was used.\n\n");
        return;
    }
    text_append(text, "| run folder | state | reason |\n|---|---|---|\n");
    for (size_t i = 0; i < set->n_run; i++) {
        if (!run_is_ok(&set->run[i])) {
            append_unfinished_run(text, &set->run[i]);
        }
    }
    for (size_t i = 0; i < set->n_image_run; i++) {
        if (!run_is_ok(&set->image_run[i])) {
            append_unfinished_run(text, &set->image_run[i]);
        }
    }
    for (size_t i = 0; i < set->n_left_out; i++) {
        append_left_out_row(text, set->left_out[i].name, "not readable", set->left_out[i].reason);
    }
    text_append(text, "\n");
}

static void append_curve_problem(struct text *text, const struct run *run, size_t *n_told)
{
    if (!run->curve_problem.text[0]) {
        return;
    }
    if ((*n_told)++ == 0) {
        text_append(text,
                    "## Runs without a curve\n\n"
                    "Their numbers are from `run.json` and stand in the tables; their curves are "
                    "in no figure.\n\n"
                    "| run folder | reason |\n|---|---|\n");
    }
    text_append(text, "| %s | ", run->id);
    append_escaped(text, run->curve_problem.text);
    text_append(text, " |\n");
}

static void append_curve_problems(struct text *text, const struct run_set *set)
{
    size_t n_told = 0;
    for (size_t i = 0; i < set->n_run; i++) {
        append_curve_problem(text, &set->run[i], &n_told);
    }
    for (size_t i = 0; i < set->n_image_run; i++) {
        append_curve_problem(text, &set->image_run[i], &n_told);
    }
    text_append(text, n_told > 0 ? "\n" : "");
}

static void append_files(struct text *text)
{
    text_append(text,
                "## Files beside this page\n\n"
                "- `runs.csv`: a row a run, with the hash of its final weights; `heads.csv`: "
                "a row a head; `cells.csv`: a row a cell, with the ids of its runs\n"
                "- `comparisons.csv`: a row a comparison with the baseline, for every measure; "
                "`overview.csv`: averages over all configurations\n"
                "- `report.json`: all of it for programs\n"
                "- the charts once more as `.svg`\n\n"
                "A cell holds the runs whose configuration, program and class of machine are "
                "identical except for the seed. The folder of "
                "a run, `runs/<id>/`, holds its curve, its attention maps and `run.json` with "
                "machine, build and timings.\n");
}

/* ---- page ---- */

static void append_notes(struct text *text, const struct run_set *set)
{
    struct text note[RUN_NOTES_MAX];
    size_t n = run_notes_make(set, note);
    for (size_t i = 0; i < n; i++) {
        text_append(text, "%s- ", i ? "" : "## Notes on the runs\n\n");
        append_escaped(text, note[i].data);
        text_append(text, "\n%s", i + 1 == n ? "\n" : "");
    }
    run_notes_free(note);
}

static void append_setting(struct text *text, const struct setting *setting,
                           const struct setting_report *report,
                           const struct comparisons *comparisons)
{
    append_figures(text, setting, report);
    if (comparisons) {
        text_append(text, "### Differences from the baseline\n\n");
        tables_append_comparisons(text, comparisons, false);
    }
    text_append(text, "### Tables\n\n");
    tables_append_accuracy(text, setting);
    tables_append_dynamics(text, setting, comparisons);
    tables_append_cost(text, setting);
    tables_append_attention(text, setting);
    tables_append_published(text, setting);
    append_rules(text, &report->findings);
}

static void append_why_settings(struct text *text, size_t n_setting)
{
    text_append(text,
                "The runs belong to %zu settings, which differ in configuration, program or "
                "class of machine. %s\n\n",
                n_setting,
                n_setting <= STATISTICS_MAX_SETTING
                    ? "Each has its own part below, behind what can be said over all of them."
                    : "That is too many for a part each: the page is about all of them together, "
                      "with the numbers of each under [Every setting](#every-setting).");
}

static void append_setting_part(struct text *text, const struct run_set *set, size_t i,
                                const struct setting_report *report,
                                const struct statistics *statistics)
{
    const struct setting *setting = &set->setting[i];
    const char *level = set->n_setting > 1 ? "###" : "##";
    if (set->n_setting > 1) {
        char title[SETTING_TITLE_SIZE];
        setting_title(setting, title);
        text_append(text, "## Setting %zu: %s\n\n", i + 1, title);
    }
    text_append(text, "%s What it says\n\n", level);
    append_summary(text, setting, &report->findings);
    text_append(text, "%s What was run\n\n", level);
    markdown_append_setting_runs(text, setting, set->n_image_run > 0);
    if (set->n_setting == 1) {
        text_append(text, "## Figures and tables\n\n");
    }
    append_setting(text, setting, report, statistics_of_setting(statistics, i));
}

static void append_images(struct text *text, const struct run_set *set,
                          const struct statistics *statistics)
{
    image_runs_append(text, set);
    if (comparisons_find(&statistics->all, MEASURE_TOP1, true)) {
        text_append(text, "### Differences from the baseline on images\n\n");
        tables_append_comparisons(text, &statistics->all, true);
    }
}

void markdown_append_report(struct text *text, const struct run_set *set,
                            const struct setting_report *reports,
                            const struct statistics *statistics, const struct grid_report *grid)
{
    text_append(text, "# Which of Q, K and V does attention need?\n\n");
    if (set->n_setting > 1) {
        append_why_settings(text, set->n_setting);
    }
    append_notes(text, set);
    append_tested(text, statistics);
    if (set->n_setting > 1) {
        text_append(text, "## What was run\n\n");
        markdown_append_grid_runs(text, set, &statistics->tasks);
        append_grid(text, statistics);
        append_grid_parts(text, set, reports, statistics, grid);
    }
    for (size_t i = 0; statistics_tells_settings(statistics) && i < set->n_setting; i++) {
        append_setting_part(text, set, i, &reports[i], statistics);
    }
    if (set->n_setting == 1) {
        append_tested_rest(text, statistics);
    }
    append_images(text, set, statistics);
    append_left_out(text, set);
    append_curve_problems(text, set);
    append_files(text);
}

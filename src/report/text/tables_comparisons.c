/* tables_comparisons: differences from the baseline with interval, p-values and verdict, and the
 * averages over a grid of configurations.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/statistics/resample.h"
#include "report/text/tables.h"

/* ---- comparisons ---- */

static const char *p_text(double p, char text[16])
{
    if (isnan(p)) {
        snprintf(text, 16, "-");
    } else if (p < 0.0001) {
        snprintf(text, 16, "< 0.0001");
    } else {
        snprintf(text, 16, "%.*f", p < 0.001 ? 4 : 3, p);
    }
    return text;
}

static int decimals(enum measure measure)
{
    return measure_is_step(measure) ? 1 : 3;
}

static void append_comparison(struct text *text, const struct comparison *comparison,
                              enum measure measure)
{
    const struct run *run = comparison->paired->run;
    int n = decimals(measure);
    char needed[COMPARISON_NEEDED_SIZE], p[16], p_holm[16];
    comparison_needed(comparison, needed);
    const struct run *baseline = comparison->paired->baseline;
    bool usual = strcmp(baseline->variant_id, PAIRED_BASELINE) == 0;
    text_append(text, "| %s | %s%s%s |", run_task_title(run), run->variant_name,
                usual ? "" : " against ", usual ? "" : baseline->variant_name);
    if (comparison->difference.n == 0) {
        text_append(text, " - | - |");
    } else if (isnan(comparison->low)) {
        text_append(text, " ");
        tables_append_signed(text, comparison->difference.mean, n);
        text_append(text, " | - |");
    } else {
        text_append(text, " ");
        tables_append_signed(text, comparison->difference.mean, n);
        text_append(text, " | ");
        tables_append_signed(text, comparison->low, n);
        text_append(text, " to ");
        tables_append_signed(text, comparison->high, n);
        text_append(text, " |");
    }
    text_append(text, " %zu / %zu", comparison->difference.n, comparison->n_configuration);
    if (comparison->n_only_variant + comparison->n_only_baseline > 0) {
        text_append(text, " (%zu, %zu with one alone)", comparison->n_only_variant,
                    comparison->n_only_baseline);
    }
    text_append(text, " | %zu, %zu | %s | %s | %s | %s |\n", comparison->n_above,
                comparison->n_below, p_text(comparison->p, p), p_text(comparison->p_holm, p_holm),
                comparison_verdict_words(comparison), needed[0] ? needed : "-");
}

static bool has_unit(const struct comparison_table *table, enum comparison_unit unit,
                     size_t n_least)
{
    for (size_t i = 0; i < table->n_comparison; i++) {
        const struct comparison *comparison = &table->comparison[i];
        if (!isnan(comparison->p) && comparison->unit == unit &&
            comparison->n_configuration >= n_least) {
            return true;
        }
    }
    return false;
}

static void append_caption(struct text *text, const struct comparison_table *table)
{
    if (measure_is_step(table->measure)) {
        text_append(text,
                    "Over the pairs in which both got there; in brackets the pairs in which the "
                    "variant alone, the baseline alone did. Those are in no difference here; the "
                    "differences in the share of runs that left the plateau and in the mean "
                    "training loss hold them. ");
    }
    if (table->n_tested == 0) {
        text_append(text, "Below %d pairs nothing can be concluded, so there is no test here.\n\n",
                    COMPARISONS_MIN_UNIT);
        return;
    }
    text_append(text,
                "Verdicts follow from the p-values corrected for the %zu comparison%s of this "
                "table; with fewer than %zu %s none can pass.",
                table->n_tested, table->n_tested == 1 ? "" : "s", table->n_min,
                has_unit(table, UNIT_CONFIGURATION, 1) ? "configurations" : "pairs");
    if (has_unit(table, UNIT_CONFIGURATION, 1)) {
        text_append(text, " A configuration with all its seeds was resampled and flipped as one.");
    }
    if (has_unit(table, UNIT_PAIR, 2)) {
        text_append(text,
                    " Fewer than %d configurations: pairs were resampled and flipped, and "
                    "what is said holds for these configurations alone.",
                    COMPARISONS_MIN_UNIT);
    }
    text_append(text, "\n\n");
}

static bool is_identical(const struct comparison_table *table)
{
    size_t n_different = 0;
    for (size_t i = 0; i < table->n_comparison; i++) {
        const struct comparison *comparison = &table->comparison[i];
        n_different += comparison->n_above + comparison->n_below;
        n_different += comparison->n_only_variant + comparison->n_only_baseline;
    }
    return n_different == 0;
}

static void append_table(struct text *text, const struct comparison_table *table)
{
    if (!table) {
        return;
    }
    text_append(text, "#### Difference in %s\n\n", measure_title(table->measure));
    if (is_identical(table)) {
        text_append(text, "None: in all %zu comparisons the two agree in every pair.\n\n",
                    table->n_comparison);
        return;
    }
    append_caption(text, table);
    text_append(text,
                "| %s | variant | difference | 95 %% interval | pairs / configurations | above, "
                "below | p | corrected p | verdict | needed |\n"
                "|---|---|---:|---:|---:|---:|---:|---:|---|---:|\n",
                table->images ? "data set" : "task");
    for (size_t i = 0; i < table->n_comparison; i++) {
        append_comparison(text, &table->comparison[i], table->measure);
    }
    text_append(text, "\n");
}

static void append_preface(struct text *text, const struct comparisons *comparisons)
{
    text_append(
        text,
        "Variant minus baseline with the same configuration and seed, mean over pairs. Interval: "
        "bootstrap (BCa, %d samples), not corrected for the number of comparisons. p: "
        "sign-flip permutation test, two-sided; corrected p: Holm; \"before correction\": it would "
        "pass as the only comparison. "
        "Needed: how many it "
        "would take to see a difference of this size with 80 %% power at the 5 %% level, "
        "a hint for the next sweep, which few runs give poorly. Where most pairs do not differ at "
        "all, an interval may leave out 0 and the test still not pass, since flipping signs "
        "changes "
        "only the few that do: the verdict is the test's. ",
        RESAMPLE_N_BOOTSTRAP);
    if (comparisons->n_without_baseline > 0) {
        text_append(text, "**%zu run%s no partner among the baseline's** and %s in no difference. ",
                    comparisons->n_without_baseline,
                    comparisons->n_without_baseline == 1 ? " has" : "s have",
                    comparisons->n_without_baseline == 1 ? "is" : "are");
    }
    text_append(text, "Further measures: [comparisons.csv](comparisons.csv).\n\n");
}

static bool has_test(const struct comparisons *comparisons, const enum measure *measure,
                     size_t n_measure, bool images)
{
    for (size_t i = 0; i < n_measure; i++) {
        const struct comparison_table *table = comparisons_find(comparisons, measure[i], images);
        if (table && table->n_tested > 0) {
            return true;
        }
    }
    return false;
}

void tables_append_comparisons(struct text *text, const struct comparisons *comparisons,
                               bool images)
{
    static const enum measure task_measure[] = {MEASURE_TOKEN_ACCURACY, MEASURE_SOLVED,
                                                MEASURE_ESCAPED,        MEASURE_ESCAPE_STEP,
                                                MEASURE_REACHES_90,     MEASURE_MEAN_TRAIN_LOSS};
    static const enum measure image_measure[] = {MEASURE_TOP1, MEASURE_LOSS};
    const enum measure *measure = images ? image_measure : task_measure;
    size_t n_measure = images ? sizeof(image_measure) / sizeof(image_measure[0])
                              : sizeof(task_measure) / sizeof(task_measure[0]);
    if (!comparisons_find(comparisons, measure[0], images)) {
        text_append(text, "None: no variant shares a configuration and a seed with a finished run "
                          "of its baseline.\n\n");
        return;
    }
    if (!has_test(comparisons, measure, n_measure, images)) {
        text_append(text,
                    "Not tested: no variant has %d pairs with its baseline, and fewer let "
                    "nothing be concluded. The differences of these runs are in "
                    "[comparisons.csv](comparisons.csv).\n\n",
                    COMPARISONS_MIN_UNIT);
        return;
    }
    append_preface(text, comparisons);
    for (size_t i = 0; i < n_measure; i++) {
        append_table(text, comparisons_find(comparisons, measure[i], images));
    }
}

/* ---- averages over a grid ---- */

static void append_value(struct text *text, double value, int n_decimal)
{
    if (isfinite(value)) {
        text_append(text, " %.*f |", n_decimal, stats_shown(value, n_decimal));
    } else {
        text_append(text, " - |");
    }
}

static void append_share(struct text *text, const struct spread *share)
{
    if (share->n > 0) {
        text_append(text, " %.0f of %zu |", share->mean * (double)share->n, share->n);
    } else {
        text_append(text, " - |");
    }
}

static void append_overview_row(struct text *text, const struct overview_cell *cell)
{
    const struct spread *accuracy = &cell->measure[MEASURE_TOKEN_ACCURACY];
    text_append(text, "| %s | %s | %zu | %zu |", run_task_title(cell->run), cell->run->variant_name,
                accuracy->n_configuration, accuracy->n);
    append_value(text, accuracy->mean, 3);
    append_value(text, accuracy->between, 3);
    append_value(text, accuracy->within, 3);
    append_value(text, cell->measure[MEASURE_ABOVE_FLOOR].mean, 3);
    append_share(text, &cell->measure[MEASURE_SOLVED]);
    append_share(text, &cell->measure[MEASURE_AT_CHANCE]);
    text_append(text, "\n");
}

void tables_append_overview(struct text *text, const struct overview *overview)
{
    text_append(text,
                "Token accuracy, mean over all finished runs. Two spreads, which answer different "
                "questions: the standard deviation between the means of configurations, and the "
                "one over seeds within a configuration (pooled). Above the floor: (accuracy - "
                "floor) / (1 - floor), where the floor is what the position alone gives. Single "
                "runs are often at chance or solved, so that a mean may describe none of them: "
                "solved is a token accuracy of at least %.2f, at chance less than %.2f above the "
                "floor.\n\n"
                "| task | variant | configurations | runs | mean | sd between configurations | sd "
                "over seeds | above the floor | solved | at chance |\n"
                "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
                RUN_SOLVED, RUN_AT_CHANCE);
    for (size_t task = 0; task < overview->n_task; task++) {
        for (size_t variant = 0; variant < overview->n_variant; variant++) {
            const struct overview_cell *cell = &overview->cell[variant * overview->n_task + task];
            if (cell->run) {
                append_overview_row(text, cell);
            }
        }
    }
    text_append(text, "\n");
}

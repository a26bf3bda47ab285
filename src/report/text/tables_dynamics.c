/* tables_dynamics: how the variants learned. One table a task holds all its measures, because one
 * of them alone misleads: a variant may leave the plateau late and then be quick.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "lab/kind/sequences/sequences.h"
#include "report/text/tables.h"

struct column {
    enum measure measure;
    const char *title;
    int n_decimal; /* of a step: 0 */
};

static const struct column column[] = {
    {MEASURE_ESCAPE_STEP, "plateau", 0},         {MEASURE_REACHES_50, "50 % right", 0},
    {MEASURE_REACHES_90, "90 % right", 0},       {MEASURE_REACHES_99, "99 % right", 0},
    {MEASURE_BELOW_2_2, "loss < 2.2", 0},        {MEASURE_BELOW_0_1, "loss < 0.1", 0},
    {MEASURE_FINAL_TRAIN_LOSS, "final loss", 4}, {MEASURE_MEAN_TRAIN_LOSS, "mean loss", 3},
};
#define N_COLUMN (sizeof(column) / sizeof(column[0]))

static bool is_of_accuracy(enum measure measure)
{
    return measure == MEASURE_REACHES_50 || measure == MEASURE_REACHES_90 ||
           measure == MEASURE_REACHES_99;
}

/* Runs that kept no accuracies of their batches have the steps of the loss instead. */
static bool is_shown(enum measure measure, bool has_accuracies)
{
    bool of_loss = measure == MEASURE_BELOW_2_2 || measure == MEASURE_BELOW_0_1;
    return has_accuracies ? !of_loss : !is_of_accuracy(measure);
}

static void append_legend(struct text *text, bool has_accuracies, bool has_floor)
{
    text_append(text,
                "Read off the training batches, before each update; steps count from 0. Plateau: "
                "the number of steps before the smoothed training loss leaves the plateau on which "
                "it starts, that is, the escape step. %s Final loss: of training, at its end. Mean "
                "loss: over all steps of training, the area under the curve; it says how fast and "
                "how far in one number, and every run has it. %s",
                has_accuracies
                    ? "50, 90, 99 % right: the first step at which the median accuracy of "
                      "five batches reaches that."
                    : "Loss < 2.2, < 0.1: the first step with a smaller training loss.",
                has_floor ? "On Sort a model leaves the plateau as soon as it uses the position "
                            "alone, so there its length says little about attention. "
                          : "");
}

/* ---- of one setting ---- */

static bool has_accuracies(const struct setting *setting)
{
    for (size_t i = 0; i < setting->n_run; i++) {
        if (setting->run[i].curve_accuracy) {
            return true;
        }
    }
    return false;
}

static const struct comparison *find(const struct comparisons *comparisons, enum measure measure,
                                     const struct run *variant, const struct task *task)
{
    const struct comparison_table *table = comparisons_find(comparisons, measure, false);
    for (size_t i = 0; table && i < table->n_comparison; i++) {
        const struct run *run = table->comparison[i].paired->run;
        if (run->task == task && strcmp(run->variant_id, variant->variant_id) == 0) {
            return &table->comparison[i];
        }
    }
    return NULL;
}

/* Appends "+14 (+9 to +18)", the mean over pairs and the lowest and highest of them. */
static void append_difference(struct text *text, const struct comparison *comparison, int n_decimal)
{
    if (!comparison || comparison->difference.n == 0) {
        text_append(text, " - |");
        return;
    }
    const struct stats *stats = &comparison->difference;
    text_append(text, " ");
    tables_append_signed(text, stats->mean, n_decimal);
    if (stats->n == 1) {
        text_append(text, " (1 pair)");
    } else if (stats->min < stats->max) {
        text_append(text, " (");
        tables_append_signed(text, stats->min, n_decimal);
        text_append(text, " to ");
        tables_append_signed(text, stats->max, n_decimal);
        text_append(text, ")");
    }
    if (comparison->n_only_variant + comparison->n_only_baseline > 0) {
        text_append(text, ", %zu pair%s", stats->n, stats->n == 1 ? "" : "s");
    }
    text_append(text, " |");
}

static void append_row(struct text *text, const struct setting *setting, size_t variant,
                       size_t task, const struct comparisons *comparisons, bool accuracies)
{
    const struct run *run = setting->variant[variant];
    text_append(text, "| %s |", run->variant_name);
    for (size_t i = 0; i < N_COLUMN; i++) {
        char cell[TABLES_CELL_SIZE];
        if (is_shown(column[i].measure, accuracies)) {
            tables_cell_text(setting_cell(setting, variant, task), column[i].measure,
                             column[i].n_decimal, cell);
            text_append(text, " %s |", cell);
        }
    }
    append_difference(text, find(comparisons, MEASURE_ESCAPE_STEP, run, setting->task[task]), 0);
    append_difference(text, find(comparisons, MEASURE_MEAN_TRAIN_LOSS, run, setting->task[task]),
                      3);
    text_append(text, "\n");
}

static void append_header(struct text *text, bool accuracies)
{
    size_t n = 2;
    text_append(text, "| variant |");
    for (size_t i = 0; i < N_COLUMN; i++) {
        if (is_shown(column[i].measure, accuracies)) {
            text_append(text, " %s |", column[i].title);
            n++;
        }
    }
    text_append(text, " plateau, difference | mean loss, difference |\n|---|");
    for (size_t i = 0; i < n; i++) {
        text_append(text, "---:|");
    }
    text_append(text, "\n");
}

void tables_append_dynamics(struct text *text, const struct setting *setting,
                            const struct comparisons *comparisons)
{
    bool accuracies = has_accuracies(setting);
    text_append(text, "#### Learning dynamics\n\n");
    bool floor = false;
    for (size_t i = 0; i < setting->n_task; i++) {
        floor |= sequence_task_of(setting->task[i])->position_floor != NULL;
    }
    append_legend(text, accuracies, floor);
    text_append(text,
                "`75 (2 of 3)`: two of three seeds got there, at step 75 on average; `never`: none "
                "did in the %zu steps of training. Differences: variant minus baseline with the "
                "same seed, in brackets the lowest and the highest; of the plateau over the pairs "
                "in which both left it.\n\n",
                setting->n_step);
    for (size_t task = 0; task < setting->n_task; task++) {
        text_append(text, "**%s**\n\n", setting->task[task]->title);
        append_header(text, accuracies);
        for (size_t variant = 0; variant < setting->n_variant; variant++) {
            append_row(text, setting, variant, task, comparisons, accuracies);
        }
        text_append(text, "\n");
    }
}

/* ---- over a grid ---- */

static bool overview_has(const struct overview *overview, enum measure measure)
{
    for (size_t i = 0; i < overview->n_variant * overview->n_task; i++) {
        if (overview->cell[i].measure[measure].n > 0) {
            return true;
        }
    }
    return false;
}

/* Means over a grid differ by far more than the fourth digit. */
static int decimals(const struct column *shown)
{
    return shown->n_decimal < 3 ? shown->n_decimal : 3;
}

static void append_spread(struct text *text, const struct overview_cell *cell,
                          const struct column *shown)
{
    const struct spread *spread = &cell->measure[shown->measure];
    bool tells = cell->run->curve_accuracy || !is_of_accuracy(shown->measure);
    if (spread->n == 0) {
        bool never = measure_is_step(shown->measure) && cell->n_ok > 0 && tells;
        text_append(text, never ? " never |" : " - |");
    } else if (spread->n < cell->n_ok) {
        text_append(text, " %.*f (%zu of %zu) |", decimals(shown),
                    stats_shown(spread->mean, decimals(shown)), spread->n, cell->n_ok);
    } else {
        text_append(text, " %.*f |", decimals(shown), stats_shown(spread->mean, decimals(shown)));
    }
}

void tables_append_overview_dynamics(struct text *text, const struct overview *overview)
{
    bool accuracies = overview_has(overview, MEASURE_REACHES_50);
    size_t n = 1;
    bool floor = false;
    for (size_t i = 0; i < overview->n_task; i++) {
        floor |= sequence_task_of(overview->task[i]->task)->position_floor != NULL;
    }
    append_legend(text, accuracies, floor);
    text_append(text, "`62 (17 of 48)`: 17 of 48 runs got there, at step 62 on average. Those are "
                      "other runs for each variant, so that two variants are compared by the "
                      "paired differences below or by the mean loss.\n\n| task | variant | runs |");
    for (size_t i = 0; i < N_COLUMN; i++) {
        if (is_shown(column[i].measure, accuracies)) {
            text_append(text, " %s |", column[i].title);
            n++;
        }
    }
    text_append(text, "\n|---|---|");
    for (size_t i = 0; i < n; i++) {
        text_append(text, "---:|");
    }
    text_append(text, "\n");
    for (size_t task = 0; task < overview->n_task; task++) {
        for (size_t variant = 0; variant < overview->n_variant; variant++) {
            const struct overview_cell *cell = &overview->cell[variant * overview->n_task + task];
            if (!cell->run) {
                continue;
            }
            text_append(text, "| %s | %s | %zu |", run_task_title(cell->run),
                        cell->run->variant_name, cell->n_ok);
            for (size_t i = 0; i < N_COLUMN; i++) {
                if (is_shown(column[i].measure, accuracies)) {
                    append_spread(text, cell, &column[i]);
                }
            }
            text_append(text, "\n");
        }
    }
    text_append(text, "\n");
}

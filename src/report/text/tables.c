/* tables: one generic table of a measure, and the few that have another shape. */
#include "report/text/tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "lab/kind/sequences/sequences.h"

void tables_cell_text(const struct cell *cell, enum measure measure, int n_decimal,
                      char text[TABLES_CELL_SIZE])
{
    struct stats stats = cell_stats(cell, measure);
    char number[STATS_TEXT_SIZE];
    if (measure_is_step(measure)) {
        stats_step_text(&stats, cell && cell_tells(cell, measure) ? cell->n_ok : 0, number);
    } else {
        stats_text(&stats, n_decimal, number);
    }
    size_t n_bad = cell ? cell->n_run - cell->n_ok : 0;
    if (n_bad > 0) {
        snprintf(text, TABLES_CELL_SIZE, "%s (%zu diverged or failed)", number, n_bad);
    } else {
        snprintf(text, TABLES_CELL_SIZE, "%s", number);
    }
}

void tables_append_signed(struct text *text, double value, int n_decimal)
{
    char shown[STATS_TEXT_SIZE];
    stats_signed_text(value, n_decimal, shown);
    text_append(text, "%s", shown);
}

static void append_header(struct text *text, const struct setting *setting)
{
    text_append(text, "| variant |");
    for (size_t task = 0; task < setting->n_task; task++) {
        text_append(text, " %s |", setting->task[task]->title);
    }
    text_append(text, "\n|---|");
    for (size_t task = 0; task < setting->n_task; task++) {
        text_append(text, "---:|");
    }
    text_append(text, "\n");
}

static void append_measure_rows(struct text *text, const struct setting *setting,
                                enum measure measure, int n_decimal)
{
    append_header(text, setting);
    for (size_t variant = 0; variant < setting->n_variant; variant++) {
        text_append(text, "| %s |", setting->variant[variant]->variant_name);
        for (size_t task = 0; task < setting->n_task; task++) {
            char cell[TABLES_CELL_SIZE];
            tables_cell_text(setting_cell(setting, variant, task), measure, n_decimal, cell);
            text_append(text, " %s |", cell);
        }
        text_append(text, "\n");
    }
}

static void append_measure(struct text *text, const struct setting *setting, enum measure measure,
                           int n_decimal)
{
    append_measure_rows(text, setting, measure, n_decimal);
    text_append(text, "\n");
}

static bool has_measure(const struct setting *setting, enum measure measure)
{
    for (size_t i = 0; i < setting->n_run; i++) {
        if (isfinite(setting->run[i].measure[measure])) {
            return true;
        }
    }
    return false;
}

static bool has_short_cell(const struct setting *setting)
{
    for (size_t i = 0; i < setting->n_variant * setting->n_task; i++) {
        const struct cell *cell = setting->cell[i];
        if (cell && cell->n_ok > 0 && cell->n_ok < STATS_BAR_MIN) {
            return true;
        }
    }
    return false;
}

static void append_convention(struct text *text, const struct setting *setting)
{
    text_append(text, "Mean ± sample standard deviation over seeds; `-`: not run.");
    if (has_short_cell(setting)) {
        text_append(text,
                    " Cells marked (n=1) or (n=2) have fewer than %d seeds and therefore no "
                    "error bar.",
                    STATS_BAR_MIN);
    }
    text_append(text, "\n\n");
}

static bool has_floor(const struct setting *setting)
{
    for (size_t task = 0; task < setting->n_task; task++) {
        if (sequence_task_of(setting->task[task])->position_floor) {
            return true;
        }
    }
    return false;
}

static void append_floors(struct text *text, const struct setting *setting)
{
    text_append(text, "| _position alone_ |");
    for (size_t task = 0; task < setting->n_task; task++) {
        text_append(text, " _%.3f_ |", task_chance(setting->task[task], setting->run->n_token));
    }
    text_append(text, "\n\nThe last row is computed, not measured: what the best predictor reaches "
                      "that knows only the position.\n\n");
}

static void append_shares(struct text *text, const struct cell *cell)
{
    struct stats solved = cell_stats(cell, MEASURE_SOLVED);
    struct stats at_chance = cell_stats(cell, MEASURE_AT_CHANCE);
    if (solved.n == 0) {
        text_append(text, " - |");
        return;
    }
    text_append(text, " %.0f, %.0f of %zu |", solved.mean * (double)solved.n,
                at_chance.mean * (double)at_chance.n, solved.n);
}

static void append_solved(struct text *text, const struct setting *setting)
{
    text_append(
        text,
        "#### Runs solved, and runs at chance\n\nSingle runs are often either: then the mean "
        "describes none of them. Solved: a token accuracy of at least %.2f. At chance: less "
        "than %.2f of what the position alone leaves to gain. `2, 1 of 3`: two solved, one "
        "at chance.\n\n",
        RUN_SOLVED, RUN_AT_CHANCE);
    append_header(text, setting);
    for (size_t variant = 0; variant < setting->n_variant; variant++) {
        text_append(text, "| %s |", setting->variant[variant]->variant_name);
        for (size_t task = 0; task < setting->n_task; task++) {
            append_shares(text, setting_cell(setting, variant, task));
        }
        text_append(text, "\n");
    }
    text_append(text, "\n");
}

void tables_append_accuracy(struct text *text, const struct setting *setting)
{
    text_append(text, "#### Token accuracy\n\n");
    append_convention(text, setting);
    append_measure_rows(text, setting, MEASURE_TOKEN_ACCURACY, 3);
    append_floors(text, setting);
    if (has_floor(setting)) {
        text_append(text, "#### Token accuracy above what the position alone gives\n\n"
                          "(accuracy - floor) / (1 - floor): 0 is the floor, 1 is every token "
                          "right. On Sort the position alone gives far more than chance.\n\n");
        append_measure(text, setting, MEASURE_ABOVE_FLOOR, 3);
    }
    append_solved(text, setting);
    text_append(text,
                "#### Sequence accuracy\n\nShare of test sequences with every token right.\n\n");
    append_measure(text, setting, MEASURE_SEQUENCE_ACCURACY, 3);
    text_append(text, "#### Test loss\n\nCross-entropy in nats, mean over tokens; chance is ln 10 "
                      "= 2.303.\n\n");
    append_measure(text, setting, MEASURE_LOSS, 4);
}

void tables_append_cost(struct text *text, const struct setting *setting)
{
    text_append(text, "#### What each variant learns with\n\n"
                      "| variant | id | projections for Q, K, V | parameters | Q K^T | scores that "
                      "enter the softmax |\n|---|---|---:|---:|---|---|\n");
    for (size_t i = 0; i < setting->n_variant; i++) {
        const struct run *run = setting->variant[i];
        char parameters[32] = "-";
        if (run->n_param > 0) {
            snprintf(parameters, sizeof(parameters), "%zu", run->n_param);
        }
        text_append(text, "| %s | `%s` | %zu | %s | %s | %s |\n", run->variant_name,
                    run->variant_id, run->n_slot, parameters,
                    variant_product_symmetric(&run->variant) ? "symmetric" : "any",
                    variant_scores_symmetric(&run->variant) ? "symmetric" : "any");
    }
    text_append(text, "\n");
}

/* ---- attention ---- */

void tables_append_attention(struct text *text, const struct setting *setting)
{
    if (!has_measure(setting, MEASURE_DIAGONAL)) {
        return;
    }
    text_append(text, "### Attention in numbers\n\nOf the last layer, averaged over heads and the "
                      "probe sequences. ");
    append_convention(text, setting);
    text_append(text, "#### Share of attention on the needed key\n\n`-` where the task needs no "
                      "single key.\n\n");
    append_measure(text, setting, MEASURE_NEEDED, 3);
    text_append(text, "#### Share of attention on the own position (diagonal)\n\n");
    append_measure(text, setting, MEASURE_DIAGONAL, 3);
    text_append(text, "#### Asymmetry of Q K^T\n\nMean |S - S^T| over mean |S|; 0 is "
                      "symmetric.\n\n");
    append_measure(text, setting, MEASURE_ASYMMETRY_PRODUCT, 3);
    text_append(text, "#### Asymmetry of the scores that enter the softmax\n\n");
    append_measure(text, setting, MEASURE_ASYMMETRY_SCORES, 3);
    text_append(text, "Every head of every run: [heads.csv](heads.csv).\n\n");
}

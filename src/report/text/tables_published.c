/* tables_published: numbers of others beside ours. Every table says in its heading under what
 * conditions its published column was measured, and the text says what differs here.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "lab/training/metrics.h"
#include "report/figures/figures.h"
#include "report/statistics/published.h"
#include "report/text/tables.h"

static void append_value(struct text *text, double value)
{
    if (isfinite(value)) {
        text_append(text, " %.3f |", value);
    } else {
        text_append(text, " - |");
    }
}

static void append_measured(struct text *text, const struct cell *cell)
{
    char measured[TABLES_CELL_SIZE];
    tables_cell_text(cell, MEASURE_TOKEN_ACCURACY, 3, measured);
    text_append(text, " %s |", measured);
}

/* ---- grid means ---- */

static bool has_published(const char *variant, const char *task)
{
    return isfinite(published_accuracy(PUBLISHED_PAPER, variant, task)) ||
           isfinite(published_accuracy(PUBLISHED_REPRODUCTION, variant, task));
}

static void append_grid_rows(struct text *text, const struct setting *setting, size_t task)
{
    const char *name = setting->task[task]->name;
    for (size_t variant = 0; variant < setting->n_variant; variant++) {
        const char *id = setting->variant[variant]->variant_id;
        if (!has_published(id, name)) {
            continue;
        }
        text_append(text, "| %s | %s |", setting->task[task]->title,
                    setting->variant[variant]->variant_name);
        append_measured(text, setting_cell(setting, variant, task));
        append_value(text, published_accuracy(PUBLISHED_PAPER, id, name));
        append_value(text, published_accuracy(PUBLISHED_REPRODUCTION, id, name));
        text_append(text, "\n");
    }
}

static void append_grid(struct text *text, const struct setting *setting)
{
    char title[SETTING_TITLE_SIZE];
    setting_title(setting, title);
    text_append(text, "#### Token accuracy, grid means\n\n"
                      "**The conditions differ**: the measured column is one configuration, the "
                      "published columns are means over grids that hold longer sequences and other "
                      "widths, on which many runs stay at chance. Read the order of the variants, "
                      "not the level.\n\n");
    text_append(text, "- measured: %s, %zu steps\n", title, setting->n_step);
    for (int source = 0; source < PUBLISHED_SOURCE_COUNT; source++) {
        text_append(text, "- published, %s: %s\n", published_name((enum published_source)source),
                    published_conditions((enum published_source)source));
    }
    text_append(text,
                "\n| task | variant | measured (%s) | published (%s, grid mean) | published "
                "(%s, grid mean) |\n|---|---|---:|---:|---:|\n",
                title, published_name(PUBLISHED_PAPER), published_name(PUBLISHED_REPRODUCTION));
    for (size_t task = 0; task < setting->n_task; task++) {
        append_grid_rows(text, setting, task);
    }
    text_append(text, "\n");
}

/* ---- Reverse ---- */

static size_t find_task(const struct setting *setting, const char *name)
{
    size_t task = 0;
    while (task < setting->n_task && strcmp(setting->task[task]->name, name) != 0) {
        task++;
    }
    return task;
}

static void append_reverse(struct text *text, const struct setting *setting, size_t reverse)
{
    const struct run *run = setting->run;
    if (!isfinite(published_reverse("qkv", run->n_embd, run->n_token))) {
        return;
    }
    text_append(text, "#### Reverse at d %zu, T %zu\n\n", run->n_embd, run->n_token);
    text_append(text, "Published by %s: %s. ", published_name(PUBLISHED_REPRODUCTION),
                published_reverse_conditions);
    if (setting->n_step == PUBLISHED_REVERSE_STEPS) {
        text_append(text,
                    "Measured here: the same width, length and number of steps, but %zu "
                    "layers and %zu heads only, so a published mean over depths and heads "
                    "stands beside a mean over seeds.\n\n",
                    run->n_layer, run->n_head);
    } else {
        text_append(text,
                    "**Not comparable**: measured here after %zu steps, published after "
                    "%d.\n\n",
                    setting->n_step, PUBLISHED_REVERSE_STEPS);
    }
    text_append(text,
                "| variant | measured (%zu layers, %zu heads, %zu steps) | published (mean of "
                "12 runs, %d steps) |\n|---|---:|---:|\n",
                run->n_layer, run->n_head, setting->n_step, PUBLISHED_REVERSE_STEPS);
    for (size_t variant = 0; variant < setting->n_variant; variant++) {
        text_append(text, "| %s |", setting->variant[variant]->variant_name);
        append_measured(text, setting_cell(setting, variant, reverse));
        append_value(text, published_reverse(setting->variant[variant]->variant_id, run->n_embd,
                                             run->n_token));
        text_append(text, "\n");
    }
    text_append(text, "\n");
}

/* ---- learning dynamics ---- */

static void append_step(struct text *text, const double *curve, size_t n_step, double level)
{
    long step = curve ? metrics_first_below(curve, n_step, level) : STEP_NEVER;
    if (!curve) {
        text_append(text, " - |");
    } else if (step == STEP_NEVER) {
        text_append(text, " never |");
    } else {
        text_append(text, " %ld |", step);
    }
}

static void append_measured_dynamics(struct text *text, const struct cell *cell)
{
    size_t n_step;
    double *curve = cell_mean_curve(cell, &n_step);
    append_step(text, curve, n_step, 2.2);
    append_step(text, curve, n_step, 0.1);
    free(curve);
}

static void append_published_dynamics(struct text *text, const char *variant)
{
    const struct published_dynamics *steps = published_dynamics(variant);
    if (steps) {
        text_append(text, " %d | %d |", steps->below_2_2, steps->below_0_1);
    } else {
        text_append(text, " - | - |");
    }
}

/* One table where the conditions are the published ones, else two that are not side by side. */
static void append_dynamics(struct text *text, const struct setting *setting, size_t reverse)
{
    const struct run *run = setting->run;
    bool comparable = published_dynamics_comparable(run->n_embd, run->n_layer, run->n_head,
                                                    run->n_token, setting->n_step);
    text_append(text,
                "#### Leaving the plateau on Reverse\n\nFirst step at which the mean of the "
                "seeds' training loss curves is below 2.2 and below 0.1.\n\n"
                "| variant | measured, below 2.2 | measured, below 0.1 |%s\n|---|---:|---:|%s\n",
                comparable ? " published, below 2.2 | published, below 0.1 |" : "",
                comparable ? "---:|---:|" : "");
    for (size_t variant = 0; variant < setting->n_variant; variant++) {
        text_append(text, "| %s |", setting->variant[variant]->variant_name);
        append_measured_dynamics(text, setting_cell(setting, variant, reverse));
        if (comparable) {
            append_published_dynamics(text, setting->variant[variant]->variant_id);
        }
        text_append(text, "\n");
    }
    text_append(text, "\nPublished by %s: %s. ", published_name(PUBLISHED_REPRODUCTION),
                published_dynamics_conditions);
    if (comparable) {
        text_append(text, "Those are the conditions here.\n\n");
        return;
    }
    text_append(text,
                "**Not comparable with the steps above** (T %zu, %zu steps, another warm-up "
                "and schedule): only the order of the variants can be set against "
                "theirs.\n\n| variant | published (T 64, 790 steps), below 2.2 | published "
                "(T 64, 790 steps), below 0.1 |\n|---|---:|---:|\n",
                run->n_token, setting->n_step);
    for (size_t variant = 0; variant < setting->n_variant; variant++) {
        if (!published_dynamics(setting->variant[variant]->variant_id)) {
            continue;
        }
        text_append(text, "| %s |", setting->variant[variant]->variant_name);
        append_published_dynamics(text, setting->variant[variant]->variant_id);
        text_append(text, "\n");
    }
    text_append(text, "\n");
}

static bool anything_published(const struct setting *setting)
{
    for (size_t i = 0; i < setting->n_variant * setting->n_task; i++) {
        if (has_published(setting->variant[i / setting->n_task]->variant_id,
                          setting->task[i % setting->n_task]->name)) {
            return true;
        }
    }
    return false;
}

/* What neither source measured: a variant, or a task with any variant. */
static void append_unpublished(struct text *text, const struct setting *setting)
{
    struct text names = {0};
    for (size_t i = 0; i < setting->n_variant; i++) {
        if (!published_dynamics(setting->variant[i]->variant_id)) {
            text_append(&names, "%s%s", names.size ? ", " : "", setting->variant[i]->variant_name);
        }
    }
    for (size_t i = 0; i < setting->n_task; i++) {
        if (!has_published("qkv", setting->task[i]->name)) {
            text_append(&names, "%s%s", names.size ? ", " : "", setting->task[i]->title);
        }
    }
    if (names.size > 0) {
        text_append(text, "In neither source: %s.\n\n", names.data);
    }
    text_free(&names);
}

void tables_append_published(struct text *text, const struct setting *setting)
{
    if (!anything_published(setting)) {
        return;
    }
    text_append(text, "### Published numbers beside the measured ones\n\n"
                      "Published numbers keep to columns of their own and enter no mean and no "
                      "finding of this report.\n\n");
    append_unpublished(text, setting);
    append_grid(text, setting);
    size_t reverse = find_task(setting, "reverse");
    if (reverse == setting->n_task) {
        return;
    }
    append_reverse(text, setting, reverse);
    append_dynamics(text, setting, reverse);
}

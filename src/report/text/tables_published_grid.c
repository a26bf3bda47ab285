/* tables_published_grid: a grid's means beside the published means, which are over other grids. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/statistics/published.h"
#include "report/text/tables.h"

static void append_value(struct text *text, double value)
{
    text_append(text, isfinite(value) ? " %.3f |" : " - |", value);
}

/* ---- over everything ---- */

static double published_of(enum published_source source, const struct overview_cell *cell)
{
    return published_accuracy(source, cell->run->variant_id, cell->run->task->name);
}

static bool is_published(const struct overview_cell *cell)
{
    return cell->run && (isfinite(published_of(PUBLISHED_PAPER, cell)) ||
                         isfinite(published_of(PUBLISHED_REPRODUCTION, cell)));
}

static bool anything_published(const struct overview *tasks)
{
    for (size_t i = 0; i < tasks->n_variant * tasks->n_task; i++) {
        if (is_published(&tasks->cell[i])) {
            return true;
        }
    }
    return false;
}

static void append_means(struct text *text, const struct overview *tasks)
{
    text_append(text, "#### Token accuracy, grid means\n\n"
                      "**The grids differ** in widths, lengths and procedure, and with them in the "
                      "share of runs that stay at chance. Read the order of the variants, not the "
                      "level.\n\n- measured: mean over all configurations listed above\n");
    for (int source = 0; source < PUBLISHED_SOURCE_COUNT; source++) {
        text_append(text, "- published, %s: %s\n", published_name((enum published_source)source),
                    published_conditions((enum published_source)source));
    }
    text_append(text,
                "\n| task | variant | configurations | measured | published (%s) | published (%s) "
                "|\n|---|---|---:|---:|---:|---:|\n",
                published_name(PUBLISHED_PAPER), published_name(PUBLISHED_REPRODUCTION));
    for (size_t task = 0; task < tasks->n_task; task++) {
        for (size_t variant = 0; variant < tasks->n_variant; variant++) {
            const struct overview_cell *cell = &tasks->cell[variant * tasks->n_task + task];
            if (!is_published(cell)) {
                continue;
            }
            const struct spread *accuracy = &cell->measure[MEASURE_TOKEN_ACCURACY];
            text_append(text, "| %s | %s | %zu |", run_task_title(cell->run),
                        cell->run->variant_name, accuracy->n_configuration);
            append_value(text, accuracy->mean);
            append_value(text, published_of(PUBLISHED_PAPER, cell));
            append_value(text, published_of(PUBLISHED_REPRODUCTION, cell));
            text_append(text, "\n");
        }
    }
    text_append(text, "\n");
}

/* ---- Reverse at one width and length ---- */

static bool same_size(const struct run *a, const struct run *b)
{
    return a->n_embd == b->n_embd && a->n_token == b->n_token;
}

/* Of the runs on Reverse of a variant at the size of like, over layers, heads and seeds. */
static struct stats mean_at(const struct run_set *set, const struct run *variant,
                            const struct run *like)
{
    struct stats stats = STATS_NONE;
    for (size_t i = 0; i < set->n_run; i++) {
        const struct run *run = &set->run[i];
        if (run_is_ok(run) && !run->copy_of && run->task == like->task && same_size(run, like) &&
            run->n_step == PUBLISHED_REVERSE_STEPS &&
            strcmp(run->variant_id, variant->variant_id) == 0) {
            stats_add(&stats, run->measure[MEASURE_TOKEN_ACCURACY]);
        }
    }
    return stats;
}

static bool is_reverse_of_published_size(const struct run *run)
{
    return strcmp(run->task->name, "reverse") == 0 && run->n_step == PUBLISHED_REVERSE_STEPS &&
           isfinite(published_reverse("qkv", run->n_embd, run->n_token));
}

/* Whether the i-th run is the first of its size that a table is made for. */
static bool is_first(const struct run_set *set, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        if (is_reverse_of_published_size(&set->run[j]) && same_size(&set->run[j], &set->run[i])) {
            return false;
        }
    }
    return true;
}

static void append_size(struct text *text, const struct run_set *set, const struct overview *tasks,
                        const struct run *like)
{
    for (size_t i = 0; i < tasks->n_variant; i++) {
        const struct run *variant = tasks->variant[i];
        struct stats stats = mean_at(set, variant, like);
        if (stats.n == 0) {
            continue;
        }
        text_append(text, "| %zu | %zu | %s | %zu | %.3f |", like->n_embd, like->n_token,
                    variant->variant_name, stats.n, stats.mean);
        append_value(text, published_reverse(variant->variant_id, like->n_embd, like->n_token));
        text_append(text, "\n");
    }
}

static void append_reverse(struct text *text, const struct run_set *set,
                           const struct overview *tasks)
{
    size_t n_told = 0;
    for (size_t i = 0; i < set->n_run; i++) {
        if (!is_reverse_of_published_size(&set->run[i]) || !is_first(set, i)) {
            continue;
        }
        if (n_told++ == 0) {
            text_append(text,
                        "#### Reverse at one width and length\n\nPublished, %s: %s. Measured: the "
                        "mean over all runs here of that width and length and as many steps, over "
                        "their layers, heads and seeds.\n\n"
                        "| d | T | variant | runs | measured | published |\n"
                        "|---:|---:|---|---:|---:|---:|\n",
                        published_name(PUBLISHED_REPRODUCTION), published_reverse_conditions);
        }
        append_size(text, set, tasks, &set->run[i]);
    }
    text_append(text, n_told > 0 ? "\n" : "");
}

void tables_append_published_grid(struct text *text, const struct run_set *set,
                                  const struct overview *tasks)
{
    if (!anything_published(tasks)) {
        return;
    }
    text_append(text, "## Published numbers beside the measured ones\n\n"
                      "Published numbers keep to columns of their own and enter no mean and no "
                      "finding of this report.\n\n");
    append_means(text, tasks);
    append_reverse(text, set, tasks);
}

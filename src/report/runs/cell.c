/* cell: numbers over runs that differ by the seed alone. */
#include <stdlib.h>

#include "report/runs/run_set.h"

struct stats cell_stats(const struct cell *cell, enum measure measure)
{
    struct stats stats = STATS_NONE;
    for (size_t i = 0; cell && i < cell->n_run; i++) {
        if (run_is_ok(&cell->run[i])) {
            stats_add(&stats, cell->run[i].measure[measure]);
        }
    }
    return stats;
}

const struct run *cell_find_seed(const struct cell *cell, long long seed)
{
    for (size_t i = 0; cell && i < cell->n_run; i++) {
        if (cell->run[i].seed == seed && run_is_ok(&cell->run[i])) {
            return &cell->run[i];
        }
    }
    return NULL;
}

bool cell_tells(const struct cell *cell, enum measure measure)
{
    if (measure != MEASURE_REACHES_50 && measure != MEASURE_REACHES_90 &&
        measure != MEASURE_REACHES_99) {
        return true;
    }
    for (size_t i = 0; cell && i < cell->n_run; i++) {
        if (cell->run[i].curve_accuracy) {
            return true;
        }
    }
    return false;
}

struct stats cell_difference(const struct cell *a, const struct cell *b, enum measure measure)
{
    struct stats stats = STATS_NONE;
    for (size_t i = 0; a && i < a->n_run; i++) {
        const struct run *left = cell_find_seed(a, a->run[i].seed);
        const struct run *right = cell_find_seed(b, a->run[i].seed);
        if (left && right) {
            stats_add(&stats, left->measure[measure] - right->measure[measure]);
        }
    }
    return stats;
}

static bool has_curve(const struct run *run)
{
    return run_is_ok(run) && run->curve;
}

double *cell_mean_curve(const struct cell *cell, size_t *n_step)
{
    size_t n_curve = 0;
    *n_step = 0;
    for (size_t i = 0; cell && i < cell->n_run; i++) {
        const struct run *run = &cell->run[i];
        if (!has_curve(run)) {
            continue;
        }
        if (n_curve == 0 || run->n_curve < *n_step) {
            *n_step = run->n_curve;
        }
        n_curve++;
    }
    double *mean = n_curve ? calloc(*n_step, sizeof(*mean)) : NULL;
    for (size_t i = 0; mean && i < cell->n_run; i++) {
        for (size_t step = 0; has_curve(&cell->run[i]) && step < *n_step; step++) {
            mean[step] += cell->run[i].curve[step] / (double)n_curve;
        }
    }
    return mean;
}

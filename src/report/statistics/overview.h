/* overview: averages over all configurations of a set, with the spread over configurations and the
 * spread over seeds apart.
 *
 * The two answer different questions: how much a number depends on the configuration, and how much
 * on chance at a given configuration. Their sum in one "±" would answer neither.
 */
#ifndef QKVLAB_REPORT_OVERVIEW_H
#define QKVLAB_REPORT_OVERVIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "report/runs/run_set.h"

struct spread {
    size_t n, n_configuration; /* finite values, and configurations with one */
    double mean;               /* over all values */
    double between;            /* sd of the configurations' means; NaN below 2 configurations */
    double within; /* pooled sd over seeds within configurations, sqrt(sum of squares / (n -
                      n_configuration)); NaN where no configuration has two values */
};

/* spread_of summarises values that come sorted by configuration; those that are not finite do not
 * count. */
struct spread spread_of(const double *value, const size_t *configuration, size_t n_value);

struct overview_cell {
    const struct run *run; /* one of its runs, NULL: nothing was run */
    size_t n_run, n_ok;    /* in all configurations */
    struct spread measure[MEASURE_COUNT];
};

struct overview {
    const struct run **variant; /* [n_variant], one run for each row, in named-row order */
    const struct run **task;    /* [n_task], one run for each column, alphabetically */
    struct overview_cell *cell; /* [n_variant * n_task] */
    size_t n_variant, n_task, n_configuration;
};

/* overview_make summarises the set's runs on tasks, or those on images; copies do not count. Caller
 * frees with overview_free, also on failure. Errors: STATUS_MEMORY. */
enum status overview_make(const struct run_set *set, bool images, struct overview *overview,
                          struct error *err);
void overview_free(struct overview *overview);

#endif

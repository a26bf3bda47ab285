/* permutation: do two groups of units differ in any of many quantities? The max-T test of Westfall
 * and Young (1993): whatever depends on what among the quantities, the probability of a false alarm
 * is exactly the level, as long as the units of both groups come from one law.
 *
 * The statistic of a quantity is |difference of means| over its standard error, the pooled standard
 * deviation being enlarged by a floor that knows nothing of the groups (Tusher et al. 2001), so
 * that a quantity that hardly varies does not decide by accident.
 */
#ifndef QKVLAB_REPORT_PERMUTATION_H
#define QKVLAB_REPORT_PERMUTATION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Up to so many relabellings all are tried, else so many random ones with the observed one. */
#define PERMUTATION_MOST 20000

struct permutation_quantity {
    double floor; /* of the standard deviation */
    /* results */
    double difference; /* mean of the second group minus that of the first */
    double half;       /* a difference of this size would be one at the level */
    double statistic;
    double p; /* adjusted for all quantities: at most the level, and this one differs */
};

struct permutation_result {
    double p; /* of any difference at all */
    size_t n_relabelling;
    double critical; /* of the statistic, at the level; INFINITY where no p can be that small */
};

/* permutation_test compares units 0..n_first-1 with the n_second behind them. value is
 * [n_quantity, n_first + n_second]. The random relabellings are always the same ones. Errors:
 * STATUS_MEMORY. */
enum status permutation_test(const double *value, size_t n_quantity, size_t n_first,
                             size_t n_second, double level, struct permutation_quantity *quantity,
                             struct permutation_result *result, struct error *err);

/* permutation_least_p is the smallest p that groups of these sizes can have. */
double permutation_least_p(size_t n_first, size_t n_second);

#endif

/* resample: an interval and a p-value for a mean difference, by computing instead of by assuming a
 * distribution. Pure numbers; comparisons.h decides what a unit is.
 *
 * The data come as independent units. A unit is one pair, or all pairs of one configuration: its
 * sum and how many pairs are in it. The mean is sum of sums over sum of counts.
 */
#ifndef QKVLAB_REPORT_RESAMPLE_H
#define QKVLAB_REPORT_RESAMPLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

#define RESAMPLE_N_BOOTSTRAP 10000
#define RESAMPLE_N_FLIP 100000
#define RESAMPLE_N_EXACT 65536 /* up to this many sign patterns all are tried */

struct resample_unit {
    double sum;
    size_t n_pair;  /* at least 1 */
    size_t stratum; /* a unit is replaced by units of its own stratum only; 0, 1, ... ascending */
};

/* Fewer units would give a bootstrap too few different samples to speak of. */
#define RESAMPLE_MIN_UNIT 3

/* resample_interval writes a 95 % bootstrap interval of the mean: bias-corrected and accelerated
 * (BCa; Efron 1987, Davison and Hinkley 1997, section 5.3), at the level that makes percentile
 * intervals of few values as wide as a t interval (Hesterberg 2015, section 5.2). Always the same
 * random numbers, so that two reports are the same bytes. Units that are all equal give an interval
 * of no width. n_unit less the number of strata must be at least RESAMPLE_MIN_UNIT - 1. Errors:
 * STATUS_MEMORY. */
enum status resample_interval(const struct resample_unit *unit, size_t n_unit, double *low,
                              double *high, struct error *err);

/* resample_flip_p writes the two-sided p-value of the sign-flip permutation test (Fisher 1935,
 * section 21; Good 2005, section 3.2): the share of ways to exchange the two variants within units
 * whose absolute sum is at least the observed one. All 2^n ways where they are at most
 * RESAMPLE_N_EXACT (*exact is true), else RESAMPLE_N_FLIP random ones and the observed one (Phipson
 * and Smyth 2010), always the same. Errors: STATUS_MEMORY. */
enum status resample_flip_p(const struct resample_unit *unit, size_t n_unit, double *p, bool *exact,
                            struct error *err);

/* resample_min_unit returns the fewest units with which a sign-flip test can pass the two-sided 5 %
 * level after Holm's correction for n_comparison: the smallest n with n_comparison 2 / 2^n <= 0.05.
 */
size_t resample_min_unit(size_t n_comparison);

/* resample_n_needed returns how many units a paired comparison needs to see a difference of this
 * mean and standard deviation with power 80 % at the two-sided 5 % level, by the normal
 * approximation ((1.960 + 0.842) sd / mean)^2, rounded up; SIZE_MAX where the mean is 0 or a number
 * is missing. */
size_t resample_n_needed(double mean, double sd);

/* resample_holm writes Holm's (1979) step-down adjusted p-values for a family of n_p comparisons.
 * NaN stays NaN and counts as no comparison. p and adjusted may be the same array. Errors:
 * STATUS_MEMORY. */
enum status resample_holm(const double *p, size_t n_p, double *adjusted, struct error *err);

#endif

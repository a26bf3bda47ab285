/* flips: are mean differences between two variants more than chance? By computing instead of by
 * assuming a distribution. Pure numbers; comparisons.h says what they are of.
 *
 * The unit is the seed. Whatever shares a seed shares data, order and most initial weights, in
 * every task and configuration, so only seeds are independent draws. Were the two variants the
 * same, their names could be exchanged within a seed, which turns the signs of all its differences
 * at once, in every row of a table. The test asks how often such an exchange would give a
 * difference as large as the observed one (Fisher 1935, section 21), in any row: the step-down
 * maximum of Westfall and Young (1993, section 2.6), which corrects for the number of rows and
 * knows how they depend on each other.
 *
 * A row's statistic is |sum| over the root of the sum of squares of its seeds, so that rows of
 * large numbers do not speak for those of small ones. Intervals hold what the test of a row alone
 * would not reject: the order statistics of the means of all subsets of seeds (Hartigan 1969;
 * Tritchler 1984). They are not corrected for the number of rows.
 */
#ifndef QKVLAB_REPORT_FLIPS_H
#define QKVLAB_REPORT_FLIPS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* With fewer seeds no p-value is as small as the level: the smallest of n is 2 / 2^n. */
#define FLIPS_MIN_SEED 6
#define FLIPS_LEVEL 0.05
#define FLIPS_MAX_EXACT 16   /* up to so many seeds all exchanges are tried, */
#define FLIPS_N_RANDOM 20000 /* beyond so many random ones with the observed one */

/* All differences of a row that share a seed. */
struct flip_unit {
    double sum;
    size_t n; /* 0: the row has nothing of this seed */
};

struct flip_row {
    const struct flip_unit *unit; /* [n_seed of the call] */
    /* results, NaN where the row has fewer than FLIPS_MIN_SEED seeds and is in no test */
    double p, p_corrected;
    double low, high; /* 95 % interval of the mean difference, sum of sums over sum of n */
};

/* flips_test tests the rows of a table together. *exact: all exchanges were tried. The random ones
 * are always the same. Errors: STATUS_MEMORY. */
enum status flips_test(struct flip_row *row, size_t n_row, size_t n_seed, bool *exact,
                       struct error *err);

/* flips_n_needed returns how many seeds a row alone would need to see a difference of this mean and
 * standard deviation between seeds with power 80 %, at least FLIPS_MIN_SEED, by the normal
 * approximation ((1.960 + 0.842) sd / mean)^2; SIZE_MAX where the mean is 0 or a number is missing.
 */
size_t flips_n_needed(double mean, double sd);

#endif

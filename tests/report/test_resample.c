/* Known answers by hand, and how often an interval and a test are right on data of known laws. */
#include "report/statistics/resample.h"

#include <math.h>
#include <stdint.h>

#include "base/rng.h"
#include "testing.h"

#define MAX_UNIT 40

static struct resample_unit unit[MAX_UNIT];
static double low, high, p;
static bool exact;

static void fill(const double *value, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unit[i] = (struct resample_unit){value[i], 1, 0};
    }
}

static void flip(size_t n)
{
    ck_assert_int_eq(resample_flip_p(unit, n, &p, &exact, NULL), STATUS_OK);
}

static void interval(size_t n)
{
    ck_assert_int_eq(resample_interval(unit, n, &low, &high, NULL), STATUS_OK);
}

/* ---- sign flips ---- */

/* Of 8 sums of +-1 +-2 +-3, those as large as 6 in size are +6 and -6; as large as 4: +-4 too. */
TEST(exact_p_by_hand)
{
    fill((const double[]){1, 2, 3}, 3);
    flip(3);
    ck_assert(exact);
    ck_assert_double_eq(p, 2.0 / 8);
    fill((const double[]){-1, 2, 3}, 3);
    flip(3);
    ck_assert_double_eq(p, 4.0 / 8);
    fill((const double[]){1, 2, -3}, 3);
    flip(3);
    ck_assert_double_eq(p, 1);
}

TEST(all_of_one_sign_give_the_smallest_p)
{
    for (size_t n = 2; n <= 16; n++) {
        for (size_t i = 0; i < n; i++) {
            unit[i] = (struct resample_unit){-0.1 * (double)(i + 1), 1, 0};
        }
        flip(n);
        ck_assert(exact);
        ck_assert_double_eq(p, 2 / pow(2, (double)n));
    }
}

/* Sums of tenths differ in their last bits by the order of adding: equal ones must still count. */
TEST(rounding_does_not_split_ties)
{
    fill((const double[]){0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.3, -0.3, 0.2, 0.7}, 10);
    flip(10);
    double tenths = p;
    fill((const double[]){1, 1, 1, 1, 1, 1, 3, -3, 2, 7}, 10);
    flip(10);
    ck_assert_double_eq(tenths, p);
}

TEST(no_difference_has_p_1)
{
    fill((const double[]){0, 0, 0, 0, 0, 0}, 6);
    flip(6);
    ck_assert_double_eq(p, 1);
}

/* The same data, once with all patterns and once with a zero more that makes the patterns too many.
 */
TEST(random_flips_agree_with_all_flips)
{
    struct rng rng = rng_make(3, "test/flip");
    for (size_t i = 0; i < 16; i++) {
        unit[i] = (struct resample_unit){rng_normal(rng, i) + 0.5, 1, 0};
    }
    flip(16);
    double all = p;
    ck_assert(exact);
    unit[16] = (struct resample_unit){0, 1, 0};
    flip(17);
    ck_assert(!exact);
    ck_assert(all > 0.005 && all < 0.5);
    ck_assert_double_eq_tol(p, all, 4 * sqrt(all * (1 - all) / RESAMPLE_N_FLIP));
}

TEST(random_p_is_never_zero)
{
    for (size_t i = 0; i < MAX_UNIT; i++) {
        unit[i] = (struct resample_unit){1 + 0.01 * (double)i, 1, 0};
    }
    flip(MAX_UNIT);
    ck_assert(!exact);
    ck_assert_double_eq(p, 1.0 / (RESAMPLE_N_FLIP + 1));
}

TEST(the_test_keeps_its_level)
{
    struct rng rng = rng_make(11, "test/level");
    size_t n_rejected = 0, n_trial = 2000;
    for (size_t trial = 0; trial < n_trial; trial++) {
        for (size_t i = 0; i < 8; i++) {
            unit[i] = (struct resample_unit){rng_normal(rng, 100 * trial + i), 1, 0};
        }
        flip(8);
        n_rejected += p <= 0.05;
    }
    ck_assert_uint_gt(n_rejected, n_trial / 50);
    ck_assert_uint_lt(n_rejected, n_trial * 7 / 100);
}

/* ---- intervals ---- */

TEST(equal_units_have_an_interval_of_no_width)
{
    fill((const double[]){0.25, 0.25, 0.25, 0.25, 0.25, 0.25}, 6);
    interval(6);
    ck_assert_double_eq_tol(low, 0.25, 1e-15);
    ck_assert_double_eq_tol(high, 0.25, 1e-15);
}

TEST(an_interval_is_reproducible_and_shifts_with_the_data)
{
    const double value[] = {0.1, 0.4, -0.2, 0.3, 0.25, 0.6};
    fill(value, 6);
    interval(6);
    double first_low = low, first_high = high;
    interval(6);
    ck_assert(low == first_low && high == first_high);
    ck_assert(low < 0.24 && high > 0.25);
    for (size_t i = 0; i < 6; i++) {
        unit[i].sum += 10;
    }
    interval(6);
    ck_assert_double_eq_tol(low, first_low + 10, 1e-12);
    ck_assert_double_eq_tol(high, first_high + 10, 1e-12);
}

/* Skewed data have a skewed interval, which a symmetric one would not show. */
TEST(a_long_tail_makes_a_long_side)
{
    fill((const double[]){0, 0.1, 0.1, 0.2, 0.2, 0.3, 0.3, 0.4, 0.5, 3}, 10);
    interval(10);
    ck_assert_double_gt(high - 0.51, 0.51 - low);
}

/* A unit's weight is its number of pairs. */
TEST(units_weigh_by_their_pairs)
{
    for (size_t i = 0; i < 6; i++) {
        unit[i] = i == 0 ? (struct resample_unit){30, 3, 0} : (struct resample_unit){10, 1, 0};
    }
    interval(6);
    ck_assert_double_eq_tol(low, 10, 1e-12);
    ck_assert_double_eq_tol(high, 10, 1e-12);
}

/* What differs between strata alone does not widen the interval; without strata it does. */
TEST(strata_are_resampled_apart)
{
    for (size_t i = 0; i < 8; i++) {
        unit[i] = (struct resample_unit){i < 4 ? 1 : 9, 1, i / 4};
    }
    interval(8);
    ck_assert_double_eq(low, 5);
    ck_assert_double_eq(high, 5);
    for (size_t i = 0; i < 8; i++) {
        unit[i].stratum = 0;
    }
    interval(8);
    ck_assert_double_gt(high - low, 3);
}

static double coverage(size_t n, bool skewed, const char *purpose)
{
    struct rng rng = rng_make(5, "test/coverage/%s", purpose);
    size_t n_covered = 0, n_trial = 200;
    for (size_t trial = 0; trial < n_trial; trial++) {
        for (size_t i = 0; i < n; i++) {
            uint64_t index = 1000 * trial + i;
            double value = skewed ? -log(1 - rng_uniform(rng, index)) : rng_normal(rng, index) + 1;
            unit[i] = (struct resample_unit){value, 1, 0};
        }
        interval(n);
        n_covered += low <= 1 && 1 <= high;
    }
    return (double)n_covered / (double)n_trial;
}

/* 95 % is asked for; the margins are those of 200 trials and of skewed data. */
TEST(an_interval_covers_the_truth_as_often_as_it_says)
{
    double six = coverage(6, false, "six"), twenty = coverage(20, false, "twenty");
    double skewed = coverage(20, true, "skewed");
    ck_assert_msg(six > 0.88 && six < 0.99, "six units: %g", six);
    ck_assert_msg(twenty > 0.9 && twenty < 0.99, "twenty units: %g", twenty);
    ck_assert_msg(skewed > 0.86 && skewed < 0.99, "twenty skewed units: %g", skewed);
}

/* ---- how many ---- */

TEST(units_needed)
{
    ck_assert_uint_eq(resample_n_needed(1, 1), 8); /* 7.85 */
    ck_assert_uint_eq(resample_n_needed(-0.1, 1), 785);
    ck_assert_uint_eq(resample_n_needed(1, 0), 1);
    ck_assert_uint_eq(resample_n_needed(0, 1), SIZE_MAX);
    ck_assert_uint_eq(resample_n_needed(NAN, 1), SIZE_MAX);
    ck_assert_uint_eq(resample_n_needed(1, NAN), SIZE_MAX);
    ck_assert_uint_eq(resample_n_needed(1e-30, 1), SIZE_MAX);
}

TEST(units_that_can_pass_a_correction)
{
    ck_assert_uint_eq(resample_min_unit(0), 1);
    ck_assert_uint_eq(resample_min_unit(1), 6); /* 2 / 64 = 0.031 */
    ck_assert_uint_eq(resample_min_unit(2), 7); /* 4 / 128 */
    ck_assert_uint_eq(resample_min_unit(9), 9); /* 18 / 512 = 0.035 */
    ck_assert_uint_eq(resample_min_unit(30), 11);
}

/* Holm (1979): 0.01 x 4, 0.02 x 3, 0.03 x 2 and 0.04, each at least the one before. */
TEST(holm_by_hand)
{
    const double given[] = {0.03, 0.01, NAN, 0.04, 0.02};
    double adjusted[5];
    ck_assert_int_eq(resample_holm(given, 5, adjusted, NULL), STATUS_OK);
    ck_assert_double_eq_tol(adjusted[1], 0.04, 1e-15);
    ck_assert_double_eq_tol(adjusted[4], 0.06, 1e-15);
    ck_assert_double_eq_tol(adjusted[0], 0.06, 1e-15);
    ck_assert_double_eq_tol(adjusted[3], 0.06, 1e-15);
    ck_assert(isnan(adjusted[2]));
    const double large[] = {0.5, 0.6};
    ck_assert_int_eq(resample_holm(large, 2, adjusted, NULL), STATUS_OK);
    ck_assert_double_eq(adjusted[0], 1);
    ck_assert_double_eq(adjusted[1], 1);
}

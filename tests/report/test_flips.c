/* Sign flips against answers by hand, against a naive enumeration, and against chance. */
#include "report/statistics/flips.h"

#include <math.h>
#include <stdint.h>

#include "base/rng.h"
#include "testing.h"

#define MAX_ROW 6
#define MAX_SEED 64

static struct flip_unit unit[MAX_ROW][MAX_SEED];
static struct flip_row row[MAX_ROW];
static bool exact;

static void set(size_t r, size_t n_seed, const double *value)
{
    for (size_t i = 0; i < n_seed; i++) {
        unit[r][i] = (struct flip_unit){isnan(value[i]) ? 0 : value[i], !isnan(value[i])};
    }
    row[r] = (struct flip_row){.unit = unit[r]};
}

static void run(size_t n_row, size_t n_seed)
{
    struct error err;
    ck_assert_msg(flips_test(row, n_row, n_seed, &exact, &err) == STATUS_OK, "%s", err.text);
}

/* ---- by hand ---- */

TEST(all_of_one_sign)
{
    set(0, 6, (const double[]){1, 2, 3, 4, 5, 6});
    run(1, 6);
    ck_assert(exact);
    ck_assert_double_eq(row[0].p, 2.0 / 64);
    ck_assert_double_eq(row[0].p_corrected, 2.0 / 64);
    ck_assert_double_eq(row[0].low, 1);
    ck_assert_double_eq(row[0].high, 6);
}

/* Sums of 1 2 3 4 5 6 that are at least 15 with signs: 21, 19 (less the 1), 17 (less the 2), 15
 * (less the 3; less 1 and 2): five, and as many below. */
TEST(patterns_counted_by_hand)
{
    set(0, 6, (const double[]){1, 2, -3, 4, 5, 6});
    run(1, 6);
    ck_assert_double_eq(row[0].p, 10.0 / 64);
}

TEST(five_seeds_are_in_no_test)
{
    set(0, 6, (const double[]){1, 2, 3, 4, 5, NAN});
    set(1, 6, (const double[]){1, 1, 1, 1, 1, 1});
    run(2, 6);
    ck_assert(isnan(row[0].p) && isnan(row[0].p_corrected) && isnan(row[0].low));
    ck_assert_double_eq(row[1].p_corrected, 2.0 / 64);
    run(1, 6); /* nothing to test */
    ck_assert(isnan(row[0].p));
}

TEST(no_difference_at_all)
{
    set(0, 6, (const double[]){0, 0, 0, 0, 0, 0});
    set(1, 6, (const double[]){-2, -2, -2, -2, -2, -2});
    run(2, 6);
    ck_assert_double_eq(row[0].p, 1);
    ck_assert_double_eq(row[0].p_corrected, 1);
    ck_assert(row[0].low == 0 && row[0].high == 0);
    ck_assert_double_eq(row[1].p_corrected, 2.0 / 64);
}

/* Seven seeds: 127 means of subsets, of which three lie outside on each side. */
TEST(an_interval_by_hand)
{
    set(0, 7, (const double[]){0, 1, 2, 4, 8, 16, 32});
    run(1, 7);
    ck_assert_double_eq(row[0].low, 1);   /* 0, 1/2, 1 */
    ck_assert_double_eq(row[0].high, 20); /* 32, (16 + 32) / 2, (8 + 32) / 2 */
}

TEST(needed_seeds)
{
    ck_assert_uint_eq(flips_n_needed(1, 1), 8); /* 2.80^2 = 7.85 */
    ck_assert_uint_eq(flips_n_needed(-1, 1), 8);
    ck_assert_uint_eq(flips_n_needed(1, 0.1), FLIPS_MIN_SEED);
    ck_assert_uint_eq(flips_n_needed(0.1, 1), 785);
    ck_assert_uint_eq(flips_n_needed(0, 1), SIZE_MAX);
    ck_assert_uint_eq(flips_n_needed(1, NAN), SIZE_MAX);
}

/* ---- against the naive ---- */

static double naive_statistic(size_t r, size_t n_seed, size_t pattern)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n_seed; i++) {
        sum += pattern >> i & 1 ? -unit[r][i].sum : unit[r][i].sum;
        squares += unit[r][i].sum * unit[r][i].sum;
    }
    return fabs(sum) / sqrt(squares);
}

/* The share of all patterns in which some row of a set is as large as `least`. */
static double naive_share(const bool *in, size_t n_row, size_t n_seed, double least)
{
    size_t n = 0;
    for (size_t pattern = 0; pattern < (size_t)1 << n_seed; pattern++) {
        bool large = false;
        for (size_t r = 0; r < n_row; r++) {
            large |= in[r] && naive_statistic(r, n_seed, pattern) >= least * (1 - 1e-9);
        }
        n += large;
    }
    return (double)n / (double)((size_t)1 << n_seed);
}

static void draw(uint64_t trial, size_t n_row, size_t n_seed, double shared)
{
    struct rng rng = rng_make(trial, "test/flips");
    for (size_t r = 0; r < n_row; r++) {
        double value[MAX_SEED];
        for (size_t i = 0; i < n_seed; i++) {
            value[i] = shared * rng_normal(rng, i) +
                       sqrt(1 - shared * shared) * rng_normal(rng, 1000 * (r + 1) + i);
        }
        set(r, n_seed, value);
    }
}

TEST(step_down_is_that_of_an_enumeration)
{
    for (uint64_t trial = 0; trial < 20; trial++) {
        size_t n_row = 5, n_seed = 9;
        draw(trial, n_row, n_seed, 0.6);
        for (size_t i = 0; i < n_seed; i++) {
            unit[1][i].sum += 1.5;
            unit[3][i].sum -= 0.8;
        }
        run(n_row, n_seed);
        bool in[MAX_ROW] = {true, true, true, true, true};
        double largest = 0;
        for (size_t left = n_row; left > 0; left--) {
            size_t best = n_row;
            for (size_t r = 0; r < n_row; r++) {
                if (in[r] && (best == n_row ||
                              naive_statistic(r, n_seed, 0) > naive_statistic(best, n_seed, 0))) {
                    best = r;
                }
            }
            double least = naive_statistic(best, n_seed, 0);
            bool alone[MAX_ROW] = {false};
            alone[best] = true;
            largest = fmax(largest, naive_share(in, n_row, n_seed, least));
            ck_assert_double_eq_tol(row[best].p_corrected, largest, 1e-12);
            ck_assert_double_eq_tol(row[best].p, naive_share(alone, n_row, n_seed, least), 1e-12);
            in[best] = false;
        }
    }
}

/* The interval holds the values that the test of the row alone does not reject. */
TEST(an_interval_is_what_the_test_does_not_reject)
{
    for (uint64_t trial = 0; trial < 20; trial++) {
        size_t n_seed = 8;
        draw(trial, 1, n_seed, 0);
        run(1, n_seed);
        double low = row[0].low, high = row[0].high, step = 1e-6 * (high - low);
        for (int side = 0; side < 4; side++) {
            double at = (side < 2 ? low : high) + (side % 2 ? step : -step);
            bool inside = side == 1 || side == 2;
            struct flip_unit kept[MAX_SEED];
            for (size_t i = 0; i < n_seed; i++) {
                kept[i] = unit[0][i];
                unit[0][i].sum -= at;
            }
            run(1, n_seed);
            ck_assert_msg((row[0].p > FLIPS_LEVEL) == inside, "trial %llu, side %d: p %g",
                          (unsigned long long)trial, side, row[0].p);
            for (size_t i = 0; i < n_seed; i++) {
                unit[0][i] = kept[i];
            }
        }
    }
}

TEST(many_seeds_are_sampled_and_agree)
{
    double value[MAX_SEED];
    for (size_t i = 0; i < 15; i++) {
        value[i] = 0.4 + sin(7 * (double)i);
    }
    set(0, 15, value);
    run(1, 15);
    double p = row[0].p, low = row[0].low, high = row[0].high;
    ck_assert(exact);
    value[15] = value[16] = value[17] = NAN; /* seeds of other rows */
    set(0, 18, value);
    run(1, 18);
    ck_assert(!exact);
    ck_assert_double_eq_tol(row[0].p, p, 0.015);
    ck_assert_double_eq(row[0].low, low);
    ck_assert_double_eq(row[0].high, high);
    run(1, 18);
    ck_assert_double_eq(row[0].low, low); /* always the same random numbers */
}

/* ---- against chance ---- */

/* Rows of one law, dependent as variants are that share a baseline and seeds: any verdict is false.
 * 400 trials at 5 % have more than 32 with a probability of 0.3 %. */
TEST(false_verdicts_stay_within_the_level)
{
    for (size_t n_seed = 6; n_seed <= 12; n_seed += 3) {
        size_t n_false = 0;
        for (uint64_t trial = 0; trial < 400; trial++) {
            bool any = false;
            draw(1000 * n_seed + trial, 5, n_seed, 0.7);
            run(5, n_seed);
            for (size_t r = 0; r < 5; r++) {
                any |= row[r].p_corrected <= FLIPS_LEVEL;
            }
            n_false += any;
        }
        ck_assert_msg(n_false <= 32, "%zu of 400 with %zu seeds", n_false, n_seed);
    }
}

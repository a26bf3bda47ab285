/* Known answers by hand, and the level on data of no difference. */
#include "report/statistics/permutation.h"

#include <math.h>

#include "base/rng.h"
#include "testing.h"

#define MAX_VALUE 2000

static struct permutation_quantity quantity[64];
static struct permutation_result result;

static void test(const double *value, size_t n_quantity, size_t n_first, size_t n_second)
{
    ck_assert_int_eq(
        permutation_test(value, n_quantity, n_first, n_second, 0.01, quantity, &result, NULL),
        STATUS_OK);
}

static void set_floor(double floor)
{
    for (size_t i = 0; i < 64; i++) {
        quantity[i].floor = floor;
    }
}

/* Of 252 ways to choose 5 of 10, the observed one and its mirror image part them so well. */
TEST(groups_apart_have_the_least_p)
{
    const double value[10] = {0, 0.1, 0.2, 0.3, 0.4, 5, 5.1, 5.2, 5.3, 5.4};
    set_floor(0.01);
    test(value, 1, 5, 5);
    ck_assert_uint_eq(result.n_relabelling, 252);
    ck_assert_double_eq_tol(result.p, 2.0 / 252, 1e-12);
    ck_assert_double_eq_tol(result.p, permutation_least_p(5, 5), 1e-12);
    ck_assert_double_eq_tol(quantity[0].difference, 5, 1e-12);
    ck_assert(quantity[0].statistic >= result.critical);
    ck_assert(quantity[0].half <= 5 + 1e-9);
}

TEST(four_and_four_can_never_alarm)
{
    ck_assert(permutation_least_p(4, 4) > 0.01);
    ck_assert(permutation_least_p(5, 5) <= 0.01);
    ck_assert(permutation_least_p(10, 2) > 0.01);
    ck_assert(permutation_least_p(10, 3) <= 0.01);
    const double value[8] = {0, 0.1, 0.2, 0.3, 5, 5.1, 5.2, 5.3};
    set_floor(0.01);
    test(value, 1, 4, 4);
    ck_assert(isinf(result.critical));
}

/* By hand: {1,2} and {3}: |S| of the choices 1, 2, 3 about the mean 2 is 1, 0, 1. */
TEST(ties_count)
{
    const double value[3] = {1, 2, 3};
    set_floor(0);
    test(value, 1, 2, 1);
    ck_assert_uint_eq(result.n_relabelling, 3);
    ck_assert_double_eq_tol(result.p, 2.0 / 3, 1e-12);
    ck_assert_double_eq_tol(quantity[0].difference, 1.5, 1e-12);
}

static double value[MAX_VALUE];

static void fill_noise(uint64_t trial, size_t n_quantity, size_t n_unit, double shift)
{
    struct rng rng = rng_make(trial, "test/permutation");
    for (size_t q = 0; q < n_quantity; q++) {
        for (size_t u = 0; u < n_unit; u++) {
            value[q * n_unit + u] = rng_normal(rng, q * n_unit + u);
        }
    }
    for (size_t u = n_unit / 2; u < n_unit; u++) {
        value[u] += shift;
    }
}

/* 400 tests of 30 quantities each: 4 alarms are expected at 1 %, 12 are four deviations more. */
TEST(many_quantities_keep_the_level)
{
    size_t n_alarm = 0;
    set_floor(0.1);
    for (uint64_t trial = 0; trial < 400; trial++) {
        fill_noise(trial, 30, 10, 0);
        test(value, 30, 5, 5);
        n_alarm += result.p <= 0.01;
    }
    ck_assert_uint_le(n_alarm, 12);
}

TEST(one_of_many_quantities_is_found)
{
    size_t n_found = 0;
    set_floor(0.1);
    for (uint64_t trial = 0; trial < 5; trial++) {
        fill_noise(trial, 30, 20, 4);
        test(value, 30, 10, 10);
        n_found += quantity[0].p <= 0.01 && quantity[0].difference > 0;
        ck_assert_uint_eq(result.n_relabelling, PERMUTATION_MOST);
        for (size_t q = 1; q < 30; q++) {
            ck_assert(quantity[q].p > 0.01);
        }
    }
    ck_assert_uint_eq(n_found, 5);
}

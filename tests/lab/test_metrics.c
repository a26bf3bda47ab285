#include "testing.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "lab/training/metrics.h"

enum { N = 790 };
static double curve[N];

/* A made-up training loss: from 2.45 down to the plateau at 2.303 within a dozen steps, there until
 * `drop`, then down to `bottom` within about thirty, with noise. */
static void make_curve(uint64_t seed, double drop, double bottom, double noise)
{
    struct rng rng = rng_make(seed, "test/curve");
    for (size_t s = 0; s < N; s++) {
        double start = 0.15 * exp(-(double)s / 5);
        double height = (2.303 - bottom) / (1 + exp(((double)s - drop) / 6));
        curve[s] = bottom + height + start + noise * rng_normal(rng, s);
    }
}

TEST(escape_is_where_the_curve_drops)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        for (double drop = 40; drop < 700; drop += 60) {
            make_curve(seed, drop, 0.004, 0.02);
            long step = metrics_escape_step(curve, N, log(10));
            /* the curve passes 2.2 about 18 steps before the middle of its drop */
            ck_assert_msg(step > drop - 26 && step < drop, "seed %d, drop %g: escape at %ld",
                          (int)seed, drop, step);
        }
    }
}

TEST(flat_noise_never_escapes)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        make_curve(seed, 1e9, 0.004, 0.02);
        ck_assert_int_eq(metrics_escape_step(curve, N, log(10)), STEP_NEVER);
    }
}

TEST(a_plateau_below_chance_is_a_plateau_too)
{
    struct rng rng = rng_make(0, "test/low");
    for (size_t s = 0; s < N; s++) {
        curve[s] = (s < 300 ? 1.4 : 0.2) + 0.02 * rng_normal(rng, s);
    }
    long step = metrics_escape_step(curve, N, log(10));
    ck_assert(step >= 300 && step < 305);
    ck_assert_int_eq(metrics_escape_step(curve, 300, log(10)), STEP_NEVER);
}

TEST(without_a_plateau_the_step_is_early)
{
    for (size_t s = 0; s < N; s++) {
        curve[s] = 2.45 * exp(-(double)s / 20); /* below 0.1 at step 64 */
    }
    long step = metrics_escape_step(curve, N, log(10));
    ck_assert(step >= 0 && step < 10);
    for (size_t s = 0; s < N; s++) {
        curve[s] = s < 1 ? 2.4 : 0.01; /* at once */
    }
    step = metrics_escape_step(curve, N, log(10));
    ck_assert(step >= 0 && step < 10);
}

TEST(a_slow_decline_escapes_when_it_has_left_its_past)
{
    for (size_t s = 0; s < N; s++) {
        curve[s] = 2.303 - 0.002 * (double)s;
    }
    long step = metrics_escape_step(curve, N, log(10));
    ck_assert(step > 50 && step < 150);
}

/* A large early learning rate throws the loss up, and it comes back to the plateau. */
TEST(coming_down_to_chance_is_no_escape)
{
    make_curve(3, 400, 0.004, 0.02);
    long quiet = metrics_escape_step(curve, N, log(10));
    for (size_t s = 3; s < 40; s++) {
        curve[s] += 3 * exp(-(double)(s - 3) / 8);
    }
    ck_assert_int_eq(labs(metrics_escape_step(curve, N, log(10)) - quiet) <= 1, 1);
    for (size_t s = 0; s < 60; s++) {
        curve[s] = 2.45; /* a long warm-up stays at the fresh weights' loss */
    }
    ck_assert_int_eq(labs(metrics_escape_step(curve, N, log(10)) - quiet) <= 1, 1);
}

TEST(one_odd_step_does_not_move_it)
{
    make_curve(4, 400, 0.004, 0.01);
    long quiet = metrics_escape_step(curve, N, log(10));
    double outlier[] = {0, 0.5, 1.9, 9, 1e6};
    for (size_t i = 0; i < sizeof outlier / sizeof outlier[0]; i++) {
        for (size_t at = 0; at < 350; at += 25) {
            double kept = curve[at];
            curve[at] = outlier[i];
            ck_assert_int_eq(labs(metrics_escape_step(curve, N, log(10)) - quiet) <= 1, 1);
            curve[at] = kept;
        }
    }
}

TEST(what_comes_later_does_not_move_it)
{
    make_curve(5, 200, 0.004, 0.02);
    long quiet = metrics_escape_step(curve, N, log(10));
    ck_assert_int_eq(metrics_escape_step(curve, (size_t)quiet + 1, log(10)), quiet);
    ck_assert_int_eq(metrics_escape_step(curve, (size_t)quiet, log(10)), STEP_NEVER);
    for (size_t s = 500; s < N; s++) {
        curve[s] = 1e5;
    }
    curve[N - 1] = NAN;
    ck_assert_int_eq(metrics_escape_step(curve, N, log(10)), quiet);
}

TEST(curves_that_end_early)
{
    double short_curve[] = {2.4, 2.3, 2.3};
    double broken[] = {2.4, NAN, 0, 0, 0, 0, 0, 0, 0, 0};
    ck_assert_int_eq(metrics_escape_step(NULL, 0, log(10)), STEP_NEVER);
    ck_assert_int_eq(metrics_escape_step(short_curve, 3, log(10)), STEP_NEVER);
    ck_assert_int_eq(metrics_escape_step(broken, 10, log(10)), STEP_NEVER);
}

TEST(first_below)
{
    double loss[] = {2.5, 2.2, NAN, 2.1, 0.05, 3};
    ck_assert_int_eq(metrics_first_below(loss, 6, 2.2), 3);
    ck_assert_int_eq(metrics_first_below(loss, 6, 0.1), 4);
    ck_assert_int_eq(metrics_first_below(loss, 6, 0.01), STEP_NEVER);
    ck_assert_int_eq(metrics_first_below(loss, 0, 9), STEP_NEVER);
}

TEST(attention_shares)
{
    /* 3 tokens, reverse: the needed keys are 2, 1, 0 */
    float attention[] = {0.2f, 0.1f, 0.7f, 0.25f, 0.5f, 0.25f, 0.9f, 0.1f, 0};
    float product[] = {1, 2, 3, 2, 5, 1, 3, -1, 0};
    float zero[9] = {0};
    struct attention_numbers numbers =
        metrics_attention(task_find("reverse"), 3, attention, product, zero);
    ck_assert_double_eq_tol(numbers.needed, (0.7 + 0.5 + 0.9) / 3, 1e-7);
    ck_assert_double_eq_tol(numbers.diagonal, 0.7 / 3, 1e-7);
    ck_assert_double_eq_tol(numbers.asymmetry_product, 4.0 / 18, 1e-12);
    ck_assert_double_eq(numbers.asymmetry_scores, 0);
    numbers = metrics_attention(task_find("sort"), 3, attention, product, zero);
    ck_assert(isnan(numbers.needed));
    ck_assert_double_eq_tol(numbers.diagonal, 0.7 / 3, 1e-7);
}

TEST(antisymmetric_scores_have_asymmetry_two)
{
    float product[] = {0, 1, -1, 0}, scores[] = {1, 0, 0, 1};
    float attention[] = {0.5f, 0.5f, 0.5f, 0.5f};
    struct attention_numbers numbers =
        metrics_attention(task_find("copy"), 2, attention, product, scores);
    ck_assert_double_eq(numbers.asymmetry_product, 2);
    ck_assert_double_eq(numbers.asymmetry_scores, 0);
    ck_assert_double_eq(numbers.needed, 0.5);
}

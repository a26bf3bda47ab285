
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/threads.h"
#include "lab/config/config_file.h"
#include "lab/sweep/estimate.h"
#include "lab/sweep/sweep.h"
#include "testing.h"

static struct error err;

static struct config *make(const char *text, size_t *n)
{
    struct grid_list list = {0};
    struct config *configs;
    ck_assert_msg(config_file_parse(text, strlen(text), "test", &list, &err) == STATUS_OK, "%s",
                  err.text);
    ck_assert_msg(grid_list_expand(&list, &configs, n, &err) == STATUS_OK, "%s", err.text);
    grid_list_free(&list);
    return configs;
}

static struct estimator estimator;

static void time_more(const struct config *configs, size_t n, double seconds)
{
    ck_assert_msg(estimator_time(&estimator, configs, NULL, n, seconds, &err) == STATUS_OK, "%s",
                  err.text);
}

static void time_these(const struct config *configs, size_t n, size_t jobs, double seconds)
{
    estimator_free(&estimator);
    estimator = estimator_make(1, jobs);
    time_more(configs, n, seconds);
}

static void tear_down(void)
{
    estimator_free(&estimator);
}

FIXTURE(NULL, tear_down)

/* ratio_of makes the runs and returns measured over estimated time. */
static double ratio_of(const struct config *configs, size_t n)
{
    time_these(configs, n, 1, 0.6);
    struct estimate estimate = estimator_sweep(&estimator, configs, NULL, n);
    ck_assert_double_gt(estimate.low, 0);
    ck_assert_double_gt(estimate.high, estimate.low);
    struct sweep_options options = {.out = scratch, .threads = 1};
    struct sweep_totals totals = {0};
    double start = clock_seconds();
    scratch_make();
    ck_assert_msg(sweep_run(configs, n, &options, &(struct sweep_hooks){0}, &totals, &err) ==
                      STATUS_OK,
                  "%s", err.text);
    double taken = clock_seconds() - start;
    scratch_remove();
    ck_assert_uint_eq(totals.done, n);
    return taken / sqrt(estimate.low * estimate.high);
}

/* Other work on the machine may begin or end between the halves of a try, hence several. */
static void expect_right(const char *text)
{
    double ratio = 0;
    size_t n;
    struct config *configs = make(text, &n);
    for (int i = 0; i < 5 && !(ratio > 0.5 && ratio < 2); i++) {
        ratio = ratio_of(configs, n);
    }
    free(configs);
    ck_assert_msg(ratio > 0.5 && ratio < 2, "took %.2f times as long as estimated: %s", ratio,
                  text);
}

TEST(a_small_sweep_takes_as_long_as_was_said)
{
    threads_flush_denormals();
    expect_right("task: [reverse, copy]\nvariant: [qkv, qk+]\nn_train: 2560\nn_test: 512\n"
                 "epochs: 2\nattention: none\n");
    expect_right("task: glyphs\nn_train: 768\nn_test: 128\nepochs: 2\nattention: none\n"
                 "patch: 7\n");
}

TEST(groups_are_what_decides_speed)
{
    size_t n;
    struct config *configs = make("variant: [qkv, qk, kv]\nn_layer: [1, 2]\ntask: [copy, swap]\n"
                                  "seeds: 0-3\n",
                                  &n);
    time_these(configs, n, 1, 0.05);
    ck_assert_uint_eq(estimator.n_group, 1);
    ck_assert_uint_eq(estimator.n_timed, 1);
    free(configs);
    configs = make("variant: [qkv, qk+]\nn_embd: [32, 64]\nn_head: [2, 4]\n", &n);
    time_these(configs, n, 1, 0.05);
    ck_assert_uint_eq(estimator.n_group, 8);
    free(configs);
}

TEST(what_was_not_measured_takes_the_nearest_rate)
{
    size_t n;
    struct config *configs = make("n_embd: [32, 64, 128, 256]\nseq_len: [16, 32, 64, 128]\n", &n);
    double start = clock_seconds();
    time_these(configs, n, 1, 0.01);
    ck_assert_double_lt(clock_seconds() - start, 30); /* steps of the largest alone may take long */
    ck_assert_uint_eq(estimator.n_group, 16);
    ck_assert_uint_ge(estimator.n_timed, 1);
    ck_assert_uint_lt(estimator.n_timed, 16);
    for (size_t i = 0; i < n; i++) {
        double seconds = estimator_run_seconds(&estimator, &configs[i]);
        ck_assert(isfinite(seconds) && seconds > 0);
    }
    free(configs);
}

TEST(longer_runs_take_longer)
{
    size_t n;
    struct config *configs = make("epochs: [2, 20]\nattention: none\n", &n);
    time_these(configs, n, 1, 0.05);
    double two = estimator_run_seconds(&estimator, &configs[0]);
    double twenty = estimator_run_seconds(&estimator, &configs[1]);
    ck_assert_double_gt(twenty, 5 * two);
    ck_assert_double_lt(twenty, 10 * two);
    free(configs);
}

TEST(a_sweep_is_no_shorter_than_its_longest_run)
{
    size_t n;
    struct config *configs = make("epochs: [1, 50]\n", &n);
    time_these(configs, n, 2, 0.05);
    struct estimate estimate = estimator_sweep(&estimator, configs, NULL, n);
    ck_assert_double_gt(estimate.high, estimator_run_seconds(&estimator, &configs[1]));
    free(configs);
}

TEST(a_small_sweep_beside_a_large_one_is_timed_as_well_as_alone)
{
    size_t n;
    struct config *configs =
        make("n_embd: [64, 128]\nn_layer: 2\nn_train: 100000\n---\nn_embd: 16\nn_train: 256\n", &n);
    ck_assert_uint_eq(n, 3);
    time_these(configs, 2, 1, 0.01);
    ck_assert_uint_eq(estimator.n_timed, 1); /* no time for another */
    time_more(&configs[2], 1, 0.01);
    ck_assert_uint_eq(estimator.n_timed, 2);
    double together = estimator_run_seconds(&estimator, &configs[2]);
    time_these(&configs[2], 1, 1, 0.01);
    double alone = estimator_run_seconds(&estimator, &configs[2]);
    ck_assert_msg(together < 2 * alone && alone < 2 * together, "%g s, alone %g s", together,
                  alone);
    free(configs);
}

TEST(what_was_timed_is_not_timed_again)
{
    size_t n;
    struct config *configs = make("n_embd: 32\nepochs: [1, 2]\n", &n);
    time_these(configs, 1, 1, 0.05);
    double seconds = estimator_run_seconds(&estimator, &configs[0]);
    time_more(configs, n, 1);
    ck_assert_uint_eq(estimator.n_timed, 1);
    ck_assert_double_eq(estimator_run_seconds(&estimator, &configs[0]), seconds);
    free(configs);
}

TEST(threads_are_shared_by_runs_at_a_time)
{
    ck_assert_int_eq(estimate_threads(8, 1), 8);
    ck_assert_int_eq(estimate_threads(8, 3), 2);
    ck_assert_int_eq(estimate_threads(2, 3), 1);
    ck_assert_int_eq(estimate_threads(0, 1), threads_available());
    ck_assert_uint_eq(estimator_make(1, 1).n_place, 1);
    ck_assert_uint_le(estimator_make(1, 1000).n_place, (size_t)threads_available());
}

TEST(a_step_that_is_too_long_is_not_made)
{
    size_t n;
    struct config *configs = make("task: mnist\nimage_size: 1020\n", &n); /* 600 GiB */
    double start = clock_seconds();
    time_these(configs, n, 1, 1);
    ck_assert_double_lt(clock_seconds() - start, 10);
    ck_assert_uint_eq(estimator.n_timed, 0);
    ck_assert_double_gt(estimator_run_seconds(&estimator, &configs[0]), 86400);
    free(configs);
}

TEST(a_step_of_large_buffers_is_not_made)
{
    size_t n;
    struct config *configs = make("lanes: 4096\nbatch_size: 4096\nn_embd: 128\n", &n); /* 6 GiB */
    time_these(configs, n, 1, 1);
    ck_assert_uint_eq(estimator.n_timed, 0);
    free(configs);
}

TEST(nothing_to_do_takes_no_time)
{
    time_these(NULL, 0, 1, 1);
    struct estimate estimate = estimator_sweep(&estimator, NULL, NULL, 0);
    ck_assert(estimate.low == 0 && estimate.high == 0);
    ck_assert_uint_eq(estimator.n_group, 0);
}

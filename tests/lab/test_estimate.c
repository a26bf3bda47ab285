
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

static struct estimator *measure(const struct config *configs, size_t n, size_t jobs,
                                 double seconds)
{
    struct estimator *estimator;
    struct estimate_options options = {.threads = 1, .jobs = jobs, .seconds = seconds};
    ck_assert_msg(estimator_create(&estimator, configs, n, &options, &err) == STATUS_OK, "%s",
                  err.text);
    return estimator;
}

/* ratio_of makes the runs and returns measured over estimated time: that on the processor, which
 * other work on the machine leaves alone. Runs here have one thread. */
static double ratio_of(const struct config *configs, size_t n)
{
    struct estimator *estimator = measure(configs, n, 1, 0.6);
    struct estimate estimate = estimator_sweep(estimator, configs, n);
    ck_assert_double_gt(estimate.low, 0);
    ck_assert_double_gt(estimate.high, estimate.low);
    struct sweep_options options = {.out = scratch, .threads = 1};
    struct sweep_totals totals = {0};
    double start = clock_process_seconds();
    scratch_make();
    ck_assert_msg(sweep_run(configs, n, &options, &(struct sweep_hooks){0}, &totals, &err) ==
                      STATUS_OK,
                  "%s", err.text);
    double taken = clock_process_seconds() - start;
    scratch_remove();
    ck_assert_uint_eq(totals.done, n);
    estimator_free(estimator);
    return taken / sqrt(estimate.low * estimate.high);
}

/* Other work on the machine may fall into either half of a try, hence three. */
static void expect_right(const char *text)
{
    double ratio = 0;
    size_t n;
    struct config *configs = make(text, &n);
    for (int i = 0; i < 3 && !(ratio > 0.5 && ratio < 2); i++) {
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
    struct estimator *estimator = measure(configs, n, 1, 0.05);
    ck_assert_uint_eq(estimator_n_group(estimator), 1);
    ck_assert_uint_eq(estimator_n_measured(estimator), 1);
    estimator_free(estimator);
    free(configs);
    configs = make("variant: [qkv, qk+]\nn_embd: [32, 64]\nn_head: [2, 4]\n", &n);
    estimator = measure(configs, n, 1, 0.05);
    ck_assert_uint_eq(estimator_n_group(estimator), 8);
    estimator_free(estimator);
    free(configs);
}

TEST(what_was_not_measured_takes_the_nearest_rate)
{
    size_t n;
    struct config *configs = make("n_embd: [32, 64, 128, 256]\nseq_len: [16, 32, 64, 128]\n", &n);
    double start = clock_seconds();
    struct estimator *estimator = measure(configs, n, 1, 0.01);
    ck_assert_double_lt(clock_seconds() - start, 30); /* steps of the largest alone may take long */
    ck_assert_uint_eq(estimator_n_group(estimator), 16);
    ck_assert_uint_ge(estimator_n_measured(estimator), 1);
    ck_assert_uint_lt(estimator_n_measured(estimator), 16);
    for (size_t i = 0; i < n; i++) {
        double seconds = estimator_run_seconds(estimator, &configs[i]);
        ck_assert(isfinite(seconds) && seconds > 0);
    }
    estimator_free(estimator);
    free(configs);
}

TEST(longer_runs_take_longer)
{
    size_t n;
    struct config *configs = make("epochs: [2, 20]\nattention: none\n", &n);
    struct estimator *estimator = measure(configs, n, 1, 0.05);
    double two = estimator_run_seconds(estimator, &configs[0]);
    double twenty = estimator_run_seconds(estimator, &configs[1]);
    ck_assert_double_gt(twenty, 5 * two);
    ck_assert_double_lt(twenty, 10 * two);
    estimator_free(estimator);
    free(configs);
}

TEST(a_sweep_is_no_shorter_than_its_longest_run)
{
    size_t n;
    struct config *configs = make("epochs: [1, 50]\n", &n);
    struct estimator *estimator = measure(configs, n, 2, 0.05);
    struct estimate estimate = estimator_sweep(estimator, configs, n);
    ck_assert_double_gt(estimate.high, estimator_run_seconds(estimator, &configs[1]));
    estimator_free(estimator);
    free(configs);
}

TEST(a_small_sweep_is_measured_before_the_rest_of_a_large_one)
{
    size_t n;
    struct config *configs =
        make("n_embd: [64, 128]\nn_layer: 2\nn_train: 100000\n---\nn_embd: 16\nn_train: 256\n", &n);
    struct estimator *estimator;
    ck_assert_uint_eq(n, 3);
    size_t end[] = {2, 3};
    struct estimate_options options = {
        .threads = 1, .jobs = 1, .seconds = 0.01, .end = end, .n_sweep = 2};
    ck_assert_int_eq(estimator_create(&estimator, configs, n, &options, &err), STATUS_OK);
    ck_assert_uint_eq(estimator_n_measured(estimator), 1); /* no time for another */
    double together = estimator_run_seconds(estimator, &configs[2]);
    estimator_free(estimator);
    estimator = measure(&configs[2], 1, 1, 0.01);
    double alone = estimator_run_seconds(estimator, &configs[2]);
    ck_assert_msg(together < 2 * alone && alone < 2 * together, "%g s, alone %g s", together,
                  alone);
    estimator_free(estimator);
    free(configs);
}

TEST(a_step_that_is_too_long_is_not_made)
{
    size_t n;
    struct config *configs = make("task: mnist\nimage_size: 1020\n", &n); /* 600 GiB */
    double start = clock_seconds();
    struct estimator *estimator = measure(configs, n, 1, 1);
    ck_assert_double_lt(clock_seconds() - start, 10);
    ck_assert_uint_eq(estimator_n_measured(estimator), 0);
    ck_assert_double_gt(estimator_run_seconds(estimator, &configs[0]), 86400);
    estimator_free(estimator);
    free(configs);
}

TEST(a_step_of_large_buffers_is_not_made)
{
    size_t n;
    struct config *configs = make("lanes: 4096\nbatch_size: 4096\nn_embd: 128\n", &n); /* 6 GiB */
    struct estimator *estimator = measure(configs, n, 1, 1);
    ck_assert_uint_eq(estimator_n_measured(estimator), 0);
    ck_assert_double_eq(estimator_slowdown(estimator), 1);
    estimator_free(estimator);
    free(configs);
}

TEST(nothing_to_do_takes_no_time)
{
    struct estimator *estimator = measure(NULL, 0, 1, 1);
    struct estimate estimate = estimator_sweep(estimator, NULL, 0);
    ck_assert(estimate.low == 0 && estimate.high == 0);
    ck_assert_uint_eq(estimator_n_group(estimator), 0);
    estimator_free(estimator);
}

#include "testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "config_fixture.h"
#include "lab/bench/bench.h"

static struct config small(void)
{
    return config_of("", "n_embd=32 n_head=2 n_train=300");
}

/* ---- numbers ------------------------------------------------------------------------------- */

TEST(spread_by_hand)
{
    double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2}, one[] = {5};
    struct bench_spread spread = bench_spread_of(odd, 3);
    ck_assert(spread.median == 2 && spread.min == 1 && spread.max == 3);
    spread = bench_spread_of(even, 4);
    ck_assert(spread.median == 2.5 && spread.min == 1 && spread.max == 4);
    spread = bench_spread_of(one, 1);
    ck_assert(spread.median == 5 && spread.min == 5 && spread.max == 5);
}

/* d 32, L 2, T 16, one sequence, MACs: a layer has 4 T d^2 + 2 T^2 d + 2 T d 4d = 212992, input and
 * head T 10 d = 5120 each. Training counts three passes, a MAC two FLOP. */
TEST(flop_by_hand)
{
    const double layer = 212992, end = 5120, projection = 16 * 32 * 32;
    struct config config = small();
    ck_assert_double_eq(bench_flop(&config, 1), 6 * (2 * layer + 2 * end));
    ck_assert_double_eq(bench_flop(&config, 128), 128 * 6 * (2 * layer + 2 * end));
    config = config_of("", "n_embd=32 n_head=2 variant=kv");
    ck_assert_double_eq(bench_flop(&config, 1), 6 * (2 * (layer - projection) + 2 * end));
    config = config_of("", "n_embd=32 n_head=2 variant=qkv_tied");
    ck_assert_double_eq(bench_flop(&config, 1), 6 * (2 * (layer - 2 * projection) + 2 * end));
    config = config_of("", "n_embd=32 n_head=2 variant=qkv:n_kv_head=1");
    ck_assert_double_eq(bench_flop(&config, 1), 6 * (2 * (layer - projection) + 2 * end));
    config = config_of("", "n_embd=32 n_head=2 variant=qkv:causal=1"); /* nominal: no half spared */
    ck_assert_double_eq(bench_flop(&config, 1), 6 * (2 * layer + 2 * end));
}

TEST(every_shape_can_be_built_and_has_its_own_name)
{
    size_t n = 0;
    for (; bench_shape_at(n); n++) {
        const struct bench_shape *shape = bench_shape_at(n);
        char text[200] = "";
        for (size_t i = 0; i < BENCH_MAX_SET && shape->set[i]; i++) {
            strcat(strcat(text, shape->set[i]), " ");
        }
        struct config config = config_of("", text);
        ck_assert_double_gt(bench_flop(&config, 1), 0);
        for (size_t i = 0; i < n; i++) {
            ck_assert_str_ne(bench_shape_at(i)->name, shape->name);
        }
    }
    ck_assert_uint_gt(n, 0);
}

/* ---- measurements -------------------------------------------------------------------------- */

static void check_result(const struct bench_result *result, size_t n_round)
{
    const struct bench_spread *seconds = &result->seconds;
    ck_assert_double_gt(seconds->min, 0);
    ck_assert_double_le(seconds->min, seconds->median);
    ck_assert_double_le(seconds->median, seconds->max);
    ck_assert_uint_ge(result->n_step, n_round);
    double sum = 0;
    for (size_t i = 0; i < BENCH_PART_COUNT; i++) {
        ck_assert_double_ge(result->part[i], 0);
        sum += result->part[i];
    }
    ck_assert_double_eq_tol(sum, 1, 1e-9);
    ck_assert_double_gt(result->part[PROFILE_MATMUL], 0);
    ck_assert_double_gt(result->part[BENCH_DATA], 0);
}

static void count_round(void *context, size_t round, size_t n_round)
{
    size_t *count = context;
    ck_assert_uint_eq(round, *count);
    ck_assert_uint_eq(n_round, 3);
    ++*count;
}

TEST(results_are_consistent)
{
    struct config configs[] = {small(), config_of("", "n_embd=32 n_head=2 batch_size=8")};
    struct bench_result result[2];
    struct bench_spread ceiling;
    for (int threads = 1; threads <= 2; threads++) {
        size_t n_call = 0;
        struct bench_options options = {.threads = threads,
                                        .n_round = 3,
                                        .seconds = 0.03,
                                        .ceiling = true,
                                        .context = &n_call,
                                        .round = count_round};
        ck_assert_msg(bench_run(configs, 2, &options, result, &ceiling, &err) == STATUS_OK, "%s",
                      err.text);
        ck_assert_uint_eq(n_call, 3);
        check_result(&result[0], 3);
        check_result(&result[1], 3);
        ck_assert_uint_eq(result[0].n_sequence, 128);
        ck_assert_uint_eq(result[1].n_sequence, 8);
        ck_assert_double_eq(result[0].flop, bench_flop(&configs[0], 128));
        ck_assert_double_gt(ceiling.min, 0);
        ck_assert_double_le(ceiling.min, ceiling.median);
        ck_assert_double_le(ceiling.median, ceiling.max);
    }
}

TEST(fewer_sequences_than_a_batch)
{
    struct config config = config_of("", "n_embd=32 n_head=2 n_train=5");
    struct bench_options options = {.threads = 1, .n_round = 1, .seconds = 0.001};
    struct bench_result result;
    struct bench_spread ceiling;
    ck_assert_msg(bench_run(&config, 1, &options, &result, &ceiling, &err) == STATUS_OK, "%s",
                  err.text);
    ck_assert_uint_eq(result.n_sequence, 5);
    ck_assert_double_eq(result.flop, bench_flop(&config, 5));
    ck_assert_msg(isnan(ceiling.median) && isnan(ceiling.max), "nobody asked for a ceiling");
}

static int stop_at_once(void *context)
{
    (void)context;
    return 15;
}

TEST(a_signal_ends_it)
{
    struct config config = small();
    struct bench_options options = {
        .threads = 1, .n_round = 1000, .seconds = 1000, .stop = stop_at_once};
    struct bench_result result;
    struct bench_spread ceiling;
    ck_assert_int_eq(bench_run(&config, 1, &options, &result, &ceiling, &err), STATUS_INTERRUPTED);
    ck_assert_ptr_nonnull(strstr(err.text, "signal 15"));
}

/* ---- speed --------------------------------------------------------------------------------- */

#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
/* Training reaches several times this share. Shorter steps than others and the best of a few tries
 * are what a busy machine disturbs least; an engine that lost its speed fails every time. */
#define LEAST_SHARE 0.2
#define N_TRY 5

TEST(training_is_not_far_below_the_ceiling)
{
    struct config config = config_of("", "n_embd=64 n_layer=2 n_head=4 seq_len=64 n_train=512");
    struct bench_options options = {.threads = 1, .n_round = 3, .seconds = 0.1, .ceiling = true};
    double best = 0;
    for (int i = 0; i < N_TRY && best < LEAST_SHARE; i++) {
        struct bench_result result;
        struct bench_spread ceiling;
        ck_assert_msg(bench_run(&config, 1, &options, &result, &ceiling, &err) == STATUS_OK, "%s",
                      err.text);
        best = fmax(best, result.flop / result.seconds.min / ceiling.max);
    }
    ck_assert_msg(best >= LEAST_SHARE, "a training step reaches %.3f of the ceiling, expected %.2f",
                  best, LEAST_SHARE);
}
#endif

#include "testing.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "lab/bench/scaling.h"

static struct error err;

TEST(exponent_of_powers)
{
    const double x[] = {16, 32, 64, 128}, square[] = {1, 4, 16, 64}, constant[] = {7, 7, 7, 7};
    ck_assert_double_eq_tol(scaling_exponent(4, x, square), 2, 1e-12);
    ck_assert_double_eq_tol(scaling_exponent(4, x, constant), 0, 1e-12);
    ck_assert_double_eq_tol(scaling_exponent(4, square, x), 0.5, 1e-12);
}

/* log2 y = 0, 1, 1 over log2 x = 0, 1, 2: slope 1/2 */
TEST(exponent_by_least_squares)
{
    const double x[] = {1, 2, 4}, y[] = {1, 2, 2};
    ck_assert_double_eq_tol(scaling_exponent(3, x, y), 0.5, 1e-12);
}

TEST(no_exponent)
{
    const double x[] = {1, 2}, zero[] = {0, 1}, unknown[] = {NAN, 1}, same[] = {2, 2};
    ck_assert(isnan(scaling_exponent(1, x, x)));
    ck_assert(isnan(scaling_exponent(2, x, zero)));
    ck_assert(isnan(scaling_exponent(2, x, unknown)));
    ck_assert(isnan(scaling_exponent(2, same, x)));
}

static const struct bench_options quickly = {.threads = 1, .n_round = 1, .seconds = 0.001};

/* The position table of the small model is too short for most of these lengths. */
static struct config small(void)
{
    struct config config = config_default();
    config.n_embd = 32;
    config.n_head = 2;
    config.n_position = 20;
    config.n_train = 2000;
    ck_assert_int_eq(config_resolve(&config, &err), STATUS_OK);
    return config;
}

TEST(points_of_an_axis)
{
    const struct scaling_axis axis = {"seq_len", {16, 64, 256}};
    struct config config = small();
    struct scaling scaling;
    ck_assert_msg(scaling_measure(&config, &axis, &quickly, &scaling, &err) == STATUS_OK, "%s",
                  err.text);
    ck_assert_uint_eq(scaling.n_point, 3);
    for (size_t i = 0; i < scaling.n_point; i++) {
        const struct scaling_point *point = &scaling.point[i];
        ck_assert_uint_eq(point->value, axis.value[i]);
        ck_assert_double_gt(point->result.seconds.median, 0);
        ck_assert_uint_eq(point->result.n_sequence, config.batch_size);
    }
    /* Between linear and quadratic; by hand, from the MACs at T 16 and 256. */
    const double at_16 = 2 * (12 * 16 * 1024 + 2 * 256 * 32) + 2 * 16 * 320;
    const double at_256 = 2 * (12 * 256 * 1024 + 2 * 65536 * 32) + 2 * 256 * 320;
    ck_assert_double_eq_tol(scaling.point[2].result.flop / scaling.point[0].result.flop,
                            at_256 / at_16, 1e-9);
    ck_assert(scaling.exponent.flop > 1 && scaling.exponent.flop < 2);
}

#ifndef __SANITIZE_ADDRESS__ /* which holds memory of its own */
TEST(memory_is_as_stated)
{
    const struct scaling_axis axis = {"n_embd", {32, 128, 256}};
    struct config config = small();
    struct scaling scaling;
    if (memory_resident() == 0) {
        return; /* the system does not tell */
    }
    ck_assert_msg(scaling_measure(&config, &axis, &quickly, &scaling, &err) == STATUS_OK, "%s",
                  err.text);
    for (size_t i = 0; i < scaling.n_point; i++) {
        const struct scaling_point *point = &scaling.point[i];
        double slack = fmax(0.1 * point->stated_memory, 4 << 20);
        ck_assert_msg(fabs(point->memory - point->stated_memory) <= slack,
                      "n_embd %zu: %.0f bytes stated, %.0f held", point->value,
                      point->stated_memory, point->memory);
    }
}
#endif

TEST(impossible_value)
{
    const struct scaling_axis axis = {"n_embd", {32, 33}};
    struct config config = small();
    struct scaling scaling;
    ck_assert_int_eq(scaling_measure(&config, &axis, &quickly, &scaling, &err), STATUS_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "scaling over n_embd: n_embd 33 cannot be cut"));
}

TEST(every_axis_is_a_key_and_grows)
{
    for (size_t i = 0; scaling_axis_at(i); i++) {
        const struct scaling_axis *axis = scaling_axis_at(i);
        ck_assert_ptr_nonnull(config_key_find(axis->key, NULL));
        for (size_t k = 1; k < SCALING_MAX_POINT && axis->value[k]; k++) {
            ck_assert_uint_gt(axis->value[k], axis->value[k - 1]);
        }
    }
}

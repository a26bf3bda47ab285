/* The exact relations between variants hold, and each check can fail. */
#include <math.h>
#include <string.h>

#include "nn/dense.h"
#include "nn/identities.h"
#include "testing.h"

static const struct identities_options USUAL = {
    .n_embd = 64, .n_head = 4, .seq_len = 16, .pos_dim = 10, .seed = 0};

static struct identity_result measured(const struct identities_options *options, size_t i)
{
    struct identity_result result;
    struct error err = {0};
    ck_assert_msg(identities_measure(options, i, &result, &err) == STATUS_OK, "%s", err.text);
    return result;
}

TEST(all_hold_at_many_sizes)
{
    static const struct identities_options SIZES[] = {
        {64, 4, 16, 10, 0}, {64, 1, 16, 10, 1}, {48, 6, 9, 7, 2},   {32, 8, 64, 50, 3},
        {2, 1, 2, 2, 4},    {3, 3, 40, 3, 5},   {96, 2, 5, 10, 6},  {16, 4, 128, 10, 7},
        {64, 4, 16, 10, 8}, {64, 4, 16, 10, 9}, {64, 4, 16, 10, 10}};
    for (size_t s = 0; s < sizeof SIZES / sizeof SIZES[0]; s++) {
        ck_assert_int_eq(identities_check(&SIZES[s], NULL), STATUS_OK);
        for (size_t i = 0; i < identities_count(); i++) {
            struct identity_result result = measured(&SIZES[s], i);
            ck_assert_msg(result.passed && result.error >= 0.0 && result.error <= result.bound,
                          "size %zu, %s: error %g above %g", s, result.name, result.error,
                          result.bound);
            ck_assert_msg(result.bound < 1e-10 || result.condition > 1e3, "%s: bound %g",
                          result.name, result.bound);
        }
    }
}

/* Where the premise does not hold the same measurement is far above its bound. */
TEST(controls_fail)
{
    size_t n_control = 0;
    for (size_t i = 0; i < identities_count(); i++) {
        struct identity_result result = measured(&USUAL, i);
        if (isnan(result.control)) {
            ck_assert_msg(strncmp(result.name, "cond", 4) == 0, "%s has no control", result.name);
            continue;
        }
        n_control++;
        ck_assert_msg(result.control > 0.1 && result.control > 1e6 * result.bound, "%s: control %g",
                      result.name, result.control);
    }
    ck_assert_uint_eq(n_control, 9);
}

/* From a perfect W_Q to one of condition 1e12 the error grows at every step, about as much as the
 * condition. */
TEST(rounding_grows_with_the_condition)
{
    double before = 0.0, first = 0.0;
    size_t n = 0;
    for (size_t i = 0; i < identities_count(); i++) {
        struct identity_result result = measured(&USUAL, i);
        if (strncmp(result.name, "cond", 4) != 0) {
            continue;
        }
        ck_assert_double_gt(result.error, 3.0 * before);
        before = result.error;
        first = n++ == 0 ? result.error : first;
    }
    ck_assert_uint_eq(n, 5);
    ck_assert_double_gt(before, 1e7 * first);
}

TEST(seeds_draw_other_weights_and_the_same_ones_again)
{
    struct identities_options other = USUAL;
    other.seed = 1;
    struct identity_result a = measured(&USUAL, 0), b = measured(&USUAL, 0),
                           c = measured(&other, 0);
    ck_assert(a.error == b.error && a.control == b.control);
    ck_assert(a.control != c.control);
}

TEST(impossible_sizes_are_refused)
{
    static const struct {
        struct identities_options options;
        const char *needle;
    } ROWS[] = {
        {{1, 1, 16, 10, 0}, "n_embd: identities take 2 to 256, found 1"},
        {{512, 1, 16, 10, 0}, "n_embd: identities take 2 to 256, found 512"},
        {{64, 4, 1, 10, 0}, "seq_len: identities take 2 to 256, found 1"},
        {{64, 4, 16, 1, 0}, "pos_dim: identities take 2"},
        {{64, 0, 16, 10, 0}, "n_head: identities take 1 to 64, found 0"},
        {{64, 5, 16, 10, 0}, "n_embd 64 is no multiple of n_head 5; n_embd 65 would work"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct error err = {0};
        ck_assert_int_eq(identities_check(&ROWS[i].options, &err), STATUS_USAGE);
        ck_assert_msg(strstr(err.text, ROWS[i].needle) != NULL, "'%s' lacks '%s'", err.text,
                      ROWS[i].needle);
    }
}

/* ---- the linear algebra beneath ---- */

#define N 12

TEST(division_undoes_multiplication)
{
    double x[N * N], w[N * N], b[N * N], inverse[N * N];
    for (size_t i = 0; i < N * N; i++) {
        x[i] = rng_normal(rng_make(1, "x"), i);
        w[i] = rng_normal(rng_make(1, "w"), i);
    }
    w[0] = 0.0; /* needs a pivot */
    memcpy(inverse, w, sizeof inverse);
    dense_product(N, N, N, x, w, b);
    ck_assert(dense_divide_right(N, b, inverse));
    for (size_t i = 0; i < N * N; i++) {
        ck_assert_double_eq_tol(b[i], x[i], 1e-11);
    }
    for (size_t i = 0; i < N; i++) {
        w[i * N + 3] = w[i * N + 5] = 0.0;
    }
    ck_assert(!dense_divide_right(N, b, w));
}

TEST(random_matrices_have_the_condition_asked_for)
{
    double w[N * N], space[2 * N * N], q[N * N], product[N * N], unit[N * N];
    dense_random_orthogonal(N, rng_make(2, "q"), q);
    dense_product_transposed(N, N, N, q, q, product);
    dense_identity(unit, N);
    for (size_t i = 0; i < N * N; i++) {
        ck_assert_double_eq_tol(product[i], unit[i], 1e-14);
    }
    dense_random_condition(N, 1e4, rng_make(2, "left"), rng_make(2, "right"), space, w);
    double squares = 0.0, inverse_squares = 0.0;
    for (int i = 0; i < N; i++) {
        double singular = pow(1e4, -(double)i / (N - 1));
        squares += singular * singular;
        inverse_squares += 1.0 / (singular * singular);
    }
    ck_assert_double_eq_tol(dense_norm(w, N * N), sqrt(squares), 1e-12);
    ck_assert(dense_divide_right(N, unit, w));
    ck_assert_double_eq_tol(dense_norm(unit, N * N) / sqrt(inverse_squares), 1.0, 1e-9);
}

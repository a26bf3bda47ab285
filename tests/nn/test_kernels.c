/* Every kernel of every SIMD level against plain double-precision loops, over odd shapes. Results
 * are written into buffers with a guard behind them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "nn/kernels/kernels.h"
#include "nn/optimizer.h"
#include "testing.h"

#define GUARD 8
#define GUARD_VALUE 12345.0f

static const size_t SHAPES[][2] = {{1, 1}, {1, 5}, {3, 16}, {17, 30}, {33, 64}, {40, 100}};
#define N_SHAPE (sizeof SHAPES / sizeof SHAPES[0])

static float *numbers(size_t n, const char *purpose)
{
    float *x = malloc((n + GUARD) * sizeof *x);
    struct rng rng = rng_make(3, "test/%s", purpose);
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)rng_normal(rng, i);
    }
    for (size_t i = n; i < n + GUARD; i++) {
        x[i] = GUARD_VALUE;
    }
    return x;
}

static void expect_close(const char *what, const char *level, const float *found,
                         const double *expected, size_t n, double tolerance)
{
    for (size_t i = 0; i < n; i++) {
        double error = fabs((double)found[i] - expected[i]);
        ck_assert_msg(error <= tolerance * (1.0 + fabs(expected[i])),
                      "%s (%s): element %zu of %zu is %.9g, expected %.9g", what, level, i, n,
                      (double)found[i], expected[i]);
    }
    for (size_t i = n; i < n + GUARD; i++) {
        ck_assert_msg(found[i] == GUARD_VALUE, "%s (%s): wrote behind its end", what, level);
    }
}

/* for_each runs a check for every level and shape. */
static void for_each(void (*check)(const struct kernels *kernel, size_t n_row, size_t n_col))
{
    for (size_t level = 0; kernels_at(level) != NULL; level++) {
        for (size_t s = 0; s < N_SHAPE; s++) {
            check(kernels_at(level), SHAPES[s][0], SHAPES[s][1]);
        }
    }
}

/* ---- norms ---- */

static void check_layer_norm(const struct kernels *kernel, size_t n_row, size_t n_col)
{
    size_t n = n_row * n_col;
    float *x = numbers(n, "x"), *w = numbers(n_col, "w"), *b = numbers(n_col, "b");
    float *dy = numbers(n, "dy"), *y = numbers(n, "y"), *dx = numbers(n, "dx");
    float *dw = numbers(n_col, "dw"), *db = numbers(n_col, "db");
    float *mean = numbers(n_row, "mean"), *rstd = numbers(n_row, "rstd");
    double *y_exact = malloc(n * sizeof *y_exact), *dx_exact = malloc(n * sizeof *dx_exact);
    double *dw_exact = malloc(n_col * sizeof *dw_exact),
           *db_exact = malloc(n_col * sizeof *dw_exact);
    for (size_t c = 0; c < n_col; c++) {
        dw_exact[c] = (double)dw[c];
        db_exact[c] = (double)db[c];
    }
    for (size_t i = 0; i < n_row; i++) {
        double m = 0, v = 0, g_sum = 0, gx_sum = 0;
        for (size_t c = 0; c < n_col; c++) {
            m += (double)x[i * n_col + c] / (double)n_col;
        }
        for (size_t c = 0; c < n_col; c++) {
            v += pow((double)x[i * n_col + c] - m, 2) / (double)n_col;
        }
        double r = 1.0 / sqrt(v + 1e-5);
        for (size_t c = 0; c < n_col; c++) {
            double xhat = ((double)x[i * n_col + c] - m) * r, g = (double)(dy[i * n_col + c]);
            y_exact[i * n_col + c] = xhat * (double)w[c] + (double)b[c];
            dw_exact[c] += g * xhat;
            db_exact[c] += g;
            g_sum += g * (double)w[c] / (double)n_col;
            gx_sum += g * (double)w[c] * xhat / (double)n_col;
        }
        for (size_t c = 0; c < n_col; c++) {
            double xhat = ((double)x[i * n_col + c] - m) * r;
            dx_exact[i * n_col + c] =
                (double)dx[i * n_col + c] +
                r * ((double)dy[i * n_col + c] * (double)w[c] - g_sum - xhat * gx_sum);
        }
    }
    kernel->layer_norm_forward(n_row, n_col, x, w, b, y, mean, rstd);
    kernel->layer_norm_backward(n_row, n_col, dy, x, mean, rstd, w, dx, dw, db);
    expect_close("layer norm", kernel->level, y, y_exact, n, 5e-6);
    expect_close("layer norm dx", kernel->level, dx, dx_exact, n, 2e-5);
    expect_close("layer norm dweight", kernel->level, dw, dw_exact, n_col, 1e-5);
    expect_close("layer norm dbias", kernel->level, db, db_exact, n_col, 1e-5);
    float *used[] = {x, w, b, dy, y, dx, dw, db, mean, rstd};
    for (size_t i = 0; i < sizeof used / sizeof used[0]; i++) {
        free(used[i]);
    }
    free(y_exact), free(dx_exact), free(dw_exact), free(db_exact);
}

TEST(layer_norm_matches_its_definition)
{
    for_each(check_layer_norm);
}

static void check_rms_norm(const struct kernels *kernel, size_t n_row, size_t n_col)
{
    size_t ld = n_col + 3, n = n_row * ld;
    float *x = numbers(n, "x"), *w = numbers(n_col, "w"), *dy = numbers(n, "dy");
    float *y = numbers(n, "y"), *dx = numbers(n, "dx"), *dw = numbers(n_col, "dw");
    float *rrms = numbers(n_row, "rrms");
    double *y_exact = malloc(n * sizeof *y_exact), *dx_exact = malloc(n * sizeof *dx_exact);
    double *dw_exact = malloc(n_col * sizeof *dw_exact);
    for (size_t i = 0; i < n; i++) {
        y_exact[i] = (double)y[i]; /* the gap between rows must stay as it is */
        dx_exact[i] = (double)dx[i];
    }
    for (size_t c = 0; c < n_col; c++) {
        dw_exact[c] = (double)dw[c];
    }
    for (size_t i = 0; i < n_row; i++) {
        double squares = 0, pull = 0;
        for (size_t c = 0; c < n_col; c++) {
            double v = (double)x[i * ld + c];
            squares += v * v / (double)n_col;
            pull += (double)dy[i * ld + c] * (double)w[c] * v / (double)n_col;
        }
        double r = 1.0 / sqrt(squares + 1e-6);
        for (size_t c = 0; c < n_col; c++) {
            double v = (double)x[i * ld + c], g = (double)dy[i * ld + c];
            y_exact[i * ld + c] = v * r * (double)w[c];
            dx_exact[i * ld + c] += r * g * (double)w[c] - pull * r * r * r * v;
            dw_exact[c] += g * v * r;
        }
    }
    kernel->rms_norm_forward(n_row, n_col, x, ld, w, y, ld, rrms);
    kernel->rms_norm_backward(n_row, n_col, dy, ld, x, ld, rrms, w, dx, ld, dw);
    expect_close("RMS norm", kernel->level, y, y_exact, n, 5e-6);
    expect_close("RMS norm dx", kernel->level, dx, dx_exact, n, 2e-5);
    expect_close("RMS norm dweight", kernel->level, dw, dw_exact, n_col, 1e-5);
    float *used[] = {x, w, dy, y, dx, dw, rrms};
    for (size_t i = 0; i < sizeof used / sizeof used[0]; i++) {
        free(used[i]);
    }
    free(y_exact), free(dx_exact), free(dw_exact);
}

TEST(rms_norm_matches_its_definition)
{
    for_each(check_rms_norm);
}

/* ---- functions of one number ---- */

TEST(gelu_and_its_slope_stay_within_the_bound)
{
    enum { N = 4001 };
    for (size_t level = 0; kernels_at(level) != NULL; level++) {
        float x[N], slope[N], y[N], bias[N];
        for (size_t i = 0; i < N; i++) {
            x[i] = slope[i] = (float)i * 0.01f - 20.0f;
            bias[i] = 0.25f;
        }
        kernels_at(level)->bias_gelu(1, N, slope, bias, y);
        for (size_t i = 0; i < N; i++) {
            double u = (double)(x[i] + 0.25f), cdf = 0.5 * erfc(-u * sqrt(0.5));
            double density = exp(-0.5 * u * u) / sqrt(2.0 * acos(-1.0));
            double value_error = fabs((double)y[i] - u * cdf) / (1.0 + fabs(u));
            double slope_error = fabs((double)slope[i] - (cdf + u * density)) / (1.0 + fabs(u));
            ck_assert_msg(value_error <= KERNELS_GELU_BOUND && slope_error <= KERNELS_GELU_BOUND,
                          "%s at %g: value off by %.2g, slope by %.2g", kernels_at(level)->level, u,
                          value_error, slope_error);
        }
    }
}

TEST(exp_meets_its_edges)
{
    const float x[] = {0.0f, -87.4f, -1e4f, -INFINITY, 1e4f, NAN, 1.0f};
    for (size_t level = 0; kernels_at(level) != NULL; level++) {
        float y[7];
        kernels_at(level)->vector_exp(7, x, y);
        ck_assert_float_eq(y[0], 1.0f);
        ck_assert_float_eq(y[1], 0.0f);
        ck_assert_float_eq(y[2], 0.0f);
        ck_assert_float_eq(y[3], 0.0f);
        ck_assert_msg(isfinite(y[4]) && y[4] > 1e38f, "exp(1e4) gave %g", (double)y[4]);
        ck_assert_msg(isnan(y[5]), "exp(NaN) gave %g: a diverged run would go unnoticed",
                      (double)y[5]);
        ck_assert_float_eq_tol(y[6], 2.7182818f, 1e-6f);
    }
}

/* ---- softmax ---- */

static void check_softmax(const struct kernels *kernel, size_t n_row, size_t n_col)
{
    size_t ld = (n_col + SOFTMAX_STRETCH - 1) / SOFTMAX_STRETCH * SOFTMAX_STRETCH, n = n_row * ld;
    for (int causal = 0; causal < 2; causal++) {
        float *s = numbers(n, "s"), *bias = numbers(n_row * n_col, "bias"), *dp = numbers(n, "dp");
        double *p_exact = calloc(n, sizeof *p_exact), *ds_exact = calloc(n, sizeof *ds_exact);
        for (size_t i = 0; i < n_row; i++) {
            size_t visible = causal && i + 1 < n_col ? i + 1 : n_col;
            double sum = 0, dot = 0;
            for (size_t j = 0; j < visible; j++) {
                sum += exp(0.7 * (double)s[i * ld + j] + (double)bias[i * n_col + j]);
            }
            for (size_t j = 0; j < visible; j++) {
                size_t ij = i * ld + j;
                p_exact[ij] = exp(0.7 * (double)s[ij] + (double)bias[i * n_col + j]) / sum;
                dot += p_exact[ij] * (double)dp[ij];
            }
            for (size_t j = 0; j < n_col; j++) {
                size_t ij = i * ld + j;
                ds_exact[ij] = 0.7 * p_exact[ij] * ((double)dp[ij] - dot);
            }
        }
        kernel->softmax_forward(n_row, n_col, 0.7f, bias, n_col, causal ? 1 : n_col, causal ? 1 : 0,
                                s, ld);
        expect_close("softmax", kernel->level, s, p_exact, n, 1e-6);
        kernel->softmax_backward(n_row, ld, 0.7f, s, dp);
        expect_close("softmax gradient", kernel->level, dp, ds_exact, n, 2e-6);
        free(s), free(bias), free(dp), free(p_exact), free(ds_exact);
    }
}

TEST(softmax_matches_its_definition)
{
    for_each(check_softmax);
}

TEST(softmax_of_extremes_is_finite)
{
    for (size_t level = 0; kernels_at(level) != NULL; level++) {
        float s[3][SOFTMAX_STRETCH] = {
            {1e4f, -1e4f, 0.0f, 1e4f}, {-1e4f, -1e4f, -1e4f, -1e4f}, {5, 6, 7, 8}};
        const struct kernels *kernel = kernels_at(level);
        kernel->softmax_forward(2, 4, 1.0f, NULL, 0, 4, 0, &s[0][0], SOFTMAX_STRETCH);
        kernel->softmax_forward(1, 4, 1.0f, NULL, 0, 0, 0, &s[2][0], SOFTMAX_STRETCH);
        ck_assert_float_eq(s[0][0], 0.5f);
        ck_assert_float_eq(s[0][1], 0.0f);
        ck_assert_float_eq(s[1][2], 0.25f);
        for (size_t j = 0; j < SOFTMAX_STRETCH; j++) {
            ck_assert_msg(s[2][j] == 0.0f, "a fully masked row gave %g", (double)s[2][j]);
            ck_assert_msg(j < 4 || s[0][j] == 0.0f, "behind the last column: %g", (double)s[0][j]);
        }
    }
}

/* ---- rows, sums and the update ---- */

static void check_rows(const struct kernels *kernel, size_t n_row, size_t n_col)
{
    size_t n = n_row * n_col;
    float *x = numbers(n, "x"), *bias = numbers(n_col, "bias"), *y = numbers(n, "y");
    size_t ldt = n_row + 3;
    float *sum = numbers(n_col, "sum"), *turned = numbers(n_col * ldt, "turned");
    float *z = numbers(n, "z");
    double *expected = malloc(n_col * ldt * sizeof *expected);
    for (size_t i = 0; i < n; i++) {
        expected[i] = (double)x[i] + (double)bias[i % n_col];
    }
    kernel->fill_rows(n_row, n_col, x, bias, y);
    expect_close("fill_rows", kernel->level, y, expected, n, 1e-6);
    for (size_t i = 0; i < n; i++) {
        expected[i] = (double)bias[i % n_col];
    }
    kernel->fill_rows(n_row, n_col, NULL, bias, y);
    expect_close("fill_rows without x", kernel->level, y, expected, n, 0.0);
    for (size_t c = 0; c < n_col; c++) {
        expected[c] = (double)sum[c];
        for (size_t i = 0; i < n_row; i++) {
            expected[c] += (double)x[i * n_col + c];
        }
    }
    kernel->column_sum(n_row, n_col, x, n_col, sum);
    expect_close("column_sum", kernel->level, sum, expected, n_col, 1e-6);
    for (size_t i = 0; i < n_col * ldt; i++) {
        expected[i] = i % ldt < n_row ? (double)x[i % ldt * n_col + i / ldt] : 0.0;
    }
    kernel->transpose(n_row, n_col, x, n_col, turned, ldt);
    expect_close("transpose", kernel->level, turned, expected, n_col * ldt, 0.0);
    double product = 0;
    for (size_t i = 0; i < n; i++) {
        expected[i] = (double)x[i] * (double)z[i];
        product += expected[i];
    }
    ck_assert_double_eq_tol(kernel->dot(n_row, n_col, x, n_col, z, n_col), product,
                            1e-12 * (1 + fabs(product)));
    double *column = calloc(n_col, sizeof *column);
    for (size_t c = 0; c < n_col; c++) {
        column[c] = (double)sum[c];
        for (size_t i = 0; i < n_row; i++) {
            column[c] += expected[i * n_col + c];
        }
    }
    float *w = numbers(n, "z");
    kernel->multiply_and_sum(n_row, n_col, w, x, sum);
    expect_close("multiply_and_sum", kernel->level, w, expected, n, 1e-6);
    expect_close("multiply_and_sum, sums", kernel->level, sum, column, n_col, 2e-6);
    free(w), free(column);
    kernel->multiply(n, z, x);
    expect_close("multiply", kernel->level, z, expected, n, 1e-6);
    for (size_t i = 0; i < n; i++) {
        expected[i] = (double)z[i] + (double)x[i];
    }
    kernel->add(n, z, x);
    expect_close("add", kernel->level, z, expected, n, 1e-6);
    free(x), free(bias), free(y), free(sum), free(turned), free(z), free(expected);
}

TEST(row_operations_match_plain_loops)
{
    for_each(check_rows);
}

static void check_lanes(const struct kernels *kernel, size_t n_lane, size_t n)
{
    float *parts[64], *sum = numbers(n, "sum");
    double *expected = calloc(n, sizeof *expected), squares = 0;
    for (size_t lane = 0; lane < n_lane; lane++) {
        char purpose[24];
        snprintf(purpose, sizeof purpose, "lane%zu", lane);
        parts[lane] = numbers(n + 2, purpose);
        for (size_t i = 0; i < n; i++) {
            expected[i] += (double)parts[lane][2 + i];
        }
    }
    double found = kernel->sum_lanes(n, n_lane, (const float *const *)parts, 2, sum);
    expect_close("sum_lanes", kernel->level, sum, expected, n, 5e-6);
    for (size_t i = 0; i < n; i++) {
        squares += (double)sum[i] * (double)sum[i];
    }
    ck_assert_double_eq_tol(found, squares, 1e-12 * (1 + squares));
    for (size_t lane = 0; lane < n_lane; lane++) {
        free(parts[lane]);
    }
    free(sum), free(expected);
}

TEST(lanes_are_summed_with_their_squares)
{
    for_each(check_lanes);
}

/* check_adam makes three updates of every number beside a double-precision Adam. */
static void check_adam(const struct kernels *kernel, size_t n_row, size_t n_col)
{
    size_t n = n_row * n_col;
    struct adam_options options = {.learning_rate = 3e-3,
                                   .beta1 = 0.9,
                                   .beta2 = 0.999,
                                   .epsilon = 1e-8,
                                   .clip = 2.0,
                                   .weight_decay = 0.1};
    float *param = numbers(n, "param"), *m = numbers(n, "m"), *v = numbers(n, "v");
    double *w = malloc(n * sizeof *w), *em = calloc(n, sizeof *em), *ev = calloc(n, sizeof *ev);
    memset(m, 0, n * sizeof *m);
    memset(v, 0, n * sizeof *v);
    for (size_t i = 0; i < n; i++) {
        w[i] = (double)param[i];
    }
    for (uint64_t step = 1; step <= 3; step++) {
        float *grad = numbers(n, step == 2 ? "other" : "grad");
        double norm = 0, scale;
        for (size_t i = 0; i < n; i++) {
            norm += (double)grad[i] * (double)grad[i];
        }
        norm = sqrt(norm);
        scale = 2.0 / (norm + 1e-6) < 1.0 ? 2.0 / (norm + 1e-6) : 1.0;
        for (size_t i = 0; i < n; i++) {
            double g = (double)grad[i] * scale;
            em[i] = 0.9 * em[i] + 0.1 * g;
            ev[i] = 0.999 * ev[i] + 0.001 * g * g;
            w[i] *= 1.0 - 3e-3 * 0.1;
            w[i] -= 3e-3 * (em[i] / (1 - pow(0.9, (double)step))) /
                    (sqrt(ev[i] / (1 - pow(0.999, (double)step))) + 1e-8);
        }
        struct adam_update update = adam_prepare(&options, step, norm);
        kernel->adam(n, &update, update.decay, param, grad, m, v);
        free(grad);
    }
    expect_close("Adam", kernel->level, param, w, n, 1e-6);
    free(param), free(m), free(v), free(w), free(em), free(ev);
}

TEST(adam_matches_its_definition)
{
    for_each(check_adam);
}

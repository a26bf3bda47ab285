#include "nn/selftest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "nn/blas.h"
#include "nn/engine.h"
#include "nn/kernels/kernels.h"

/* ---- matrix products ---- */

/* C [m,n] = op(A) op(B) into whatever C held; ta: A is stored [k,m], tb: B [n,k]. */
typedef void product_function(bool ta, bool tb, size_t m, size_t n, size_t k, const float *a,
                              const float *b, float *c);

static void own_product(bool ta, bool tb, size_t m, size_t n, size_t k, const float *a,
                        const float *b, float *c)
{
    const struct product_kernels *product = kernels_active()->product;
    (void)tb; /* the engine has none of these */
    if (ta) {
        product->tn(m, n, k, a, m, b, n, false, c, n);
    } else {
        product->nn(m, n, k, a, k, b, n, false, c, n);
    }
}

/* Loaded by the check of OpenBLAS before its products are asked for. */
static const struct blas *library;

static void library_product(bool ta, bool tb, size_t m, size_t n, size_t k, const float *a,
                            const float *b, float *c)
{
    library->sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans,
                   (blasint)m, (blasint)n, (blasint)k, 1.0f, a, (blasint)(ta ? m : k), b,
                   (blasint)(tb ? k : n), 0.0f, c, (blasint)n);
}

#define MAX_SIDE 67

static const size_t SHAPES[][3] = {{1, 1, 1},    {1, 7, 3},    {5, 1, 9},    {3, 5, 7},
                                   {8, 8, 8},    {16, 16, 16}, {17, 15, 31}, {33, 10, 64},
                                   {31, 33, 17}, {64, 10, 33}, {13, 67, 65}, {67, 64, 63}};
#define N_SHAPE (sizeof SHAPES / sizeof SHAPES[0])

struct buffers {
    float a[MAX_SIDE * MAX_SIDE], b[MAX_SIDE * MAX_SIDE], c[MAX_SIDE * MAX_SIDE];
};

static void fill(float *x, size_t n, const char *purpose)
{
    struct rng rng = rng_make(1, "selftest/%s", purpose);
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)(2.0 * rng_uniform(rng, i) - 1.0);
    }
}

/* product_error returns the largest |c - exact| / sum |a b| of one product into NaN with beta 0. */
static double product_error(product_function *function, bool ta, bool tb, const size_t shape[3],
                            struct buffers *x)
{
    size_t m = shape[0], n = shape[1], k = shape[2];
    for (size_t i = 0; i < m * n; i++) {
        x->c[i] = NAN;
    }
    function(ta, tb, m, n, k, x->a, x->b, x->c);
    double worst = 0.0;
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            double sum = 0.0, size = 0.0;
            for (size_t l = 0; l < k; l++) {
                double term = (double)x->a[ta ? l * m + i : i * k + l] *
                              (double)x->b[tb ? j * k + l : l * n + j];
                sum += term;
                size += fabs(term);
            }
            double error = fabs((double)x->c[i * n + j] - sum) / (size + 1e-30);
            if (!(error <= worst)) { /* a NaN counts as worse */
                worst = error;
            }
        }
    }
    return worst;
}

/* worst_product measures all shapes of the first n_order orders; detail says which was the worst.
 */
static void worst_product(product_function *function, size_t n_order,
                          struct selftest_result *result)
{
    static const struct {
        const char *name;
        bool ta, tb;
    } ORDERS[] = {
        {"nn", false, false}, {"tn", true, false}, {"nt", false, true}, {"tt", true, true}};
    static struct buffers x;
    fill(x.a, MAX_SIDE * MAX_SIDE, "a");
    fill(x.b, MAX_SIDE * MAX_SIDE, "b");
    for (size_t s = 0; s < N_SHAPE; s++) {
        for (size_t o = 0; o < n_order; o++) {
            double error = product_error(function, ORDERS[o].ta, ORDERS[o].tb, SHAPES[s], &x);
            if (!(error <= result->measured)) {
                result->measured = error;
                snprintf(result->detail, sizeof result->detail, "worst: %s of %zu x %zu x %zu",
                         ORDERS[o].name, SHAPES[s][0], SHAPES[s][1], SHAPES[s][2]);
            }
        }
    }
}

static void check_products(struct selftest_result *result)
{
    *result = (struct selftest_result){
        .name = "matrix products",
        .what = "error of small odd shapes, into NaN",
        .bound = 1e-6,
    };
    worst_product(own_product, 2, result);
}

enum status selftest_products(struct error *err)
{
    struct selftest_result result;
    check_products(&result);
    if (result.measured <= result.bound) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_FAILED,
                     "matrix products are wrong on this machine (%s, relative error %.2g, kernels "
                     "%s); `qkvlab selftest` shows more",
                     result.detail, result.measured, kernels_level());
}

/* ---- OpenBLAS ---- */

static void check_library(struct selftest_result *result)
{
    struct error err = {0};
    *result = (struct selftest_result){
        .name = "OpenBLAS",
        .what = "for bench alone: error of small odd shapes, all transposes, into NaN",
        .bound = 1e-6,
        .is_of_bench = true,
    };
    if (blas_load(&library, &err) == STATUS_OK) {
        worst_product(library_product, 4, result);
    } else {
        result->measured = NAN;
        snprintf(result->detail, sizeof result->detail, "%.159s", err.text);
    }
}

enum status selftest_blas(struct error *err)
{
    TRY(blas_load(&library, err));
    struct selftest_result result;
    check_library(&result);
    if (result.measured <= result.bound) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_FAILED,
                     "the BLAS library computes wrong products (%s, relative error %.2g): %s, core "
                     "%s; try another OpenBLAS version, or OPENBLAS_CORETYPE=Haswell",
                     result.detail, result.measured, library->config, library->core);
}

/* ---- exp, erf, GELU ---- */

/* Every how many floats the bounds are sampled: the bit patterns of floats, so all magnitudes. */
#define BIT_STRIDE 997
#define PIECE 1024

typedef double error_function(float x, float y);

static double exp_error(float x, float y)
{
    double exact = exp((double)x);
    return fabs((double)y - exact) / exact;
}

static double erf_error(float x, float y)
{
    return fabs((double)y - erf((double)x));
}

/* scan returns the largest error of a vector function over floats of both signs up to limit. */
static double scan(void (*function)(size_t n, const float *x, float *y), error_function *error,
                   float limit)
{
    float x[PIECE], y[PIECE];
    uint32_t bits = 0, last;
    double worst = 0.0;
    memcpy(&last, &limit, sizeof last);
    while (bits <= last) {
        size_t n = 0;
        for (; n < PIECE && bits <= last; bits += BIT_STRIDE) {
            uint32_t pattern = bits | ((n & 1) != 0 ? 0x80000000u : 0u);
            memcpy(&x[n++], &pattern, sizeof pattern);
        }
        function(n, x, y);
        for (size_t i = 0; i < n; i++) {
            double e = error(x[i], y[i]);
            if (!(e <= worst)) {
                worst = e;
            }
        }
    }
    return worst;
}

static void check_exp(struct selftest_result *result)
{
    *result = (struct selftest_result){
        .name = "exp",
        .what = "relative error over [-87, 88]",
        .measured = scan(kernels_active()->vector_exp, exp_error, 87.0f),
        .bound = KERNELS_EXP_BOUND,
    };
    snprintf(result->detail, sizeof result->detail, "kernels %s", kernels_level());
}

static void check_erf(struct selftest_result *result)
{
    *result = (struct selftest_result){
        .name = "erf",
        .what = "absolute error over [-10, 10]",
        .measured = scan(kernels_active()->vector_erf, erf_error, 10.0f),
        .bound = KERNELS_ERF_BOUND,
    };
    snprintf(result->detail, sizeof result->detail, "kernels %s", kernels_level());
}

/* ---- threads ---- */

/* train_briefly trains a small model for 4 steps and copies its weights to param. */
static bool train_briefly(int threads, float *param, size_t *n_param)
{
    enum { N_SEQUENCE = 37, N_TOKEN = 12, N_STEP = 4 };
    struct model_shape shape = {.n_embd = 24,
                                .n_layer = 2,
                                .n_head = 3,
                                .mlp_ratio = 4,
                                .n_token = N_TOKEN,
                                .n_position = N_TOKEN,
                                .pos_dim = 10,
                                .n_symbol = 10,
                                .n_class = 10};
    struct engine_options options = {.batch_size = N_SEQUENCE, .threads = threads};
    struct adam_options adam = {
        .learning_rate = 1e-2, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};
    int32_t ids[N_SEQUENCE * N_TOKEN], targets[N_SEQUENCE * N_TOKEN];
    struct engine *engine;
    if (variant_parse("qk+", &shape.variant, NULL) != STATUS_OK ||
        engine_create(&engine, &shape, &options, NULL) != STATUS_OK) {
        return false;
    }
    struct rng rng = rng_make(1, "selftest/data");
    for (size_t i = 0; i < N_SEQUENCE * N_TOKEN; i++) {
        ids[i] = (int32_t)rng_below(rng, i, 10);
        targets[i] = 9 - ids[i];
    }
    struct batch batch = {
        .n_sequence = N_SEQUENCE, .n_token = N_TOKEN, .ids = ids, .targets = targets};
    engine_initialise(engine, 1);
    for (int step = 0; step < N_STEP; step++) {
        engine_train_step(engine, &batch, &adam);
    }
    *n_param = engine_model(engine)->layout.n_param;
    if (param != NULL) {
        memcpy(param, engine_param(engine), *n_param * sizeof *param);
    }
    engine_free(engine);
    return true;
}

static void check_threads(struct selftest_result *result)
{
    *result = (struct selftest_result){
        .name = "same bits",
        .what = "weights that differ after 4 steps with 1, 2, 3 and 7 threads",
        .bound = 0.0,
        .measured = NAN,
        .detail = "out of memory",
    };
    static const int THREADS[] = {1, 2, 3, 7};
    size_t n_param = 0;
    if (!train_briefly(1, NULL, &n_param)) {
        return;
    }
    float *expected = malloc(n_param * sizeof *expected), *found = malloc(n_param * sizeof *found);
    if (expected != NULL && found != NULL && train_briefly(1, expected, &n_param)) {
        result->measured = 0.0;
        result->detail[0] = '\0';
        for (size_t i = 0; i < sizeof THREADS / sizeof THREADS[0]; i++) {
            size_t n_different = 0;
            bool made = train_briefly(THREADS[i], found, &n_param);
            for (size_t p = 0; p < n_param; p++) {
                n_different += !made || memcmp(&expected[p], &found[p], sizeof *found) != 0;
            }
            if (n_different > 0) {
                result->measured += (double)n_different;
                snprintf(result->detail, sizeof result->detail, "with %d threads", THREADS[i]);
            }
        }
    }
    free(expected);
    free(found);
}

bool selftest_run(size_t i, struct selftest_result *result)
{
    static void (*const CHECKS[])(struct selftest_result *) = {check_products, check_exp, check_erf,
                                                               check_threads, check_library};
    if (i >= sizeof CHECKS / sizeof CHECKS[0]) {
        return false;
    }
    CHECKS[i](result);
    result->passed = result->measured <= result->bound;
    return true;
}

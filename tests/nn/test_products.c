/* Matrix products of every SIMD level against plain loops in double: sides around each block and
 * vector width, leading dimensions with gaps, both ways to read A, packed and unpacked B. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "nn/kernels/kernels.h"
#include "testing.h"

#define GAP 3

static const size_t SIDES[] = {1, 2, 3, 7, 12, 13, 16, 17, 31, 32, 33, 48, 100};
#define N_SIDE (sizeof SIDES / sizeof SIDES[0])

struct operands {
    size_t m, n, k;
    float *a, *a_transposed, *b, *c, *c_before; /* leading dimensions k, m, n + GAP, n + GAP */
};

static float *numbers(size_t n, const char *purpose)
{
    float *x = malloc((n + 1) * sizeof *x);
    struct rng rng = rng_make(5, "matmul/%s", purpose);
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)rng_normal(rng, i);
    }
    return x;
}

static struct operands operands_make(size_t m, size_t n, size_t k)
{
    struct operands o = {m,
                         n,
                         k,
                         numbers(m * k, "a"),
                         malloc((m * k + 1) * sizeof(float)),
                         numbers(k * (n + GAP), "b"),
                         numbers(m * (n + GAP), "c"),
                         numbers(m * (n + GAP), "c")};
    for (size_t i = 0; i < m; i++) {
        for (size_t l = 0; l < k; l++) {
            o.a_transposed[l * m + i] = o.a[i * k + l];
        }
    }
    return o;
}

static void operands_free(struct operands *o)
{
    free(o->a), free(o->a_transposed), free(o->b), free(o->c), free(o->c_before);
}

static void expect_product(const struct operands *o, bool accumulate, const char *what)
{
    size_t ld = o->n + GAP;
    for (size_t i = 0; i < o->m; i++) {
        for (size_t j = 0; j < ld; j++) {
            double expected = (double)o->c_before[i * ld + j], size = fabs(expected) + 1e-6;
            if (j < o->n) {
                expected = accumulate ? expected : 0.0;
                for (size_t l = 0; l < o->k; l++) {
                    double term = (double)o->a[i * o->k + l] * (double)o->b[l * ld + j];
                    expected += term;
                    size += fabs(term);
                }
            }
            double error = fabs((double)o->c[i * ld + j] - expected) / size;
            ck_assert_msg(error <= (j < o->n ? 1e-6 : 0.0),
                          "%s of %zu x %zu x %zu: element %zu,%zu is %.9g, expected %.9g", what,
                          o->m, o->n, o->k, i, j, (double)o->c[i * ld + j], expected);
        }
    }
}

/* check_shape makes the four products of one shape at one level. */
static void check_shape(const struct product_kernels *product, const char *level, size_t m,
                        size_t n, size_t k)
{
    for (int mode = 0; mode < 4; mode++) {
        struct operands o = operands_make(m, n, k);
        size_t ld = n + GAP;
        float *packed = malloc(product_packed_size(n, k) * sizeof *packed);
        for (size_t i = 0; mode % 2 == 0 && i < m; i++) {
            for (size_t j = 0; j < n; j++) {
                o.c[i * ld + j] = NAN; /* only written, whatever it held */
            }
        }
        bool accumulate = mode % 2 == 1;
        if (mode < 2) {
            product->pack(n, k, o.b, ld, 1, packed);
            product->packed(m, n, k, o.a, k, packed, NULL, accumulate ? o.c : NULL, o.c, ld);
            expect_product(&o, accumulate, level);
            memcpy(o.c, o.c_before, m * ld * sizeof *o.c);
            product->nn(m, n, k, o.a, k, o.b, ld, accumulate, o.c, ld);
        } else {
            product->tn(m, n, k, o.a_transposed, m, o.b, ld, accumulate, o.c, ld);
        }
        expect_product(&o, accumulate, level);
        free(packed);
        operands_free(&o);
    }
}

TEST(every_level_and_shape_matches_plain_loops)
{
    for (size_t level = 0; kernels_at(level) != NULL; level++) {
        const struct kernels *kernel = kernels_at(level);
        for (size_t i = 0; i < N_SIDE * N_SIDE; i++) {
            size_t m = SIDES[i % N_SIDE], n = SIDES[i / N_SIDE], k = SIDES[(i * 7 + 3) % N_SIDE];
            check_shape(kernel->product, kernel->level, m, n, k);
        }
        check_shape(kernel->product, kernel->level, 5, 20, 600); /* deeper than a packed panel */
        check_shape(kernel->product, kernel->level, 70, 20, 257);
        check_shape(kernel->product, kernel->level, 256, 128, 9); /* a wide A is copied, */
        check_shape(kernel->product, kernel->level, 301, 133, 31);
        check_shape(kernel->product, kernel->level, 260, 129, 300); /* and in several groups */
    }
}

/* Bias and base are added, whatever C held, over several stretches of the depth too. */
TEST(bias_and_base_are_added)
{
    const size_t shapes[][3] = {{5, 20, 7}, {13, 33, 300}, {1, 1, 1}, {30, 64, 600}};
    for (size_t level = 0; kernels_at(level) != NULL; level++) {
        const struct product_kernels *product = kernels_at(level)->product;
        for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
            struct operands o = operands_make(shapes[i][0], shapes[i][1], shapes[i][2]);
            size_t ld = o.n + GAP;
            float *packed = malloc(product_packed_size(o.n, o.k) * sizeof *packed);
            float *bias = numbers(o.n, "bias"), *base = numbers(o.m * ld, "base");
            product->pack(o.n, o.k, o.b, ld, 1, packed);
            product->packed(o.m, o.n, o.k, o.a, o.k, packed, bias, base, o.c, ld);
            for (size_t at = 0; at < o.m * ld; at++) {
                if (at % ld < o.n) {
                    o.c_before[at] = base[at] + bias[at % ld];
                }
            }
            expect_product(&o, true, kernels_at(level)->level);
            free(packed), free(bias), free(base);
            operands_free(&o);
        }
    }
}

TEST(packing_turns_a_transposed_matrix)
{
    enum { N = 37, K = 11 };
    float *b = numbers(N * K, "b"), *turned = malloc(N * K * sizeof *turned);
    for (size_t j = 0; j < N; j++) {
        for (size_t l = 0; l < K; l++) {
            turned[j * K + l] = b[l * N + j];
        }
    }
    size_t size = product_packed_size(N, K);
    float *straight = calloc(size, sizeof *straight), *packed = calloc(size, sizeof *packed);
    kernels_active()->product->pack(N, K, b, N, 1, straight);
    kernels_active()->product->pack(N, K, turned, 1, K, packed);
    ck_assert_mem_eq(straight, packed, size * sizeof *packed);
    free(b), free(turned), free(straight), free(packed);
}

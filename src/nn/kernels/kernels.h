/* kernels: the loops in which a training step spends its time outside of matrix products.
 *
 * Plain C over contiguous float32 rows, vectorised by the compiler; this folder is compiled once
 * per SIMD level, and kernels_active() is the table of the best level this processor has. Results
 * depend on the level (it is part of the machine class), never on threads. Kernels return nothing
 * and check nothing: shapes were checked when the model was made.
 *
 * Conventions: n_row rows of n_col numbers, row-major, leading dimension n_col unless an ld is
 * given. "Adds to" means the caller zeroed the output before.
 */
#ifndef QKVLAB_NN_KERNELS_H
#define QKVLAB_NN_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Measured over all inputs by tests/nn/test_kernels.c and by `qkvlab selftest`. */
#define KERNELS_EXP_BOUND 2e-7  /* relative error of vector_exp in [-87, 88] */
#define KERNELS_ERF_BOUND 3e-7  /* absolute error of vector_erf */
#define KERNELS_GELU_BOUND 1e-6 /* |error| of GELU and of its slope, relative to 1 + |x| */

#define LAYER_NORM_EPSILON 1e-5f
#define RMS_NORM_EPSILON 1e-6f

/* The widest panel of any level. */
#define PRODUCT_MAX_PANEL 32

/* Rows that go through a softmax are a multiple of this long: the widest vector of any level. */
#define SOFTMAX_STRETCH 16

/* The numbers of one Adam update that are the same for every parameter: optimizer.h makes them. */
struct adam_update {
    float gradient_scale; /* min(1, clip / norm) */
    float step_size;      /* learning_rate / (1 - beta1^t) */
    float inverse_bias2;  /* 1 / sqrt(1 - beta2^t) */
    float beta1, beta2, epsilon;
    float from_gradient1, from_gradient2; /* 1 - beta, rounded once */
    float decay; /* 1 - learning_rate weight_decay, for tensors that decay */
};

/* Matrix products (product.c) on the calling thread. C [m,n] = A B, or C += with accumulate;
 * row-major with leading dimensions. Without accumulate C is only written, whatever it held. */
struct product_kernels {
    /* nn: A [m,k], tn: A [k,m] is transposed; B [k,n]. */
    void (*nn)(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b, size_t ldb,
               bool accumulate, float *c, size_t ldc);
    void (*tn)(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b, size_t ldb,
               bool accumulate, float *c, size_t ldc);
    /* A B that is used many times is packed once, B[l,j] = b[l row + j column], into
     * product_packed_size floats. */
    void (*pack)(size_t n, size_t k, const float *b, size_t row, size_t column, float *packed);
    /* C = A B + bias + base: bias [n] goes to every row, base [m,ldc] may be C; NULL: nothing. */
    void (*packed)(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *packed,
                   const float *bias, const float *base, float *c, size_t ldc);
};

/* product_packed_size returns the floats of a packed B [k,n]: its columns are rounded up to whole
 * panels. */
static inline size_t product_packed_size(size_t n, size_t k)
{
    return (n + PRODUCT_MAX_PANEL - 1) / PRODUCT_MAX_PANEL * PRODUCT_MAX_PANEL * k;
}

/* A mask is 0 where a 16-bit random number is below threshold, else kept. The numbers are those of
 * rng_block (base/rng.h) under key, a function of first_row + row and of the column alone;
 * dropout.c says which. */
struct dropout_law {
    uint32_t key[2];
    uint32_t threshold;
    float kept;
};

struct kernels {
    const char *level; /* "generic", "v3", "v4": x86-64 levels */
    const struct product_kernels *product;

    /* y = exp(x): 0 below -87.33, saturated above 88.37; NaN stays NaN. */
    void (*vector_exp)(size_t n, const float *x, float *y);
    /* y = erf(x). */
    void (*vector_erf)(size_t n, const float *x, float *y);

    /* y = (x - mean) rstd weight + bias, per row; mean and rstd [n_row] are saved. */
    void (*layer_norm_forward)(size_t n_row, size_t n_col, const float *x, const float *weight,
                               const float *bias, float *y, float *mean, float *rstd);
    /* Adds to dx, dweight and dbias. */
    void (*layer_norm_backward)(size_t n_row, size_t n_col, const float *dy, const float *x,
                                const float *mean, const float *rstd, const float *weight,
                                float *dx, float *dweight, float *dbias);

    /* y = x rrms weight with rrms = 1/sqrt(mean(x^2) + eps), per row; rrms [n_row] is saved. Rows
     * lie ldx and ldy apart. */
    void (*rms_norm_forward)(size_t n_row, size_t n_col, const float *x, size_t ldx,
                             const float *weight, float *y, size_t ldy, float *rrms);
    /* Adds to dx [ldx] and dweight. */
    void (*rms_norm_backward)(size_t n_row, size_t n_col, const float *dy, size_t lddy,
                              const float *x, size_t ldx, const float *rrms, const float *weight,
                              float *dx, size_t lddx, float *dweight);

    /* y = GELU(x + bias) with the exact erf; x becomes the slope GELU'(x + bias). bias NULL: none.
     */
    void (*bias_gelu)(size_t n_row, size_t n_col, float *x, const float *bias, float *y);
    /* x *= y */
    void (*multiply)(size_t n, float *x, const float *y);
    /* x *= y, and adds the sums over its rows to sum [n_col], as column_sum does. */
    void (*multiply_and_sum)(size_t n_row, size_t n_col, float *x, const float *y, float *sum);
    /* x = x y + z */
    void (*multiply_add)(size_t n, float *x, const float *y, const float *z);
    /* x += y */
    void (*add)(size_t n, float *x, const float *y);
    /* Every row of y = x's row (NULL: 0) + bias. */
    void (*fill_rows)(size_t n_row, size_t n_col, const float *x, const float *bias, float *y);
    /* Adds the sum over rows to sum [n_col]; partial sums of 16 rows are carried on in double. */
    void (*column_sum)(size_t n_row, size_t n_col, const float *x, size_t ld, float *sum);
    /* transposed [n_col,ldt] of x [n_row,n_col]; columns from n_row on become 0. */
    void (*transpose)(size_t n_row, size_t n_col, const float *x, size_t ld, float *transposed,
                      size_t ldt);

    /* s [n_row,ld] = softmax over columns of scale s + bias; bias [n_row,ldb] or NULL. Row i sees
     * its first min(n_col, visible + i * visible_step) columns; the others become 0, and so does a
     * row that sees none. ld is a multiple of SOFTMAX_STRETCH, at least n_col. */
    void (*softmax_forward)(size_t n_row, size_t n_col, float scale, const float *bias, size_t ldb,
                            size_t visible, size_t visible_step, float *s, size_t ld);
    /* dp [n_row,ld] becomes scale p (dp - sum_j p_j dp_j): scale times the gradient of the scores.
     * Columns behind the last are 0 in p, and finite in dp. */
    void (*softmax_backward)(size_t n_row, size_t ld, float scale, const float *p, float *dp);
    /* Dot product over rows of two strided matrices, in double. */
    double (*dot)(size_t n_row, size_t n_col, const float *a, size_t lda, const float *b,
                  size_t ldb);

    /* Fills mask [n_row,n_col]. */
    void (*dropout_mask)(size_t n_row, size_t n_col, const struct dropout_law *law,
                         size_t first_row, float *mask);
    /* x *= mask, y *= mask, with the mask that dropout_mask would fill. */
    void (*dropout_both)(size_t n_row, size_t n_col, const struct dropout_law *law,
                         size_t first_row, float *x, float *y);

    /* sum = sum over lanes, in order, of parts[lane][at .. at+n-1]; returns the sum of squares of
     * sum. */
    double (*sum_lanes)(size_t n, size_t n_lane, const float *const *parts, size_t at, float *sum);
    /* One Adam update of n parameters. decay 1: no weight decay. */
    void (*adam)(size_t n, const struct adam_update *update, float decay, float *param,
                 const float *grad, float *m, float *v);
};

/* kernels_active returns the table of the best level that this processor and the build have. */
const struct kernels *kernels_active(void);

/* kernels_at returns the i-th level usable on this processor, best last; NULL past it. For tests.
 */
const struct kernels *kernels_at(size_t i);

/* kernels_use makes kernels_active return a table of kernels_at from now on, NULL: the best one
 * again. For measuring how much a level matters; not while anything computes. */
void kernels_use(const struct kernels *kernels);

/* kernels_level is kernels_active()->level. */
const char *kernels_level(void);

#endif

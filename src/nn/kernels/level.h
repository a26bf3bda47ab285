/* level: the SIMD level that a kernel file is compiled for, its name tag and its vector. Private to
 * the kernels.
 */
#ifndef QKVLAB_NN_KERNELS_LEVEL_H
#define QKVLAB_NN_KERNELS_LEVEL_H

#include <string.h>

#include "nn/kernels/kernels.h"

#define LEVEL_PASTE(a, b) a##b
#define LEVEL_NAME(prefix, level) LEVEL_PASTE(prefix, level)
#define LEVEL_QUOTE(x) #x
#define LEVEL_TEXT(level) LEVEL_QUOTE(level)

/* Floats of a vector register. */
#if defined(__AVX512F__)
#define VECTOR 16
#elif defined(__AVX2__)
#define VECTOR 8
#else
#define VECTOR 4
#endif

typedef float vector __attribute__((vector_size(VECTOR * sizeof(float))));

static inline __attribute__((always_inline)) vector load(const float *x)
{
    vector v;
    memcpy(&v, x, sizeof v);
    return v;
}

static inline __attribute__((always_inline)) void store(float *x, vector v)
{
    memcpy(x, &v, sizeof v);
}

/* Defined by product.c and dropout.c of the same level. */
extern const struct product_kernels LEVEL_NAME(product_kernels_, KERNEL_LEVEL);
void LEVEL_NAME(dropout_mask_, KERNEL_LEVEL)(size_t n_row, size_t n_col,
                                             const struct dropout_law *law, size_t first_row,
                                             float *mask);
void LEVEL_NAME(dropout_both_, KERNEL_LEVEL)(size_t n_row, size_t n_col,
                                             const struct dropout_law *law, size_t first_row,
                                             float *x, float *y);

#endif

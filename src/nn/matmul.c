#include "nn/matmul.h"

#include "nn/kernels/kernels.h"

void matmul_nn(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b, size_t ldb,
               bool accumulate, float *c, size_t ldc)
{
    kernels_active()->product->nn(m, n, k, a, lda, b, ldb, accumulate, c, ldc);
}

void matmul_tn(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b, size_t ldb,
               bool accumulate, float *c, size_t ldc)
{
    kernels_active()->product->tn(m, n, k, a, lda, b, ldb, accumulate, c, ldc);
}

size_t matmul_packed_size(size_t n, size_t k)
{
    return (n + PRODUCT_MAX_PANEL - 1) / PRODUCT_MAX_PANEL * PRODUCT_MAX_PANEL * k;
}

void matmul_pack(size_t n, size_t k, const float *b, size_t row, size_t column, float *packed)
{
    kernels_active()->product->pack(n, k, b, row, column, packed);
}

void matmul_packed(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *packed,
                   const float *bias, const float *base, float *c, size_t ldc)
{
    kernels_active()->product->packed(m, n, k, a, lda, packed, bias, base, c, ldc);
}

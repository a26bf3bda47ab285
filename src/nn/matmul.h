/* matmul: the three matrix products that training needs, on one thread.
 *
 * C [m,n] = alpha op(A) op(B) + beta C, row-major with leading dimensions; with beta 0, C is only
 * written. nn: A [m,k], B [k,n].   tn: A [k,m], B [k,n].   nt: A [m,k], B [n,k]. The engine prefers
 * nn and tn: they read rows of B, which small products do fastest.
 */
#ifndef QKVLAB_NN_MATMUL_H
#define QKVLAB_NN_MATMUL_H

#include <stddef.h>

void matmul_nn(size_t m, size_t n, size_t k, float alpha, const float *a, size_t lda,
               const float *b, size_t ldb, float beta, float *c, size_t ldc);
void matmul_tn(size_t m, size_t n, size_t k, float alpha, const float *a, size_t lda,
               const float *b, size_t ldb, float beta, float *c, size_t ldc);
void matmul_nt(size_t m, size_t n, size_t k, float alpha, const float *a, size_t lda,
               const float *b, size_t ldb, float beta, float *c, size_t ldc);

#endif

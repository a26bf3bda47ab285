/* matmul: the matrix products that training needs, on the calling thread.
 *
 * C [m,n] = op(A) B, or C += with accumulate; row-major with leading dimensions. Without accumulate
 * C is only written, whatever it held. nn: A [m,k], B [k,n].   tn: A [k,m], B [k,n].
 *
 * They are our own kernel (kernels/product.c), which on the sizes of small transformers is faster
 * than a general library, and whose sums are the same whatever BLAS is installed.
 */
#ifndef QKVLAB_NN_MATMUL_H
#define QKVLAB_NN_MATMUL_H

#include <stdbool.h>
#include <stddef.h>

void matmul_nn(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b, size_t ldb,
               bool accumulate, float *c, size_t ldc);
void matmul_tn(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b, size_t ldb,
               bool accumulate, float *c, size_t ldc);

/* A B that is used many times is packed once: matmul_packed_size returns the floats it takes,
 * matmul_pack reads B[l,j] = b[l row + j column]. matmul_packed is C = A B + bias + base: bias [n]
 * is added to every row, base [m,ldc] may be C itself; NULL: nothing. */
size_t matmul_packed_size(size_t n, size_t k);
void matmul_pack(size_t n, size_t k, const float *b, size_t row, size_t column, float *packed);
void matmul_packed(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *packed,
                   const float *bias, const float *base, float *c, size_t ldc);

#endif

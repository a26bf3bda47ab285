/* dense: the little linear algebra that identities.c needs, in double precision: products, solving
 * and random matrices of a given condition.
 *
 * All matrices are row-major. Nothing is fast; nothing is used while training.
 */
#ifndef QKVLAB_NN_DENSE_H
#define QKVLAB_NN_DENSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/rng.h"

/* c [n,m] = a [n,k] b [k,m]; dense_product_transposed: b is [m,k] and enters transposed. */
void dense_product(size_t n, size_t k, size_t m, const double *a, const double *b, double *c);
void dense_product_transposed(size_t n, size_t k, size_t m, const double *a, const double *b,
                              double *c);

/* dense_divide_right replaces b [n,n] by b w^-1 (Gaussian elimination with row pivots) and destroys
 * w [n,n]. false: w is singular. */
bool dense_divide_right(size_t n, double *b, double *w);

/* dense_norm returns the Frobenius norm. */
double dense_norm(const double *a, size_t n);

/* dense_identity writes the n x n unit matrix. */
void dense_identity(double *a, size_t n);

/* dense_random_orthogonal fills q [n,n] with a random orthogonal matrix. */
void dense_random_orthogonal(size_t n, struct rng rng, double *q);

/* dense_random_condition fills w [n,n] with U diag(s) V, U and V random orthogonal, s falling in
 * equal ratios from 1 to 1 / condition. scratch holds 2 n^2 doubles. */
void dense_random_condition(size_t n, double condition, struct rng left, struct rng right,
                            double *scratch, double *w);

#endif

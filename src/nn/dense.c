#include "nn/dense.h"

#include <math.h>
#include <string.h>

void dense_product(size_t n, size_t k, size_t m, const double *a, const double *b, double *c)
{
    memset(c, 0, n * m * sizeof *c);
    for (size_t i = 0; i < n; i++) {
        for (size_t l = 0; l < k; l++) {
            for (size_t j = 0; j < m; j++) {
                c[i * m + j] += a[i * k + l] * b[l * m + j];
            }
        }
    }
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

void dense_product_transposed(size_t n, size_t k, size_t m, const double *a, const double *b,
                              double *c)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++) {
            c[i * m + j] = dot(a + i * k, b + j * k, k);
        }
    }
}

/* ---- solving ---- */

static void transpose(double *a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            double kept = a[i * n + j];
            a[i * n + j] = a[j * n + i];
            a[j * n + i] = kept;
        }
    }
}

static void swap_rows(double *a, size_t n, size_t i, size_t j)
{
    for (size_t c = 0; c < n; c++) {
        double kept = a[i * n + c];
        a[i * n + c] = a[j * n + c];
        a[j * n + c] = kept;
    }
}

/* add_row adds factor times row i to row j. */
static void add_row(double *a, size_t n, size_t i, size_t j, double factor)
{
    for (size_t c = 0; c < n; c++) {
        a[j * n + c] += factor * a[i * n + c];
    }
}

static size_t largest_below(const double *a, size_t n, size_t p)
{
    size_t pivot = p;
    for (size_t i = p + 1; i < n; i++) {
        if (fabs(a[i * n + p]) > fabs(a[pivot * n + p])) {
            pivot = i;
        }
    }
    return pivot;
}

/* X w = b is w^T X^T = b^T: row operations make the unit matrix of w^T and X^T of b^T. */
bool dense_divide_right(size_t n, double *b, double *w)
{
    double smallest = 1e-300 * dense_norm(w, n * n);
    transpose(b, n);
    transpose(w, n);
    for (size_t p = 0; p < n; p++) {
        size_t pivot = largest_below(w, n, p);
        if (!(fabs(w[pivot * n + p]) > smallest)) {
            return false;
        }
        swap_rows(w, n, p, pivot);
        swap_rows(b, n, p, pivot);
        for (size_t i = p + 1; i < n; i++) {
            double factor = -w[i * n + p] / w[p * n + p];
            add_row(w, n, p, i, factor);
            add_row(b, n, p, i, factor);
        }
    }
    for (size_t p = n; p-- > 0;) {
        for (size_t c = 0; c < n; c++) {
            b[p * n + c] /= w[p * n + p];
        }
        for (size_t i = 0; i < p; i++) {
            add_row(b, n, p, i, -w[i * n + p]);
        }
    }
    transpose(b, n);
    return true;
}

double dense_norm(const double *a, size_t n)
{
    return sqrt(dot(a, a, n));
}

/* ---- particular matrices ---- */

void dense_identity(double *a, size_t n)
{
    memset(a, 0, n * n * sizeof *a);
    for (size_t i = 0; i < n; i++) {
        a[i * n + i] = 1.0;
    }
}

/* Gram-Schmidt on rows of normal numbers; twice, since once leaves a rest. */
void dense_random_orthogonal(size_t n, struct rng rng, double *q)
{
    for (size_t i = 0; i < n; i++) {
        double *row = q + i * n;
        for (size_t j = 0; j < n; j++) {
            row[j] = rng_normal(rng, i * n + j);
        }
        for (int pass = 0; pass < 2; pass++) {
            for (size_t k = 0; k < i; k++) {
                double along = dot(row, q + k * n, n);
                for (size_t j = 0; j < n; j++) {
                    row[j] -= along * q[k * n + j];
                }
            }
            double length = dense_norm(row, n);
            for (size_t j = 0; j < n; j++) {
                row[j] /= length;
            }
        }
    }
}

void dense_random_condition(size_t n, double condition, struct rng left, struct rng right,
                            double *scratch, double *w)
{
    double *u = scratch, *v = scratch + n * n;
    dense_random_orthogonal(n, left, u);
    dense_random_orthogonal(n, right, v);
    for (size_t i = 0; i < n; i++) {
        double singular = n > 1 ? pow(condition, -(double)i / (double)(n - 1)) : 1.0;
        for (size_t j = 0; j < n; j++) {
            v[i * n + j] *= singular;
        }
    }
    dense_product(n, n, n, u, v, w);
}

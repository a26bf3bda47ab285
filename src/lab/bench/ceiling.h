/* ceiling: the rate of matrix products that all threads together reach on this machine, by
 * OpenBLAS. Part of bench.
 */
#ifndef QKVLAB_LAB_CEILING_H
#define QKVLAB_LAB_CEILING_H

#include <stddef.h>

#include "base/status.h"
#include "nn/blas.h"

struct ceiling {
    const struct blas *blas;
    int threads;
    float *a, *b; /* [1024,1024], read by all threads */
    float **c;    /* [threads] of [1024,1024] */
};

/* ceiling_create loads and tests the library first. Caller frees with ceiling_free, also on
 * failure. */
enum status ceiling_create(struct ceiling *ceiling, int threads, struct error *err);
void ceiling_free(struct ceiling *ceiling);

/* ceiling_measure returns FLOP a second: the best of a few products on every thread at once. */
double ceiling_measure(struct ceiling *ceiling);

#endif

/* blas: OpenBLAS, loaded where it is used and nowhere else.
 *
 * No training step calls it: products of the engine are its own (kernels/product.c). It is the rate
 * that `qkvlab bench` compares with, and selftest checks it before that. It is loaded at run time,
 * so that no other command needs it, and so that it starts no threads of its own: they would have
 * to be forbidden before the library is there.
 */
#ifndef QKVLAB_NN_BLAS_H
#define QKVLAB_NN_BLAS_H

#include <cblas.h>

#include "base/status.h"

struct blas {
    /* On the calling thread alone. Never in two threads at once: the serial build takes the buffer
     * of a product without a lock, and both would get the same. */
    __typeof__(cblas_sgemm) *sgemm;
    const char *config; /* "OpenBLAS 0.3.21 NO_LAPACKE ..." */
    const char *core;   /* the processor that its kernels are for, "Haswell" */
};

/* blas_load loads the library, once, with one thread a call. From then on OpenMP regions of this
 * thread that state no number of threads have one. Errors: STATUS_FAILED where there is none. */
enum status blas_load(const struct blas **blas, struct error *err);

#endif

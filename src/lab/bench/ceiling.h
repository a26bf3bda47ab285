/* ceiling: the rate of matrix products that as many processes at once as there are threads reach on
 * this machine, by OpenBLAS. Part of bench.
 *
 * Processes, since OpenBLAS' serial build must not be called by two threads at once: it hands out
 * its buffers without a lock.
 */
#ifndef QKVLAB_LAB_CEILING_H
#define QKVLAB_LAB_CEILING_H

#include "base/status.h"

struct ceiling {
    int n_process;                   /* begun so far */
    struct ceiling_process *process; /* [n_process], private */
};

/* ceiling_create loads and tests the library and begins the processes, which then wait. Caller
 * frees with ceiling_free, also on failure. */
enum status ceiling_create(struct ceiling *ceiling, int threads, struct error *err);
void ceiling_free(struct ceiling *ceiling);

/* ceiling_measure returns FLOP a second: the best of a few products in every process at once. NaN
 * where one of them was killed. */
double ceiling_measure(const struct ceiling *ceiling);

#endif

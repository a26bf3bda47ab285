/* selftest: does this machine, with this BLAS and these kernels, compute what the engine relies on?
 *
 * Run by `qkvlab selftest` (all checks, seconds) and, in a few milliseconds, at every start of a
 * training.
 */
#ifndef QKVLAB_NN_SELFTEST_H
#define QKVLAB_NN_SELFTEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct selftest_result {
    const char *name; /* "matrix products", ... */
    const char *what; /* one line: what was measured */
    double measured;  /* in the unit of bound */
    double bound;     /* the check passes while measured <= bound */
    bool passed;
    char detail[160]; /* where the worst was, or what differed */
};

/* selftest_run makes the i-th check. Returns false past the last one. */
bool selftest_run(size_t i, struct selftest_result *result);

/* selftest_blas checks small products of odd shapes, all transposes, beta = 0 into NaN. A few
 * milliseconds. STATUS_FAILED names library, version and core. */
enum status selftest_blas(struct error *err);

#endif

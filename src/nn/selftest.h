/* selftest: does this machine, with these kernels, compute what the engine relies on? And OpenBLAS
 * what bench compares with?
 *
 * Run by `qkvlab selftest` (all checks, seconds) and, in a few milliseconds, at every start of a
 * training (products) and of bench (OpenBLAS too).
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
    bool is_of_bench; /* training does not rely on it */
    char detail[160]; /* where the worst was, or what differed */
};

/* selftest_run makes the i-th check. Returns false past the last one. */
bool selftest_run(size_t i, struct selftest_result *result);

/* selftest_products checks small products of odd shapes into NaN, in a few milliseconds;
 * selftest_blas those of OpenBLAS, all transposes, with beta = 0. STATUS_FAILED names the kernels,
 * or the library, its version and core. */
enum status selftest_products(struct error *err);
enum status selftest_blas(struct error *err);

#endif

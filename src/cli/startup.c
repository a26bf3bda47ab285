#include "cli/startup.h"

#include <cblas.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/threads.h"
#include "nn/selftest.h"

#define BLAS_THREADS "OPENBLAS_NUM_THREADS"
#define SELF "/proc/self/exe"

void startup_single_blas(char **argv)
{
    /* What the OpenMP build asks before every product; the engine's own parallel regions state
     * their number of threads. */
    omp_set_num_threads(1);
    if (openblas_get_parallel() == OPENBLAS_SEQUENTIAL) {
        return;
    }
    const char *pinned = getenv(BLAS_THREADS);
    if (pinned && strcmp(pinned, "1") == 0) {
        return;
    }
    /* Once: the new process finds the variable set. */
    if (setenv(BLAS_THREADS, "1", 1) == 0) {
        execv(SELF, argv);
    }
    openblas_set_num_threads(1); /* the pool stays, but idle */
}

enum status startup_compute(struct error *err)
{
    threads_flush_denormals();
    return selftest_blas(err);
}

const char *startup_binary(struct error *err)
{
    if (access(SELF, X_OK) == 0) {
        return SELF;
    }
    error_set(err, STATUS_FAILED,
              "cannot find this program's own file (%s), which --jobs needs; leave --jobs out",
              SELF);
    return NULL;
}

#include "cli/startup.h"

#include <cblas.h>
#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/threads.h"
#include "nn/selftest.h"

#define BLAS_THREADS "OPENBLAS_NUM_THREADS"
#define SELF "/proc/self/exe"

/* BLAS builds with threads start their pool when they are loaded, unless told not to. */
static bool pin_blas(void)
{
    if (openblas_get_parallel() == OPENBLAS_SEQUENTIAL) {
        return false;
    }
    const char *pinned = getenv(BLAS_THREADS);
    bool is_pinned = pinned && strcmp(pinned, "1") == 0;
    return !is_pinned && setenv(BLAS_THREADS, "1", 1) == 0;
}

/* A thread at a barrier looks about this often before it sleeps. GNU OpenMP's own number is a
 * hundred times as large; where another program wants the processor too, it makes a step ten times
 * as slow. */
static bool limit_spinning(void)
{
    bool chosen = getenv("OMP_WAIT_POLICY") != NULL || getenv("GOMP_SPINCOUNT") != NULL;
    return !chosen && setenv("GOMP_SPINCOUNT", "5000", 0) == 0;
}

void startup_environment(char **argv)
{
    /* What the OpenMP build of OpenBLAS asks before every product; the engine's own parallel
     * regions state their number of threads. */
    omp_set_num_threads(1);
    bool pinned = pin_blas(), limited = limit_spinning();
    if (pinned || limited) {
        execv(SELF, argv); /* once: the new process finds the variables set */
    }
    if (openblas_get_parallel() != OPENBLAS_SEQUENTIAL) {
        openblas_set_num_threads(1); /* not restarted: the pool stays, but idle */
    }
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

#include "cli/startup.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/threads.h"
#include "nn/selftest.h"

#define SELF "/proc/self/exe"

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
    if (limit_spinning()) {
        execv(SELF, argv); /* once: the new process finds the variable set */
    }
}

enum status startup_compute(struct error *err)
{
    threads_flush_denormals();
    return selftest_products(err);
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

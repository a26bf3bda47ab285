/* startup: what must be true of the process before anything computes. */
#ifndef QKVLAB_CLI_STARTUP_H
#define QKVLAB_CLI_STARTUP_H

#include "base/status.h"

/* startup_single_blas sees to it that OpenBLAS has no threads of its own: the pthread and OpenMP
 * builds start a pool when they are loaded, and only the environment can prevent that, so the
 * process starts itself once more. Call it first; argv is main's. Returns where that is not needed
 * or not possible. */
void startup_single_blas(char **argv);

/* startup_compute prepares the calling thread and checks, in milliseconds, that the BLAS library
 * multiplies correctly. Call it before training. STATUS_FAILED names library, version and core. */
enum status startup_compute(struct error *err);

/* startup_binary returns the path of this very program, for processes that it starts. Errors
 * (NULL): STATUS_FAILED where the system does not tell. */
const char *startup_binary(struct error *err);

#endif

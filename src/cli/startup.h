/* startup: what must be true of the process before anything computes. */
#ifndef QKVLAB_CLI_STARTUP_H
#define QKVLAB_CLI_STARTUP_H

#include "base/status.h"

/* startup_environment sets what OpenBLAS and OpenMP read from the environment when they are loaded,
 * and starts the process once more where something was missing: no threads of OpenBLAS's own (its
 * pthread and OpenMP builds start a pool), and short spinning at barriers, so that a busy machine
 * does not slow training tenfold. Call it first; argv is main's. Returns where that is not needed
 * or not possible. */
void startup_environment(char **argv);

/* startup_compute prepares the calling thread and checks, in milliseconds, that the BLAS library
 * multiplies correctly. Call it before training. STATUS_FAILED names library, version and core. */
enum status startup_compute(struct error *err);

/* startup_binary returns the path of this very program, for processes that it starts. Errors
 * (NULL): STATUS_FAILED where the system does not tell. */
const char *startup_binary(struct error *err);

#endif

/* startup: what must be true of the process before anything computes. */
#ifndef QKVLAB_CLI_STARTUP_H
#define QKVLAB_CLI_STARTUP_H

#include "base/status.h"

/* startup_environment limits how long threads spin at barriers, so that a busy machine does not
 * slow training tenfold. OpenMP reads that from the environment when it is loaded, so the process
 * starts once more where nothing was set. Call it first; argv is main's. Returns where that is not
 * needed or not possible. */
void startup_environment(char **argv);

/* startup_compute prepares the calling thread and checks, in milliseconds, that products are right.
 * Call it before training. STATUS_FAILED names the kernels. */
enum status startup_compute(struct error *err);

/* startup_binary returns the path of this very program, for processes that it starts. Errors
 * (NULL): STATUS_FAILED where the system does not tell. */
const char *startup_binary(struct error *err);

#endif

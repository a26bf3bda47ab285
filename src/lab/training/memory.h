/* memory: what a run will take, before it is made.
 */
#ifndef QKVLAB_LAB_MEMORY_H
#define QKVLAB_LAB_MEMORY_H

#include <stddef.h>

#include "lab/config/config.h"

/* What the program itself holds: code and libraries. Measured; it differs
 * by a few MiB between builds of the libraries. */
#define MEMORY_PROCESS ((size_t)8 << 20)

/* memory_of_run returns the bytes that the process of a resolved configuration's run holds at its
 * peak; threads 0: threads_available(). */
size_t memory_of_run(const struct config *config, int threads);

#endif

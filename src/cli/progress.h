/* progress: how far a sweep is, on stderr. A bar with the time left on a terminal; elsewhere one
 * plain line every few seconds, so that a log stays short.
 */
#ifndef QKVLAB_CLI_PROGRESS_H
#define QKVLAB_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "lab/config/config.h"

struct progress;

/* progress_create borrows configs [n_run], of which n_place are made at a time. quiet: only notes
 * are printed. Returns NULL when out of memory. Caller frees with progress_free. */
struct progress *progress_create(const struct config *configs, size_t n_run, size_t n_place,
                                 bool quiet);
void progress_free(struct progress *progress);

/* progress_skip: a run needs no work. progress_begin: it begins. progress_step: it is at a step;
 * not told of runs in other processes. progress_end: it ended. */
void progress_skip(struct progress *progress, size_t index);
void progress_begin(struct progress *progress, size_t index);
void progress_step(struct progress *progress, size_t index, size_t step, size_t n_step,
                   double loss);
void progress_end(struct progress *progress, size_t index);

/* progress_tick shows the state although no step was reported (runs in other processes). */
void progress_tick(struct progress *progress);

/* progress_note prints one line without disturbing the bar; also when quiet. */
void progress_note(struct progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* progress_clear removes the bar. */
void progress_clear(struct progress *progress);

/* progress_seconds returns the time since progress_create. */
double progress_seconds(const struct progress *progress);

/* progress_duration writes "45 s", "3 min 12 s" or "2 h 05 min". */
#define DURATION_SIZE 32
void progress_duration(double seconds, char text[DURATION_SIZE]);

#endif

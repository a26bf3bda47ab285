/* time_left: how much longer a sweep takes, from the runs that have ended and the sizes of the
 * others. A run's size is its nominal FLOP, training and evaluation; a place for a run at a time
 * makes as many a second as the runs showed that have ended or tell how far they are.
 */
#ifndef QKVLAB_LAB_TIME_LEFT_H
#define QKVLAB_LAB_TIME_LEFT_H

#include <stddef.h>

#include "lab/config/config.h"

struct time_left;

/* time_left_create is for configs [n_run], n_place of them at a time. Returns NULL when out of
 * memory. Caller frees with time_left_free. */
struct time_left *time_left_create(const struct config *configs, size_t n_run, size_t n_place);
void time_left_free(struct time_left *left);

/* Times are in seconds of any clock. _begin: a run begins. _reach: that share of its training is
 * done. _end: it has ended. _skip: it needs no work. */
void time_left_begin(struct time_left *left, size_t run, double now);
void time_left_reach(struct time_left *left, size_t run, double share);
void time_left_end(struct time_left *left, size_t run, double now);
void time_left_skip(struct time_left *left, size_t run);

/* time_left_seconds returns the time until all have ended; NaN before anything is known. */
double time_left_seconds(const struct time_left *left, double now);

/* time_left_share returns the share of the work, skipped runs apart, that is done. */
double time_left_share(const struct time_left *left, double now);

#endif

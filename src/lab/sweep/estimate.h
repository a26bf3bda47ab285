/* estimate: how long runs will take on this machine as it is now, from a few seconds of training.
 *
 * Models are of one group where what decides how fast a FLOP is agrees: task, width, tokens, heads,
 * score term, query, norms, dropout. Of each group the smallest model is timed at real training
 * steps (see bench.h), as many models at a time as there will be runs, because processors share
 * caches and clocks. A run costs its nominal FLOP at the rate of its group, or of the nearest one
 * that was timed.
 */
#ifndef QKVLAB_LAB_ESTIMATE_H
#define QKVLAB_LAB_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/contention.h"
#include "base/status.h"
#include "lab/config/config.h"

struct estimator {
    int threads;    /* of each run */
    size_t n_place; /* runs at a time that processors can make */
    struct estimate_group *group;
    size_t n_group, n_timed;
    struct contention since; /* since estimator_make, */
    double others; /* the share of the processors that other programs took; NaN: unknown */
};

/* estimate_threads returns the threads of each of `jobs` runs (at least 1) that are made at a time
 * with `threads` in all; 0: threads_available(). */
int estimate_threads(int threads, size_t jobs);

/* estimator_make is for runs of `threads` threads, `jobs` at a time. Caller frees with
 * estimator_free. */
struct estimator estimator_make(int threads, size_t jobs);
void estimator_free(struct estimator *estimator);

/* Runs that are done [n] take part in nothing below; NULL: none is.
 *
 * estimator_time times the groups of configs [n] that were not timed before, for about so many
 * seconds: those that most of the work is in come first, and at least one is timed. A group whose
 * step would take long stays untimed. It may be called again for other configurations.
 * STATUS_MEMORY. */
enum status estimator_time(struct estimator *estimator, const struct config *configs,
                           const bool *done, size_t n, double seconds, struct error *err);

/* estimator_run_seconds returns the time of one run, from its start to its end, pictures included.
 */
double estimator_run_seconds(const struct estimator *estimator, const struct config *config);

/* A range of seconds: machines have other things to do, too. */
struct estimate {
    double low, high;
};

/* estimator_sweep returns the time of all runs together. */
struct estimate estimator_sweep(const struct estimator *estimator, const struct config *configs,
                                const bool *done, size_t n);

/* estimate_run_flop returns the nominal FLOP of a run: training, and evaluation as often as it
 * comes. */
double estimate_run_flop(const struct config *config);

#endif

/* estimate: how long runs will take on this machine, from a few seconds of trying, if nothing
 * else is at work on it.
 *
 * Configurations are grouped by what decides how fast a FLOP is: kind of input, width, tokens,
 * heads, score term, query. Of each group the smallest model makes some real training steps, on
 * batches of nothing in particular; all its runs cost their nominal FLOP at that rate. Groups come
 * in the order of their share of a sweep's work, and those for which no time is left take the rate
 * of the nearest that was measured. Where several runs are made at a time, so many models are
 * trained at a time, because processors share caches and clocks.
 */
#ifndef QKVLAB_LAB_ESTIMATE_H
#define QKVLAB_LAB_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "lab/config/config.h"

struct estimator;

struct estimate_options {
    int threads;    /* of each run; 0: threads_available() / jobs, at least 1 */
    size_t jobs;    /* runs at a time; 0: one */
    double seconds; /* for measuring, about; a step that would take long is not made */
    /* Several sweeps that are asked for one by one: configs up to each end are one. NULL: one. */
    const size_t *end; /* [n_sweep] */
    size_t n_sweep;
};

/* estimator_create measures for configs [n], which may then be asked for. Caller frees with
 * estimator_free, also on failure. STATUS_MEMORY. */
enum status estimator_create(struct estimator **estimator, const struct config *configs, size_t n,
                             const struct estimate_options *options, struct error *err);
void estimator_free(struct estimator *estimator);

/* How much was measured. */
size_t estimator_n_group(const struct estimator *estimator);
size_t estimator_n_measured(const struct estimator *estimator);

/* estimator_others returns the share of the processors that other programs took meanwhile, see
 * base/contention.h; NaN: unknown. */
double estimator_others(const struct estimator *estimator);

/* estimator_slowdown returns how many times longer than on an idle machine steps took meanwhile. */
double estimator_slowdown(const struct estimator *estimator);

/* estimator_run_seconds returns the time of one run, from its start to its end, while as many
 * others are made as options said. */
double estimator_run_seconds(const struct estimator *estimator, const struct config *config);

/* estimate_run_flop returns the nominal FLOP of a run: training, and evaluation as often as it
 * comes.
 */
double estimate_run_flop(const struct config *config);

/* A range of seconds: machines have other things to do, too. */
struct estimate {
    double low, high;
};

/* estimator_sweep returns the time of all runs together, jobs at a time. */
struct estimate estimator_sweep(const struct estimator *estimator, const struct config *configs,
                                size_t n);

#endif

/* bench: how fast whole training steps are, as a share of what this machine's matrix products
 * reach.
 *
 * The ceiling is the best rate of as many processes as there are threads, multiplying 1024 x 1024
 * matrices with single-threaded OpenBLAS at the same time. It is measured before every measurement
 * of a model, so that a machine that changes its speed meanwhile changes both. The FLOP of a step
 * are nominal: 3 x 2 x the multiplications of a forward pass over full T x T attention, whatever
 * the engine saves.
 */
#ifndef QKVLAB_LAB_BENCH_H
#define QKVLAB_LAB_BENCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "lab/config/config.h"

/* A model shape of the standard list, as configuration settings. A new one is one row in bench.c.
 */
#define BENCH_MAX_SET 8
struct bench_shape {
    const char *name;
    const char *set[BENCH_MAX_SET]; /* "key=value", ends at the first NULL */
};
const struct bench_shape *bench_shape_at(size_t i); /* NULL past the last */

struct bench_options {
    int threads;    /* 0: threads_available() */
    size_t n_round; /* alternations between ceiling and models, at least 1 */
    double seconds; /* of measuring for each model, over all rounds; at least a step a round */
    bool ceiling;   /* false: neither the ceiling nor where the time of a step goes */
    void *context;  /* of the hooks, which may be NULL */
    void (*round)(void *context, size_t round, size_t n_round); /* a round begins */
    int (*stop)(void *context); /* a signal number that asks to stop, 0: none */
};

struct bench_spread {
    double median, min, max;
};

/* Where the time of a step goes: enum profile_part, and the preparation of the batch. */
#define BENCH_DATA PROFILE_COUNT
#define BENCH_PART_COUNT (PROFILE_COUNT + 1)

struct bench_result {
    double flop;                   /* of a step, nominal */
    size_t n_sequence;             /* of a batch */
    size_t n_step;                 /* measured */
    struct bench_spread seconds;   /* of a step; over rounds, each the median of its steps */
    double mean;                   /* seconds of a step, those included that others disturbed */
    double part[BENCH_PART_COUNT]; /* shares of the threads' time, sum 1; without ceiling 0 */
};

/* bench_run measures n models; results [n].
 * *ceiling is in FLOP a second, over all its measurements: the ceiling is their maximum (NaN where
 * it was not asked for). STATUS_INTERRUPTED: the stop hook said so. */
enum status bench_run(const struct config *configs, size_t n, const struct bench_options *options,
                      struct bench_result *results, struct bench_spread *ceiling,
                      struct error *err);

/* bench_memory returns the bytes that bench_run allocates for one model. */
size_t bench_memory(const struct config *config, int threads);

/* bench_flop returns the nominal FLOP of one training step on n_sequence sequences. */
double bench_flop(const struct config *config, size_t n_sequence);

/* bench_spread_of sorts values [n], n >= 1. The median of an even number is the mean of the middle
 * two. */
struct bench_spread bench_spread_of(double *values, size_t n);

#endif

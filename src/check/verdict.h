/* verdict: what a check finds, as a list of differences. The tiers (tier.h) fill it; nothing is
 * trained or printed here.
 *
 * A failed allocation is kept (verdict->failed) and told by tier_compare.
 */
#ifndef QKVLAB_CHECK_VERDICT_H
#define QKVLAB_CHECK_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "check/traces.h"

/* One thing that differs. Numbers that do not apply are NaN. */
struct difference {
    const char *cohort;     /* its name, borrowed from the old traces */
    char what[160];         /* "loss", "gradient of head.weight", "escape step" */
    long step;              /* the first one at which it differs; -1: of the whole training */
    double expected, found; /* there; means over seeds in the band tier */
    double size, limit;     /* of the difference, and what is allowed: paired */
    double p;               /* band */
    size_t n_seed, n_of;    /* so many of so many seeds differ; 0 in the band tier */
    struct text text;       /* all of it as a sentence without a full stop */
};

/* difference_make has no numbers yet and an empty sentence; what: printf style. */
struct difference difference_make(const struct cohort *old, long step, const char *what, ...)
    __attribute__((format(printf, 3, 4)));

/* A row of the band tier: the mean of a curve over a stretch of steps, or a number of the training
 * as a whole. */
struct band_row {
    size_t cohort;          /* of the old traces */
    enum trace_curve curve; /* CURVE_COUNT: a number */
    const char *name;       /* "loss", "escape step" */
    bool is_log;            /* means are of logarithms */
    bool whole;             /* a number, or the mean of all steps, rather than of a stretch */
    size_t first, last;     /* steps; of a number all */
    double old, new;        /* means over the seeds */
    double half;            /* half the width of the simultaneous band for new, around old */
    double statistic, p;    /* p is adjusted for all rows together */
    /* Where a training diverged, or a value is infinite, a very large one stands in: p is right,
     * but the means are not to be told. */
    bool after_divergence;
    size_t n_infinite_old, n_infinite_new; /* traces with such a value */
};

struct verdict {
    const struct tier *tier;
    struct difference *difference; /* [n_difference], the most telling one first */
    size_t n_difference;
    size_t n_cohort, n_trace; /* compared */
    struct text note;         /* what was left out; data is NULL where nothing was */
    /* of the band tier */
    double p;              /* of all rows together; else NaN */
    size_t n_old, n_new;   /* seeds */
    size_t n_relabelling;  /* 0: not the band tier */
    struct band_row *band; /* [n_band] */
    size_t n_band;
    bool failed;
};

void verdict_free(struct verdict *verdict);

/* verdict_add appends a difference, and owns its sentence then. */
void verdict_add(struct verdict *verdict, const struct difference *difference);

/* verdict_sort puts the earliest difference first, and those of the whole training last. */
void verdict_sort(struct verdict *verdict);

#endif

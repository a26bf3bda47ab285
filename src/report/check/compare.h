/* compare: what differs between a baseline and new runs, in one of three tiers. Pure: two baselines
 * in, differences out; nothing trains, nothing prints.
 *
 *     exact    the same seeds on the same class of machine by the same build: every bit must agree
 *     paired   the same seeds by the same engine, elsewhere: curves agree to rounding, within the
 *              tolerance that the baseline brings along
 *     band     other seeds, or another program: do the new curves come from where the old ones do?
 *              A permutation test; see compare_band.c
 */
#ifndef QKVLAB_REPORT_COMPARE_H
#define QKVLAB_REPORT_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "lab/baseline/baseline.h"

enum tier { TIER_EXACT, TIER_PAIRED, TIER_BAND, TIER_COUNT };

/* tier_name returns "exact", ... */
const char *tier_name(enum tier tier);

/* A check of the band tier alarms where p is at most this. It is the share of false alarms over
 * pairs of a baseline and new seeds, of runs that neither diverge nor end early. To check one
 * baseline twice with the same seeds is to see the same answer twice. */
#define COMPARE_LEVEL 0.01

#define COMPARE_WHAT_SIZE 160
#define COMPARE_NOTE_SIZE 512
#define COMPARE_TEXT_SIZE 640

/* One thing that differs. Numbers that do not apply are NaN. */
struct difference {
    const char *part;             /* its name, borrowed from the baseline */
    char what[COMPARE_WHAT_SIZE]; /* "loss", "gradient of head.weight", "escape step" */
    long step;                    /* the first one at which it differs; -1: of the run as a whole */
    double expected, found;       /* there; means over seeds in the band tier */
    double size, limit;           /* of the difference, and what is allowed: paired */
    double p;                     /* band */
    size_t n_seed, n_of;          /* so many of so many runs differ; 0 in the band tier */
    char text[COMPARE_TEXT_SIZE]; /* all of it as a sentence without a full stop */
};

/* A stretch of steps in the band tier, or a number of the run as a whole. */
enum band_quantity { BAND_LOSS, BAND_GRAD_NORM, BAND_ACCURACY, BAND_NUMBER };
struct band_point {
    size_t part; /* of the baseline */
    enum band_quantity quantity;
    const char *name;    /* "loss", "escape step" */
    bool is_log;         /* means are of logarithms */
    size_t first, last;  /* steps; of a number all */
    double base, fresh;  /* means over the seeds */
    double half;         /* half the width of the simultaneous band for fresh, around base */
    double statistic, p; /* p is adjusted for all points together */
    /* Where a run diverged, or a value is infinite, a very large one stands in: p is right, but the
     * means are not to be told. */
    bool after_divergence;
    size_t n_infinite[2]; /* old and new runs with such a value */
};

struct comparison {
    enum tier tier;
    struct difference *difference; /* [n_difference], the most telling one first */
    size_t n_difference;
    size_t n_part, n_run;         /* compared */
    char note[COMPARE_NOTE_SIZE]; /* what was left out, or "" */
    double p;                     /* band: of all points together; else NaN */
    size_t n_base, n_fresh;       /* band: seeds */
    size_t n_relabelling;         /* band */
    struct band_point *band;      /* [n_band] */
    size_t n_band;
};

/* compare_tier says which tier the two allow, and writes why, as half a sentence. */
#define COMPARE_REASON_SIZE 320
enum tier compare_tier(const struct baseline *baseline, const struct baseline *fresh,
                       char reason[COMPARE_REASON_SIZE]);

/* compare_exact and compare_paired compare the runs of fresh with those of the same part and seed;
 * STATUS_DATA where there are none in common, and for paired where the baseline has no tolerances.
 * compare_band compares all runs of the parts that both have; STATUS_DATA where there are too few
 * to alarm at COMPARE_LEVEL, with how many are needed, or no step in common. Caller frees with
 * comparison_free, also on failure. */
enum status compare_exact(const struct baseline *baseline, const struct baseline *fresh,
                          struct comparison *comparison, struct error *err);
enum status compare_paired(const struct baseline *baseline, const struct baseline *fresh,
                           struct comparison *comparison, struct error *err);
enum status compare_band(const struct baseline *baseline, const struct baseline *fresh,
                         struct comparison *comparison, struct error *err);
void comparison_free(struct comparison *comparison);

/* compare_band_needs returns the fewest new seeds beside n_base old ones with which the band tier
 * can alarm, compare_band_enough refuses fewer (STATUS_DATA), and COMPARE_BAND_SEEDS old and as
 * many new ones are enough. */
#define COMPARE_BAND_SEEDS 5
size_t compare_band_needs(size_t n_base);
enum status compare_band_enough(size_t n_base, size_t n_fresh, struct error *err);

/* compare_covers: there are new runs of the part, and for exact and paired such of its seeds. */
bool compare_covers(const struct baseline_part *base, const struct baseline *fresh, enum tier tier);

/* comparison_add appends a difference; false: out of memory. */
bool comparison_add(struct comparison *comparison, const struct difference *difference);

/* comparison_sort puts the earliest difference first, and those of the whole run last. */
void comparison_sort(struct comparison *comparison);

/* compare_same_tensors: the parts have the same tensors, so fingerprints can be compared. Otherwise
 * *difference says what differs. */
bool compare_same_tensors(const struct baseline_part *base, const struct baseline_part *fresh,
                          struct difference *difference);

#endif

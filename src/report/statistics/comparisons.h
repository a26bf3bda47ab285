/* comparisons: each variant against its reference, with an interval, a p-value and a verdict.
 *
 * Pairs share configuration and seed. What shares a seed is not independent, whatever the
 * configuration and the task: same data, same order and most of the same initial weights. So the
 * seed is the unit of every test (flips.h): all pairs of a seed stand or fall together, a grid of
 * any size over three seeds is three draws, and what is said holds for the configurations of the
 * grid. Below FLIPS_MIN_SEED seeds nothing can be concluded.
 *
 * One table is one measure over all tasks (or all data sets) and variants; its p-values are
 * corrected for all its comparisons. Intervals are not.
 */
#ifndef QKVLAB_REPORT_COMPARISONS_H
#define QKVLAB_REPORT_COMPARISONS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/frame/pairs.h"
#include "report/statistics/flips.h"

#define COMPARISONS_MAX_NEEDED 1000 /* above it: "more than 1000" */

enum verdict {
    VERDICT_TOO_FEW,   /* fewer than FLIPS_MIN_SEED seeds: nothing can be concluded */
    VERDICT_LOWER,     /* corrected p at most FLIPS_LEVEL, the variant is below */
    VERDICT_HIGHER,    /* the same, above */
    VERDICT_UNDECIDED, /* not distinguishable with these runs */
};

struct comparison {
    const struct paired *paired;     /* borrowed: variant, reference, task, pairs */
    struct stats variant, reference; /* the measure over the pairs that count, each side */
    struct stats difference;         /* variant minus reference; .n is the number of pairs in which
                                        both have the measure */
    size_t n_configuration, n_seed;  /* of those pairs */
    size_t n_above, n_below;         /* pairs with a difference > 0 and < 0 */
    size_t n_only_variant, n_only_reference; /* pairs in which one side alone has the measure: a
                                               step that came with one of them only */
    double low, high;      /* 95 % interval of the mean difference; NaN with TOO_FEW */
    double p, p_corrected; /* of the comparison alone, and within the table; NaN with TOO_FEW */
    size_t n_needed;       /* seeds for power 80 % to see a difference of this size, taken alone;
                              SIZE_MAX: none would do (the difference is 0) */
    enum verdict verdict;
};

struct comparison_table {
    enum measure measure;
    const struct report_kind *kind; /* rows are of this kind of work */
    struct comparison *comparison;  /* [n_comparison], by task, then variant */
    size_t n_comparison;
    size_t n_tested; /* of them, with a p-value */
    bool exact;      /* all exchanges of the variants' names were tried */
};

struct comparisons {
    struct pairs pairs;
    struct comparison_table
        *table; /* [n_table], by kind, then measure; a measure that no pair has is left out */
    size_t n_table;
    size_t n_without_reference; /* finished runs that the reference has no finished partner for */
};

/* comparisons_make compares every variant of a group with its reference. Caller frees with
 * comparisons_free, also on failure; the runs are the frame's. Errors: STATUS_MEMORY. */
enum status comparisons_make(const struct group *group, const struct references *references,
                             struct comparisons *comparisons, struct error *err);
void comparisons_free(struct comparisons *comparisons);

/* comparisons_find returns the table of a measure of a kind, NULL where there is none. */
const struct comparison_table *comparisons_find(const struct comparisons *comparisons,
                                                enum measure measure, enum measured_kind kind);

/* comparisons_of returns the comparison of a measure of a task and variant, NULL where there is
 * none. */
const struct comparison *comparisons_of(const struct comparisons *comparisons, enum measure measure,
                                        const struct run *run);

/* comparison_words writes the verdict as a reader meets it: "lower", "higher", "not distinguishable
 * (about 23 seeds would be needed to see a difference of this size)", "lower before
 * correction (...)", "identical in all pairs", "nothing can be concluded (3 seeds, 6 are needed)".
 */
#define COMPARISON_WORDS_SIZE 192
void comparison_words(const struct comparison *comparison, char text[COMPARISON_WORDS_SIZE]);

/* The two parts of it, for a table with a column each: the verdict, and how many would be needed:
 * "23 seeds", "more than 1000 configurations", "" where that says nothing. */
#define COMPARISON_NEEDED_SIZE 64
const char *comparison_verdict_words(const struct comparison *comparison);
void comparison_needed(const struct comparison *comparison, char text[COMPARISON_NEEDED_SIZE]);

/* comparison_verdict_key returns "too few", "lower", "higher" or "not distinguishable". */
const char *comparison_verdict_key(enum verdict verdict);

#endif

/* paired: runs of a variant beside the baseline's runs of the same configuration and seed.
 *
 * The same seed gives every variant the same data in the same order and, where shapes agree, the
 * same initial weights; so the difference within a pair is free of what the seed does to both. The
 * two runs of a pair belong to one setting (configuration, program, class of machine). Settings of
 * a set may be a grid of configurations: pairs are collected over all of them, and each knows its
 * configuration, because pairs that share one are not independent.
 */
#ifndef QKVLAB_REPORT_PAIRED_H
#define QKVLAB_REPORT_PAIRED_H

#include "report/runs/run_set.h"

/* Everything is compared with this row unless a caller names others. */
#define PAIRED_BASELINE "qkv"

/* What variants are compared with. One baseline is that of all; with several, a variant is compared
 * with the one of its own sharing of projections, and variants of another sharing with none. */
struct baseline {
    char id[VARIANT_TEXT_SIZE];
    const char *sharing;
};

struct baselines {
    struct baseline *baseline; /* [n_baseline] */
    size_t n_baseline;
};

/* baselines_read takes ids as variant_parse reads them. Caller frees with baselines_free, also on
 * failure. Errors: STATUS_USAGE, STATUS_MEMORY. */
enum status baselines_read(const char *const *id, size_t n_id, struct baselines *baselines,
                           struct error *err);
void baselines_free(struct baselines *baselines);

struct pair {
    const struct run *run, *baseline; /* both finished; same task, seed and setting */
    size_t configuration;             /* number of their configuration within the block, from 0 */
};

/* All pairs of one variant on one task or data set. */
struct paired {
    const struct run *run;      /* one of the variant's runs: its names and its task */
    const struct run *baseline; /* one of the baseline's runs; NULL: it has none on this task */
    struct pair *pair;          /* [n_pair], by configuration, then seed */
    size_t n_pair, n_configuration, n_seed; /* n_seed counts distinct seeds */
    size_t n_unpaired;                      /* runs of the variant in no pair, ... */
    size_t n_without_baseline; /* ... of them finished, but the baseline is missing or unfinished */
};

struct paired_set {
    struct paired *paired; /* [n_paired]: tasks alphabetically, then data sets; within one the
                              variants in named-row order; baselines are not among them */
    size_t n_paired;
};

/* paired_make pairs every variant with its baseline (NULL or none: PAIRED_BASELINE), within one
 * setting, or in the whole set with its runs on images where setting is NULL. A configuration
 * and seed counts once, also where two programs ran it, and so do pairs of copies (run_copies.h).
 * Caller frees with paired_free, also on failure. The set is borrowed. Errors: STATUS_MEMORY. */
enum status paired_make(const struct run_set *set, const struct setting *setting,
                        const struct baselines *baselines, struct paired_set *pairs,
                        struct error *err);
void paired_free(struct paired_set *pairs);

/* pair_difference returns the variant's measure minus the baseline's, NaN where either is missing
 * (a step that never came). */
double pair_difference(const struct pair *pair, enum measure measure);

#endif

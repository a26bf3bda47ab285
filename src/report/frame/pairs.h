/* pairs: runs of a variant beside the reference's runs of the same configuration and seed.
 *
 * The same seed gives every variant the same data in the same order and, where shapes agree, the
 * same initial weights; so the difference within a pair is free of what the seed does to both. The
 * two runs of a pair belong to one setting (configuration, program, class of machine). A group may
 * be a grid of configurations: pairs are collected over all of them, and each knows its
 * configuration, because pairs that share one are not independent.
 */
#ifndef QKVLAB_REPORT_PAIRS_H
#define QKVLAB_REPORT_PAIRS_H

#include "report/frame/group.h"

/* Everything is compared with this row unless a caller names others. */
#define REFERENCE_VARIANT "qkv"

/* group_reference returns the cell of REFERENCE_VARIANT with a cell's task and setting, NULL where
 * there is none or it is the cell itself. */
const struct group *group_reference(const struct groups *cells, const struct group *cell);

/* What variants are compared with. One reference is that of all; with several, a variant is
 * compared with the one of its own sharing of projections, and variants of another sharing with
 * none. */
struct reference {
    char id[VARIANT_TEXT_SIZE];
    const char *sharing;
};

struct references {
    struct reference *reference; /* [n_reference]; none: REFERENCE_VARIANT */
    size_t n_reference;
};

/* references_read takes ids as variant_parse reads them. Caller frees with references_free, also on
 * failure. Errors: STATUS_USAGE, STATUS_MEMORY. */
enum status references_read(const char *const *id, size_t n_id, struct references *references,
                            struct error *err);
void references_free(struct references *references);

/* references_check refuses a reference that no run of a group has. Errors: STATUS_USAGE. */
enum status references_check(const struct references *references, const struct group *group,
                             struct error *err);

struct pair {
    const struct run *run, *reference; /* both finished; same task, seed and setting */
    size_t configuration;              /* number of their configuration within the block, from 0 */
};

/* All pairs of one variant on one task. */
struct paired {
    const struct run *run;       /* one of the variant's runs: its names and its task */
    const struct run *reference; /* one of the reference's runs; NULL: it has none on this task */
    struct pair *pair;           /* [n_pair], by configuration, then seed */
    size_t n_pair, n_configuration, n_seed; /* n_seed counts distinct seeds */
    size_t n_without_reference; /* finished runs whose reference is missing or unfinished */
};

struct pairs {
    struct paired *paired; /* [n_paired]: by kind, task, variant; references are not among them */
    size_t n_paired;
};

/* pairs_of pairs every variant of a group with its reference. A configuration and seed counts once,
 * also where two programs ran it, and so do pairs of copies (copies.h). Caller frees with
 * pairs_free, also on failure; the runs are the frame's. Errors: STATUS_MEMORY. */
enum status pairs_of(const struct group *group, const struct references *references,
                     struct pairs *pairs, struct error *err);
void pairs_free(struct pairs *pairs);

/* pair_difference returns the variant's measure minus the reference's, NaN where either is missing
 * (a step that never came). */
double pair_difference(const struct pair *pair, enum measure measure);

#endif

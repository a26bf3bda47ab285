/* group: runs that share levels of some factors, and what is measured over them.
 *
 * Every table of a report is a grouping: a cell (seeds apart), a setting, a variant's row, an
 * average over configurations are groups_by with other factors. Failed and diverged runs stay in
 * their group, counted and never averaged.
 */
#ifndef QKVLAB_REPORT_GROUP_H
#define QKVLAB_REPORT_GROUP_H

#include "report/document/facets.h"
#include "report/frame/run.h"
#include "report/frame/stats.h"

#define LEVEL_ANY ((size_t)-1)

/* Where the lists of groups lie: what is cut from a frame is freed with it, and a failed allocation
 * is kept. */
struct cuts;
struct cuts *cuts_create(void);
void cuts_free(struct cuts *cuts);
bool cuts_failed(const struct cuts *cuts);

struct group {
    struct cuts *cuts;            /* the frame's, where its own groups lie */
    const struct run *const *run; /* [n_run], in the frame's order */
    size_t n_run;
    size_t n_ok;                /* of them, the finished ones that are averaged */
    size_t level[FACTOR_COUNT]; /* LEVEL_ANY of the factors that were not grouped by */
};

/* groups_by cuts a group by factors (FACTOR_BIT of each, ORed); levels that the group has itself
 * are handed on. In the order of the levels, factors in the order of their enum. After a failed
 * allocation there is no group. Groups are the frame's, as runs are. */
struct groups {
    const struct group *group; /* [n_group] */
    size_t n_group;
};
struct groups groups_by(const struct group *of, unsigned factors);

/* groups_find returns the group with these levels of the factors (LEVEL_ANY where not grouped by),
 * NULL where there is none. groups_beside finds the one that has a group's levels, but this one of
 * a factor. */
const struct group *groups_find(const struct groups *groups, const size_t level[FACTOR_COUNT]);
const struct group *groups_beside(const struct groups *groups, const struct group *group,
                                  enum factor factor, size_t level);

/* group_where returns the group of those runs that pass. */
typedef bool run_test(const struct run *run);
struct group group_where(const struct group *of, run_test *test);

/* group_facets says which runs these are, for a document. */
struct facets group_facets(const struct group *group);

/* The functions below accept NULL for a group without runs. */

/* group_stats summarises a measure over the finished runs. */
struct stats group_stats(const struct group *group, enum measure measure);

/* group_find_seed returns the finished run of a seed, or NULL. */
const struct run *group_find_seed(const struct group *group, long long seed);

/* group_has: the runs could have the measure. Older runs kept no accuracies of their batches, so
 * that nobody knows when they reached one: that is not "never". */
bool group_has(const struct group *group, enum measure measure);

/* group_difference summarises a's measure minus b's, paired by seed; seeds that only one of them
 * has do not count. */
struct stats group_difference(const struct group *a, const struct group *b, enum measure measure);

/* group_mean_curve averages the training loss over the finished runs that have a curve, up to their
 * common length. Caller frees. NULL where there is none. */
double *group_mean_curve(const struct group *group, size_t *n_step);

/* The spread of a measure over configurations and the one over seeds, apart: how much a number
 * depends on the configuration, and how much on chance at a given configuration. Their sum in one
 * "±" would answer neither. */
struct spread {
    size_t n, n_configuration; /* finite values, and configurations with one */
    double mean;               /* over all values */
    double between;            /* sd of the configurations' means; NaN below 2 configurations */
    double within; /* pooled sd over seeds within configurations, sqrt(sum of squares / (n -
                      n_configuration)); NaN where no configuration has two values */
};

/* group_spread summarises over the finished runs of the group. */
struct spread group_spread(const struct group *group, enum measure measure);

/* group_n counts the levels of a factor that the group's runs have. */
size_t group_n(const struct group *group, enum factor factor);

/* group_n_step is the number of training steps; a diverged run made fewer. */
size_t group_n_step(const struct group *group);

#endif

/* values: the cells that reports have in common, so that a number looks alike wherever it stands.
 * Each adds one cell to the table; what is measured sums up its runs. A group may be NULL: nothing
 * was run, "-".
 */
#ifndef QKVLAB_REPORT_VALUES_H
#define QKVLAB_REPORT_VALUES_H

#include "base/table.h"
#include "report/frame/group.h"

/* "0.998 ± 0.001", "0.998 (n=2)" below STATS_BAR_MIN seeds, "-" for none, "75 (2 of 3)" and "never
 * (0 of 3)" of steps; " (1 diverged or failed)" behind. Decimals are the measure's. */
void value_measure(struct table *table, const struct group *group, enum measure measure);
/* The same with other decimals. */
void value_measure_to(struct table *table, const struct group *group, enum measure measure,
                      int n_decimal);

/* The mean over a grid: "62 (17 of 48)", "never", "2.329". */
void value_spread(struct table *table, const struct group *group, enum measure measure);

/* A mean with so many decimals, "-" for none. */
void value_mean(struct table *table, const struct stats *stats, int n_decimal);

/* A number that is no mean of runs, "-" where it is not finite; value_signed with its sign. */
void value_number(struct table *table, double value, int n_decimal);
void value_signed(struct table *table, double value, int n_decimal);

/* "17 of 48" of a measure that is a share of runs, "-" for none. */
void value_runs(struct table *table, const struct stats *share);

/* "+14 (+9 to +18)" of a paired difference over seeds, "(1 pair)", "-" for none. */
void value_difference(struct table *table, const struct stats *difference, int n_decimal);

/* The same, and ", 3 pairs" behind, where not all pairs have the measure. */
void value_difference_of(struct table *table, const struct stats *difference, int n_decimal);

/* A column of variants' names, and one of a measure with its title, tagged. */
struct column column_variant(void);
struct column column_of(const char *title, const char *hint, struct facets facets);

/* values_caption: what the cells of value_measure mean, with a word on cells of few seeds where the
 * groups have some. Caller frees. */
char *values_convention(const struct groups *cells);

/* group_any: some run of the group has the measure. */
bool group_any(const struct group *group, enum measure measure);

#endif

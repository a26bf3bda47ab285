/* figure_gap: the gap to the baseline over each size that varies, for a grid of configurations. */
#ifndef QKVLAB_REPORT_FIGURE_GAP_H
#define QKVLAB_REPORT_FIGURE_GAP_H

#include "report/statistics/statistics.h"

/* figure_gap writes gap-<key of the measure>.png and .svg: a row a task, a column a size, a line a
 * variant. *drawn false: no size varies with everything else held. Errors: STATUS_WRITE,
 * STATUS_MEMORY. */
enum status figure_gap(const struct statistics *statistics, enum measure measure,
                       const char *folder, bool *drawn, struct error *err);

#endif

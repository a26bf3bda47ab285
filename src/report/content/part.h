/* part: a setting as a table sees it, variants down and tasks across; made once, asked often. */
#ifndef QKVLAB_REPORT_PART_H
#define QKVLAB_REPORT_PART_H

#include "report/frame/group.h"

struct part {
    const struct group *group;
    struct groups variants, tasks; /* the axes, in their order */
    struct groups cells;           /* of variant and task */
};

struct part part_make(const struct group *group);

/* A run of the i-th variant or task, for its names. */
const struct run *part_variant(const struct part *part, size_t variant);
const struct run *part_task(const struct part *part, size_t task);

/* part_cell returns the runs of a row and a column, NULL where nothing was run. */
const struct group *part_cell(const struct part *part, size_t variant, size_t task);

/* part_find_variant returns the row of a variant id, the number of rows if it is not there. */
size_t part_find_variant(const struct part *part, const char *id);

#endif

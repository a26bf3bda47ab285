/* measure_table: variants down, tasks across, a measure in the cells: the shape of most tables. */
#ifndef QKVLAB_REPORT_MEASURE_TABLE_H
#define QKVLAB_REPORT_MEASURE_TABLE_H

#include "base/table.h"
#include "report/frame/group.h"

enum measure_table_extra {
    WITH_SETTINGS = 1,   /* a row for each setting of a variant, with the sizes that differ */
    WITH_PARAMETERS = 2, /* a last column: the number of parameters */
    WITH_AVERAGE = 4     /* a last column: the mean of the row's means */
};

/* measure_table returns the table of a group's runs; NULL when out of memory. */
struct table *measure_table(const struct group *of, enum measure measure, unsigned extras);

#endif

/* band_table: what the band tier compares, as one table of numbers. A column is a unit: a seed,
 * with its traces of all cohorts. A row is one thing measured of each unit: the mean of a curve
 * over a stretch of steps, or a number of the training as a whole. band.c tests the rows.
 *
 * Which rows there are, and what they hold, never depends on which units are the new ones: the
 * permutation test is exact for that reason.
 */
#ifndef QKVLAB_CHECK_BAND_TABLE_H
#define QKVLAB_CHECK_BAND_TABLE_H

#include "base/status.h"
#include "check/traces.h"
#include "check/verdict.h"

struct band_table {
    const struct traces *old, *new; /* borrowed */
    uint64_t *seed;                 /* [n_unit], old ones first */
    size_t n_old, n_new, n_unit;
    double *unit;         /* [n_unit] of the row that is being made */
    double *value;        /* [n_row, n_unit] */
    struct band_row *row; /* [n_row] without what the test finds; rows of a kind are neighbours */
    size_t n_row, capacity;
    struct text note; /* what is not compared; data is NULL where all is */
    bool failed;      /* sticky: out of memory */
};

/* band_table_units lists the units: the seeds that are in all cohorts that both have. Caller frees
 * with band_table_free. A failed allocation is kept in the table. */
void band_table_units(struct band_table *table, const struct traces *old, const struct traces *new);

/* band_table_fill adds the rows of all cohorts. Errors: STATUS_DATA where no step is in all curves
 * of a cohort, STATUS_MEMORY. */
enum status band_table_fill(struct band_table *table, struct error *err);

void band_table_free(struct band_table *table);

/* band_kind_end returns the end of the rows of one kind, which are of one curve of a cohort, or are
 * one number of it. */
size_t band_kind_end(const struct band_row *row, size_t n_row, size_t first);

#endif

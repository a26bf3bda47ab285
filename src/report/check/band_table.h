/* band_table: what the band tier compares, as one table of numbers. A column is a unit: a seed,
 * with the curves of all parts. A row is one thing measured of each unit: the mean of a curve over
 * a stretch of steps, or a number of the run as a whole. compare_band.c tests the rows.
 *
 * Which rows there are, and what they hold, never depends on which units are the new ones: the
 * permutation test is exact for that reason.
 */
#ifndef QKVLAB_REPORT_BAND_TABLE_H
#define QKVLAB_REPORT_BAND_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "report/check/compare.h"

struct band_table {
    const struct baseline *baseline, *fresh; /* borrowed */
    uint64_t *seed;                          /* [n_unit], old ones first */
    size_t n_base, n_fresh, n_unit;
    double *value;            /* [n_row, n_unit] */
    struct band_point *point; /* [n_row] part, quantity, name, is_log, first and last are filled */
    size_t n_row, capacity;
    char note[COMPARE_NOTE_SIZE]; /* what is not compared, or "" */
};

/* band_table_units lists the units: the seeds that are in all parts that both have. Caller frees
 * with band_table_free, also on failure. STATUS_MEMORY. */
enum status band_table_units(struct band_table *table, const struct baseline *baseline,
                             const struct baseline *fresh, struct error *err);

/* band_table_fill adds the rows of all parts. Errors: STATUS_DATA where no step is in all curves of
 * a part, STATUS_MEMORY. */
enum status band_table_fill(struct band_table *table, struct error *err);

void band_table_free(struct band_table *table);

/* band_same_kind: both points are of one curve, or are the same number of a part. */
bool band_same_kind(const struct band_point *a, const struct band_point *b);

/* band_last_step returns the last step of a run. */
size_t band_last_step(const struct baseline_run *run);

#endif

/* tolerance: how far two trainings of the same seed may be apart, and still be the same.
 *
 * Another order of adding (lanes, micro-batches, SIMD level, compiler) changes a training by
 * rounding alone. The difference begins at 1e-7 and grows while training amplifies it. It is
 * measured when a baseline is recorded, by training every seed again under each of a few harmless
 * changes, and kept value by value:
 *
 *     limit(value) = factor(quantity) x max(envelope(value), floor(quantity))
 *
 * The envelope is the largest difference of all seeds and changes; over the steps it only grows.
 * The factor is chosen so that less than one check in a hundred gives a false alarm: the ratio of a
 * training's differences to the envelope of the other seeds under the other changes, largest over
 * the values, is taken for log-normal; see tolerance.c.
 */
#ifndef QKVLAB_CHECK_TOLERANCE_H
#define QKVLAB_CHECK_TOLERANCE_H

#include "check/trace.h"

#define TOLERANCE_MAX_CHANGE 8
#define TOLERANCE_CHANGE_SIZE 48

/* Of quantities without a floor nothing is measured. */
struct tolerance {
    char change[TOLERANCE_MAX_CHANGE][TOLERANCE_CHANGE_SIZE]; /* what was changed, [n_change] */
    size_t n_change;
    double factor[QUANTITY_COUNT];
    double *envelope[QUANTITY_COUNT]; /* [n_value[quantity]], see trace_n_value */
    size_t n_value[QUANTITY_COUNT];
};

void tolerance_free(struct tolerance *tolerance);

/* tolerance_limit is the largest difference that is rounding. */
double tolerance_limit(const struct tolerance *tolerance, enum quantity quantity, size_t value);

/* tolerance_measure makes the tolerance of n traces out of the same trainings under n_change
 * changes: changed[c * stride + i] is trace i under change c. Caller frees with tolerance_free.
 * NULL: out of memory. */
struct tolerance *tolerance_measure(const struct trace *trace, size_t n,
                                    const struct trace *changed, size_t stride,
                                    const char (*change)[TOLERANCE_CHANGE_SIZE], size_t n_change);

#endif

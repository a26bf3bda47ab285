/* baseline_tolerance: how far two trainings of the same seed may be apart, and still be the same.
 *
 * Another order of adding (lanes, micro-batches, SIMD level, compiler, BLAS core) changes a run by
 * rounding alone. The difference begins at 1e-7 and grows while training amplifies it. It is
 * measured when a baseline is recorded, by training every seed again under each of a few harmless
 * changes, and kept value by value:
 *
 *     limit(value) = factor(kind) x max(envelope(value), floor(kind))
 *
 * The envelope is the largest difference of all seeds and changes; over the steps it only grows.
 * The factor is chosen so that less than one check in a hundred gives a false alarm: the ratio of a
 * run's differences to the envelope of the other seeds under the other changes, largest over the
 * values, is taken for log-normal; see baseline_tolerance.c.
 */
#ifndef QKVLAB_LAB_BASELINE_TOLERANCE_H
#define QKVLAB_LAB_BASELINE_TOLERANCE_H

#include <stddef.h>

#include "lab/baseline/baseline.h"

/*    id                   key             floor, of a relative difference but for the accuracy */
#define TOLERANCE_TABLE(X)                                                                         \
    X(EVALUATION_LOSS, "evaluation_loss", 1e-6)                                                    \
    X(EVALUATION_ACCURACY, "evaluation_accuracy", 1e-3)                                            \
    X(GRADIENT, "gradient", 1e-5)                                                                  \
    X(WEIGHTS, "weights", 1e-6)                                                                    \
    X(LOSS, "loss", 1e-6)                                                                          \
    X(GRAD_NORM, "grad_norm", 1e-5)

enum tolerance_kind {
#define TOLERANCE_ENUM(id, key, floor) TOLERANCE_##id,
    TOLERANCE_TABLE(TOLERANCE_ENUM)
#undef TOLERANCE_ENUM
        TOLERANCE_COUNT
};

const char *tolerance_key(enum tolerance_kind kind);
double tolerance_floor(enum tolerance_kind kind);

#define TOLERANCE_MAX_CHANGE 8
#define TOLERANCE_CHANGE_SIZE 48

/* Values of a kind, in one array: a point each of LOSS and GRAD_NORM, an evaluation each, a tensor
 * each of GRADIENT, and for WEIGHTS the tensors of each time they were looked at. */
struct tolerance {
    char change[TOLERANCE_MAX_CHANGE][TOLERANCE_CHANGE_SIZE]; /* what was changed, [n_change] */
    size_t n_change;
    double factor[TOLERANCE_COUNT];
    double *envelope[TOLERANCE_COUNT]; /* [n_value[kind]] */
    size_t n_value[TOLERANCE_COUNT];
};

void tolerance_free(struct tolerance *tolerance);

/* tolerance_n_value returns how many values of a kind a run has. */
size_t tolerance_n_value(const struct baseline_part *part, const struct baseline_run *run,
                         enum tolerance_kind kind);

/* tolerance_difference returns how far a value of b is from that of a: |log b/a| of losses and
 * norms, |b - a| of accuracies, baseline_distance of tensors, with a thousandth of all tensors'
 * norm as scale. INFINITY where one of them is missing. */
double tolerance_difference(const struct baseline_part *part, const struct baseline_run *a,
                            const struct baseline_run *b, enum tolerance_kind kind, size_t value);

/* tolerance_limit is the largest difference that is rounding. */
double tolerance_limit(const struct tolerance *tolerance, enum tolerance_kind kind, size_t value);

/* tolerance_measure makes the tolerance of a part out of the same runs under n_change changes:
 * changed[c * n_run + r] is run r under change c. Caller frees with tolerance_free. NULL: out of
 * memory. */
struct tolerance *tolerance_measure(const struct baseline_part *part,
                                    const struct baseline_run *changed,
                                    const char (*change)[TOLERANCE_CHANGE_SIZE], size_t n_change);

#endif

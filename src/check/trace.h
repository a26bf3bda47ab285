/* trace: what is kept of one training, to compare another with it: its curves, its evaluations, and
 * fingerprints of its gradient and weights.
 *
 * A fingerprint is the beginning of the SHA-256, the 2-norm and two random projections of a tensor.
 * A projection is the sum of all elements with signs that are always the same; those of two tensors
 * differ by about the norm of the tensors' difference, so fingerprints tell how far two tensors are
 * apart, whichever elements differ.
 */
#ifndef QKVLAB_CHECK_TRACE_H
#define QKVLAB_CHECK_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lab/training/dynamics.h"

#define FINGERPRINT_N_PROJECTION 2

struct fingerprint {
    char hash[13];
    double norm, projection[FINGERPRINT_N_PROJECTION];
};

/* fingerprint_of reads n floats. */
struct fingerprint fingerprint_of(const float *x, size_t n);

/* fingerprint_distance estimates |a - b| / (|a| + scale): 0 for equal ones. */
double fingerprint_distance(const struct fingerprint *a, const struct fingerprint *b, double scale);

/* A step has a point on each curve: loss, norm of the gradient and accuracy of its batch before the
 * update. */
enum trace_curve { CURVE_LOSS, CURVE_GRAD_NORM, CURVE_ACCURACY, CURVE_COUNT };
extern const char *const curve_keys[CURVE_COUNT]; /* in files: "loss", "grad_norm", "accuracy" */

struct trace_evaluation { /* of the test split */
    size_t n_done;        /* steps */
    double loss, accuracy;
};
#define TRACE_MAX_EVALUATION 2
#define TRACE_MAX_STEP 1e15 /* steps are whole, and exact as doubles */

struct trace_weights {
    size_t n_done;
    struct fingerprint *tensor; /* [n_tensor] */
};

struct trace {
    uint64_t seed;
    size_t n_point;
    double *step;                     /* [n_point] whole, ascending; NULL: 0, 1, 2, ... */
    double *curve[CURVE_COUNT];       /* [n_point]; NULL where it is not known, but for the loss */
    bool diverged;                    /* at the last point */
    long escape_step;                 /* STEP_NEVER: never */
    double reaches[DYNAMICS_N_LEVEL]; /* NaN: never */
    struct trace_evaluation evaluation[TRACE_MAX_EVALUATION];
    size_t n_evaluation;
    size_t n_tensor;
    struct fingerprint *gradient;  /* [n_tensor] of the first step; NULL where it is not known */
    struct trace_weights *weights; /* [n_weights] */
    size_t n_weights;
};

void trace_free(struct trace *trace);

/* trace_step returns the step of a point, trace_last_step that of the last one. */
size_t trace_step(const struct trace *trace, size_t point);
size_t trace_last_step(const struct trace *trace);

/* trace_settle fills in what follows from the curves: escape_step and reaches. */
void trace_settle(struct trace *trace);

/* ---- values, one by one ---- */

/* All that traces of the same seed are compared in. */
enum quantity {
    QUANTITY_TEST_LOSS,
    QUANTITY_TEST_ACCURACY,
    QUANTITY_GRADIENT,
    QUANTITY_WEIGHTS,
    QUANTITY_STEP,
    QUANTITY_LOSS,
    QUANTITY_GRAD_NORM,
    QUANTITY_ACCURACY,
    QUANTITY_LENGTH,
    QUANTITY_COUNT
};

/* After n steps there are weights; they are evaluated; then step n is computed with them. */
enum quantity_place { PLACE_WEIGHTS, PLACE_EVALUATION, PLACE_STEP };

extern const struct quantity_row {
    const char *key;   /* of its tolerance in the file */
    const char *title; /* in sentences */
    enum quantity_place place;
    bool of_tensors;        /* a value is a tensor's, n_tensor values belong to one time */
    bool grows;             /* what rounding does to it grows while training goes on */
    enum trace_curve curve; /* CURVE_COUNT: it is on none */
    double floor; /* of differences by rounding (relative ones but for the accuracy); 0: what
                   * rounding does to it is not known, so it has no tolerance */
} quantities[QUANTITY_COUNT];

struct value {
    size_t n_done;                   /* steps before it, or the step it is of */
    double number;                   /* NaN of tensors */
    const struct fingerprint *print; /* NULL of numbers */
};

/* trace_n_value returns how many values of a quantity there are, in the order of time;
 * trace_value returns one of them. */
size_t trace_n_value(const struct trace *trace, enum quantity quantity);
struct value trace_value(const struct trace *trace, enum quantity quantity, size_t i);

/* trace_difference returns how far value i of b is from that of a: |log b/a| of losses and norms,
 * |b - a| of accuracies, fingerprint_distance of tensors, with a thousandth of all tensors' norm as
 * scale. INFINITY where b has no such value; 0 where both diverged. */
double trace_difference(const struct trace *a, const struct trace *b, enum quantity quantity,
                        size_t i);

#endif

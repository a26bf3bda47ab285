/* scaling: how time and memory of a training step grow with one key of the configuration, others
 * being the same, beside what their formulas say.
 */
#ifndef QKVLAB_LAB_SCALING_H
#define QKVLAB_LAB_SCALING_H

#include <stddef.h>

#include "lab/bench/bench.h"

#define SCALING_MAX_POINT 6

/* A key that is varied, and its values. */
struct scaling_axis {
    const char *key;
    size_t value[SCALING_MAX_POINT]; /* ends at the first 0 */
};
const struct scaling_axis *scaling_axis_at(size_t i); /* NULL past the last */

struct scaling_point {
    size_t value;
    struct bench_result result;
    double memory;        /* bytes at the peak; NaN where the system does not tell */
    double stated_memory; /* bytes by bench_memory */
};

/* Quantity ~ value^exponent over the points of an axis. */
struct scaling_exponents {
    double time, flop;
    double memory, stated_memory;
};

struct scaling {
    struct scaling_point point[SCALING_MAX_POINT];
    size_t n_point;
    struct scaling_exponents exponent;
};

/* scaling_measure measures one axis around a resolved configuration. A position table that is too
 * short for a value grows with it. Errors: STATUS_USAGE for a value that the configuration cannot
 * have. */
enum status scaling_measure(const struct config *config, const struct scaling_axis *axis,
                            const struct bench_options *options, struct scaling *scaling,
                            struct error *err);

/* scaling_exponent fits log y = exponent log x + constant by least squares; NaN for fewer than two
 * points, or where some number is not positive. */
double scaling_exponent(size_t n, const double *x, const double *y);

#endif

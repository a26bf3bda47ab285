/* The factor. For every training under every change, take the ratio of its differences to the
 * envelope of those of other seeds under other changes: it stands for a seed and a change that were
 * not seen. A check looks at some ten trainings and alarms if one ratio of one of six quantities is
 * too large; with log ratios of a normal law, mean + 4 standard deviations leaves 3e-5 a ratio,
 * 0.2 % a check, and room for a law with heavier tails. Few ratios know their deviation badly, so
 * it is enlarged as Student's t would ask for.
 */
#include "check/tolerance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEVIATIONS 4.0
#define FACTOR_MIN 4.0
#define FACTOR_MAX 1e6

void tolerance_free(struct tolerance *tolerance)
{
    for (size_t q = 0; tolerance && q < QUANTITY_COUNT; q++) {
        free(tolerance->envelope[q]);
    }
    free(tolerance);
}

double tolerance_limit(const struct tolerance *tolerance, enum quantity quantity, size_t value)
{
    double envelope =
        value < tolerance->n_value[quantity] ? tolerance->envelope[quantity][value] : 0;
    return tolerance->factor[quantity] * fmax(envelope, quantities[quantity].floor);
}

/* ---- measuring ---- */

/* What tolerance_measure works on: the differences of one quantity, [n_change * n_trace, n_value].
 */
struct measured {
    double *difference;
    size_t n_trace, n_change, n_value;
    size_t period; /* values this far apart follow each other in time; 0: none do */
};

static double at(const struct measured *m, size_t row, size_t value)
{
    return m->difference[row * m->n_value + value];
}

/* The largest difference of rows that are of neither this trace nor this change; SIZE_MAX: of all.
 * Where there is but one trace, or one change, the others of it stand in. */
static double largest_of_others(const struct measured *m, size_t trace, size_t change, size_t value)
{
    double largest = 0;
    for (size_t row = 0; row < m->n_trace * m->n_change; row++) {
        bool same_seed = m->n_trace > 1 && row % m->n_trace == trace;
        bool same_change = m->n_change > 1 && row / m->n_trace == change;
        if (!same_seed && !same_change && isfinite(at(m, row, value))) {
            largest = fmax(largest, at(m, row, value));
        }
    }
    return largest;
}

/* An envelope over time never falls. */
static double grown(const struct measured *m, const double *envelope, size_t value, double largest)
{
    return m->period > 0 && value >= m->period ? fmax(largest, envelope[value - m->period])
                                               : largest;
}

static double largest_ratio(const struct measured *m, size_t row, double floor, double *others)
{
    double ratio = 0;
    for (size_t value = 0; value < m->n_value; value++) {
        double largest = largest_of_others(m, row % m->n_trace, row / m->n_trace, value);
        others[value] = grown(m, others, value, largest);
        if (isfinite(at(m, row, value))) {
            ratio = fmax(ratio, at(m, row, value) / fmax(others[value], floor));
        }
    }
    return ratio;
}

static double factor_of(const struct measured *m, double floor, double *others)
{
    double sum = 0, squares = 0, n = (double)(m->n_trace * m->n_change);
    for (size_t row = 0; row < m->n_trace * m->n_change; row++) {
        double ratio = log(fmax(largest_ratio(m, row, floor, others), 1e-3));
        sum += ratio;
        squares += ratio * ratio;
    }
    double mean = sum / n, freedom = fmax(n - 1, 1);
    double deviation = sqrt(fmax(squares - n * mean * mean, 0) / freedom);
    double factor = exp(mean + DEVIATIONS * (1 + 5 / freedom) * deviation);
    return fmin(fmax(factor, FACTOR_MIN), FACTOR_MAX);
}

/* measure_quantity returns false when out of memory. */
static bool measure_quantity(const struct trace *trace, const struct trace *changed, size_t stride,
                             struct measured m, enum quantity quantity, struct tolerance *tolerance)
{
    for (size_t i = 0; i < m.n_trace; i++) {
        size_t n = trace_n_value(&trace[i], quantity);
        m.n_value = n > m.n_value ? n : m.n_value;
    }
    m.period = !quantities[quantity].grows       ? 0
               : quantities[quantity].of_tensors ? trace->n_tensor
                                                 : 1;
    m.difference = calloc(m.n_trace * m.n_change * m.n_value + 1, sizeof *m.difference);
    double *others = calloc(m.n_value + 1, sizeof *others);
    double *envelope = calloc(m.n_value + 1, sizeof *envelope);
    bool enough = m.difference && others && envelope;
    for (size_t row = 0; enough && row < m.n_trace * m.n_change; row++) {
        const struct trace *old = &trace[row % m.n_trace];
        const struct trace *new = &changed[row / m.n_trace * stride + row % m.n_trace];
        for (size_t value = 0; value < trace_n_value(old, quantity); value++) {
            m.difference[row * m.n_value + value] = trace_difference(old, new, quantity, value);
        }
    }
    for (size_t value = 0; enough && value < m.n_value; value++) {
        double largest = largest_of_others(&m, SIZE_MAX, SIZE_MAX, value);
        envelope[value] = grown(&m, envelope, value, largest);
    }
    tolerance->envelope[quantity] = envelope;
    tolerance->n_value[quantity] = m.n_value;
    tolerance->factor[quantity] = enough ? factor_of(&m, quantities[quantity].floor, others) : NAN;
    free(others);
    free(m.difference);
    return enough;
}

struct tolerance *tolerance_measure(const struct trace *trace, size_t n,
                                    const struct trace *changed, size_t stride,
                                    const char (*change)[TOLERANCE_CHANGE_SIZE], size_t n_change)
{
    struct measured measured = {.n_trace = n, .n_change = n_change};
    struct tolerance *tolerance = calloc(1, sizeof *tolerance);
    bool enough = tolerance != NULL;
    for (size_t q = 0; enough && q < QUANTITY_COUNT; q++) {
        enough = quantities[q].floor == 0 ||
                 measure_quantity(trace, changed, stride, measured, (enum quantity)q, tolerance);
    }
    if (!enough) {
        tolerance_free(tolerance);
        return NULL;
    }
    memcpy(tolerance->change, change, n_change * sizeof *change);
    tolerance->n_change = n_change;
    return tolerance;
}

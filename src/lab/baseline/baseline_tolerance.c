/* The factor. For every run under every change, take the ratio of its differences to the envelope
 * of the runs of other seeds under other changes: it stands for a seed and a change that were not
 * seen. A check looks at some ten runs and alarms if one ratio of one of six kinds is too large;
 * with log ratios of a normal law, mean + 4 standard deviations leaves 3e-5 a ratio, 0.2 % a check,
 * and room for a law with heavier tails. Few ratios know their deviation badly, so it is enlarged
 * as Student's t would ask for.
 */
#include "lab/baseline/baseline_tolerance.h"

#include <math.h>
#include <stdlib.h>

#define DEVIATIONS 4.0
#define FACTOR_MIN 4.0
#define FACTOR_MAX 1e6
#define SCALE_SHARE 1e-3 /* of all tensors' norm, added to that of a tensor */

static const struct {
    const char *key;
    double floor;
} kinds[TOLERANCE_COUNT] = {
#define TOLERANCE_ROW(id, key, floor) {key, floor},
    TOLERANCE_TABLE(TOLERANCE_ROW)
#undef TOLERANCE_ROW
};

const char *tolerance_key(enum tolerance_kind kind)
{
    return kinds[kind].key;
}

double tolerance_floor(enum tolerance_kind kind)
{
    return kinds[kind].floor;
}

void tolerance_free(struct tolerance *tolerance)
{
    for (size_t kind = 0; tolerance && kind < TOLERANCE_COUNT; kind++) {
        free(tolerance->envelope[kind]);
    }
    free(tolerance);
}

/* ---- differences ---- */

size_t tolerance_n_value(const struct baseline_part *part, const struct baseline_run *run,
                         enum tolerance_kind kind)
{
    switch (kind) {
    case TOLERANCE_LOSS:
        return run->n_point;
    case TOLERANCE_GRAD_NORM:
        return run->grad_norm ? run->n_point : 0;
    case TOLERANCE_EVALUATION_LOSS:
    case TOLERANCE_EVALUATION_ACCURACY:
        return run->n_evaluation;
    case TOLERANCE_GRADIENT:
        return run->gradient ? part->n_tensor : 0;
    default:
        return run->n_weights * part->n_tensor;
    }
}

/* Two values that are no numbers are those of a run that diverged in the same way. */
static double relative(double a, double b)
{
    if (a == b || (!isfinite(a) && !isfinite(b))) {
        return 0;
    }
    double difference = fabs(log(b / a));
    return isfinite(difference) ? difference : INFINITY;
}

static double scale_of(const struct fingerprint *tensor, size_t n_tensor)
{
    double squares = 0;
    for (size_t i = 0; i < n_tensor; i++) {
        squares += tensor[i].norm * tensor[i].norm;
    }
    return SCALE_SHARE * sqrt(squares);
}

static double distance(const struct baseline_part *part, const struct fingerprint *a,
                       const struct fingerprint *b, size_t tensor)
{
    double far = baseline_distance(&a[tensor], &b[tensor], scale_of(a, part->n_tensor));
    if (!isfinite(a[tensor].norm) && !isfinite(b[tensor].norm)) {
        return 0;
    }
    return isfinite(far) ? far : INFINITY;
}

double tolerance_difference(const struct baseline_part *part, const struct baseline_run *a,
                            const struct baseline_run *b, enum tolerance_kind kind, size_t value)
{
    size_t n_tensor = part->n_tensor;
    if (value >= tolerance_n_value(part, b, kind)) {
        return INFINITY;
    }
    switch (kind) {
    case TOLERANCE_LOSS:
        return relative(a->loss[value], b->loss[value]);
    case TOLERANCE_GRAD_NORM:
        return relative(a->grad_norm[value], b->grad_norm[value]);
    case TOLERANCE_EVALUATION_LOSS:
        return relative(a->evaluation[value].loss, b->evaluation[value].loss);
    case TOLERANCE_EVALUATION_ACCURACY:
        return fabs(a->evaluation[value].accuracy - b->evaluation[value].accuracy);
    case TOLERANCE_GRADIENT:
        return distance(part, a->gradient, b->gradient, value);
    default:
        return distance(part, a->weights[value / n_tensor].tensor,
                        b->weights[value / n_tensor].tensor, value % n_tensor);
    }
}

double tolerance_limit(const struct tolerance *tolerance, enum tolerance_kind kind, size_t value)
{
    double floor = kinds[kind].floor;
    double envelope = value < tolerance->n_value[kind] ? tolerance->envelope[kind][value] : 0;
    return tolerance->factor[kind] * fmax(envelope, floor);
}

/* ---- measuring ---- */

/* What tolerance_measure works on: the differences of one kind, [n_change * n_run, n_value]. */
struct measured {
    double *difference;
    size_t n_run, n_change, n_value;
    size_t period; /* values this far apart follow each other in time; 0: none do */
};

static double at(const struct measured *m, size_t row, size_t value)
{
    return m->difference[row * m->n_value + value];
}

/* The largest difference of rows that are of neither this run nor this change; SIZE_MAX: of all.
 * Where there is but one run, or one change, the others of it stand in. */
static double largest_of_others(const struct measured *m, size_t run, size_t change, size_t value)
{
    double largest = 0;
    for (size_t row = 0; row < m->n_run * m->n_change; row++) {
        bool same_run = m->n_run > 1 && row % m->n_run == run;
        bool same_change = m->n_change > 1 && row / m->n_run == change;
        if (!same_run && !same_change && isfinite(at(m, row, value))) {
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
        double largest = largest_of_others(m, row % m->n_run, row / m->n_run, value);
        others[value] = grown(m, others, value, largest);
        if (isfinite(at(m, row, value))) {
            ratio = fmax(ratio, at(m, row, value) / fmax(others[value], floor));
        }
    }
    return ratio;
}

static double factor_of(const struct measured *m, double floor, double *others)
{
    double sum = 0, squares = 0, n = (double)(m->n_run * m->n_change);
    for (size_t row = 0; row < m->n_run * m->n_change; row++) {
        double ratio = log(fmax(largest_ratio(m, row, floor, others), 1e-3));
        sum += ratio;
        squares += ratio * ratio;
    }
    double mean = sum / n, freedom = fmax(n - 1, 1);
    double deviation = sqrt(fmax(squares - n * mean * mean, 0) / freedom);
    double factor = exp(mean + DEVIATIONS * (1 + 5 / freedom) * deviation);
    return fmin(fmax(factor, FACTOR_MIN), FACTOR_MAX);
}

static bool measure_kind(const struct baseline_part *part, const struct baseline_run *changed,
                         size_t n_change, enum tolerance_kind kind, struct tolerance *tolerance)
{
    size_t n_value = 0, n_row = n_change * part->n_run;
    for (size_t r = 0; r < part->n_run; r++) {
        size_t n = tolerance_n_value(part, &part->run[r], kind);
        n_value = n > n_value ? n : n_value;
    }
    struct measured m = {.n_run = part->n_run, .n_change = n_change, .n_value = n_value};
    m.period = kind == TOLERANCE_LOSS || kind == TOLERANCE_GRAD_NORM ? 1
               : kind == TOLERANCE_WEIGHTS                           ? part->n_tensor
                                                                     : 0;
    double *others = calloc(n_value + 1, sizeof *others);
    tolerance->envelope[kind] = calloc(n_value + 1, sizeof(double));
    tolerance->n_value[kind] = n_value;
    m.difference = calloc(n_row * n_value + 1, sizeof *m.difference);
    bool enough = others && tolerance->envelope[kind] && m.difference;
    for (size_t row = 0; enough && row < n_row; row++) {
        const struct baseline_run *run = &part->run[row % part->n_run];
        size_t n = tolerance_n_value(part, run, kind);
        for (size_t value = 0; value < n; value++) {
            m.difference[row * n_value + value] =
                tolerance_difference(part, run, &changed[row], kind, value);
        }
    }
    for (size_t value = 0; enough && value < n_value; value++) {
        double largest = largest_of_others(&m, SIZE_MAX, SIZE_MAX, value);
        tolerance->envelope[kind][value] = grown(&m, tolerance->envelope[kind], value, largest);
    }
    if (enough) {
        tolerance->factor[kind] = factor_of(&m, kinds[kind].floor, others);
    }
    free(others);
    free(m.difference);
    return enough;
}

struct tolerance *tolerance_measure(const struct baseline_part *part,
                                    const struct baseline_run *changed,
                                    const char (*change)[TOLERANCE_CHANGE_SIZE], size_t n_change)
{
    struct tolerance *tolerance = calloc(1, sizeof *tolerance);
    bool enough = tolerance != NULL;
    for (size_t c = 0; enough && c < n_change; c++) {
        for (size_t i = 0; i < TOLERANCE_CHANGE_SIZE; i++) {
            tolerance->change[c][i] = change[c][i];
        }
    }
    if (enough) {
        tolerance->n_change = n_change;
    }
    for (size_t kind = 0; enough && kind < TOLERANCE_COUNT; kind++) {
        enough = measure_kind(part, changed, n_change, (enum tolerance_kind)kind, tolerance);
    }
    if (!enough) {
        tolerance_free(tolerance);
        return NULL;
    }
    return tolerance;
}

#include "check/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/sha256.h"
#include "lab/config/config.h"
#include "lab/training/metrics.h"

#define HASH_DIGITS (sizeof((struct fingerprint){0}.hash) - 1)
#define WORD_BITS 64
#define SCALE_SHARE 1e-3 /* of all tensors' norm, added to that of a tensor */

const char *const curve_keys[CURVE_COUNT] = {
    [CURVE_LOSS] = "loss", [CURVE_GRAD_NORM] = "grad_norm", [CURVE_ACCURACY] = "accuracy"};

void trace_free(struct trace *trace)
{
    for (size_t i = 0; i < trace->n_weights; i++) {
        free(trace->weights[i].tensor);
    }
    for (size_t i = 0; i < CURVE_COUNT; i++) {
        free(trace->curve[i]);
    }
    free(trace->weights);
    free(trace->gradient);
    free(trace->step);
    *trace = (struct trace){0};
}

size_t trace_step(const struct trace *trace, size_t point)
{
    return trace->step ? (size_t)trace->step[point] : point;
}

size_t trace_last_step(const struct trace *trace)
{
    return trace_step(trace, trace->n_point - 1);
}

/* Both are read off points, and told as steps. A curve does not say what was learned, so its
 * plateau is that of the default task. */
void trace_settle(struct trace *trace)
{
    const double *loss = trace->curve[CURVE_LOSS], *accuracy = trace->curve[CURVE_ACCURACY];
    double chance = task_chance_loss(config_default().task);
    long escape = metrics_escape_step(loss, trace->n_point, chance);
    struct dynamics dynamics = dynamics_of(loss, accuracy, trace->n_point);
    trace->escape_step = escape < 0 ? STEP_NEVER : (long)trace_step(trace, (size_t)escape);
    for (size_t i = 0; i < DYNAMICS_N_LEVEL; i++) {
        double point = dynamics.reaches[i];
        trace->reaches[i] = isnan(point) ? NAN : (double)trace_step(trace, (size_t)point);
    }
}

/* ---- fingerprints ---- */

struct fingerprint fingerprint_of(const float *x, size_t n)
{
    struct fingerprint print = {.norm = 0};
    char hex[SHA256_HEX_SIZE];
    sha256_hex(x, n * sizeof *x, hex);
    memcpy(print.hash, hex, HASH_DIGITS);
    for (size_t k = 0; k < FINGERPRINT_N_PROJECTION; k++) {
        struct rng rng = rng_make(0, "baseline/projection/%zu", k);
        uint64_t signs = 0;
        for (size_t i = 0; i < n; i++) {
            signs = i % WORD_BITS == 0 ? rng_bits(rng, i / WORD_BITS) : signs >> 1;
            print.projection[k] += signs & 1 ? (double)x[i] : -(double)x[i];
        }
    }
    for (size_t i = 0; i < n; i++) {
        print.norm += (double)x[i] * (double)x[i];
    }
    print.norm = sqrt(print.norm);
    return print;
}

double fingerprint_distance(const struct fingerprint *a, const struct fingerprint *b, double scale)
{
    double squares = 0, size = a->norm + scale;
    for (size_t k = 0; k < FINGERPRINT_N_PROJECTION; k++) {
        double difference = a->projection[k] - b->projection[k];
        squares += difference * difference / FINGERPRINT_N_PROJECTION;
    }
    double distance = fmax(sqrt(squares), fabs(a->norm - b->norm));
    return distance == 0 ? 0 : distance / size;
}

/* ---- values ---- */

/* clang-format off */
const struct quantity_row quantities[QUANTITY_COUNT] = {
    /*                           key                    title                    place         of_tensors grows curve       floor */
    [QUANTITY_TEST_LOSS]     = {"evaluation_loss",     "test loss",              PLACE_EVALUATION, false, false, CURVE_COUNT,     1e-6},
    [QUANTITY_TEST_ACCURACY] = {"evaluation_accuracy", "test accuracy",          PLACE_EVALUATION, false, false, CURVE_COUNT,     1e-3},
    [QUANTITY_GRADIENT]      = {"gradient",            "gradient",               PLACE_STEP,       true,  false, CURVE_COUNT,     1e-5},
    [QUANTITY_WEIGHTS]       = {"weights",             "weights",                PLACE_WEIGHTS,    true,  true,  CURVE_COUNT,     1e-6},
    [QUANTITY_STEP]          = {NULL,                  "next step written down", PLACE_STEP,       false, false, CURVE_COUNT,     0},
    [QUANTITY_LOSS]          = {"loss",                "loss",                   PLACE_STEP,       false, true,  CURVE_LOSS,      1e-6},
    [QUANTITY_GRAD_NORM]     = {"grad_norm",           "gradient norm",          PLACE_STEP,       false, true,  CURVE_GRAD_NORM, 1e-5},
    [QUANTITY_ACCURACY]      = {NULL,                  "accuracy",               PLACE_STEP,       false, false, CURVE_ACCURACY,  0},
    [QUANTITY_LENGTH]        = {NULL,                  "number of steps",        PLACE_STEP,       false, false, CURVE_COUNT,     0},
};
/* clang-format on */

static const double *curve_of(const struct trace *trace, enum quantity quantity)
{
    return trace->curve[quantities[quantity].curve];
}

size_t trace_n_value(const struct trace *trace, enum quantity quantity)
{
    switch (quantity) {
    case QUANTITY_TEST_LOSS:
    case QUANTITY_TEST_ACCURACY:
        return trace->n_evaluation;
    case QUANTITY_GRADIENT:
        return trace->gradient ? trace->n_tensor : 0;
    case QUANTITY_WEIGHTS:
        return trace->n_weights * trace->n_tensor;
    case QUANTITY_STEP:
        return trace->n_point;
    case QUANTITY_LENGTH:
        return 1;
    default:
        return curve_of(trace, quantity) ? trace->n_point : 0;
    }
}

struct value trace_value(const struct trace *trace, enum quantity quantity, size_t i)
{
    const struct trace_evaluation *evaluation = &trace->evaluation[i % TRACE_MAX_EVALUATION];
    const struct trace_weights *weights;
    switch (quantity) {
    case QUANTITY_TEST_LOSS:
        return (struct value){evaluation->n_done, evaluation->loss, NULL};
    case QUANTITY_TEST_ACCURACY:
        return (struct value){evaluation->n_done, evaluation->accuracy, NULL};
    case QUANTITY_GRADIENT:
        return (struct value){0, NAN, &trace->gradient[i]};
    case QUANTITY_WEIGHTS:
        weights = &trace->weights[i / trace->n_tensor];
        return (struct value){weights->n_done, NAN, &weights->tensor[i % trace->n_tensor]};
    case QUANTITY_STEP:
        return (struct value){trace_step(trace, i), (double)trace_step(trace, i), NULL};
    case QUANTITY_LENGTH:
        return (struct value){trace_last_step(trace) + 1, (double)trace->n_point, NULL};
    default:
        return (struct value){trace_step(trace, i), curve_of(trace, quantity)[i], NULL};
    }
}

/* The norm of all tensors of the time at which there is value i. */
static double norm_of_all(const struct trace *trace, enum quantity quantity, size_t i)
{
    double squares = 0;
    for (size_t t = 0; t < trace->n_tensor; t++) {
        struct value value = trace_value(trace, quantity, i - i % trace->n_tensor + t);
        squares += value.print->norm * value.print->norm;
    }
    return sqrt(squares);
}

/* Two values that are not finite are those of trainings that diverged in the same way. */
double trace_difference(const struct trace *a, const struct trace *b, enum quantity quantity,
                        size_t i)
{
    if (i >= trace_n_value(b, quantity)) {
        return INFINITY;
    }
    struct value x = trace_value(a, quantity, i), y = trace_value(b, quantity, i);
    double of_x = x.print ? x.print->norm : x.number, of_y = y.print ? y.print->norm : y.number;
    if (!isfinite(of_x) && !isfinite(of_y)) {
        return 0;
    }
    double difference =
        x.print ? fingerprint_distance(x.print, y.print, SCALE_SHARE * norm_of_all(a, quantity, i))
        : quantity == QUANTITY_TEST_ACCURACY ? fabs(of_x - of_y)
        : of_x == of_y                       ? 0
                                             : fabs(log(of_y / of_x));
    return isfinite(difference) ? difference : INFINITY;
}

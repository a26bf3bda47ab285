/* __wrap_f stands before every call of f from another file, __real_f is f itself. Faults are as
 * slow as they like: nothing is trained with them but to be caught. */
#include "fault.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "lab/training/schedule.h"
#include "lab/training/source.h"
#include "nn/attention.h"
#include "nn/engine.h"
#include "nn/kernels/kernels.h"
#include "nn/optimizer.h"

/* The functions of the program that faults.cmake wraps. */
#define WRAPPED(name) extern __typeof__(name) __real_##name, __wrap_##name
WRAPPED(kernels_active);
WRAPPED(attention_forward);
WRAPPED(attention_backward);
WRAPPED(attention_scores);
WRAPPED(adam_prepare);
WRAPPED(schedule_rate);
WRAPPED(engine_train_step);
WRAPPED(engine_initialise);
WRAPPED(engine_predict);
WRAPPED(source_begin_epoch);
WRAPPED(rng_permutation);

/*    id                  name                  what is wrong */
#define FAULT_TABLE(X)                                                                             \
    X(NONE, "none", "nothing")                                                                     \
    X(NORM_EPSILON, "norm-epsilon", "LayerNorm adds 1e-3 to the variance, not 1e-5")               \
    X(SCORE_SCALE, "score-scale", "scores are not divided by the root of the head's width")        \
    X(BIAS_CORRECTION, "bias-correction", "Adam without bias correction")                          \
    X(WARMUP, "warmup", "the warm-up is one epoch longer")                                         \
    X(LOST_HEAD, "lost-head", "the first head's output is lost")                                   \
    X(SHARED_SLOT, "shared-slot", "a shared slot gets the gradient of its last role alone")        \
    X(SWAPPED_SAMPLES, "swapped-samples", "two samples of the second epoch change places")         \
    X(TANH_GELU, "tanh-gelu", "the tanh approximation of GELU, not GELU")                          \
    X(LEARNING_RATE, "learning-rate", "the learning rate is 10 % lower")                           \
    X(EVALUATION_DROPOUT, "evaluation-dropout", "dropout stays on in evaluation")

enum fault {
#define FAULT_ENUM(id, name, what) FAULT_##id,
    FAULT_TABLE(FAULT_ENUM)
#undef FAULT_ENUM
        FAULT_COUNT
};

static enum fault planted = FAULT_NONE;

const char *fault_name(size_t i)
{
    static const char *const names[FAULT_COUNT] = {
#define FAULT_NAME(id, name, what) name,
        FAULT_TABLE(FAULT_NAME)
#undef FAULT_NAME
    };
    return i < FAULT_COUNT ? names[i] : NULL;
}

/* ---- kernels ---- */

#define MAX_LEVEL 4
static struct kernels faulty[MAX_LEVEL]; /* in the order of kernels_at */

static void wide_layer_norm(size_t n_row, size_t n_col, const float *x, const float *weight,
                            const float *bias, float *y, float *mean, float *rstd)
{
    for (size_t i = 0; i < n_row; i++) {
        const float *row = x + i * n_col;
        float sum = 0.0f, squares = 0.0f;
        for (size_t c = 0; c < n_col; c++) {
            sum += row[c];
        }
        mean[i] = sum / (float)n_col;
        for (size_t c = 0; c < n_col; c++) {
            squares += (row[c] - mean[i]) * (row[c] - mean[i]);
        }
        rstd[i] = 1.0f / sqrtf(squares / (float)n_col + 1e-3f);
        for (size_t c = 0; c < n_col; c++) {
            y[i * n_col + c] = (row[c] - mean[i]) * rstd[i] * weight[c] + bias[c];
        }
    }
}

/* u/2 (1 + tanh(sqrt(2/pi) (u + 0.044715 u^3))), and its slope in place of x. */
static void tanh_gelu(size_t n_row, size_t n_col, float *x, const float *bias, float *y)
{
    const double root = sqrt(2 / acos(-1)), cubic = 0.044715;
    for (size_t i = 0; i < n_row * n_col; i++) {
        double u = (double)x[i] + (bias ? (double)bias[i % n_col] : 0);
        double t = tanh(root * (u + cubic * u * u * u));
        y[i] = (float)(u / 2 * (1 + t));
        x[i] = (float)((1 + t) / 2 + u / 2 * (1 - t * t) * root * (1 + 3 * cubic * u * u));
    }
}

void fault_plant(const char *name)
{
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        planted = strcmp(fault_name(i), name) == 0 ? (enum fault)i : planted;
    }
    for (size_t i = 0; i < MAX_LEVEL && kernels_at(i); i++) {
        faulty[i] = *kernels_at(i);
        if (planted == FAULT_NORM_EPSILON) {
            faulty[i].layer_norm_forward = wide_layer_norm;
        } else if (planted == FAULT_TANH_GELU) {
            faulty[i].bias_gelu = tanh_gelu;
        }
    }
}

const struct kernels *__wrap_kernels_active(void)
{
    const struct kernels *kernels = __real_kernels_active();
    for (size_t i = 0; planted != FAULT_NONE && i < MAX_LEVEL; i++) {
        if (kernels_at(i) == kernels) {
            return &faulty[i];
        }
    }
    return kernels;
}

/* ---- attention ---- */

static struct attention spoil(const struct attention *a)
{
    struct attention spoiled = *a;
    if (planted == FAULT_SCORE_SCALE) {
        spoiled.scale *= sqrtf((float)a->head_width);
    }
    return spoiled;
}

void __wrap_attention_forward(const struct attention *a, float *mix)
{
    struct attention spoiled = spoil(a);
    __real_attention_forward(&spoiled, mix);
    for (size_t row = 0; planted == FAULT_LOST_HEAD && row < a->n_sequence * a->n_token; row++) {
        memset(mix + row * a->n_head * a->head_width, 0, a->head_width * sizeof *mix);
    }
}

void __wrap_attention_backward(const struct attention *a, const float *dmix,
                               const struct attention_gradient *to)
{
    struct attention spoiled = spoil(a);
    struct attention_gradient last = *to;
    last.k.add = to->k.add && planted != FAULT_SHARED_SLOT;
    __real_attention_backward(&spoiled, dmix, &last);
}

void __wrap_attention_scores(const struct attention *a, size_t sequence, float *product,
                             float *scores)
{
    struct attention spoiled = spoil(a);
    __real_attention_scores(&spoiled, sequence, product, scores);
}

/* ---- steps ---- */

struct adam_update __wrap_adam_prepare(const struct adam_options *options, uint64_t step,
                                       double grad_norm)
{
    struct adam_update update = __real_adam_prepare(options, step, grad_norm);
    if (planted == FAULT_BIAS_CORRECTION) {
        update.step_size = (float)options->learning_rate;
        update.inverse_bias2 = 1.0f;
    }
    return update;
}

double __wrap_schedule_rate(const struct config *config, size_t step, size_t n_step)
{
    struct config slow = *config;
    if (planted == FAULT_WARMUP) {
        double epoch = (double)config_epoch_steps(config, config_n_train(config));
        double warm = fmax(1, floor(config->warmup * (double)n_step));
        slow.warmup = (warm + epoch + 0.5) / (double)n_step;
    }
    return __real_schedule_rate(&slow, step, n_step);
}

struct train_result __wrap_engine_train_step(struct engine *engine, const struct batch *batch,
                                             const struct adam_options *adam)
{
    struct adam_options slow = *adam;
    slow.learning_rate *= planted == FAULT_LEARNING_RATE ? 0.9 : 1.0;
    return __real_engine_train_step(engine, batch, &slow);
}

static uint64_t seed_of_run;

void __wrap_engine_initialise(struct engine *engine, uint64_t seed)
{
    seed_of_run = seed;
    __real_engine_initialise(engine, seed);
}

struct loss_sums __wrap_engine_predict(struct engine *engine, const struct batch *batch,
                                       float *logits)
{
    struct dropout dropout = {.seed = seed_of_run, .step = engine_adam(engine)->step};
    struct batch dropped = *batch;
    if (planted == FAULT_EVALUATION_DROPOUT) {
        dropped.dropout = &dropout;
    }
    return __real_engine_predict(engine, &dropped, logits);
}

/* ---- samples ---- */

static bool second_epoch;

void __wrap_source_begin_epoch(struct source *source, size_t epoch)
{
    second_epoch = epoch == 1;
    __real_source_begin_epoch(source, epoch);
    second_epoch = false;
}

void __wrap_rng_permutation(struct rng rng, size_t n, uint32_t *permutation)
{
    __real_rng_permutation(rng, n, permutation);
    if (planted == FAULT_SWAPPED_SAMPLES && second_epoch) {
        uint32_t first = permutation[0];
        permutation[0] = permutation[n - 1];
        permutation[n - 1] = first;
    }
}

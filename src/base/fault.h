/* fault: planted errors, for measuring what `qkvlab check` notices. They exist only in builds with
 * -DQKVLAB_FAULTS=ON; everywhere else fault_is is false when compiling, and nothing is left of it.
 *
 * Each is a mistake that really happens in training code, and leaves a model that still learns.
 */
#ifndef QKVLAB_BASE_FAULT_H
#define QKVLAB_BASE_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#ifdef QKVLAB_FAULTS

bool fault_is(enum fault fault);

/* fault_plant makes fault_is true for one fault from now on; call it before anything computes. */
void fault_plant(enum fault fault);

/* The faults that are more than another number. fault_clear_columns sets the first n_column of
 * n_row rows, ld apart, to 0; fault_tanh_gelu is the bias_gelu of kernels.h. */
void fault_clear_columns(size_t n_row, size_t ld, size_t n_column, float *x);
void fault_tanh_gelu(size_t n_row, size_t n_col, float *x, const float *bias, float *y);
void fault_swap(uint32_t *a, uint32_t *b);

#else

static inline bool fault_is(enum fault fault)
{
    (void)fault;
    return false;
}

static inline void fault_clear_columns(size_t n_row, size_t ld, size_t n_column, float *x)
{
    (void)n_row, (void)ld, (void)n_column, (void)x;
}

static inline void fault_tanh_gelu(size_t n_row, size_t n_col, float *x, const float *bias,
                                   float *y)
{
    (void)n_row, (void)n_col, (void)x, (void)bias, (void)y;
}

static inline void fault_swap(uint32_t *a, uint32_t *b)
{
    (void)a, (void)b;
}

#endif

/* fault_name returns "norm-epsilon", ...; fault_what a few words on it. NULL past the last. */
const char *fault_name(size_t fault);
const char *fault_what(size_t fault);

#endif

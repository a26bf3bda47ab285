/* engine: trains a model on batches, near the speed of the machine's matrix products, with the same
 * bits at any number of threads.
 *
 * A batch is cut into a fixed number of lanes. A lane walks its sequences in fixed micro-batches,
 * forward and backward, in the arena of the thread that computes it, and adds into its own
 * gradient. Lanes are summed in lane order, the norm and the Adam update run over fixed chunks.
 * Lanes and micro-batch follow from the configuration, never from the machine, so threads only
 * decide who computes, not what.
 */
#ifndef QKVLAB_NN_ENGINE_H
#define QKVLAB_NN_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "nn/model.h"
#include "nn/optimizer.h"
#include "nn/profile.h"

struct engine_options {
    size_t lanes;         /* 0: engine_default_lanes */
    size_t micro_batch;   /* sequences; 0: engine_default_micro_batch */
    size_t batch_size;    /* most sequences of a training batch */
    int threads;          /* 0: threads_available() */
    enum numbers numbers; /* of the initial weights */
};

struct engine;

/* Defaults, from the shape only. Fewer lanes as parameters grow (every lane holds a gradient);
 * micro-batches that keep a lane's activations in the cache. */
size_t engine_default_lanes(const struct model_shape *shape);
size_t engine_default_micro_batch(const struct model_shape *shape);

/* engine_create allocates everything a training needs. Caller frees with engine_free. */
enum status engine_create(struct engine **engine, const struct model_shape *shape,
                          const struct engine_options *options, struct error *err);
void engine_free(struct engine *engine);

/* engine_memory returns the bytes engine_create would allocate, 0 for an impossible shape. */
size_t engine_memory(const struct model_shape *shape, const struct engine_options *options);

/* engine_initialise draws the initial weights and resets the optimizer; dropout is keyed by the
 * same seed. */
void engine_initialise(struct engine *engine, uint64_t seed);

struct train_result {
    double loss;      /* mean cross-entropy before the update */
    double accuracy;  /* share of the batch's answers right, before the update */
    double grad_norm; /* global 2-norm before clipping */
    bool finite;      /* false: loss or norm is not finite, and no update was made */
};

/* engine_train_step does (with dropout) forward, backward, clip and Adam on a batch
 * of 1..batch_size sequences. */
struct train_result engine_train_step(struct engine *engine, const struct batch *batch,
                                      const struct adam_options *adam);

/* engine_gradient only computes loss and gradient (see engine_grad), no update. */
struct train_result engine_gradient(struct engine *engine, const struct batch *batch);

/* engine_predict sums loss and correct answers over any number of sequences, without gradients, and
 * writes the logits: [B T,C], or [B,C] with INPUT_PATCHES; NULL: not wanted. */
struct loss_sums engine_predict(struct engine *engine, const struct batch *batch, float *logits);

/* engine_forward runs the first micro-batch-sized piece of a batch (at most the micro-batch's
 * number of sequences) and returns its activations, valid until the next call. *n_sequence says how
 * many. */
struct activations *engine_forward(struct engine *engine, const struct batch *batch,
                                   size_t *n_sequence);

/* engine_scores is model_scores on the activations of the last engine_forward. Both outputs
 * [H,T,T]. */
void engine_scores(struct engine *engine, size_t sequence, size_t layer, float *product,
                   float *scores);

/* engine_profile switches the clocks of the training steps on (from zero) or off;
 * engine_profile_read returns the seconds of all threads together since then. */
void engine_profile(struct engine *engine, bool on);
struct profile engine_profile_read(const struct engine *engine);

/* Parts of the engine; it keeps owning them. After a change of the weights call
 * engine_weights_changed. */
const struct model *engine_model(const struct engine *engine);
float *engine_param(struct engine *engine);
const float *engine_grad(const struct engine *engine);
struct adam_state *engine_adam(struct engine *engine);
void engine_weights_changed(struct engine *engine);

#endif

/* model: a pre-norm transformer encoder as plain data: a shape, a list of named tensors (the
 * layout), and forward and backward passes over one micro-batch.
 *
 * Parameters, gradients and Adam moments are flat arrays of layout.n_param floats; weights are
 * stored [out, in] under the names of the crosscheck bundles (tests/golden/README.md).
 */
#ifndef QKVLAB_NN_MODEL_H
#define QKVLAB_NN_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "nn/shape.h"

enum init_law { INIT_ZERO, INIT_ONE, INIT_UNIFORM, INIT_NORMAL };

struct tensor {
    char name[64];
    char init_name[64]; /* keys the initial values: a shared slot starts as its first role would */
    size_t dim[4];
    size_t n_dim;
    size_t n_element;
    size_t offset; /* in floats, from the start of a flat array */
    enum init_law law;
    double scale; /* half width of INIT_UNIFORM, standard deviation of INIT_NORMAL */
    bool dead;    /* its true gradient is zero, so its gradient is set to exactly 0 */
    bool decay;   /* weight decay applies */
};

struct block_offsets; /* where a block finds its tensors; private to nn */

struct layout {
    struct tensor *tensor;
    size_t n_tensor;
    size_t n_param;
    size_t embed_weight, embed_bias; /* embed, or patch_embed */
    size_t cls;                      /* INPUT_PATCHES */
    size_t pos_emb, ln_f_weight, ln_f_bias, head_weight, head_bias;
    struct block_offsets *block; /* [n_layer] */
};

struct model {
    struct model_shape shape;
    struct layout layout;
};

/* model_create checks the shape and lists the tensors. Caller frees with model_free. */
enum status model_create(struct model *model, const struct model_shape *shape, struct error *err);
void model_free(struct model *model);

/* model_find_tensor returns the tensor of a name, or NULL. */
const struct tensor *model_find_tensor(const struct model *model, const char *name);

/* Whose random numbers are drawn. Our own are keyed by (seed, "init/<init_name>", element), so that
 * tensors of one name start alike in every model. PyTorch's follow one another through the model,
 * as in the published code (initialise.c). */
enum numbers { NUMBERS_OWN, NUMBERS_PYTORCH };

/* model_initialise fills param with initial weights. */
void model_initialise(const struct model *model, enum numbers numbers, uint64_t seed, float *param);

/* Everything a forward pass leaves for the backward pass, for at most max_sequence sequences;
 * private to nn. Its memory belongs to the arena. */
struct activations;

/* activations_place takes the buffers from an arena; a measuring arena tells the size. NULL if the
 * arena failed or measures. */
struct activations *activations_place(const struct model *model, size_t max_sequence,
                                      struct arena *arena);

/* Where the results of a forward pass are, [A,C] and, of one layer after the softmax, [B,H,T,T].
 * Logits are valid until the next pass, maps until the next call. */
const float *activations_logits(const struct activations *act);
const float *activations_attention(const struct activations *act, size_t layer);

/* What all micro-batches of a step share: packed weights and the score terms' matrices. */
struct prepared;
struct prepared *prepared_place(const struct model *model, struct arena *arena);
/* prepared_update recomputes one of prepared_n_part independent parts from param; all must follow
 * every change of param. */
size_t prepared_n_part(const struct model *model);
void prepared_update(const struct model *model, const float *param, size_t part,
                     struct prepared *prepared);

/* ---- a pass over one micro-batch ---- */

/* What goes down from the model to its blocks and their parts. Borrows everything. */
struct pass {
    const struct model *model;
    const float *param;              /* [n_param] */
    const struct prepared *prepared; /* made of param */
    const struct batch *batch;
    struct activations *act;
    float *grad; /* [n_param], which a backward pass adds to; NULL where there is none */
};

/* model_forward computes the logits and leaves them in pass->act. */
void model_forward(const struct pass *pass);

/* model_backward adds the gradient of the loss that head_loss (parts.h) left in pass->act to
 * pass->grad. Dead tensors get nothing. */
void model_backward(const struct pass *pass);

/* model_scores computes, after model_forward, the scores of one of its sequences and layers, before
 * any mask: product = Q K^T / sqrt(d_h) with the variant's scale, scores = what enters the softmax.
 * Both [H,T,T]. */
void model_scores(const struct pass *pass, size_t sequence, size_t layer, float *product,
                  float *scores);

#endif

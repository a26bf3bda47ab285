/* model: a pre-norm transformer encoder as plain data: a shape, a list of named tensors (the
 * layout), and forward and backward passes over one micro-batch.
 *
 * Capital letters in comments: B sequences, T tokens of a sequence, R = B T rows, d n_embd, H
 * n_head, F = mlp_ratio d, m pos_dim, C n_class. All arrays are row-major float32.
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
#include "nn/variant.h"

/* What a sequence is made of, and where it is answered. */
enum model_input {
    INPUT_TOKENS, /* symbols, one-hot into a linear map; an answer at every position */
    INPUT_PATCHES /* a class token, then patches of an image; one answer, at the class token */
};

struct model_shape {
    struct variant variant;
    enum model_input input;
    size_t n_embd;
    size_t n_layer;
    size_t n_head;
    size_t mlp_ratio;
    size_t n_token;    /* longest sequence */
    size_t n_position; /* rows of the learned position table, at least n_token */
    size_t pos_dim;    /* m, channels of the 2D positional encoding */
    size_t n_class;
    double dropout; /* after the embedding and both MLP layers, while training; 0: none */
    /* INPUT_TOKENS */
    size_t n_symbol; /* size of the input alphabet */
    /* INPUT_PATCHES: n_token must be 1 + model_n_patch */
    size_t n_channel, image_size, patch;
};

/* model_n_patch returns the patches of an image: (image_size / patch)^2, rounded up, so that an
 * image that the patch does not divide is padded right and bottom. */
size_t model_n_patch(const struct model_shape *shape);

/* The least and most that a size can be: what model_shape_check accepts, and so do the keys of a
 * configuration and of `qkvlab cost` that stand for the same. They are plain numbers, since keys
 * print them. */
#define RANGE_N_EMBD 2, 16384
#define RANGE_N_LAYER 1, 256
#define RANGE_N_HEAD 1, 1024
#define RANGE_MLP_RATIO 1, 64
#define RANGE_SEQ_LEN 1, 65536 /* n_token */
#define RANGE_N_POSITION 1, 65536
#define RANGE_POS_DIM 2, 4096
#define RANGE_N_CLASS 2, 1048576
#define RANGE_N_SYMBOL 2, 1048576
#define RANGE_N_CHANNEL 1, 64
#define RANGE_IMAGE_SIZE 1, 4096
#define RANGE_PATCH 1, 4096

/* model_shape_check refuses impossible shapes with values that would work. STATUS_USAGE. */
enum status model_shape_check(const struct model_shape *shape, struct error *err);

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

/* model_initialise fills param from the generator keyed by (seed, "init/<init_name>", element). */
void model_initialise(const struct model *model, uint64_t seed, float *param);

/* Which elements a training step drops: keyed by (seed, "dropout/<step>/<site>", element), where an
 * element counts from the first sequence of the whole batch, so it depends on no lane or
 * micro-batch. */
struct dropout {
    uint64_t seed, step;
};

/* A batch of sequences. Borrows its arrays. */
struct batch {
    size_t n_sequence;             /* B */
    size_t n_token;                /* T */
    const int32_t *ids;            /* INPUT_TOKENS: [B,T] in 0..n_symbol-1 */
    const int32_t *targets;        /* in 0..n_class-1: [B,T], or [B] with INPUT_PATCHES */
    const float *patches;          /* INPUT_PATCHES: [B,T-1,n_channel patch^2] */
    size_t first;                  /* number of its first sequence within the whole batch */
    const struct dropout *dropout; /* NULL: nothing is dropped */
};

/* batch_part returns the sequences [first, first + n) of a batch. */
struct batch batch_part(const struct model *model, const struct batch *batch, size_t first,
                        size_t n);

/* model_n_answer returns the answers of a batch: B T, or B with INPUT_PATCHES. */
size_t model_n_answer(const struct model *model, const struct batch *batch);

/* Everything a forward pass leaves for the backward pass, for at most max_sequence sequences;
 * private to nn. Its memory belongs to the arena. */
struct activations;

/* activations_place takes the buffers from an arena; a measuring arena tells the size. NULL if the
 * arena failed or measures. */
struct activations *activations_place(const struct model *model, size_t max_sequence,
                                      struct arena *arena);

/* What all micro-batches of a step share: packed weights and the score terms' matrices. */
struct prepared;
struct prepared *prepared_place(const struct model *model, struct arena *arena);
/* prepared_update recomputes one of prepared_n_part independent parts from param; all must follow
 * every change of param. */
size_t prepared_n_part(const struct model *model);
void prepared_update(const struct model *model, const float *param, size_t part,
                     struct prepared *prepared);

/* model_forward computes the logits, [R,C] or [B,C] with INPUT_PATCHES, of a micro-batch, left in
 * act. */
void model_forward(const struct model *model, const float *param, const struct prepared *prepared,
                   const struct batch *batch, struct activations *act);

/* Where the results of a forward pass are; valid until the next one. */
const float *activations_logits(const struct activations *act);
/* [B,H,T,T] of one layer, after the softmax; valid until the next call. */
const float *activations_attention(const struct activations *act, size_t layer);

struct loss_sums {
    double loss;            /* sum over answers of the cross-entropy */
    size_t n_correct_token; /* answers whose largest logit (lowest index on a tie) is the target */
    size_t n_correct_sequence; /* sequences with all answers correct */
};

/* model_loss sums loss and correct answers over the micro-batch after model_forward, and leaves the
 * gradient of gradient_scale * loss in act for model_backward. */
struct loss_sums model_loss(const struct model *model, const struct batch *batch,
                            float gradient_scale, struct activations *act);

/* model_backward adds the gradient of the scaled loss to grad [n_param]. Dead tensors get nothing.
 */
void model_backward(const struct model *model, const float *param, const struct prepared *prepared,
                    const struct batch *batch, struct activations *act, float *grad);

/* model_scores computes, after model_forward, the scores of one sequence and layer, before any
 * mask: product = Q K^T / sqrt(d_h) with the variant's scale, scores = what enters the softmax.
 * Both [H,T,T]. */
void model_scores(const struct model *model, const struct prepared *prepared, size_t n_token,
                  size_t sequence, size_t layer, struct activations *act, float *product,
                  float *scores);

#endif

/* shape: the sizes of a model, and the batches that it is given.
 *
 * Capital letters in comments of nn: B sequences, T tokens of a sequence, R = B T rows, d n_embd, H
 * n_head, F = mlp_ratio d, m pos_dim, C n_class, A answers. All arrays are row-major float32.
 */
#ifndef QKVLAB_NN_SHAPE_H
#define QKVLAB_NN_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* ---- batches ---- */

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

/* What a pass without or with gradient says of a batch. */
struct loss_sums {
    double loss;            /* sum over answers of the cross-entropy */
    size_t n_correct_token; /* answers whose largest logit (lowest index on a tie) is the target */
    size_t n_correct_sequence; /* sequences with all answers correct */
};

/* batch_part returns the sequences [first, first + n) of a batch. */
struct batch batch_part(const struct model_shape *shape, const struct batch *batch, size_t first,
                        size_t n);

/* batch_n_answer returns the answers of a batch: B T, or B with INPUT_PATCHES. */
size_t batch_n_answer(const struct model_shape *shape, const struct batch *batch);

#endif

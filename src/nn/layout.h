/* layout: where a block finds its tensors. Private to nn; the list itself is in model.h.
 *
 * Offsets are in floats from the start of a flat array. The weights of a block's slots lie one
 * behind the other, and so do their biases, so that all slots are one matrix product.
 */
#ifndef QKVLAB_NN_LAYOUT_H
#define QKVLAB_NN_LAYOUT_H

#include "nn/model.h"

#define OFFSET_NONE ((size_t)-1)
#define SCORE_MAX_TENSOR 2

struct block_offsets {
    size_t ln1_weight, ln1_bias;
    size_t slots_weight, slots_bias; /* [slot_width, d], [slot_width] */
    size_t out_weight, out_bias;
    size_t query_norm_in, query_fc1, query_fc2, query_norm_out_weight, query_norm_out_bias;
    size_t q_norm, k_norm;
    size_t score[SCORE_MAX_TENSOR]; /* what the score term learns, see score_term.h */
    size_t ln2_weight, ln2_bias;
    size_t fc1_weight, fc1_bias, fc2_weight, fc2_bias;
};

/* Widths that follow from a shape. */
struct widths {
    size_t head;                /* d_h */
    size_t kv_heads;            /* G */
    size_t ff;                  /* F */
    size_t patch;               /* numbers of a patch, n_channel patch^2 */
    size_t query_hidden;        /* d/2, of the residual_mlp query */
    size_t slot[ROLE_COUNT];    /* width of each slot, 0 for those that do not exist */
    size_t slot_at[ROLE_COUNT]; /* first column of each slot */
    size_t slots;               /* sum of the widths */
};

struct widths widths_of(const struct model_shape *shape);

/* layout_create lists the tensors of a checked shape. Caller frees with layout_free. */
enum status layout_create(const struct model_shape *shape, struct layout *layout,
                          struct error *err);
void layout_free(struct layout *layout);

#endif

/* block: one pre-norm block, x += attention(LN x), then x += W2 GELU(W1 LN x). Private to nn.
 */
#ifndef QKVLAB_NN_BLOCK_H
#define QKVLAB_NN_BLOCK_H

#include "nn/activations.h"
#include "nn/attention.h"

/* The views through which a block's roles are read, after whatever query map and qk_norm do. */
struct roles {
    struct view q, k, v;
};

/* block_attention describes layer's attention for n_sequence sequences of n_token. */
struct attention block_attention(const struct model *model, const struct prepared *prepared,
                                 size_t layer, size_t n_sequence, size_t n_token);

/* block_roles returns the views as they enter the scores. */
struct roles block_roles(const struct model *model, struct block_activations *block);

/* block_forward reads act->block[layer].x_in and writes x_out [R,d], the next block's x_in. */
void block_forward(const struct model *model, const float *param, const struct prepared *prepared,
                   size_t layer, const struct batch *batch, struct activations *act, float *x_out);

/* block_backward turns act->dx from the gradient of the block's output into that of its input, and
 * adds the gradients of its weights to grad. */
void block_backward(const struct model *model, const float *param, const struct prepared *prepared,
                    size_t layer, const struct batch *batch, struct activations *act, float *grad);

#endif

/* block: one pre-norm block, x += attention(LN x), then x += W2 GELU(W1 LN x). Private to nn.
 */
#ifndef QKVLAB_NN_BLOCK_H
#define QKVLAB_NN_BLOCK_H

#include "nn/activations.h"
#include "nn/attention.h"

/* block_attention describes a layer's attention over what the forward pass left. */
struct attention block_attention(const struct pass *pass, size_t layer);

/* block_forward reads the block's x_in and writes its x_out [R,d], the next block's x_in. */
void block_forward(const struct pass *pass, size_t layer);

/* block_backward turns act->dx from the gradient of the block's output into that of its input, and
 * adds the gradients of its weights to pass->grad. */
void block_backward(const struct pass *pass, size_t layer);

#endif

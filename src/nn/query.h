/* query: queries that are no plain projection (paper B), and the normalisation of queries and keys.
 *
 *     identity       q = X, the block input after LayerNorm, cut into heads
 *     residual_mlp   q = (X + f(X))/2, f = LayerNorm(W2 GELU(W1 RMSNorm(X)))
 *     qk_norm        RMSNorm over the head width of q and of k, each with a learned gain
 */
#ifndef QKVLAB_NN_QUERY_H
#define QKVLAB_NN_QUERY_H

#include "nn/activations.h"
#include "nn/attention.h"

/* query_forward computes block->query from block->ln1 [n_row,d]. */
void query_forward(const struct model *model, const float *param,
                   const struct prepared_block *prepared, const struct block_offsets *at,
                   size_t n_row, struct block_activations *block);

/* query_backward adds the gradients of f's weights to grad and that of X to dx, from act->dquery.
 * It overwrites act->dff and act->dmix. */
void query_backward(const struct model *model, const float *param,
                    const struct prepared_block *prepared, const struct block_offsets *at,
                    size_t n_row, struct block_activations *block, struct activations *act,
                    float *dx, float *grad);

/* heads_norm_forward normalises each of n_head heads of x [n_row] into y; rrms [n_head, n_row]. */
void heads_norm_forward(size_t n_row, size_t n_head, size_t head_width, struct view x,
                        const float *gain, struct view y, float *rrms);

/* heads_norm_backward adds to dx and dgain. */
void heads_norm_backward(size_t n_row, size_t n_head, size_t head_width, struct view dy,
                         struct view x, const float *rrms, const float *gain, struct view dx,
                         float *dgain);

#endif

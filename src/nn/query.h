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

/* query_forward computes the block's query from its ln1 [R,d]. */
void query_forward(const struct layer *layer);

/* query_backward adds the gradients of f's weights to pass->grad and that of X to dx, from
 * act->dquery. It overwrites act->dff and act->dmix. */
void query_backward(const struct layer *layer, float *dx);

/* heads_norm_forward normalises each of n_head heads of x [n_row] into y; rrms [n_head, n_row]. */
void heads_norm_forward(size_t n_row, size_t n_head, size_t head_width, struct view x,
                        const float *gain, struct view y, float *rrms);

/* heads_norm_backward adds to dx and dgain. */
void heads_norm_backward(size_t n_row, size_t n_head, size_t head_width, struct view dy,
                         struct view x, const float *rrms, const float *gain, struct view dx,
                         float *dgain);

#endif

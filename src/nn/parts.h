/* parts: what a model is made of, in the order of a forward pass. Private to nn. Capital letters as
 * in shape.h.
 */
#ifndef QKVLAB_NN_PARTS_H
#define QKVLAB_NN_PARTS_H

#include "nn/activations.h"
#include "nn/attention.h"

/* ---- embedding: from symbols or patches to the residual stream ----
 *
 *     tokens    x_t = W onehot(id_t) + b + pos_t
 *     patches   x_0 = cls + pos_0, x_(1+i) = W patch_i + b + pos_(1+i)
 *
 * With dropout the sum is masked. */

/* embedding_prepare packs what the forward passes of a step share. */
void embedding_prepare(const struct model *model, const float *param, struct prepared *prepared);

/* embedding_forward writes act->block[0].x_in [R,d]. */
void embedding_forward(const struct pass *pass);

/* embedding_backward adds the gradients of the embedding's tensors to pass->grad, from act->dx. */
void embedding_backward(const struct pass *pass);

/* ---- block: x += attention(LN x), then x += W2 GELU(W1 LN x) ---- */

/* block_attention describes a layer's attention over what the forward pass left. */
struct attention block_attention(const struct pass *pass, size_t layer);

/* block_forward reads the block's x_in and writes its x_out [R,d], the next block's x_in. */
void block_forward(const struct pass *pass, size_t layer);

/* block_backward turns act->dx from the gradient of the block's output into that of its input, and
 * adds the gradients of its weights to pass->grad. */
void block_backward(const struct pass *pass, size_t layer);

/* ---- head: final LayerNorm and classifier, at every position or at the class token ---- */

/* head_forward computes act->logits [A,C] from act->x_out. */
void head_forward(const struct pass *pass);

/* head_loss sums loss and correct answers over the micro-batch after head_forward, and leaves the
 * gradient of gradient_scale * loss in act->dlogits. */
struct loss_sums head_loss(const struct pass *pass, float gradient_scale);

/* head_backward fills act->dx [R,d] from act->dlogits, and adds the gradients of the head's
 * tensors to pass->grad. */
void head_backward(const struct pass *pass);

#endif

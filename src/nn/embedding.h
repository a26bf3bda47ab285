/* embedding: from symbols or patches to the residual stream. Private to nn.
 *
 *     tokens    x_t = W onehot(id_t) + b + pos_t
 *     patches   x_0 = cls + pos_0, x_(1+i) = W patch_i + b + pos_(1+i)
 *
 * With dropout the sum is masked.
 */
#ifndef QKVLAB_NN_EMBEDDING_H
#define QKVLAB_NN_EMBEDDING_H

#include "nn/activations.h"

/* embedding_prepare packs what the forward passes of a step share. */
void embedding_prepare(const struct model *model, const float *param, struct prepared *prepared);

/* embedding_forward writes act->block[0].x_in [R,d]. */
void embedding_forward(const struct pass *pass);

/* embedding_backward adds the gradients of the embedding's tensors to pass->grad, from act->dx. */
void embedding_backward(const struct pass *pass);

#endif

/* head: final LayerNorm and classifier, at every position or at the class token; the loss. Private
 * to nn.
 */
#ifndef QKVLAB_NN_HEAD_H
#define QKVLAB_NN_HEAD_H

#include "nn/activations.h"

/* head_forward computes act->logits from act->x_out. */
void head_forward(const struct model *model, const float *param, const struct prepared *prepared,
                  const struct batch *batch, struct activations *act);

/* head_backward fills act->dx [R,d] from act->dlogits, and adds the gradients of the head's
 * tensors. */
void head_backward(const struct model *model, const float *param, const struct prepared *prepared,
                   const struct batch *batch, struct activations *act, float *grad);

#endif

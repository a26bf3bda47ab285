/* head: final LayerNorm and classifier, at every position or at the class token; the loss. Private
 * to nn.
 */
#ifndef QKVLAB_NN_HEAD_H
#define QKVLAB_NN_HEAD_H

#include "nn/activations.h"

/* head_forward computes act->logits [A,C] from act->x_out. */
void head_forward(const struct pass *pass);

/* head_loss sums loss and correct answers over the micro-batch after head_forward, and leaves the
 * gradient of gradient_scale * loss in act->dlogits. */
struct loss_sums head_loss(const struct pass *pass, float gradient_scale);

/* head_backward fills act->dx [R,d] from act->dlogits, and adds the gradients of the head's
 * tensors to pass->grad. */
void head_backward(const struct pass *pass);

#endif

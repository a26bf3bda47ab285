/* rollout: where a token's information comes from once all layers have mixed it.
 *
 * Attention rollout of Abnar and Zuidema (arXiv 2005.00928): a layer passes half of a token on
 * through the residual stream and half through its attention, averaged over heads, so that the
 * matrix of a layer is (A + I) / 2, and the rollout is their product, the last layer first. Its
 * rows sum to 1. It knows nothing of values, norms and MLPs: a picture, not a proof.
 */
#ifndef QKVLAB_REPORT_ROLLOUT_H
#define QKVLAB_REPORT_ROLLOUT_H

#include <stddef.h>

/* rollout_row writes the rollout's row [T] of one token through n_layer layers; layer[l] [H,T,T] is
 * the attention of the l-th, the first one being nearest to the input. scratch [T]. */
void rollout_row(const float *const *layer, size_t n_layer, size_t n_head, size_t n_token,
                 size_t token, double *row, double *scratch);

/* rollout_uniform returns what a rollout gives to any token but the query itself where every layer
 * attends to all tokens alike: (1 - 2^-n_layer) / T. The rest stays with the query, so this and not
 * 1/T is what a rollout has to be compared with. */
double rollout_uniform(size_t n_layer, size_t n_token);

#endif

/* optimizer: Adam (Kingma & Ba, 2015) with global gradient-norm clipping and decoupled weight decay
 * (Loshchilov & Hutter, 2019), over ranges of flat arrays.
 */
#ifndef QKVLAB_NN_OPTIMIZER_H
#define QKVLAB_NN_OPTIMIZER_H

#include <stddef.h>
#include <stdint.h>

#include "nn/kernels/kernels.h"

struct adam_options {
    double learning_rate;
    double beta1, beta2;
    double epsilon;
    double clip;         /* largest global gradient norm; 0: no clipping */
    double weight_decay; /* 0: none */
};

struct adam_state {
    uint64_t step; /* updates done */
    float *m, *v;  /* [n_param] */
};

/* adam_prepare computes the update number step (from 1) for a gradient of the given norm. Clipping
 * follows torch.nn.utils.clip_grad_norm_: scale by clip / (norm + 1e-6) where that is below 1. */
struct adam_update adam_prepare(const struct adam_options *options, uint64_t step,
                                double grad_norm);

#endif

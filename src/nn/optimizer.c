#include "nn/optimizer.h"

#include <math.h>

struct adam_update adam_prepare(const struct adam_options *options, uint64_t step, double grad_norm)
{
    double correction1 = 1.0 - pow(options->beta1, (double)step);
    double correction2 = 1.0 - pow(options->beta2, (double)step);
    double clip_scale = options->clip > 0.0 ? options->clip / (grad_norm + 1e-6) : 1.0;
    return (struct adam_update){
        .gradient_scale = (float)(clip_scale < 1.0 ? clip_scale : 1.0),
        .step_size = (float)(options->learning_rate / correction1),
        .inverse_bias2 = (float)(1.0 / sqrt(correction2)),
        .beta1 = (float)options->beta1,
        .beta2 = (float)options->beta2,
        .epsilon = (float)options->epsilon,
        .from_gradient1 = (float)(1.0 - options->beta1),
        .from_gradient2 = (float)(1.0 - options->beta2),
        .decay = (float)(1.0 - options->learning_rate * options->weight_decay),
    };
}

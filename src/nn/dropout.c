#include "nn/dropout.h"

#include <math.h>

#include "base/rng.h"
#include "nn/kernels/kernels.h"

bool dropout_is_on(const struct model *model, const struct batch *batch)
{
    return batch->dropout != NULL && model->shape.dropout > 0.0;
}

bool dropout_mask(const struct model *model, const struct batch *batch, size_t site, size_t width,
                  float *mask)
{
    if (!dropout_is_on(model, batch)) {
        return false;
    }
    uint32_t threshold = (uint32_t)lround(model->shape.dropout * 65536.0);
    float kept = (float)(1.0 / (1.0 - model->shape.dropout));
    struct rng rng = rng_make(batch->dropout->seed, "dropout/%llu/%zu",
                              (unsigned long long)batch->dropout->step, site);
    kernels_active()->dropout_mask(batch->n_sequence * batch->n_token, width, rng.key,
                                   batch->first * batch->n_token, threshold, kept, mask);
    return true;
}

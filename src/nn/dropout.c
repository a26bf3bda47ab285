#include "nn/dropout.h"

#include <math.h>

#include "base/rng.h"
#include "nn/kernels/kernels.h"

bool dropout_is_on(const struct model *model, const struct batch *batch)
{
    return batch->dropout != NULL && model->shape.dropout > 0.0;
}

static struct dropout_law law_of(const struct model *model, const struct batch *batch, size_t site)
{
    struct rng rng = rng_make(batch->dropout->seed, "dropout/%llu/%zu",
                              (unsigned long long)batch->dropout->step, site);
    return (struct dropout_law){
        .key = {rng.key[0], rng.key[1]},
        .threshold = (uint32_t)lround(model->shape.dropout * 65536.0),
        .kept = (float)(1.0 / (1.0 - model->shape.dropout)),
    };
}

bool dropout_mask(const struct model *model, const struct batch *batch, size_t site, size_t width,
                  float *mask)
{
    if (!dropout_is_on(model, batch)) {
        return false;
    }
    struct dropout_law law = law_of(model, batch, site);
    kernels_active()->dropout_mask(batch->n_sequence * batch->n_token, width, &law,
                                   batch->first * batch->n_token, mask);
    return true;
}

void dropout_both(const struct model *model, const struct batch *batch, size_t site, size_t width,
                  float *x, float *y)
{
    if (dropout_is_on(model, batch)) {
        struct dropout_law law = law_of(model, batch, site);
        kernels_active()->dropout_both(batch->n_sequence * batch->n_token, width, &law,
                                       batch->first * batch->n_token, x, y);
    }
}

#include "nn/dropout.h"

#include <math.h>

#include "base/rng.h"
#include "nn/kernels/kernels.h"

bool dropout_is_on(const struct pass *pass)
{
    return pass->batch->dropout != NULL && pass->model->shape.dropout > 0.0;
}

static struct dropout_law law_of(const struct pass *pass, size_t site)
{
    const struct dropout *dropout = pass->batch->dropout;
    double rate = pass->model->shape.dropout;
    struct rng rng =
        rng_make(dropout->seed, "dropout/%llu/%zu", (unsigned long long)dropout->step, site);
    return (struct dropout_law){
        .key = {rng.key[0], rng.key[1]},
        .threshold = (uint32_t)lround(rate * 65536.0),
        .kept = (float)(1.0 / (1.0 - rate)),
    };
}

bool dropout_mask(const struct pass *pass, size_t site, size_t width, float *mask)
{
    if (!dropout_is_on(pass)) {
        return false;
    }
    const struct batch *batch = pass->batch;
    struct dropout_law law = law_of(pass, site);
    kernels_active()->dropout_mask(batch->n_sequence * batch->n_token, width, &law,
                                   batch->first * batch->n_token, mask);
    return true;
}

void dropout_both(const struct pass *pass, size_t site, size_t width, float *x, float *y)
{
    if (dropout_is_on(pass)) {
        const struct batch *batch = pass->batch;
        struct dropout_law law = law_of(pass, site);
        kernels_active()->dropout_both(batch->n_sequence * batch->n_token, width, &law,
                                       batch->first * batch->n_token, x, y);
    }
}

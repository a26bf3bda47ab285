#include "nn/embedding.h"

#include <string.h>

#include "nn/dropout.h"
#include "nn/kernels/kernels.h"

void embedding_prepare(const struct model *model, const float *param, struct prepared *prepared)
{
    const struct kernels *kernel = kernels_active();
    const struct model_shape *shape = &model->shape;
    const float *weight = param + model->layout.embed_weight;
    if (shape->input == INPUT_PATCHES) {
        linear_pack(&prepared->patch, weight);
        return;
    }
    kernel->transpose(shape->n_embd, shape->n_symbol, weight, shape->n_symbol, prepared->embed,
                      shape->n_embd);
    for (size_t symbol = 0; symbol < shape->n_symbol; symbol++) {
        kernel->add(shape->n_embd, prepared->embed + symbol * shape->n_embd,
                    param + model->layout.embed_bias);
    }
}

static void tokens_forward(const struct model *model, const float *param,
                           const struct prepared *prepared, const struct batch *batch, float *x)
{
    size_t d = model->shape.n_embd, n_token = batch->n_token;
    const float *position = param + model->layout.pos_emb;
    for (size_t r = 0; r < batch->n_sequence * n_token; r++) {
        const float *symbol = prepared->embed + (size_t)batch->ids[r] * d;
        kernels_active()->fill_rows(1, d, symbol, position + r % n_token * d, x + r * d);
    }
}

static void patches_forward(const struct model *model, const float *param,
                            const struct prepared *prepared, const struct batch *batch,
                            struct activations *act, float *x)
{
    const struct kernels *kernel = kernels_active();
    const struct layout *layout = &model->layout;
    size_t d = model->shape.n_embd, n_token = batch->n_token, n_patch = n_token - 1;
    size_t n_row = batch->n_sequence * n_patch;
    const float *position = param + layout->pos_emb;
    linear_forward(&prepared->patch, n_row, batch->patches, param + layout->embed_bias, NULL,
                   act->embedded);
    for (size_t b = 0; b < batch->n_sequence; b++) {
        float *sequence = x + b * n_token * d;
        const float *embedded = act->embedded + b * n_patch * d;
        kernel->fill_rows(1, d, param + layout->cls, position, sequence);
        kernel->fill_rows(1, n_patch * d, embedded, position + d, sequence + d);
    }
}

void embedding_forward(const struct model *model, const float *param,
                       const struct prepared *prepared, const struct batch *batch,
                       struct activations *act)
{
    float *x = act->block[0].x_in;
    if (model->shape.input == INPUT_PATCHES) {
        patches_forward(model, param, prepared, batch, act, x);
    } else {
        tokens_forward(model, param, prepared, batch, x);
    }
    if (dropout_mask(model, batch, DROPOUT_EMBEDDING, model->shape.n_embd, act->embed_mask)) {
        size_t n = batch->n_sequence * batch->n_token * model->shape.n_embd;
        kernels_active()->multiply(n, x, act->embed_mask);
    }
}

/* tokens_backward first sums the rows of each symbol, then spreads them over the strided columns of
 * embed.weight. */
static void tokens_backward(const struct model *model, const struct batch *batch,
                            struct activations *act, float *grad)
{
    const struct kernels *kernel = kernels_active();
    const struct layout *layout = &model->layout;
    size_t d = model->shape.n_embd, n_symbol = model->shape.n_symbol;
    size_t n_row = batch->n_sequence * batch->n_token;
    memset(act->dembed, 0, n_symbol * d * sizeof *act->dembed);
    for (size_t r = 0; r < n_row; r++) {
        kernel->add(d, act->dembed + (size_t)batch->ids[r] * d, act->dx + r * d);
    }
    for (size_t symbol = 0; symbol < n_symbol; symbol++) {
        for (size_t c = 0; c < d; c++) {
            grad[layout->embed_weight + c * n_symbol + symbol] += act->dembed[symbol * d + c];
        }
    }
    kernel->column_sum(n_row, d, act->dx, d, grad + layout->embed_bias);
}

static void patches_backward(const struct model *model, const struct prepared *prepared,
                             const struct batch *batch, struct activations *act, float *grad)
{
    const struct kernels *kernel = kernels_active();
    const struct layout *layout = &model->layout;
    size_t d = model->shape.n_embd, n_token = batch->n_token, n_patch = n_token - 1;
    for (size_t b = 0; b < batch->n_sequence; b++) {
        const float *dx = act->dx + b * n_token * d;
        kernel->add(d, grad + layout->cls, dx);
        memcpy(act->embedded + b * n_patch * d, dx + d, n_patch * d * sizeof *dx);
    }
    linear_gradient(&prepared->patch, batch->n_sequence * n_patch, batch->patches, act->embedded,
                    grad + layout->embed_weight, grad + layout->embed_bias);
}

void embedding_backward(const struct model *model, const struct prepared *prepared,
                        const struct batch *batch, struct activations *act, float *grad)
{
    const struct kernels *kernel = kernels_active();
    size_t n = batch->n_token * model->shape.n_embd;
    if (dropout_is_on(model, batch)) {
        kernel->multiply(batch->n_sequence * n, act->dx, act->embed_mask);
    }
    for (size_t b = 0; b < batch->n_sequence; b++) {
        kernel->add(n, grad + model->layout.pos_emb, act->dx + b * n);
    }
    if (model->shape.input == INPUT_PATCHES) {
        patches_backward(model, prepared, batch, act, grad);
    } else {
        tokens_backward(model, batch, act, grad);
    }
}

#include "nn/parts.h"

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

static void tokens_forward(const struct pass *pass, float *x)
{
    const struct batch *batch = pass->batch;
    size_t d = pass->model->shape.n_embd;
    const float *position = pass->param + pass->model->layout.pos_emb;
    for (size_t r = 0; r < pass->act->n_row; r++) {
        const float *symbol = pass->prepared->embed + (size_t)batch->ids[r] * d;
        kernels_active()->fill_rows(1, d, symbol, position + r % batch->n_token * d, x + r * d);
    }
}

static void patches_forward(const struct pass *pass, float *x)
{
    const struct kernels *kernel = kernels_active();
    const struct layout *layout = &pass->model->layout;
    const struct batch *batch = pass->batch;
    const float *param = pass->param, *position = param + layout->pos_emb;
    size_t d = pass->model->shape.n_embd, n_token = batch->n_token, n_patch = n_token - 1;
    linear_forward(&pass->prepared->patch, batch->n_sequence * n_patch, batch->patches,
                   param + layout->embed_bias, NULL, pass->act->embedded);
    for (size_t b = 0; b < batch->n_sequence; b++) {
        float *sequence = x + b * n_token * d;
        const float *embedded = pass->act->embedded + b * n_patch * d;
        kernel->fill_rows(1, d, param + layout->cls, position, sequence);
        kernel->fill_rows(1, n_patch * d, embedded, position + d, sequence + d);
    }
}

void embedding_forward(const struct pass *pass)
{
    struct activations *act = pass->act;
    size_t d = pass->model->shape.n_embd;
    float *x = act->block[0].x_in;
    if (pass->model->shape.input == INPUT_PATCHES) {
        patches_forward(pass, x);
    } else {
        tokens_forward(pass, x);
    }
    if (dropout_mask(pass, DROPOUT_EMBEDDING, d, act->embed_mask)) {
        kernels_active()->multiply(act->n_row * d, x, act->embed_mask);
    }
}

/* tokens_backward first sums the rows of each symbol, then spreads them over the strided columns of
 * embed.weight. */
static void tokens_backward(const struct pass *pass)
{
    const struct kernels *kernel = kernels_active();
    const struct layout *layout = &pass->model->layout;
    struct activations *act = pass->act;
    size_t d = pass->model->shape.n_embd, n_symbol = pass->model->shape.n_symbol;
    memset(act->dembed, 0, n_symbol * d * sizeof *act->dembed);
    for (size_t r = 0; r < act->n_row; r++) {
        kernel->add(d, act->dembed + (size_t)pass->batch->ids[r] * d, act->dx + r * d);
    }
    for (size_t symbol = 0; symbol < n_symbol; symbol++) {
        for (size_t c = 0; c < d; c++) {
            pass->grad[layout->embed_weight + c * n_symbol + symbol] += act->dembed[symbol * d + c];
        }
    }
    kernel->column_sum(act->n_row, d, act->dx, d, pass->grad + layout->embed_bias);
}

static void patches_backward(const struct pass *pass)
{
    const struct layout *layout = &pass->model->layout;
    const struct batch *batch = pass->batch;
    struct activations *act = pass->act;
    size_t d = pass->model->shape.n_embd, n_token = batch->n_token, n_patch = n_token - 1;
    for (size_t b = 0; b < batch->n_sequence; b++) {
        const float *dx = act->dx + b * n_token * d;
        kernels_active()->add(d, pass->grad + layout->cls, dx);
        memcpy(act->embedded + b * n_patch * d, dx + d, n_patch * d * sizeof *dx);
    }
    linear_gradient(&pass->prepared->patch, batch->n_sequence * n_patch, batch->patches,
                    act->embedded, pass->grad + layout->embed_weight,
                    pass->grad + layout->embed_bias);
}

void embedding_backward(const struct pass *pass)
{
    const struct kernels *kernel = kernels_active();
    struct activations *act = pass->act;
    size_t n = act->n_token * pass->model->shape.n_embd;
    if (dropout_is_on(pass)) {
        kernel->multiply(act->n_sequence * n, act->dx, act->embed_mask);
    }
    for (size_t b = 0; b < act->n_sequence; b++) {
        kernel->add(n, pass->grad + pass->model->layout.pos_emb, act->dx + b * n);
    }
    if (pass->model->shape.input == INPUT_PATCHES) {
        patches_backward(pass);
    } else {
        tokens_backward(pass);
    }
}

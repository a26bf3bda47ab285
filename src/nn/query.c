#include "nn/query.h"

#include <string.h>

#include "nn/kernels/kernels.h"

void query_forward(const struct layer *layer)
{
    const struct kernels *kernel = kernels_active();
    const struct block_offsets *at = layer->at;
    const struct prepared_block *ready = layer->ready;
    struct block_activations *block = layer->block;
    struct query_activations *query = &block->query;
    const float *param = layer->pass->param;
    size_t d = layer->pass->model->shape.n_embd, hidden = d / 2, n_row = layer->pass->act->n_row;
    kernel->rms_norm_forward(n_row, d, block->ln1, d, param + at->query_norm_in, query->normed, d,
                             query->rrms);
    linear_forward(&ready->query_fc1, n_row, query->normed, NULL, NULL, query->slope);
    kernel->bias_gelu(n_row, hidden, query->slope, NULL, query->gelu);
    linear_forward(&ready->query_fc2, n_row, query->gelu, NULL, NULL, query->hidden);
    kernel->layer_norm_forward(n_row, d, query->hidden, param + at->query_norm_out_weight,
                               param + at->query_norm_out_bias, query->query, query->norm_out.mean,
                               query->norm_out.rstd);
    for (size_t i = 0; i < n_row * d; i++) {
        query->query[i] = 0.5f * (block->ln1[i] + query->query[i]);
    }
}

void query_backward(const struct layer *layer, float *dx)
{
    const struct kernels *kernel = kernels_active();
    const struct block_offsets *at = layer->at;
    const struct prepared_block *ready = layer->ready;
    struct block_activations *block = layer->block;
    struct query_activations *query = &block->query;
    struct activations *act = layer->pass->act;
    const float *param = layer->pass->param;
    float *grad = layer->pass->grad;
    size_t d = layer->pass->model->shape.n_embd, hidden = d / 2, n_row = act->n_row;
    float *df = act->dquery, *dhidden = act->dmix, *dgelu = act->dff;
    for (size_t i = 0; i < n_row * d; i++) {
        df[i] *= 0.5f;
        dx[i] += df[i];
    }
    memset(dhidden, 0, n_row * d * sizeof *dhidden);
    kernel->layer_norm_backward(n_row, d, df, query->hidden, query->norm_out.mean,
                                query->norm_out.rstd, param + at->query_norm_out_weight, dhidden,
                                grad + at->query_norm_out_weight, grad + at->query_norm_out_bias);
    linear_gradient(&ready->query_fc2, n_row, query->gelu, dhidden, grad + at->query_fc2, NULL);
    linear_backward(&ready->query_fc2, n_row, dhidden, dgelu);
    kernel->multiply(n_row * hidden, dgelu, query->slope);
    linear_gradient(&ready->query_fc1, n_row, query->normed, dgelu, grad + at->query_fc1, NULL);
    linear_backward(&ready->query_fc1, n_row, dgelu, dhidden);
    kernel->rms_norm_backward(n_row, d, dhidden, d, block->ln1, d, query->rrms,
                              param + at->query_norm_in, dx, d, grad + at->query_norm_in);
}

void heads_norm_forward(size_t n_row, size_t n_head, size_t head_width, struct view x,
                        const float *gain, struct view y, float *rrms)
{
    for (size_t h = 0; h < n_head; h++) {
        kernels_active()->rms_norm_forward(n_row, head_width, x.at + h * head_width, x.ld, gain,
                                           y.at + h * head_width, y.ld, rrms + h * n_row);
    }
}

void heads_norm_backward(size_t n_row, size_t n_head, size_t head_width, struct view dy,
                         struct view x, const float *rrms, const float *gain, struct view dx,
                         float *dgain)
{
    for (size_t h = 0; h < n_head; h++) {
        size_t at = h * head_width;
        kernels_active()->rms_norm_backward(n_row, head_width, dy.at + at, dy.ld, x.at + at, x.ld,
                                            rrms + h * n_row, gain, dx.at + at, dx.ld, dgain);
    }
}

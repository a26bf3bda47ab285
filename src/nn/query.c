#include "nn/query.h"

#include <string.h>

#include "nn/kernels/kernels.h"
#include "nn/matmul.h"

void query_forward(const struct model *model, const float *param,
                   const struct prepared_block *prepared, const struct block_offsets *at,
                   size_t n_row, struct block_activations *block)
{
    const struct kernels *kernel = kernels_active();
    size_t d = model->shape.n_embd, hidden = d / 2;
    struct query_activations *query = &block->query;
    kernel->rms_norm_forward(n_row, d, block->ln1, d, param + at->query_norm_in, query->normed, d,
                             query->rrms);
    matmul_nn(n_row, hidden, d, 1.0f, query->normed, d, prepared->query_fc1, hidden, 0.0f,
              query->slope, hidden);
    kernel->bias_gelu(n_row, hidden, query->slope, NULL, query->gelu);
    matmul_nn(n_row, d, hidden, 1.0f, query->gelu, hidden, prepared->query_fc2, d, 0.0f,
              query->hidden, d);
    kernel->layer_norm_forward(n_row, d, query->hidden, param + at->query_norm_out_weight,
                               param + at->query_norm_out_bias, query->query, query->norm_out.mean,
                               query->norm_out.rstd);
    for (size_t i = 0; i < n_row * d; i++) {
        query->query[i] = 0.5f * (block->ln1[i] + query->query[i]);
    }
}

void query_backward(const struct model *model, const float *param, const struct block_offsets *at,
                    size_t n_row, struct block_activations *block, struct activations *act,
                    float *dx, float *grad)
{
    const struct kernels *kernel = kernels_active();
    size_t d = model->shape.n_embd, hidden = d / 2;
    struct query_activations *query = &block->query;
    float *df = act->dquery, *dhidden = act->dmix, *dgelu = act->dff;
    for (size_t i = 0; i < n_row * d; i++) {
        df[i] *= 0.5f;
        dx[i] += df[i];
    }
    memset(dhidden, 0, n_row * d * sizeof *dhidden);
    kernel->layer_norm_backward(n_row, d, df, query->hidden, query->norm_out.mean,
                                query->norm_out.rstd, param + at->query_norm_out_weight, dhidden,
                                grad + at->query_norm_out_weight, grad + at->query_norm_out_bias);
    matmul_tn(d, hidden, n_row, 1.0f, dhidden, d, query->gelu, hidden, 1.0f, grad + at->query_fc2,
              hidden);
    matmul_nn(n_row, hidden, d, 1.0f, dhidden, d, param + at->query_fc2, hidden, 0.0f, dgelu,
              hidden);
    kernel->multiply(n_row * hidden, dgelu, query->slope);
    matmul_tn(hidden, d, n_row, 1.0f, dgelu, hidden, query->normed, d, 1.0f, grad + at->query_fc1,
              d);
    matmul_nn(n_row, d, hidden, 1.0f, dgelu, hidden, param + at->query_fc1, d, 0.0f, dhidden, d);
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

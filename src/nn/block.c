#include "nn/block.h"

#include <math.h>
#include <string.h>

#include "nn/dropout.h"
#include "nn/kernels/kernels.h"
#include "nn/profile.h"
#include "nn/query.h"

struct attention block_attention(const struct model *model, const struct prepared *prepared,
                                 size_t layer, size_t n_sequence, size_t n_token)
{
    const struct model_shape *shape = &model->shape;
    struct widths w = widths_of(shape);
    return (struct attention){
        .n_sequence = n_sequence,
        .n_token = n_token,
        .n_head = shape->n_head,
        .kv_heads = w.kv_heads,
        .head_width = w.head,
        .causal = shape->variant.causal,
        .scale = (float)(variant_score_scale(&shape->variant) / sqrt((double)w.head)),
        .multiplier = prepared->block[layer].multiplier,
        .matrix = prepared->block[layer].matrix,
        .matrix_ld = shape->n_token,
    };
}

/* slot_view is the part of [R,W] rows that a role's slot occupies. */
static struct view slot_view(const struct model *model, float *slots, enum role role)
{
    struct widths w = widths_of(&model->shape);
    return (struct view){slots + w.slot_at[model->shape.variant.slot[role]], w.slots};
}

/* raw_query is Q before qk_norm: a slot, X itself, or what the query map computed. */
static struct view raw_query(const struct model *model, struct block_activations *block)
{
    switch (model->shape.variant.query) {
    case QUERY_IDENTITY:
        return (struct view){block->ln1, model->shape.n_embd};
    case QUERY_RESIDUAL_MLP:
        return (struct view){block->query.query, model->shape.n_embd};
    default:
        return slot_view(model, block->slots, ROLE_Q);
    }
}

struct roles block_roles(const struct model *model, struct block_activations *block)
{
    struct widths w = widths_of(&model->shape);
    struct roles roles;
    roles.v = slot_view(model, block->slots, ROLE_V);
    if (model->shape.variant.qk_norm) {
        roles.q = (struct view){block->q_normed, model->shape.n_embd};
        roles.k = (struct view){block->k_normed, w.kv_heads * w.head};
    } else {
        roles.q = raw_query(model, block);
        roles.k = slot_view(model, block->slots, ROLE_K);
    }
    return roles;
}

/* ---- forward ---- */

static void attention_part_forward(const struct model *model, const float *param,
                                   const struct prepared *prepared, size_t layer, size_t n_sequence,
                                   size_t n_token, struct activations *act)
{
    const struct kernels *kernel = kernels_active();
    const struct model_shape *shape = &model->shape;
    const struct block_offsets *at = &model->layout.block[layer];
    const struct prepared_block *ready = &prepared->block[layer];
    struct block_activations *block = &act->block[layer];
    struct widths w = widths_of(shape);
    size_t d = shape->n_embd, n_row = n_sequence * n_token;

    kernel->layer_norm_forward(n_row, d, block->x_in, param + at->ln1_weight, param + at->ln1_bias,
                               block->ln1, block->ln1_saved.mean, block->ln1_saved.rstd);
    linear_forward(&ready->slots, n_row, block->ln1, param + at->slots_bias, NULL, block->slots);
    if (shape->variant.query == QUERY_RESIDUAL_MLP) {
        query_forward(model, param, ready, at, n_row, block);
    }
    struct roles roles = block_roles(model, block);
    if (shape->variant.qk_norm) {
        heads_norm_forward(n_row, shape->n_head, w.head, raw_query(model, block),
                           param + at->q_norm, roles.q, block->q_rrms);
        heads_norm_forward(n_row, w.kv_heads, w.head, slot_view(model, block->slots, ROLE_K),
                           param + at->k_norm, roles.k, block->k_rrms);
    }
    struct attention attention = block_attention(model, prepared, layer, n_sequence, n_token);
    enum profile_part part = profile_enter(PROFILE_ATTENTION);
    attention_forward(&attention, roles.q, roles.k, roles.v, block->attention, block->mix,
                      act->attention_scratch);
    profile_enter(part);
    linear_forward(&ready->out, n_row, block->mix, param + at->out_bias, block->x_in, block->x_mid);
}

static void mlp_part_forward(const struct model *model, const float *param,
                             const struct prepared *prepared, size_t layer,
                             const struct batch *batch, struct activations *act, float *x_out)
{
    const struct kernels *kernel = kernels_active();
    const struct block_offsets *at = &model->layout.block[layer];
    const struct prepared_block *ready = &prepared->block[layer];
    struct block_activations *block = &act->block[layer];
    size_t d = model->shape.n_embd, ff = model->shape.mlp_ratio * d;
    size_t n_row = batch->n_sequence * batch->n_token;
    kernel->layer_norm_forward(n_row, d, block->x_mid, param + at->ln2_weight, param + at->ln2_bias,
                               block->ln2, block->ln2_saved.mean, block->ln2_saved.rstd);
    linear_forward(&ready->fc1, n_row, block->ln2, NULL, NULL, block->slope);
    kernel->bias_gelu(n_row, ff, block->slope, param + at->fc1_bias, block->gelu);
    /* With the slope masked too, backward needs no mask of its own. */
    dropout_both(model, batch, DROPOUT_HIDDEN(layer), ff, block->gelu, block->slope);
    const float *bias = param + at->fc2_bias;
    if (dropout_mask(model, batch, DROPOUT_MLP(layer), d, block->mlp_mask)) {
        linear_forward(&ready->fc2, n_row, block->gelu, bias, NULL, x_out);
        kernel->multiply_add(n_row * d, x_out, block->mlp_mask, block->x_mid);
    } else {
        linear_forward(&ready->fc2, n_row, block->gelu, bias, block->x_mid, x_out);
    }
}

void block_forward(const struct model *model, const float *param, const struct prepared *prepared,
                   size_t layer, const struct batch *batch, struct activations *act, float *x_out)
{
    attention_part_forward(model, param, prepared, layer, batch->n_sequence, batch->n_token, act);
    mlp_part_forward(model, param, prepared, layer, batch, act, x_out);
}

/* ---- backward ---- */

static void mlp_part_backward(const struct model *model, const float *param,
                              const struct prepared *prepared, size_t layer,
                              const struct batch *batch, struct activations *act, float *grad)
{
    const struct kernels *kernel = kernels_active();
    const struct block_offsets *at = &model->layout.block[layer];
    const struct prepared_block *ready = &prepared->block[layer];
    struct block_activations *block = &act->block[layer];
    size_t d = model->shape.n_embd, ff = model->shape.mlp_ratio * d;
    size_t n_row = batch->n_sequence * batch->n_token;
    const float *dmlp = act->dx;
    if (dropout_is_on(model, batch)) {
        kernel->multiply(n_row * d, block->mlp_mask, act->dx);
        dmlp = block->mlp_mask;
    }
    linear_gradient(&ready->fc2, n_row, block->gelu, dmlp, grad + at->fc2_weight,
                    grad + at->fc2_bias);
    linear_backward(&ready->fc2, n_row, dmlp, act->dff);
    kernel->multiply_and_sum(n_row, ff, act->dff, block->slope, grad + at->fc1_bias);
    linear_gradient(&ready->fc1, n_row, block->ln2, act->dff, grad + at->fc1_weight, NULL);
    linear_backward(&ready->fc1, n_row, act->dff, act->dnorm);
    kernel->layer_norm_backward(n_row, d, act->dnorm, block->x_mid, block->ln2_saved.mean,
                                block->ln2_saved.rstd, param + at->ln2_weight, act->dx,
                                grad + at->ln2_weight, grad + at->ln2_bias);
}

/* Where the gradients of a block's roles go. */
struct role_targets {
    struct view q_raw, k_raw; /* of Q and K before qk_norm */
    struct target q, k, v;    /* of what the attention reads */
};

/* targets_of says where, in act. Attention computes V's gradient first, then Q's, then K's: a role
 * adds where an earlier one shares its slot, and else overwrites. Behind qk_norm gradients are only
 * added, so all begin at 0. */
static struct role_targets targets_of(const struct model *model, struct activations *act,
                                      size_t n_row)
{
    const struct variant *variant = &model->shape.variant;
    struct widths w = widths_of(&model->shape);
    size_t d = model->shape.n_embd;
    bool linear = variant->query == QUERY_LINEAR;
    struct role_targets to = {.v.view = slot_view(model, act->dslots, ROLE_V)};
    to.k_raw = slot_view(model, act->dslots, ROLE_K);
    to.q_raw = linear ? slot_view(model, act->dslots, ROLE_Q) : (struct view){act->dquery, d};
    if (variant->qk_norm) {
        memset(act->dslots, 0, n_row * w.slots * sizeof(float));
        if (!linear) {
            memset(act->dquery, 0, n_row * d * sizeof(float));
        }
        to.v.add = true;
        to.q.view = (struct view){act->dq_normed, d};
        to.k.view = (struct view){act->dk_normed, w.kv_heads * w.head};
        return to;
    }
    const int *slot = variant->slot;
    to.q = (struct target){to.q_raw, linear && slot[ROLE_Q] == slot[ROLE_V]};
    to.k = (struct target){to.k_raw, slot[ROLE_K] == slot[ROLE_V] ||
                                         (linear && slot[ROLE_K] == slot[ROLE_Q])};
    return to;
}

/* scores_backward goes from act->dmix to the gradients of the slots (act->dslots) and of a query
 * that is no slot (act->dquery). */
static void scores_backward(const struct model *model, const float *param,
                            const struct prepared *prepared, size_t layer, size_t n_sequence,
                            size_t n_token, struct activations *act, float *grad)
{
    const struct model_shape *shape = &model->shape;
    const struct block_offsets *at = &model->layout.block[layer];
    struct block_activations *block = &act->block[layer];
    struct widths w = widths_of(shape);
    enum score_term term = shape->variant.score_term;
    size_t n_row = n_sequence * n_token;
    double d_multiplier = 0.0;
    if (act->d_matrix != NULL) {
        memset(act->d_matrix, 0, n_token * n_token * sizeof(double));
    }
    struct roles roles = block_roles(model, block);
    struct role_targets to = targets_of(model, act, n_row);
    struct attention attention = block_attention(model, prepared, layer, n_sequence, n_token);
    enum profile_part part = profile_enter(PROFILE_ATTENTION);
    attention_backward(&attention, roles.q, roles.k, roles.v, block->attention, act->dmix, to.q,
                       to.k, to.v, score_term_has_multiplier(term) ? &d_multiplier : NULL,
                       act->d_matrix, act->attention_scratch);
    score_term_gradient(term, &prepared->tables, at, n_token, d_multiplier, act->d_matrix,
                        act->shift_scratch, grad);
    profile_enter(part);
    if (shape->variant.qk_norm) {
        heads_norm_backward(n_row, shape->n_head, w.head, to.q.view, raw_query(model, block),
                            block->q_rrms, param + at->q_norm, to.q_raw, grad + at->q_norm);
        heads_norm_backward(n_row, w.kv_heads, w.head, to.k.view,
                            slot_view(model, block->slots, ROLE_K), block->k_rrms,
                            param + at->k_norm, to.k_raw, grad + at->k_norm);
    }
}

static void attention_part_backward(const struct model *model, const float *param,
                                    const struct prepared *prepared, size_t layer,
                                    size_t n_sequence, size_t n_token, struct activations *act,
                                    float *grad)
{
    const struct kernels *kernel = kernels_active();
    const struct model_shape *shape = &model->shape;
    const struct block_offsets *at = &model->layout.block[layer];
    const struct prepared_block *ready = &prepared->block[layer];
    struct block_activations *block = &act->block[layer];
    size_t d = shape->n_embd, n_row = n_sequence * n_token;

    linear_gradient(&ready->out, n_row, block->mix, act->dx, grad + at->out_weight,
                    grad + at->out_bias);
    linear_backward(&ready->out, n_row, act->dx, act->dmix);
    scores_backward(model, param, prepared, layer, n_sequence, n_token, act, grad);
    linear_gradient(&ready->slots, n_row, block->ln1, act->dslots, grad + at->slots_weight,
                    grad + at->slots_bias);
    linear_backward(&ready->slots, n_row, act->dslots, act->dnorm);
    if (shape->variant.query == QUERY_IDENTITY) {
        kernel->add(n_row * d, act->dnorm, act->dquery);
    } else if (shape->variant.query == QUERY_RESIDUAL_MLP) {
        query_backward(model, param, ready, at, n_row, block, act, act->dnorm, grad);
    }
    kernel->layer_norm_backward(n_row, d, act->dnorm, block->x_in, block->ln1_saved.mean,
                                block->ln1_saved.rstd, param + at->ln1_weight, act->dx,
                                grad + at->ln1_weight, grad + at->ln1_bias);
}

void block_backward(const struct model *model, const float *param, const struct prepared *prepared,
                    size_t layer, const struct batch *batch, struct activations *act, float *grad)
{
    mlp_part_backward(model, param, prepared, layer, batch, act, grad);
    attention_part_backward(model, param, prepared, layer, batch->n_sequence, batch->n_token, act,
                            grad);
}

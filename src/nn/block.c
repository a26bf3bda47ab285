#include "nn/parts.h"

#include <math.h>
#include <string.h>

#include "nn/dropout.h"
#include "nn/kernels/kernels.h"
#include "nn/profile.h"
#include "nn/query.h"

/* ---- roles ---- */

static const struct model_shape *shape_of(const struct layer *layer)
{
    return &layer->pass->model->shape;
}

/* slot_view is the part of [R,W] rows that a role's slot occupies. */
static struct view slot_view(const struct layer *layer, float *slots, enum role role)
{
    struct widths w = widths_of(shape_of(layer));
    return (struct view){slots + w.slot_at[shape_of(layer)->variant.slot[role]], w.slots};
}

/* raw_query is Q before qk_norm: a slot, X itself, or what the query map computed. */
static struct view raw_query(const struct layer *layer)
{
    struct block_activations *block = layer->block;
    switch (shape_of(layer)->variant.query) {
    case QUERY_IDENTITY:
        return (struct view){block->ln1, shape_of(layer)->n_embd};
    case QUERY_RESIDUAL_MLP:
        return (struct view){block->query.query, shape_of(layer)->n_embd};
    default:
        return slot_view(layer, block->slots, ROLE_Q);
    }
}

/* raw_key is K before qk_norm. */
static struct view raw_key(const struct layer *layer)
{
    return slot_view(layer, layer->block->slots, ROLE_K);
}

/* attention_of says what the attention reads, after whatever query map and qk_norm do. */
static struct attention attention_of(const struct layer *layer)
{
    const struct model_shape *shape = shape_of(layer);
    const struct activations *act = layer->pass->act;
    struct block_activations *block = layer->block;
    struct widths w = widths_of(shape);
    bool normed = shape->variant.qk_norm;
    return (struct attention){
        .n_sequence = act->n_sequence,
        .n_token = act->n_token,
        .n_head = shape->n_head,
        .kv_heads = w.kv_heads,
        .head_width = w.head,
        .causal = shape->variant.causal,
        .scale = (float)(variant_score_scale(&shape->variant) / sqrt((double)w.head)),
        .multiplier = layer->ready->multiplier,
        .matrix = layer->ready->matrix,
        .matrix_ld = shape->n_token,
        .q = normed ? (struct view){block->q_normed, shape->n_embd} : raw_query(layer),
        .k = normed ? (struct view){block->k_normed, w.kv_heads * w.head} : raw_key(layer),
        .v = slot_view(layer, block->slots, ROLE_V),
        .probabilities = block->attention,
        .scratch = act->attention_scratch,
    };
}

struct attention block_attention(const struct pass *pass, size_t number)
{
    struct layer layer = pass_layer(pass, number);
    return attention_of(&layer);
}

/* ---- forward ---- */

/* x_mid = x_in + W_O attention(LN x_in) */
static void attention_part_forward(const struct layer *layer)
{
    const struct kernels *kernel = kernels_active();
    const struct model_shape *shape = shape_of(layer);
    const struct block_offsets *at = layer->at;
    struct block_activations *block = layer->block;
    const float *param = layer->pass->param;
    size_t n_row = layer->pass->act->n_row;

    kernel->layer_norm_forward(n_row, shape->n_embd, block->x_in, param + at->ln1_weight,
                               param + at->ln1_bias, block->ln1, block->ln1_saved.mean,
                               block->ln1_saved.rstd);
    linear_forward(&layer->ready->slots, n_row, block->ln1, param + at->slots_bias, NULL,
                   block->slots);
    if (shape->variant.query == QUERY_RESIDUAL_MLP) {
        query_forward(layer);
    }
    struct attention attention = attention_of(layer);
    if (shape->variant.qk_norm) {
        heads_norm_forward(n_row, attention.n_head, attention.head_width, raw_query(layer),
                           param + at->q_norm, attention.q, block->q_rrms);
        heads_norm_forward(n_row, attention.kv_heads, attention.head_width, raw_key(layer),
                           param + at->k_norm, attention.k, block->k_rrms);
    }
    enum profile_part part = profile_enter(PROFILE_ATTENTION);
    attention_forward(&attention, block->mix);
    profile_enter(part);
    linear_forward(&layer->ready->out, n_row, block->mix, param + at->out_bias, block->x_in,
                   block->x_mid);
}

/* x_out = x_mid + W2 GELU(W1 LN x_mid) */
static void mlp_part_forward(const struct layer *layer)
{
    const struct kernels *kernel = kernels_active();
    const struct pass *pass = layer->pass;
    const struct block_offsets *at = layer->at;
    struct block_activations *block = layer->block;
    const float *param = pass->param;
    size_t d = shape_of(layer)->n_embd, ff = shape_of(layer)->mlp_ratio * d;
    size_t n_row = pass->act->n_row;

    kernel->layer_norm_forward(n_row, d, block->x_mid, param + at->ln2_weight, param + at->ln2_bias,
                               block->ln2, block->ln2_saved.mean, block->ln2_saved.rstd);
    linear_forward(&layer->ready->fc1, n_row, block->ln2, NULL, NULL, block->slope);
    kernel->bias_gelu(n_row, ff, block->slope, param + at->fc1_bias, block->gelu);
    /* With the slope masked too, backward needs no mask of its own. */
    dropout_both(pass, DROPOUT_HIDDEN(layer->number), ff, block->gelu, block->slope);
    const float *bias = param + at->fc2_bias;
    if (dropout_mask(pass, DROPOUT_MLP(layer->number), d, block->mlp_mask)) {
        linear_forward(&layer->ready->fc2, n_row, block->gelu, bias, NULL, block->x_out);
        kernel->multiply_add(n_row * d, block->x_out, block->mlp_mask, block->x_mid);
    } else {
        linear_forward(&layer->ready->fc2, n_row, block->gelu, bias, block->x_mid, block->x_out);
    }
}

void block_forward(const struct pass *pass, size_t number)
{
    struct layer layer = pass_layer(pass, number);
    attention_part_forward(&layer);
    mlp_part_forward(&layer);
}

/* ---- backward ---- */

static void mlp_part_backward(const struct layer *layer)
{
    const struct kernels *kernel = kernels_active();
    const struct block_offsets *at = layer->at;
    struct block_activations *block = layer->block;
    struct activations *act = layer->pass->act;
    float *grad = layer->pass->grad;
    size_t d = shape_of(layer)->n_embd, ff = shape_of(layer)->mlp_ratio * d, n_row = act->n_row;

    const float *dmlp = act->dx;
    if (dropout_is_on(layer->pass)) {
        kernel->multiply(n_row * d, block->mlp_mask, act->dx);
        dmlp = block->mlp_mask;
    }
    linear_gradient(&layer->ready->fc2, n_row, block->gelu, dmlp, grad + at->fc2_weight,
                    grad + at->fc2_bias);
    linear_backward(&layer->ready->fc2, n_row, dmlp, act->dff);
    kernel->multiply_and_sum(n_row, ff, act->dff, block->slope, grad + at->fc1_bias);
    linear_gradient(&layer->ready->fc1, n_row, block->ln2, act->dff, grad + at->fc1_weight, NULL);
    linear_backward(&layer->ready->fc1, n_row, act->dff, act->dnorm);
    kernel->layer_norm_backward(n_row, d, act->dnorm, block->x_mid, block->ln2_saved.mean,
                                block->ln2_saved.rstd, layer->pass->param + at->ln2_weight, act->dx,
                                grad + at->ln2_weight, grad + at->ln2_bias);
}

/* Gradients of Q and K before qk_norm. */
struct raw_gradient {
    struct view q, k;
};

static struct raw_gradient raw_gradient_of(const struct layer *layer)
{
    const struct model_shape *shape = shape_of(layer);
    const struct activations *act = layer->pass->act;
    bool linear = shape->variant.query == QUERY_LINEAR;
    return (struct raw_gradient){
        .q = linear ? slot_view(layer, act->dslots, ROLE_Q)
                    : (struct view){act->dquery, shape->n_embd},
        .k = slot_view(layer, act->dslots, ROLE_K),
    };
}

/* gradient_of says where the gradients of what the attention reads go, in act. Attention computes
 * V's first, then Q's, then K's: a role adds where an earlier one shares its slot, and else
 * overwrites. Behind qk_norm gradients are only added, so all begin at 0. */
static struct attention_gradient gradient_of(const struct layer *layer)
{
    const struct model_shape *shape = shape_of(layer);
    const struct variant *variant = &shape->variant;
    const struct activations *act = layer->pass->act;
    struct widths w = widths_of(shape);
    bool linear = variant->query == QUERY_LINEAR;
    struct raw_gradient raw = raw_gradient_of(layer);
    struct attention_gradient to = {.v.view = slot_view(layer, act->dslots, ROLE_V),
                                    .matrix = act->d_matrix};
    if (act->d_matrix != NULL) {
        memset(act->d_matrix, 0, act->n_token * act->n_token * sizeof(double));
    }
    if (variant->qk_norm) {
        memset(act->dslots, 0, act->n_row * w.slots * sizeof(float));
        if (!linear) {
            memset(act->dquery, 0, act->n_row * shape->n_embd * sizeof(float));
        }
        to.v.add = true;
        to.q.view = (struct view){act->dq_normed, shape->n_embd};
        to.k.view = (struct view){act->dk_normed, w.kv_heads * w.head};
        return to;
    }
    const int *slot = variant->slot;
    to.q = (struct target){raw.q, linear && slot[ROLE_Q] == slot[ROLE_V]};
    to.k = (struct target){raw.k, slot[ROLE_K] == slot[ROLE_V] ||
                                      (linear && slot[ROLE_K] == slot[ROLE_Q])};
    return to;
}

/* scores_backward goes from act->dmix to the gradients of the slots (act->dslots) and of a query
 * that is no slot (act->dquery). */
static void scores_backward(const struct layer *layer)
{
    const struct model_shape *shape = shape_of(layer);
    const struct block_offsets *at = layer->at;
    struct block_activations *block = layer->block;
    const struct activations *act = layer->pass->act;
    const float *param = layer->pass->param;
    float *grad = layer->pass->grad;
    double d_multiplier = 0.0;
    struct attention attention = attention_of(layer);
    struct attention_gradient to = gradient_of(layer);
    to.multiplier =
        score_term_row(shape->variant.score_term)->has_multiplier ? &d_multiplier : NULL;

    enum profile_part part = profile_enter(PROFILE_ATTENTION);
    attention_backward(&attention, act->dmix, &to);
    score_term_gradient(layer, d_multiplier);
    profile_enter(part);
    if (shape->variant.qk_norm) {
        struct raw_gradient raw = raw_gradient_of(layer);
        heads_norm_backward(act->n_row, attention.n_head, attention.head_width, to.q.view,
                            raw_query(layer), block->q_rrms, param + at->q_norm, raw.q,
                            grad + at->q_norm);
        heads_norm_backward(act->n_row, attention.kv_heads, attention.head_width, to.k.view,
                            raw_key(layer), block->k_rrms, param + at->k_norm, raw.k,
                            grad + at->k_norm);
    }
}

static void attention_part_backward(const struct layer *layer)
{
    const struct kernels *kernel = kernels_active();
    const struct model_shape *shape = shape_of(layer);
    const struct block_offsets *at = layer->at;
    struct block_activations *block = layer->block;
    struct activations *act = layer->pass->act;
    float *grad = layer->pass->grad;
    size_t d = shape->n_embd, n_row = act->n_row;

    linear_gradient(&layer->ready->out, n_row, block->mix, act->dx, grad + at->out_weight,
                    grad + at->out_bias);
    linear_backward(&layer->ready->out, n_row, act->dx, act->dmix);
    scores_backward(layer);
    linear_gradient(&layer->ready->slots, n_row, block->ln1, act->dslots, grad + at->slots_weight,
                    grad + at->slots_bias);
    linear_backward(&layer->ready->slots, n_row, act->dslots, act->dnorm);
    if (shape->variant.query == QUERY_IDENTITY) {
        kernel->add(n_row * d, act->dnorm, act->dquery);
    } else if (shape->variant.query == QUERY_RESIDUAL_MLP) {
        query_backward(layer, act->dnorm);
    }
    kernel->layer_norm_backward(n_row, d, act->dnorm, block->x_in, block->ln1_saved.mean,
                                block->ln1_saved.rstd, layer->pass->param + at->ln1_weight, act->dx,
                                grad + at->ln1_weight, grad + at->ln1_bias);
}

void block_backward(const struct pass *pass, size_t number)
{
    struct layer layer = pass_layer(pass, number);
    mlp_part_backward(&layer);
    attention_part_backward(&layer);
}

#include "nn/model.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "nn/activations.h"
#include "nn/attention.h"
#include "nn/block.h"
#include "nn/embedding.h"
#include "nn/head.h"
#include "nn/kernels/kernels.h"
#include "nn/layout.h"
#include "nn/patch.h"

#define MAX_PARAM ((size_t)1 << 31)

/* ---- shape ---- */

static enum status check_range(const char *name, size_t value, size_t least, size_t most,
                               struct error *err)
{
    if (value < least || value > most) {
        return error_set(err, STATUS_USAGE, "%s: expected %zu to %zu, found %zu", name, least, most,
                         value);
    }
    return STATUS_OK;
}

static size_t divisor_below(size_t n, size_t d)
{
    while (n % d != 0) {
        d--;
    }
    return d;
}

static size_t divisor_above(size_t n, size_t d)
{
    while (d < n && n % d != 0) {
        d++;
    }
    return d;
}

/* check_heads names the nearest sizes that would work. */
static enum status check_heads(const struct model_shape *shape, struct error *err)
{
    size_t d = shape->n_embd, h = shape->n_head;
    if (d % h == 0) {
        return STATUS_OK;
    }
    size_t above = (d / h + 1) * h;
    if (d < h) {
        return error_set(err, STATUS_USAGE,
                         "n_embd %zu cannot be cut into n_head %zu equal heads; n_embd %zu or "
                         "n_head %zu would work",
                         d, h, above, d);
    }
    return error_set(err, STATUS_USAGE,
                     "n_embd %zu cannot be cut into n_head %zu equal heads; n_embd %zu or %zu, or "
                     "n_head %zu or %zu would work",
                     d, h, above - h, above, divisor_below(d, h), divisor_above(d, h));
}

/* check_input checks what only one kind of input has. */
static enum status check_input(const struct model_shape *shape, struct error *err)
{
    if (shape->input == INPUT_TOKENS) {
        return check_range("n_symbol", shape->n_symbol, RANGE_N_SYMBOL, err);
    }
    TRY(check_range("n_channel", shape->n_channel, RANGE_N_CHANNEL, err));
    TRY(check_range("image_size", shape->image_size, RANGE_IMAGE_SIZE, err));
    TRY(check_range("patch", shape->patch, 1, shape->image_size, err));
    if (shape->n_token != 1 + model_n_patch(shape)) {
        return error_set(err, STATUS_USAGE,
                         "images of %zu px in patches of %zu make %zu tokens with the class token, "
                         "found seq_len %zu",
                         shape->image_size, shape->patch, 1 + model_n_patch(shape), shape->n_token);
    }
    return STATUS_OK;
}

size_t model_n_patch(const struct model_shape *shape)
{
    return patches_count(shape->image_size, shape->image_size, shape->patch);
}

enum status model_shape_check(const struct model_shape *shape, struct error *err)
{
    TRY(check_range("n_embd", shape->n_embd, RANGE_N_EMBD, err));
    TRY(check_range("n_layer", shape->n_layer, RANGE_N_LAYER, err));
    TRY(check_range("n_head", shape->n_head, RANGE_N_HEAD, err));
    TRY(check_range("mlp_ratio", shape->mlp_ratio, RANGE_MLP_RATIO, err));
    TRY(check_range("seq_len", shape->n_token, RANGE_SEQ_LEN, err));
    TRY(check_range("n_position", shape->n_position, RANGE_N_POSITION, err));
    TRY(check_range("pos_dim", shape->pos_dim, RANGE_POS_DIM, err));
    TRY(check_range("n_class", shape->n_class, RANGE_N_CLASS, err));
    TRY(check_heads(shape, err));
    TRY(check_input(shape, err));
    if (!(shape->dropout >= 0.0 && shape->dropout < 1.0)) {
        return error_set(err, STATUS_USAGE, "dropout: expected 0 to below 1, found %g",
                         shape->dropout);
    }
    if (shape->n_token > shape->n_position) {
        return error_set(err, STATUS_USAGE,
                         "seq_len %zu is longer than the position table of n_position %zu; set "
                         "n_position to at least %zu or seq_len to at most %zu",
                         shape->n_token, shape->n_position, shape->n_token, shape->n_position);
    }
    return variant_check(&shape->variant, shape->n_head, err);
}

enum status model_create(struct model *model, const struct model_shape *shape, struct error *err)
{
    *model = (struct model){.shape = *shape};
    TRY(model_shape_check(shape, err));
    TRY(layout_create(shape, &model->layout, err));
    if (model->layout.n_param > MAX_PARAM) {
        size_t n_param = model->layout.n_param;
        model_free(model);
        return error_set(err, STATUS_USAGE,
                         "the model would have %zu parameters, more than the %zu that fit; use "
                         "smaller n_embd or n_layer",
                         n_param, MAX_PARAM);
    }
    return STATUS_OK;
}

void model_free(struct model *model)
{
    layout_free(&model->layout);
}

const struct tensor *model_find_tensor(const struct model *model, const char *name)
{
    for (size_t i = 0; i < model->layout.n_tensor; i++) {
        if (strcmp(model->layout.tensor[i].name, name) == 0) {
            return &model->layout.tensor[i];
        }
    }
    return NULL;
}

void model_initialise(const struct model *model, uint64_t seed, float *param)
{
    for (size_t i = 0; i < model->layout.n_tensor; i++) {
        const struct tensor *tensor = &model->layout.tensor[i];
        struct rng rng = rng_make(seed, "init/%s", tensor->init_name);
        float *value = param + tensor->offset;
        for (size_t e = 0; e < tensor->n_element; e++) {
            switch (tensor->law) {
            case INIT_ZERO:
                value[e] = 0.0f;
                break;
            case INIT_ONE:
                value[e] = 1.0f;
                break;
            case INIT_UNIFORM:
                value[e] = (float)(tensor->scale * (2.0 * rng_uniform(rng, e) - 1.0));
                break;
            case INIT_NORMAL:
                value[e] = (float)(tensor->scale * rng_normal(rng, e));
                break;
            }
        }
    }
}

/* ---- what a step's micro-batches share ---- */

static void prepare_ends(const struct model *model, const float *param, struct prepared *prepared)
{
    embedding_prepare(model, param, prepared);
    linear_pack(&prepared->head, param + model->layout.head_weight);
}

/* prepare_block_part does one of the BLOCK_PARTS pieces of work of a block. */
#define BLOCK_PARTS 4
static void prepare_block_part(const struct model *model, const float *param, size_t layer,
                               size_t part, struct prepared *prepared)
{
    const struct block_offsets *at = &model->layout.block[layer];
    struct prepared_block *block = &prepared->block[layer];
    switch (part) {
    case 0:
        linear_pack(&block->slots, param + at->slots_weight);
        score_term_prepare(model->shape.variant.score_term, &prepared->tables, at, param,
                           &block->multiplier, block->matrix);
        break;
    case 1:
        linear_pack(&block->out, param + at->out_weight);
        if (model->shape.variant.query == QUERY_RESIDUAL_MLP) {
            linear_pack(&block->query_fc1, param + at->query_fc1);
            linear_pack(&block->query_fc2, param + at->query_fc2);
        }
        break;
    case 2:
        linear_pack(&block->fc1, param + at->fc1_weight);
        break;
    default:
        linear_pack(&block->fc2, param + at->fc2_weight);
        break;
    }
}

size_t prepared_n_part(const struct model *model)
{
    return 1 + BLOCK_PARTS * model->shape.n_layer;
}

void prepared_update(const struct model *model, const float *param, size_t part,
                     struct prepared *prepared)
{
    if (part == 0) {
        prepare_ends(model, param, prepared);
    } else {
        prepare_block_part(model, param, (part - 1) / BLOCK_PARTS, (part - 1) % BLOCK_PARTS,
                           prepared);
    }
}

/* ---- passes ---- */

struct batch batch_part(const struct model *model, const struct batch *batch, size_t first,
                        size_t n)
{
    struct batch part = *batch;
    part.n_sequence = n;
    part.first = batch->first + first;
    if (model->shape.input == INPUT_PATCHES) {
        part.patches += first * (batch->n_token - 1) * widths_of(&model->shape).patch;
        part.targets += first;
    } else {
        part.ids += first * batch->n_token;
        part.targets += first * batch->n_token;
    }
    return part;
}

size_t model_n_answer(const struct model *model, const struct batch *batch)
{
    bool patches = model->shape.input == INPUT_PATCHES;
    return patches ? batch->n_sequence : batch->n_sequence * batch->n_token;
}

void model_forward(const struct model *model, const float *param, const struct prepared *prepared,
                   const struct batch *batch, struct activations *act)
{
    const struct model_shape *shape = &model->shape;
    act->n_sequence = batch->n_sequence;
    act->n_token = batch->n_token;
    act->n_head = shape->n_head;
    embedding_forward(model, param, prepared, batch, act);
    for (size_t layer = 0; layer < shape->n_layer; layer++) {
        bool last = layer + 1 == shape->n_layer;
        block_forward(model, param, prepared, layer, batch, act,
                      last ? act->x_out : act->block[layer + 1].x_in);
    }
    head_forward(model, param, prepared, batch, act);
}

const float *activations_logits(const struct activations *act)
{
    return act->logits;
}

const float *activations_attention(const struct activations *act, size_t layer)
{
    const float *padded = act->block[layer].attention;
    size_t t = act->n_token, ld = attention_ld(t);
    if (ld == t) {
        return padded;
    }
    for (size_t row = 0; row < act->n_sequence * act->n_head * t; row++) {
        memcpy(act->attention_maps + row * t, padded + row * ld, t * sizeof *padded);
    }
    return act->attention_maps;
}

void model_backward(const struct model *model, const float *param, const struct prepared *prepared,
                    const struct batch *batch, struct activations *act, float *grad)
{
    head_backward(model, param, prepared, batch, act, grad);
    for (size_t layer = model->shape.n_layer; layer-- > 0;) {
        block_backward(model, param, prepared, layer, batch, act, grad);
    }
    embedding_backward(model, prepared, batch, act, grad);
    for (size_t i = 0; i < model->layout.n_tensor; i++) {
        const struct tensor *tensor = &model->layout.tensor[i];
        if (tensor->dead) {
            memset(grad + tensor->offset, 0, tensor->n_element * sizeof *grad);
        }
    }
}

/* ---- scores ---- */

void model_scores(const struct model *model, const struct prepared *prepared, size_t n_token,
                  size_t sequence, size_t layer, struct activations *act, float *product,
                  float *scores)
{
    struct roles roles = block_roles(model, &act->block[layer]);
    struct attention attention =
        block_attention(model, prepared, layer, act->max_sequence, n_token);
    attention_scores(&attention, sequence, roles.q, roles.k, product, scores);
}

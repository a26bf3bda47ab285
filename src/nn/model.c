#include "nn/model.h"

#include <string.h>

#include "nn/activations.h"
#include "nn/attention.h"
#include "nn/parts.h"

#define MAX_PARAM ((size_t)1 << 31)

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

/* ---- what a step's micro-batches share ---- */

/* prepare_block does one of the BLOCK_PARTS pieces of work of a block. */
#define BLOCK_PARTS 4
static void prepare_block(const struct model *model, const float *param, size_t layer, size_t part,
                          struct prepared *prepared)
{
    const struct block_offsets *at = &model->layout.block[layer];
    struct prepared_block *block = &prepared->block[layer];
    switch (part) {
    case 0:
        linear_pack(&block->slots, param + at->slots_weight);
        score_term_prepare(model, param, layer, prepared);
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
        embedding_prepare(model, param, prepared);
        linear_pack(&prepared->head, param + model->layout.head_weight);
    } else {
        prepare_block(model, param, (part - 1) / BLOCK_PARTS, (part - 1) % BLOCK_PARTS, prepared);
    }
}

/* ---- passes ---- */

void model_forward(const struct pass *pass)
{
    struct activations *act = pass->act;
    act->n_sequence = pass->batch->n_sequence;
    act->n_token = pass->batch->n_token;
    act->n_row = act->n_sequence * act->n_token;
    embedding_forward(pass);
    for (size_t layer = 0; layer < pass->model->shape.n_layer; layer++) {
        block_forward(pass, layer);
    }
    head_forward(pass);
}

void model_backward(const struct pass *pass)
{
    const struct layout *layout = &pass->model->layout;
    head_backward(pass);
    for (size_t layer = pass->model->shape.n_layer; layer-- > 0;) {
        block_backward(pass, layer);
    }
    embedding_backward(pass);
    for (size_t i = 0; i < layout->n_tensor; i++) {
        const struct tensor *tensor = &layout->tensor[i];
        if (tensor->dead) {
            memset(pass->grad + tensor->offset, 0, tensor->n_element * sizeof *pass->grad);
        }
    }
}

/* ---- results ---- */

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

void model_scores(const struct pass *pass, size_t sequence, size_t layer, float *product,
                  float *scores)
{
    struct attention attention = block_attention(pass, layer);
    attention_scores(&attention, sequence, product, scores);
}

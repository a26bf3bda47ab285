#include "nn/model.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "nn/activations.h"
#include "nn/block.h"
#include "nn/kernels/kernels.h"
#include "nn/layout.h"

#define MAX_PARAM ((size_t)1 << 31)

/* ---- shape
 * ----------------------------------------------------------------------------------------- */

static enum status check_range(const char *name, size_t value, size_t least, size_t most,
                               struct error *err)
{
    if (value < least || value > most) {
        return error_set(err, STATUS_USAGE, "%s: expected %zu to %zu, found %zu", name, least, most,
                         value);
    }
    return STATUS_OK;
}

/* check_heads names the nearest sizes that would work. */
static enum status check_heads(const struct model_shape *shape, struct error *err)
{
    size_t d = shape->n_embd, h = shape->n_head;
    if (d % h == 0) {
        return STATUS_OK;
    }
    size_t below = d / h * h, above = below + h, heads = h;
    while (d % heads != 0) {
        heads--;
    }
    return error_set(err, STATUS_USAGE,
                     "n_embd %zu is no multiple of n_head %zu; n_embd %zu or n_head %zu would work",
                     d, h, below == 0 ? above : (d - below < above - d ? below : above), heads);
}

enum status model_shape_check(const struct model_shape *shape, struct error *err)
{
    const struct {
        const char *name;
        size_t value, least, most;
    } ranges[] = {
        {"n_embd", shape->n_embd, 2, 16384},         {"n_layer", shape->n_layer, 1, 256},
        {"n_head", shape->n_head, 1, shape->n_embd}, {"mlp_ratio", shape->mlp_ratio, 1, 64},
        {"seq_len", shape->n_token, 1, 65536},       {"n_position", shape->n_position, 1, 65536},
        {"pos_dim", shape->pos_dim, 2, 4096},        {"n_symbol", shape->n_symbol, 2, 1 << 20},
        {"n_class", shape->n_class, 2, 1 << 20},
    };
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0] && status == STATUS_OK; i++) {
        status = check_range(ranges[i].name, ranges[i].value, ranges[i].least, ranges[i].most, err);
    }
    if (status == STATUS_OK) {
        status = check_heads(shape, err);
    }
    if (status == STATUS_OK && shape->n_token > shape->n_position) {
        status = error_set(err, STATUS_USAGE,
                           "seq_len %zu is longer than the position table; use n_position %zu or "
                           "more, or seq_len up to %zu",
                           shape->n_token, shape->n_token, shape->n_position);
    }
    if (status == STATUS_OK) {
        status = variant_check(&shape->variant, shape->n_head, err);
    }
    return status;
}

enum status model_create(struct model *model, const struct model_shape *shape, struct error *err)
{
    *model = (struct model){.shape = *shape};
    enum status status = model_shape_check(shape, err);
    if (status == STATUS_OK) {
        status = layout_create(shape, &model->layout, err);
    }
    if (status == STATUS_OK && model->layout.n_param > MAX_PARAM) {
        status = error_set(err, STATUS_USAGE,
                           "the model would have %zu parameters, more than the %zu that fit; use "
                           "smaller n_embd or n_layer",
                           model->layout.n_param, MAX_PARAM);
        model_free(model);
    }
    return status;
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

/* ---- what a step's micro-batches share
 * -------------------------------------------------------------- */

static void prepare_ends(const struct model *model, const float *param, struct prepared *prepared)
{
    const struct kernels *kernel = kernels_active();
    const struct model_shape *shape = &model->shape;
    const struct layout *layout = &model->layout;
    kernel->transpose(shape->n_embd, shape->n_symbol, param + layout->embed_weight, shape->n_symbol,
                      prepared->embed);
    for (size_t symbol = 0; symbol < shape->n_symbol; symbol++) {
        kernel->add(shape->n_embd, prepared->embed + symbol * shape->n_embd,
                    param + layout->embed_bias);
    }
    linear_pack(&prepared->head, param + layout->head_weight);
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

/* ---- forward
 * --------------------------------------------------------------------------------------- */

static void embed_forward(const struct model *model, const float *param,
                          const struct prepared *prepared, const struct batch *batch, float *x)
{
    size_t d = model->shape.n_embd, n_token = batch->n_token;
    const float *position = param + model->layout.pos_emb;
    for (size_t r = 0; r < batch->n_sequence * n_token; r++) {
        const float *symbol = prepared->embed + (size_t)batch->ids[r] * d;
        kernels_active()->fill_rows(1, d, symbol, position + r % n_token * d, x + r * d);
    }
}

void model_forward(const struct model *model, const float *param, const struct prepared *prepared,
                   const struct batch *batch, struct activations *act)
{
    const struct kernels *kernel = kernels_active();
    const struct model_shape *shape = &model->shape;
    const struct layout *layout = &model->layout;
    size_t d = shape->n_embd, n_row = batch->n_sequence * batch->n_token;
    embed_forward(model, param, prepared, batch, act->block[0].x_in);
    for (size_t layer = 0; layer < shape->n_layer; layer++) {
        bool last = layer + 1 == shape->n_layer;
        block_forward(model, param, prepared, layer, batch->n_sequence, batch->n_token, act,
                      last ? act->x_out : act->block[layer + 1].x_in);
    }
    kernel->layer_norm_forward(n_row, d, act->x_out, param + layout->ln_f_weight,
                               param + layout->ln_f_bias, act->ln_f, act->ln_f_saved.mean,
                               act->ln_f_saved.rstd);
    kernel->fill_rows(n_row, shape->n_class, NULL, param + layout->head_bias, act->logits);
    linear_forward(&prepared->head, n_row, act->ln_f, true, act->logits);
}

const float *activations_logits(const struct activations *act)
{
    return act->logits;
}

const float *activations_attention(const struct activations *act, size_t layer)
{
    return act->block[layer].attention;
}

/* cross_entropy returns the loss of one row, fills dlogits, and says whether the answer is right.
 */
static double cross_entropy(size_t n_class, const float *logits, size_t target, float scale,
                            float *dlogits, bool *correct)
{
    size_t best = 0;
    for (size_t c = 1; c < n_class; c++) {
        if (logits[c] > logits[best]) {
            best = c;
        }
    }
    double sum = 0.0;
    for (size_t c = 0; c < n_class; c++) {
        dlogits[c] = logits[c] - logits[best];
    }
    double margin = (double)dlogits[target];
    kernels_active()->vector_exp(n_class, dlogits, dlogits);
    for (size_t c = 0; c < n_class; c++) {
        sum += (double)dlogits[c];
    }
    float to_gradient = (float)((double)scale / sum);
    for (size_t c = 0; c < n_class; c++) {
        dlogits[c] *= to_gradient;
    }
    dlogits[target] -= scale;
    *correct = best == target;
    return log(sum) - margin;
}

struct loss_sums model_loss(const struct model *model, const struct batch *batch,
                            float gradient_scale, struct activations *act)
{
    size_t n_class = model->shape.n_class;
    struct loss_sums sums = {0};
    for (size_t b = 0; b < batch->n_sequence; b++) {
        size_t n_correct = 0;
        for (size_t t = 0; t < batch->n_token; t++) {
            size_t row = b * batch->n_token + t;
            bool correct;
            sums.loss +=
                cross_entropy(n_class, act->logits + row * n_class, (size_t)batch->targets[row],
                              gradient_scale, act->dlogits + row * n_class, &correct);
            n_correct += correct;
        }
        sums.n_correct_token += n_correct;
        sums.n_correct_sequence += n_correct == batch->n_token;
    }
    return sums;
}

/* ---- backward
 * -------------------------------------------------------------------------------------- */

static void head_backward(const struct model *model, const float *param,
                          const struct prepared *prepared, size_t n_row, struct activations *act,
                          float *grad)
{
    const struct kernels *kernel = kernels_active();
    const struct layout *layout = &model->layout;
    size_t d = model->shape.n_embd;
    linear_gradient(&prepared->head, n_row, act->ln_f, act->dlogits, grad + layout->head_weight,
                    grad + layout->head_bias);
    linear_backward(&prepared->head, n_row, act->dlogits, act->dnorm);
    memset(act->dx, 0, n_row * d * sizeof *act->dx);
    kernel->layer_norm_backward(n_row, d, act->dnorm, act->x_out, act->ln_f_saved.mean,
                                act->ln_f_saved.rstd, param + layout->ln_f_weight, act->dx,
                                grad + layout->ln_f_weight, grad + layout->ln_f_bias);
}

/* embed_backward first sums the rows of each symbol, then spreads them over the strided columns of
 * embed.weight. */
static void embed_backward(const struct model *model, const struct batch *batch,
                           struct activations *act, float *grad)
{
    const struct kernels *kernel = kernels_active();
    const struct layout *layout = &model->layout;
    size_t d = model->shape.n_embd, n_symbol = model->shape.n_symbol;
    size_t n_row = batch->n_sequence * batch->n_token;
    memset(act->dembed, 0, n_symbol * d * sizeof *act->dembed);
    for (size_t r = 0; r < n_row; r++) {
        const float *dx = act->dx + r * d;
        kernel->add(d, act->dembed + (size_t)batch->ids[r] * d, dx);
        kernel->add(d, grad + layout->pos_emb + r % batch->n_token * d, dx);
    }
    for (size_t symbol = 0; symbol < n_symbol; symbol++) {
        for (size_t c = 0; c < d; c++) {
            grad[layout->embed_weight + c * n_symbol + symbol] += act->dembed[symbol * d + c];
        }
    }
    kernel->column_sum(n_row, d, act->dx, d, grad + layout->embed_bias);
}

void model_backward(const struct model *model, const float *param, const struct prepared *prepared,
                    const struct batch *batch, struct activations *act, float *grad)
{
    head_backward(model, param, prepared, batch->n_sequence * batch->n_token, act, grad);
    for (size_t layer = model->shape.n_layer; layer-- > 0;) {
        block_backward(model, param, prepared, layer, batch->n_sequence, batch->n_token, act, grad);
    }
    embed_backward(model, batch, act, grad);
    for (size_t i = 0; i < model->layout.n_tensor; i++) {
        const struct tensor *tensor = &model->layout.tensor[i];
        if (tensor->dead) {
            memset(grad + tensor->offset, 0, tensor->n_element * sizeof *grad);
        }
    }
}

/* ---- scores
 * ---------------------------------------------------------------------------------------- */

void model_scores(const struct model *model, const struct prepared *prepared, size_t n_token,
                  size_t sequence, size_t layer, struct activations *act, float *product,
                  float *scores)
{
    struct roles roles = block_roles(model, &act->block[layer]);
    struct attention attention =
        block_attention(model, prepared, layer, act->max_sequence, n_token);
    attention_scores(&attention, sequence, roles.q, roles.k, product, scores);
}

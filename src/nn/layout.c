/* The one list of tensors. Parameters, gradients and Adam moments are instances of it; initial
 * values, optimizer, checkpoints, gradient checks and counters loop over it. */
#include "nn/layout.h"

#include "nn/score_term.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct widths widths_of(const struct model_shape *shape)
{
    const struct variant *variant = &shape->variant;
    struct widths w = {
        .head = shape->n_embd / shape->n_head,
        .kv_heads = variant_kv_heads(variant, shape->n_head),
        .ff = shape->mlp_ratio * shape->n_embd,
        .patch = shape->n_channel * shape->patch * shape->patch,
        .query_hidden = shape->n_embd / 2,
    };
    for (int role = 0; role < ROLE_COUNT; role++) {
        int slot = variant->slot[role];
        if (slot != SLOT_NONE) {
            size_t heads = role == ROLE_Q ? shape->n_head : w.kv_heads;
            w.slot[slot] = heads * w.head;
        }
    }
    for (int slot = 0; slot < ROLE_COUNT; slot++) {
        w.slot_at[slot] = w.slots;
        w.slots += w.slot[slot];
    }
    return w;
}

/* ---- building the list ---- */

struct builder {
    struct layout *layout;
    size_t capacity;
    bool failed;
    char prefix[32]; /* of the names that are added, "blocks.3." */
};

/* add appends a tensor [rows, columns], or [rows] where columns is 0, and returns it. */
static struct tensor *add(struct builder *b, size_t rows, size_t columns, enum init_law law,
                          double scale, const char *name)
{
    static struct tensor nowhere;
    struct layout *layout = b->layout;
    if (layout->n_tensor == b->capacity) {
        size_t capacity = b->capacity == 0 ? 64 : 2 * b->capacity;
        struct tensor *grown = realloc(layout->tensor, capacity * sizeof *grown);
        if (!grown) {
            b->failed = true;
            return &nowhere;
        }
        layout->tensor = grown;
        b->capacity = capacity;
    }
    struct tensor *tensor = &layout->tensor[layout->n_tensor++];
    *tensor = (struct tensor){
        .dim = {rows, columns},
        .n_dim = columns == 0 ? 1 : 2,
        .n_element = columns == 0 ? rows : rows * columns,
        .offset = layout->n_param,
        .law = law,
        .scale = scale,
        .decay = columns != 0,
    };
    layout->n_param += tensor->n_element;
    snprintf(tensor->name, sizeof tensor->name, "%s%s", b->prefix, name);
    memcpy(tensor->init_name, tensor->name, sizeof tensor->name);
    return tensor;
}

/* add_matrix adds a weight [out,in], U(+-1/sqrt(in)); add_gain the gain [d] of a norm, which begins
 * at 1. Both return the offset. */
static size_t add_matrix(struct builder *b, size_t out, size_t in, const char *name)
{
    return add(b, out, in, INIT_UNIFORM, 1.0 / sqrt((double)in), name)->offset;
}

static size_t add_gain(struct builder *b, size_t d, const char *name)
{
    return add(b, d, 0, INIT_ONE, 0, name)->offset;
}

/* add_linear adds weight [out,in] and bias [out], both U(+-1/sqrt(in)). */
static void add_linear(struct builder *b, size_t out, size_t in, const char *name, size_t *weight,
                       size_t *bias)
{
    char full[48];
    snprintf(full, sizeof full, "%s.weight", name);
    *weight = add_matrix(b, out, in, full);
    snprintf(full, sizeof full, "%s.bias", name);
    *bias = add(b, out, 0, INIT_UNIFORM, 1.0 / sqrt((double)in), full)->offset;
}

static void add_norm(struct builder *b, size_t d, const char *name, size_t *weight, size_t *bias)
{
    char full[48];
    snprintf(full, sizeof full, "%s.weight", name);
    *weight = add_gain(b, d, full);
    snprintf(full, sizeof full, "%s.bias", name);
    *bias = add(b, d, 0, INIT_ZERO, 0, full)->offset;
}

/* add_slots adds all weights, then all biases. A shared slot is initialised as its first role would
 * be were it alone, so that variants start from the same numbers where they can. */
static void add_slots(struct builder *b, const struct model_shape *shape, const struct widths *w,
                      struct block_offsets *block)
{
    double bound = 1.0 / sqrt((double)shape->n_embd);
    for (int part = 0; part < 2; part++) {
        const char *suffix = part == 0 ? "weight" : "bias";
        size_t columns = part == 0 ? shape->n_embd : 0;
        *(part == 0 ? &block->slots_weight : &block->slots_bias) = b->layout->n_param;
        for (int slot = 0; slot < ROLE_COUNT; slot++) {
            if (w->slot[slot] == 0) {
                continue;
            }
            char roles[4], name[48];
            variant_slot_roles(&shape->variant, slot, roles);
            snprintf(name, sizeof name, "attn.%s.%s", roles, suffix);
            struct tensor *tensor = add(b, w->slot[slot], columns, INIT_UNIFORM, bound, name);
            snprintf(tensor->init_name, sizeof tensor->init_name, "%sattn.%c.%s", b->prefix,
                     roles[0], suffix);
            tensor->dead = part == 1 && slot == shape->variant.slot[ROLE_K] &&
                           variant_k_bias_dead(&shape->variant);
        }
    }
}

static void add_query(struct builder *b, const struct model_shape *shape, const struct widths *w,
                      struct block_offsets *block)
{
    size_t d = shape->n_embd, hidden = w->query_hidden;
    if (shape->variant.query == QUERY_RESIDUAL_MLP) {
        block->query_norm_in = add_gain(b, d, "attn.query.norm_in.weight");
        block->query_fc1 = add_matrix(b, hidden, d, "attn.query.fc1.weight");
        block->query_fc2 = add_matrix(b, d, hidden, "attn.query.fc2.weight");
        add_norm(b, d, "attn.query.norm_out", &block->query_norm_out_weight,
                 &block->query_norm_out_bias);
    }
    if (shape->variant.qk_norm) {
        block->q_norm = add_gain(b, w->head, "attn.q_norm.weight");
        block->k_norm = add_gain(b, w->head, "attn.k_norm.weight");
    }
}

static void add_score_term(struct builder *b, const struct model_shape *shape,
                           struct block_offsets *block)
{
    const struct score_tensor *row;
    for (size_t i = 0; (row = score_term_tensor(shape->variant.score_term, i)) != NULL; i++) {
        size_t n = row->is_scalar ? 1 : shape->pos_dim;
        struct tensor *tensor = add(b, n, 0, row->law, row->scale, row->name);
        tensor->dead = row->dead;
        block->score[i] = tensor->offset;
    }
}

static void add_block(struct builder *b, const struct model_shape *shape, const struct widths *w,
                      size_t layer, struct block_offsets *block)
{
    size_t d = shape->n_embd;
    memset(block, 0xff, sizeof *block); /* OFFSET_NONE everywhere */
    snprintf(b->prefix, sizeof b->prefix, "blocks.%zu.", layer);
    add_norm(b, d, "ln1", &block->ln1_weight, &block->ln1_bias);
    add_slots(b, shape, w, block);
    add_query(b, shape, w, block);
    add_score_term(b, shape, block);
    add_linear(b, d, d, "attn.out", &block->out_weight, &block->out_bias);
    add_norm(b, d, "ln2", &block->ln2_weight, &block->ln2_bias);
    add_linear(b, w->ff, d, "mlp.fc1", &block->fc1_weight, &block->fc1_bias);
    add_linear(b, d, w->ff, "mlp.fc2", &block->fc2_weight, &block->fc2_bias);
    b->prefix[0] = '\0';
}

static void add_embedding(struct builder *b, const struct model_shape *shape,
                          const struct widths *w)
{
    struct layout *layout = b->layout;
    bool patches = shape->input == INPUT_PATCHES;
    if (patches) {
        add_linear(b, shape->n_embd, w->patch, "patch_embed", &layout->embed_weight,
                   &layout->embed_bias);
        if (!b->failed) {
            struct tensor *weight = &layout->tensor[0];
            weight->n_dim = 4;
            weight->dim[1] = shape->n_channel;
            weight->dim[2] = weight->dim[3] = shape->patch;
        }
        layout->cls = add(b, shape->n_embd, 0, INIT_ZERO, 0, "cls")->offset;
    } else {
        add_linear(b, shape->n_embd, shape->n_symbol, "embed", &layout->embed_weight,
                   &layout->embed_bias);
    }
    struct tensor *pos_emb =
        add(b, shape->n_position, shape->n_embd, INIT_NORMAL, patches ? 0.02 : 1.0, "pos_emb");
    pos_emb->decay = false;
    layout->pos_emb = pos_emb->offset;
}

enum status layout_create(const struct model_shape *shape, struct layout *layout, struct error *err)
{
    *layout = (struct layout){0};
    struct widths w = widths_of(shape);
    struct builder b = {.layout = layout};
    TRY_CALLOC(err, layout->block, shape->n_layer, "listing the tensors of %zu blocks",
               shape->n_layer);
    add_embedding(&b, shape, &w);
    for (size_t layer = 0; layer < shape->n_layer; layer++) {
        add_block(&b, shape, &w, layer, &layout->block[layer]);
    }
    add_norm(&b, shape->n_embd, "ln_f", &layout->ln_f_weight, &layout->ln_f_bias);
    add_linear(&b, shape->n_class, shape->n_embd, "head", &layout->head_weight, &layout->head_bias);
    if (b.failed) {
        layout_free(layout);
        return error_memory(err, "listing the tensors of a model");
    }
    return STATUS_OK;
}

void layout_free(struct layout *layout)
{
    free(layout->tensor);
    free(layout->block);
    *layout = (struct layout){0};
}

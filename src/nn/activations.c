/* Sizes of all buffers. Placing into a measuring arena walks the same code, so the size that is
 * announced is the size that is used. */
#include "nn/activations.h"

#include "nn/attention.h"

static struct norm_saved place_norm(struct arena *arena, size_t rows)
{
    struct norm_saved saved;
    saved.mean = arena_floats(arena, rows);
    saved.rstd = arena_floats(arena, rows);
    return saved;
}

static void place_query(const struct model *model, const struct widths *w, size_t rows,
                        struct arena *arena, struct block_activations *block)
{
    const struct model_shape *shape = &model->shape;
    size_t d = shape->n_embd;
    if (shape->variant.query == QUERY_RESIDUAL_MLP) {
        struct query_activations *query = &block->query;
        query->normed = arena_floats(arena, rows * d);
        query->rrms = arena_floats(arena, rows);
        query->slope = arena_floats(arena, rows * w->query_hidden);
        query->gelu = arena_floats(arena, rows * w->query_hidden);
        query->hidden = arena_floats(arena, rows * d);
        query->norm_out = place_norm(arena, rows);
        query->query = arena_floats(arena, rows * d);
    }
    if (shape->variant.qk_norm) {
        block->q_normed = arena_floats(arena, rows * d);
        block->k_normed = arena_floats(arena, rows * w->kv_heads * w->head);
        block->q_rrms = arena_floats(arena, rows * shape->n_head);
        block->k_rrms = arena_floats(arena, rows * w->kv_heads);
    }
}

static void place_block(const struct model *model, const struct widths *w, size_t max_sequence,
                        struct arena *arena, struct block_activations *block)
{
    const struct model_shape *shape = &model->shape;
    size_t d = shape->n_embd, rows = max_sequence * shape->n_token;
    block->x_in = arena_floats(arena, rows * d);
    block->ln1 = arena_floats(arena, rows * d);
    block->ln1_saved = place_norm(arena, rows);
    block->slots = arena_floats(arena, rows * w->slots);
    place_query(model, w, rows, arena, block);
    block->attention = arena_floats(arena, rows * shape->n_head * attention_ld(shape->n_token));
    block->mix = arena_floats(arena, rows * d);
    block->x_mid = arena_floats(arena, rows * d);
    block->ln2 = arena_floats(arena, rows * d);
    block->ln2_saved = place_norm(arena, rows);
    block->slope = arena_floats(arena, rows * w->ff);
    block->gelu = arena_floats(arena, rows * w->ff);
    if (shape->dropout > 0) {
        block->mlp_mask = arena_floats(arena, rows * d);
    }
}

static void place_scratch(const struct model *model, const struct widths *w, size_t rows,
                          struct arena *arena, struct activations *act)
{
    const struct model_shape *shape = &model->shape;
    size_t d = shape->n_embd, t = shape->n_token;
    act->dx = arena_floats(arena, rows * d);
    act->dnorm = arena_floats(arena, rows * d);
    act->dmix = arena_floats(arena, rows * d);
    act->dslots = arena_floats(arena, rows * w->slots);
    if (shape->variant.query != QUERY_LINEAR) {
        act->dquery = arena_floats(arena, rows * d);
    }
    if (shape->variant.qk_norm) {
        act->dq_normed = arena_floats(arena, rows * d);
        act->dk_normed = arena_floats(arena, rows * w->kv_heads * w->head);
    }
    act->dff = arena_floats(arena, rows * w->ff);
    if (shape->input == INPUT_PATCHES) {
        act->danswers = arena_floats(arena, act->max_sequence * d);
    } else {
        act->dembed = arena_floats(arena, shape->n_symbol * d);
    }
    if (attention_ld(t) != t) {
        act->attention_maps = arena_floats(arena, rows * shape->n_head * t);
    }
    act->attention_scratch = arena_floats(arena, attention_scratch(t, w->head));
    if (score_term_row(shape->variant.score_term)->has_matrix) {
        act->d_matrix = arena_alloc(arena, t * t, sizeof(double));
        act->shift_scratch = arena_alloc(arena, 2 * t, sizeof(double));
    }
}

struct activations *activations_place(const struct model *model, size_t max_sequence,
                                      struct arena *arena)
{
    const struct model_shape *shape = &model->shape;
    struct widths w = widths_of(shape);
    size_t d = shape->n_embd, rows = max_sequence * shape->n_token;
    struct activations measured = {0};
    struct block_activations measured_block = {0};
    struct activations *placed = arena_alloc(arena, 1, sizeof *placed);
    struct block_activations *blocks =
        arena_alloc(arena, shape->n_layer, sizeof(struct block_activations));
    struct activations *act = placed != NULL ? placed : &measured;
    act->max_sequence = max_sequence;
    act->n_head = shape->n_head;
    act->block = blocks;
    for (size_t layer = 0; layer < shape->n_layer; layer++) {
        place_block(model, &w, max_sequence, arena,
                    blocks != NULL ? &blocks[layer] : &measured_block);
    }
    size_t n_answer = shape->input == INPUT_PATCHES ? max_sequence : rows;
    if (shape->input == INPUT_PATCHES) {
        act->embedded = arena_floats(arena, rows * d);
        act->answers = arena_floats(arena, n_answer * d);
    }
    if (shape->dropout > 0) {
        act->embed_mask = arena_floats(arena, rows * d);
    }
    act->x_out = arena_floats(arena, rows * d);
    for (size_t layer = 0; blocks != NULL && layer < shape->n_layer; layer++) {
        bool last = layer + 1 == shape->n_layer;
        blocks[layer].x_out = last ? act->x_out : blocks[layer + 1].x_in;
    }
    act->ln_f = arena_floats(arena, n_answer * d);
    act->ln_f_saved = place_norm(arena, n_answer);
    act->logits = arena_floats(arena, n_answer * shape->n_class);
    act->dlogits = arena_floats(arena, n_answer * shape->n_class);
    place_scratch(model, &w, rows, arena, act);
    return arena->failed ? NULL : placed;
}

struct prepared *prepared_place(const struct model *model, struct arena *arena)
{
    const struct model_shape *shape = &model->shape;
    struct widths w = widths_of(shape);
    size_t d = shape->n_embd;
    struct prepared measured = {0};
    struct prepared_block measured_block = {0};
    struct prepared *placed = arena_alloc(arena, 1, sizeof *placed);
    struct prepared_block *blocks =
        arena_alloc(arena, shape->n_layer, sizeof(struct prepared_block));
    struct prepared *prepared = placed != NULL ? placed : &measured;
    prepared->block = blocks;
    if (shape->input == INPUT_PATCHES) {
        prepared->patch = linear_place(d, w.patch, arena);
    } else {
        prepared->embed = arena_floats(arena, shape->n_symbol * d);
    }
    prepared->head = linear_place(shape->n_class, d, arena);
    for (size_t layer = 0; layer < shape->n_layer; layer++) {
        struct prepared_block *block = blocks != NULL ? &blocks[layer] : &measured_block;
        block->slots = linear_place(w.slots, d, arena);
        block->out = linear_place(d, d, arena);
        block->fc1 = linear_place(w.ff, d, arena);
        block->fc2 = linear_place(d, w.ff, arena);
        if (shape->variant.query == QUERY_RESIDUAL_MLP) {
            block->query_fc1 = linear_place(w.query_hidden, d, arena);
            block->query_fc2 = linear_place(d, w.query_hidden, arena);
        }
        if (score_term_row(shape->variant.score_term)->has_matrix) {
            block->matrix = arena_floats(arena, shape->n_token * shape->n_token);
        }
    }
    score_tables_place(shape->variant.score_term, shape->n_token, shape->pos_dim, arena,
                       &prepared->tables);
    return arena->failed ? NULL : placed;
}

struct layer pass_layer(const struct pass *pass, size_t number)
{
    return (struct layer){
        .pass = pass,
        .number = number,
        .at = &pass->model->layout.block[number],
        .ready = &pass->prepared->block[number],
        .block = &pass->act->block[number],
    };
}

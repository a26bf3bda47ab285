/* The whole model around the reference attention, one sequence after the other, D what dropout
 * does:
 *
 *     tokens     x_t = D(embed[:, id] + embed_bias + pos_emb[t])
 *     patches    x_0 = D(cls + pos_emb[0])
 *                x_t = D(patch_embed patch_(t-1) + patch_embed_bias + pos_emb[t])
 *     a block    x += attention(LN x), then x += D(W2 D(GELU(W1 LN x + b1)) + b2)
 *     logits     head(LN x), of all tokens or of x_0
 *
 * Tensors are found by name, so the layout is checked as well, and a role reads whichever slot has
 * the role's letter in its name.
 */
#include "reference_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn/reference_ops.h"

struct reference_shape reference_shape_of(const struct model_shape *shape, size_t n_token)
{
    const struct variant *variant = &shape->variant;
    return (struct reference_shape){
        .n_token = n_token,
        .n_embd = shape->n_embd,
        .n_head = shape->n_head,
        .n_kv_head = variant->n_kv_head ? variant->n_kv_head : shape->n_head,
        .pos_dim = shape->pos_dim,
        .query = variant->query,
        .score_term = variant->score_term,
        .qk_norm = variant->qk_norm,
        .causal = variant->causal,
        .score_scale = variant->query == QUERY_IDENTITY ? 0.5 : 1.0,
    };
}

struct block_weights {
    struct reference_weights attention;
    double *ln1, *ln1_bias, *ln2, *ln2_bias;
    double *fc1, *fc1_bias, *fc2, *fc2_bias;
};

struct reference_block {
    struct block_weights weights, gradient;
    struct reference_pass pass;
    double *x, *normed1;         /* [T,d] */
    double *middle, *normed2;    /* [T,d] after the attention */
    double *hidden, *active;     /* [T,F] */
    double *mapped, *d_mapped;   /* [T,d] */
    double *d_x, *d_normed;      /* [T,d] */
    double *d_hidden, *d_active; /* [T,F] */
};

/* Sites of dropout. */
#define SITE_EMBEDDING 0
#define SITE_HIDDEN(layer) (1 + 2 * (layer))
#define SITE_MAPPED(layer) (2 + 2 * (layer))

/* ---- tensors ---- */

static double *find(const struct model *model, double *flat, const char *name)
{
    const struct tensor *tensor = model_find_tensor(model, name);
    return tensor ? flat + tensor->offset : NULL;
}

static double *find_in_block(const struct model *model, double *flat, size_t layer,
                             const char *name)
{
    char full[128];
    snprintf(full, sizeof(full), "blocks.%zu.%s", layer, name);
    return find(model, flat, full);
}

/* The slot a role reads; NULL: it has none. */
static double *find_role(const struct model *model, double *flat, size_t layer, char letter,
                         const char *part)
{
    static const char *const slots[] = {"q", "k", "v", "qk", "kv", "qv", "qkv"};
    for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
        char name[64];
        snprintf(name, sizeof(name), "attn.%s.%s", slots[i], part);
        double *tensor = find_in_block(model, flat, layer, name);
        if (tensor && strchr(slots[i], letter)) {
            return tensor;
        }
    }
    return NULL;
}

static struct block_weights block_find(const struct model *model, double *flat, size_t layer)
{
    struct block_weights w = {
        .attention = {.out = find_in_block(model, flat, layer, "attn.out.weight"),
                      .out_bias = find_in_block(model, flat, layer, "attn.out.bias"),
                      .pos_w = find_in_block(model, flat, layer, "attn.pos_w"),
                      .pos_b = find_in_block(model, flat, layer, "attn.pos_b"),
                      .score_scale = find_in_block(model, flat, layer, "attn.score_scale"),
                      .q_norm = find_in_block(model, flat, layer, "attn.q_norm.weight"),
                      .k_norm = find_in_block(model, flat, layer, "attn.k_norm.weight"),
                      .norm_in = find_in_block(model, flat, layer, "attn.query.norm_in.weight"),
                      .fc1 = find_in_block(model, flat, layer, "attn.query.fc1.weight"),
                      .fc2 = find_in_block(model, flat, layer, "attn.query.fc2.weight"),
                      .norm_out = find_in_block(model, flat, layer, "attn.query.norm_out.weight"),
                      .norm_out_bias =
                          find_in_block(model, flat, layer, "attn.query.norm_out.bias")},
        .ln1 = find_in_block(model, flat, layer, "ln1.weight"),
        .ln1_bias = find_in_block(model, flat, layer, "ln1.bias"),
        .ln2 = find_in_block(model, flat, layer, "ln2.weight"),
        .ln2_bias = find_in_block(model, flat, layer, "ln2.bias"),
        .fc1 = find_in_block(model, flat, layer, "mlp.fc1.weight"),
        .fc1_bias = find_in_block(model, flat, layer, "mlp.fc1.bias"),
        .fc2 = find_in_block(model, flat, layer, "mlp.fc2.weight"),
        .fc2_bias = find_in_block(model, flat, layer, "mlp.fc2.bias"),
    };
    for (int role = 0; role < ROLE_COUNT; role++) {
        w.attention.role[role] = find_role(model, flat, layer, "qkv"[role], "weight");
        w.attention.bias[role] = find_role(model, flat, layer, "qkv"[role], "bias");
    }
    return w;
}

/* ---- memory ---- */

static double *take(struct arena *arena, size_t n)
{
    return arena_alloc(arena, n, sizeof(double));
}

static size_t patch_width(const struct model_shape *shape)
{
    return shape->n_channel * shape->patch * shape->patch;
}

static void reference_place(struct reference_model *reference, struct arena *arena)
{
    const struct model_shape *shape = &reference->model->shape;
    size_t n_token = reference->n_token, n_x = n_token * shape->n_embd;
    size_t n_hidden = n_x * shape->mlp_ratio, n_logit = n_token * shape->n_class;
    size_t n_map = shape->n_head * n_token * n_token;

    reference->param = take(arena, reference->model->layout.n_param);
    reference->grad = take(arena, reference->model->layout.n_param);
    reference->logits = take(arena, reference->max_sequence * n_logit);
    reference->attention = take(arena, shape->n_layer * reference->max_sequence * n_map);
    reference->final = take(arena, n_x);
    reference->final_normed = take(arena, n_x);
    reference->d_final = take(arena, n_x);
    reference->d_final_normed = take(arena, n_x);
    reference->d_logits = take(arena, n_logit);
    if (shape->input == INPUT_PATCHES) {
        reference->patches = take(arena, (n_token - 1) * patch_width(shape));
    }
    for (size_t l = 0; l < shape->n_layer; l++) {
        struct reference_block *block = &reference->block[l];
        double **as_x[] = {&block->x,      &block->normed1,  &block->middle, &block->normed2,
                           &block->mapped, &block->d_mapped, &block->d_x,    &block->d_normed};
        double **as_hidden[] = {&block->hidden, &block->active, &block->d_hidden, &block->d_active};
        for (size_t i = 0; i < sizeof(as_x) / sizeof(as_x[0]); i++) {
            *as_x[i] = take(arena, n_x);
        }
        for (size_t i = 0; i < sizeof(as_hidden) / sizeof(as_hidden[0]); i++) {
            *as_hidden[i] = take(arena, n_hidden);
        }
    }
}

enum status reference_model_create(struct reference_model *reference, const struct model *model,
                                   size_t max_sequence, size_t n_token, struct error *err)
{
    *reference =
        (struct reference_model){.model = model, .n_token = n_token, .max_sequence = max_sequence};
    reference->block = calloc(model->shape.n_layer, sizeof(*reference->block));
    if (!reference->block) {
        return error_set(err, STATUS_MEMORY, "out of memory for the reference model");
    }
    struct arena measure = ARENA_MEASURE;
    reference_place(reference, &measure);
    enum status status = arena_create(&reference->arena, measure.used, err);
    if (status != STATUS_OK) {
        goto fail;
    }
    reference_place(reference, &reference->arena);

    struct reference_shape shape = reference_shape_of(&model->shape, n_token);
    for (size_t l = 0; l < model->shape.n_layer; l++) {
        struct reference_block *block = &reference->block[l];
        block->weights = block_find(model, reference->param, l);
        block->gradient = block_find(model, reference->grad, l);
        status = reference_pass_create(&block->pass, &shape, err);
        if (status != STATUS_OK) {
            goto fail;
        }
    }
    return STATUS_OK;

fail:
    reference_model_free(reference);
    return status;
}

void reference_model_free(struct reference_model *reference)
{
    for (size_t l = 0; reference->block && l < reference->model->shape.n_layer; l++) {
        reference_pass_free(&reference->block[l].pass);
    }
    free(reference->block);
    arena_free(&reference->arena);
    *reference = (struct reference_model){0};
}

/* ---- forward ---- */

static void sum_into(double *y, const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = a[i] + b[i];
    }
}

/* Drops from x [T,width] of sequence s at a site; the same call serves the backward pass. */
static void drop(const struct reference_model *reference, const struct batch *batch, size_t s,
                 size_t site, size_t width, double *x)
{
    double rate = reference->model->shape.dropout;
    size_t n_token = reference->n_token;
    if (batch->dropout && rate > 0.0) {
        reference_dropout(batch->dropout, rate, site, (batch->first + s) * n_token, n_token, width,
                          x);
    }
}

static void tokens_forward(const struct reference_model *reference, const int32_t *ids, double *x)
{
    const struct model *model = reference->model;
    const double *weight = find(model, reference->param, "embed.weight");
    const double *bias = find(model, reference->param, "embed.bias");
    size_t d = model->shape.n_embd, n_symbol = model->shape.n_symbol;
    for (size_t t = 0; t < reference->n_token; t++) {
        for (size_t c = 0; c < d; c++) {
            x[t * d + c] = weight[c * n_symbol + (size_t)ids[t]] + bias[c];
        }
    }
}

static void patches_forward(const struct reference_model *reference, const float *patches,
                            double *x)
{
    const struct model *model = reference->model;
    size_t d = model->shape.n_embd, width = patch_width(&model->shape);
    size_t n_patch = reference->n_token - 1;
    for (size_t i = 0; i < n_patch * width; i++) {
        reference->patches[i] = patches[i];
    }
    memcpy(x, find(model, reference->param, "cls"), d * sizeof(double));
    reference_linear(reference->patches, find(model, reference->param, "patch_embed.weight"),
                     find(model, reference->param, "patch_embed.bias"), n_patch, width, d, x + d);
}

static void embed_forward(const struct reference_model *reference, const struct batch *batch,
                          size_t s, double *x)
{
    const struct model *model = reference->model;
    size_t n_token = reference->n_token, d = model->shape.n_embd;
    if (model->shape.input == INPUT_PATCHES) {
        patches_forward(reference, batch->patches + s * (n_token - 1) * patch_width(&model->shape),
                        x);
    } else {
        tokens_forward(reference, batch->ids + s * n_token, x);
    }
    sum_into(x, x, find(model, reference->param, "pos_emb"), n_token * d);
    drop(reference, batch, s, SITE_EMBEDDING, d, x);
}

static void block_forward(const struct reference_model *reference, const struct batch *batch,
                          size_t s, size_t layer, double *y)
{
    struct reference_block *block = &reference->block[layer];
    const struct model_shape *shape = &reference->model->shape;
    const struct block_weights *w = &block->weights;
    size_t n_token = reference->n_token, d = shape->n_embd, n_hidden = d * shape->mlp_ratio;
    struct reference_shape attention = reference_shape_of(shape, n_token);

    reference_layer_norm(block->x, w->ln1, w->ln1_bias, n_token, d, block->normed1);
    reference_attention_forward(&attention, &w->attention, block->normed1, &block->pass);
    sum_into(block->middle, block->x, block->pass.output, n_token * d);

    reference_layer_norm(block->middle, w->ln2, w->ln2_bias, n_token, d, block->normed2);
    reference_linear(block->normed2, w->fc1, w->fc1_bias, n_token, d, n_hidden, block->hidden);
    reference_gelu(block->hidden, n_token * n_hidden, block->active);
    drop(reference, batch, s, SITE_HIDDEN(layer), n_hidden, block->active);
    reference_linear(block->active, w->fc2, w->fc2_bias, n_token, n_hidden, d, block->mapped);
    drop(reference, batch, s, SITE_MAPPED(layer), d, block->mapped);
    sum_into(y, block->middle, block->mapped, n_token * d);
}

/* How many of a sequence's tokens are answered, from the first on. */
static size_t answers_of(const struct reference_model *reference)
{
    return reference->model->shape.input == INPUT_PATCHES ? 1 : reference->n_token;
}

/* Logits and attention of sequence s, in their places of the batch. */
static void sequence_forward(struct reference_model *reference, const struct batch *batch, size_t s)
{
    const struct model *model = reference->model;
    const struct model_shape *shape = &model->shape;
    size_t n_token = reference->n_token, d = shape->n_embd, n_answer = answers_of(reference);
    size_t n_map = shape->n_head * n_token * n_token;

    embed_forward(reference, batch, s, reference->block[0].x);
    for (size_t l = 0; l < shape->n_layer; l++) {
        struct reference_block *block = &reference->block[l];
        bool last = l + 1 == shape->n_layer;
        block_forward(reference, batch, s, l, last ? reference->final : reference->block[l + 1].x);
        memcpy(reference->attention + (l * batch->n_sequence + s) * n_map, block->pass.attention,
               n_map * sizeof(double));
    }
    reference_layer_norm(reference->final, find(model, reference->param, "ln_f.weight"),
                         find(model, reference->param, "ln_f.bias"), n_answer, d,
                         reference->final_normed);
    reference_linear(reference->final_normed, find(model, reference->param, "head.weight"),
                     find(model, reference->param, "head.bias"), n_answer, d, shape->n_class,
                     reference->logits + s * n_answer * shape->n_class);
}

/* -ln softmax(logits)[target], summed over the rows of sequence s; its gradient times scale is
 * left in d_logits. */
static double sequence_loss(struct reference_model *reference, const struct batch *batch, size_t s,
                            double scale)
{
    size_t n_class = reference->model->shape.n_class, n_answer = answers_of(reference);
    double loss = 0.0;
    for (size_t t = 0; t < n_answer; t++) {
        const double *logits = reference->logits + (s * n_answer + t) * n_class;
        double *d_logits = reference->d_logits + t * n_class;
        size_t target = (size_t)batch->targets[s * n_answer + t];
        double largest = -INFINITY, sum = 0.0;
        for (size_t c = 0; c < n_class; c++) {
            largest = fmax(largest, logits[c]);
        }
        for (size_t c = 0; c < n_class; c++) {
            sum += exp(logits[c] - largest);
        }
        for (size_t c = 0; c < n_class; c++) {
            d_logits[c] = scale * (exp(logits[c] - largest) / sum - (c == target ? 1.0 : 0.0));
        }
        loss += largest + log(sum) - logits[target];
    }
    return loss;
}

/* ---- backward ---- */

/* d_y [T,d] is the gradient at the block's output; block->d_x becomes that at its input. */
static void block_backward(const struct reference_model *reference, const struct batch *batch,
                           size_t s, size_t layer, const double *d_y)
{
    struct reference_block *block = &reference->block[layer];
    const struct model_shape *shape = &reference->model->shape;
    const struct block_weights *w = &block->weights, *g = &block->gradient;
    size_t n_token = reference->n_token, d = shape->n_embd, n_hidden = d * shape->mlp_ratio;
    size_t x_bytes = n_token * d * sizeof(double);
    struct reference_shape attention = reference_shape_of(shape, n_token);

    memset(block->d_active, 0, n_token * n_hidden * sizeof(double));
    memset(block->d_hidden, 0, n_token * n_hidden * sizeof(double));
    memset(block->d_normed, 0, x_bytes);
    memcpy(block->d_x, d_y, x_bytes);
    memcpy(block->d_mapped, d_y, x_bytes);
    drop(reference, batch, s, SITE_MAPPED(layer), d, block->d_mapped);
    reference_linear_backward(block->active, w->fc2, block->d_mapped, n_token, n_hidden, d,
                              block->d_active, g->fc2, g->fc2_bias);
    drop(reference, batch, s, SITE_HIDDEN(layer), n_hidden, block->d_active);
    reference_gelu_backward(block->hidden, block->d_active, n_token * n_hidden, block->d_hidden);
    reference_linear_backward(block->normed2, w->fc1, block->d_hidden, n_token, d, n_hidden,
                              block->d_normed, g->fc1, g->fc1_bias);
    reference_layer_norm_backward(block->middle, w->ln2, block->d_normed, n_token, d, block->d_x,
                                  g->ln2, g->ln2_bias);

    /* d_x is now the gradient at the middle: of the attention's output and of the residual */
    memset(block->d_normed, 0, x_bytes);
    reference_attention_backward(&attention, &w->attention, block->normed1, block->d_x,
                                 &block->pass, block->d_normed, &g->attention);
    reference_layer_norm_backward(block->x, w->ln1, block->d_normed, n_token, d, block->d_x, g->ln1,
                                  g->ln1_bias);
}

static void tokens_backward(const struct reference_model *reference, const int32_t *ids,
                            const double *d_x)
{
    const struct model *model = reference->model;
    double *weight = find(model, reference->grad, "embed.weight");
    double *bias = find(model, reference->grad, "embed.bias");
    size_t d = model->shape.n_embd, n_symbol = model->shape.n_symbol;
    for (size_t t = 0; t < reference->n_token; t++) {
        for (size_t c = 0; c < d; c++) {
            weight[c * n_symbol + (size_t)ids[t]] += d_x[t * d + c];
            bias[c] += d_x[t * d + c];
        }
    }
}

/* The forward pass left the patches. */
static void patches_backward(const struct reference_model *reference, const double *d_x)
{
    const struct model *model = reference->model;
    size_t d = model->shape.n_embd;
    double *cls = find(model, reference->grad, "cls");
    sum_into(cls, cls, d_x, d);
    reference_linear_backward(reference->patches, NULL, d_x + d, reference->n_token - 1,
                              patch_width(&model->shape), d, NULL,
                              find(model, reference->grad, "patch_embed.weight"),
                              find(model, reference->grad, "patch_embed.bias"));
}

static void embed_backward(const struct reference_model *reference, const struct batch *batch,
                           size_t s, double *d_x)
{
    const struct model *model = reference->model;
    size_t n_token = reference->n_token, d = model->shape.n_embd;
    double *position = find(model, reference->grad, "pos_emb");
    drop(reference, batch, s, SITE_EMBEDDING, d, d_x);
    sum_into(position, position, d_x, n_token * d);
    if (model->shape.input == INPUT_PATCHES) {
        patches_backward(reference, d_x);
    } else {
        tokens_backward(reference, batch->ids + s * n_token, d_x);
    }
}

static void sequence_backward(struct reference_model *reference, const struct batch *batch,
                              size_t s)
{
    const struct model *model = reference->model;
    const struct model_shape *shape = &model->shape;
    size_t n_token = reference->n_token, d = shape->n_embd, n_answer = answers_of(reference);

    memset(reference->d_final_normed, 0, n_token * d * sizeof(double));
    memset(reference->d_final, 0, n_token * d * sizeof(double));
    reference_linear_backward(
        reference->final_normed, find(model, reference->param, "head.weight"), reference->d_logits,
        n_answer, d, shape->n_class, reference->d_final_normed,
        find(model, reference->grad, "head.weight"), find(model, reference->grad, "head.bias"));
    reference_layer_norm_backward(reference->final, find(model, reference->param, "ln_f.weight"),
                                  reference->d_final_normed, n_answer, d, reference->d_final,
                                  find(model, reference->grad, "ln_f.weight"),
                                  find(model, reference->grad, "ln_f.bias"));
    const double *d_y = reference->d_final;
    for (size_t l = shape->n_layer; l-- > 0;) {
        block_backward(reference, batch, s, l, d_y);
        d_y = reference->block[l].d_x;
    }
    embed_backward(reference, batch, s, reference->block[0].d_x);
}

/* ---- both ---- */

static double batch_run(struct reference_model *reference, const struct batch *batch,
                        bool with_gradient)
{
    double n_row = (double)(batch->n_sequence * answers_of(reference)), loss = 0.0;
    for (size_t s = 0; s < batch->n_sequence; s++) {
        sequence_forward(reference, batch, s);
        loss += sequence_loss(reference, batch, s, 1.0 / n_row);
        if (with_gradient) {
            sequence_backward(reference, batch, s);
        }
    }
    return loss / n_row;
}

double reference_model_loss(struct reference_model *reference, const struct batch *batch)
{
    return batch_run(reference, batch, false);
}

double reference_model_gradient(struct reference_model *reference, const struct batch *batch)
{
    memset(reference->grad, 0, reference->model->layout.n_param * sizeof(double));
    return batch_run(reference, batch, true);
}

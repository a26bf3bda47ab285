/* The whole model around the attention, one sequence after the other, D what dropout does:
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

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Sites of dropout. */
#define SITE_EMBEDDING 0
#define SITE_HIDDEN(layer) (1 + 2 * (layer))
#define SITE_MAPPED(layer) (2 + 2 * (layer))

/* ---- memory ---- */

static void *allocate(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    if (!memory) {
        abort();
    }
    return memory;
}

struct reference_model reference_model_create(const struct model *model, size_t max_sequence,
                                              size_t n_token)
{
    const struct model_shape *shape = &model->shape;
    size_t n_param = model->layout.n_param, n_map = shape->n_head * n_token * n_token;
    struct reference_model reference = {
        .model = model,
        .n_token = n_token,
        .param = allocate(n_param, sizeof(double)),
        .grad = allocate(n_param, sizeof(double)),
        .logits = allocate(max_sequence * n_token * shape->n_class, sizeof(double)),
        .attention = allocate(shape->n_layer * max_sequence * n_map, sizeof(double)),
        .maps = {allocate(n_map, sizeof(double)), allocate(n_map, sizeof(double)), NULL},
        .place = allocate(n_param, sizeof(var)),
    };
    for (size_t i = 0; i < n_param; i++) {
        reference.place[i] = (var)i;
    }
    return reference;
}

void reference_model_free(struct reference_model *reference)
{
    free(reference->param);
    free(reference->grad);
    free(reference->logits);
    free(reference->attention);
    free(reference->maps.product);
    free(reference->maps.scores);
    free(reference->place);
    tape_free(&reference->tape);
    *reference = (struct reference_model){0};
}

/* ---- tensors ---- */

static const var *find(const struct reference_model *reference, const char *name)
{
    const struct tensor *tensor = model_find_tensor(reference->model, name);
    return tensor ? reference->place + tensor->offset : NULL;
}

static const var *find_in_block(const struct reference_model *reference, size_t layer,
                                const char *name)
{
    char full[128];
    snprintf(full, sizeof full, "blocks.%zu.%s", layer, name);
    return find(reference, full);
}

/* The slot a role reads; NULL: it has none. */
static const var *find_role(const struct reference_model *reference, size_t layer, char letter,
                            const char *part)
{
    static const char *const slots[] = {"q", "k", "v", "qk", "kv", "qv", "qkv"};
    for (size_t i = 0; i < sizeof slots / sizeof slots[0]; i++) {
        char name[64];
        snprintf(name, sizeof name, "attn.%s.%s", slots[i], part);
        const var *tensor = find_in_block(reference, layer, name);
        if (tensor && strchr(slots[i], letter)) {
            return tensor;
        }
    }
    return NULL;
}

static struct reference_weights find_attention(const struct reference_model *reference,
                                               size_t layer)
{
    struct reference_weights w = {0};
    const struct {
        const var **weight;
        const char *name;
    } names[] = {{&w.out, "attn.out.weight"},
                 {&w.out_bias, "attn.out.bias"},
                 {&w.pos_w, "attn.pos_w"},
                 {&w.pos_b, "attn.pos_b"},
                 {&w.score_scale, "attn.score_scale"},
                 {&w.q_norm, "attn.q_norm.weight"},
                 {&w.k_norm, "attn.k_norm.weight"},
                 {&w.norm_in, "attn.query.norm_in.weight"},
                 {&w.fc1, "attn.query.fc1.weight"},
                 {&w.fc2, "attn.query.fc2.weight"},
                 {&w.norm_out, "attn.query.norm_out.weight"},
                 {&w.norm_out_bias, "attn.query.norm_out.bias"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        *names[i].weight = find_in_block(reference, layer, names[i].name);
    }
    for (int role = 0; role < ROLE_COUNT; role++) {
        w.role[role] = find_role(reference, layer, "qkv"[role], "weight");
        w.bias[role] = find_role(reference, layer, "qkv"[role], "bias");
    }
    return w;
}

/* ---- one sequence ---- */

/* Drops from x [T,width] of sequence s at a site. */
static void drop(struct reference_model *reference, const struct batch *batch, size_t s,
                 size_t site, size_t width, var *x)
{
    double rate = reference->model->shape.dropout;
    size_t n_token = reference->n_token, n = n_token * width;
    if (batch->dropout && rate > 0.0) {
        double mask[n];
        for (size_t i = 0; i < n; i++) {
            mask[i] = 1.0;
        }
        reference_dropout(batch->dropout, rate, site, (batch->first + s) * n_token, n_token, width,
                          mask);
        for (size_t i = 0; i < n; i++) {
            x[i] = tape_sum(&reference->tape, 1, &mask[i], &x[i]);
        }
    }
}

static void embed(struct reference_model *reference, const struct batch *batch, size_t s, var *x)
{
    struct tape *tape = &reference->tape;
    const struct model_shape *shape = &reference->model->shape;
    size_t n_token = reference->n_token, d = shape->n_embd;
    if (shape->input == INPUT_PATCHES) {
        size_t n_patch = n_token - 1, width = shape->n_channel * shape->patch * shape->patch;
        var patches[n_patch * width];
        for (size_t i = 0; i < n_patch * width; i++) {
            patches[i] = tape_number(tape, batch->patches[s * n_patch * width + i]);
        }
        memcpy(x, find(reference, "cls"), d * sizeof *x);
        reference_linear(tape, patches, find(reference, "patch_embed.weight"),
                         find(reference, "patch_embed.bias"), n_patch, width, d, x + d);
    } else {
        const var *weight = find(reference, "embed.weight"), *bias = find(reference, "embed.bias");
        for (size_t i = 0; i < n_token * d; i++) {
            size_t id = (size_t)batch->ids[s * n_token + i / d], c = i % d;
            x[i] = tape_add(tape, weight[c * shape->n_symbol + id], bias[c]);
        }
    }
    const var *position = find(reference, "pos_emb");
    for (size_t i = 0; i < n_token * d; i++) {
        x[i] = tape_add(tape, x[i], position[i]);
    }
    drop(reference, batch, s, SITE_EMBEDDING, d, x);
}

/* x [T,d] becomes what the block makes of it. */
static void apply_block(struct reference_model *reference, const struct batch *batch, size_t s,
                        size_t layer, var *x)
{
    struct tape *tape = &reference->tape;
    const struct model_shape *shape = &reference->model->shape;
    size_t n_token = reference->n_token, d = shape->n_embd, n_hidden = d * shape->mlp_ratio;
    struct reference_shape attention = reference_shape_of(shape, n_token);
    struct reference_weights weights = find_attention(reference, layer);
    struct reference_maps maps = reference->maps;
    maps.attention =
        reference->attention + (layer * batch->n_sequence + s) * shape->n_head * n_token * n_token;

    var normed[n_token * d], output[n_token * d], hidden[n_token * n_hidden];
    reference_layer_norm(tape, x, find_in_block(reference, layer, "ln1.weight"),
                         find_in_block(reference, layer, "ln1.bias"), n_token, d, normed);
    reference_attention(tape, &attention, &weights, normed, &maps, output);
    for (size_t i = 0; i < n_token * d; i++) {
        x[i] = tape_add(tape, x[i], output[i]);
    }
    reference_layer_norm(tape, x, find_in_block(reference, layer, "ln2.weight"),
                         find_in_block(reference, layer, "ln2.bias"), n_token, d, normed);
    reference_linear(tape, normed, find_in_block(reference, layer, "mlp.fc1.weight"),
                     find_in_block(reference, layer, "mlp.fc1.bias"), n_token, d, n_hidden, hidden);
    for (size_t i = 0; i < n_token * n_hidden; i++) {
        hidden[i] = tape_gelu(tape, hidden[i]);
    }
    drop(reference, batch, s, SITE_HIDDEN(layer), n_hidden, hidden);
    reference_linear(tape, hidden, find_in_block(reference, layer, "mlp.fc2.weight"),
                     find_in_block(reference, layer, "mlp.fc2.bias"), n_token, n_hidden, d, output);
    drop(reference, batch, s, SITE_MAPPED(layer), d, output);
    for (size_t i = 0; i < n_token * d; i++) {
        x[i] = tape_add(tape, x[i], output[i]);
    }
}

/* How many of a sequence's tokens are answered, from the first on. */
static size_t answers_of(const struct reference_model *reference)
{
    return reference->model->shape.input == INPUT_PATCHES ? 1 : reference->n_token;
}

/* -ln softmax(logits)[target], summed over the answers of sequence s. */
static var sequence_loss(struct reference_model *reference, const struct batch *batch, size_t s)
{
    struct tape *tape = &reference->tape;
    const struct model_shape *shape = &reference->model->shape;
    size_t n_token = reference->n_token, d = shape->n_embd, n_class = shape->n_class;
    size_t n_answer = answers_of(reference);
    var x[n_token * d], logits[n_answer * n_class], loss[n_answer];
    embed(reference, batch, s, x);
    for (size_t layer = 0; layer < shape->n_layer; layer++) {
        apply_block(reference, batch, s, layer, x);
    }
    reference_layer_norm(tape, x, find(reference, "ln_f.weight"), find(reference, "ln_f.bias"),
                         n_answer, d, x);
    reference_linear(tape, x, find(reference, "head.weight"), find(reference, "head.bias"),
                     n_answer, d, n_class, logits);
    for (size_t i = 0; i < n_answer * n_class; i++) {
        reference->logits[s * n_answer * n_class + i] = tape_value(tape, logits[i]);
    }
    for (size_t t = 0; t < n_answer; t++) {
        size_t target = (size_t)batch->targets[s * n_answer + t];
        const double signs[3] = {1.0, 1.0, -1.0};
        var e[n_class], sum;
        double largest = reference_softmax(tape, logits + t * n_class, n_class, e, &sum);
        loss[t] = tape_sum(
            tape, 3, signs,
            (var[]){tape_number(tape, largest), tape_log(tape, sum), logits[t * n_class + target]});
    }
    return tape_sum(tape, n_answer, NULL, loss);
}

/* ---- a batch ---- */

static double batch_run(struct reference_model *reference, const struct batch *batch,
                        bool with_gradient)
{
    struct tape *tape = &reference->tape;
    size_t n_param = reference->model->layout.n_param;
    double n_answer = (double)(batch->n_sequence * answers_of(reference)), total = 0.0;
    tape->values_only = !with_gradient;
    tape_cut(tape, 0);
    for (size_t i = 0; i < n_param; i++) {
        tape_number(tape, reference->param[i]);
    }
    for (size_t s = 0; s < batch->n_sequence; s++) {
        tape_cut(tape, n_param);
        var loss = sequence_loss(reference, batch, s);
        total += tape_value(tape, loss);
        if (with_gradient) {
            tape_backward(tape, loss, 1.0 / n_answer);
            for (size_t i = 0; i < n_param; i++) {
                reference->grad[i] += tape_gradient(tape, (var)i);
            }
        }
    }
    return total / n_answer;
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

/* All three kinds of model are counted on the engine's own list of tensors. Only the ends of a
 * language model, which the engine does not train, leave out some of it.
 */
#include "nn/cost.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "nn/layout.h"

/* clang-format off */
#define TOKENS(d, layers, heads, m, tokens, positions, symbols, classes) \
    {.n_embd = d, .n_layer = layers, .n_head = heads, .mlp_ratio = 4, .pos_dim = m, \
     .n_token = tokens, .n_position = positions, .n_symbol = symbols, .n_class = classes}
#define IMAGES(d, layers, heads, m, pixels, side, colours, classes) \
    {.input = INPUT_PATCHES, .n_embd = d, .n_layer = layers, .n_head = heads, .mlp_ratio = 4, \
     .pos_dim = m, .image_size = pixels, .patch = side, .n_channel = colours, .n_class = classes}

static const struct cost_model MODELS[] = {
    /* name, summary, kind, shape (d, L, H, m, ...), context, bytes */
    {"encoder", "the encoder of the synthetic tasks, at the defaults of `run`",
     COST_ENCODER, TOKENS(64, 2, 4, 10, 16, 128, 10, 10), 0, 4},
    {"vit-mnist", "vision transformer for MNIST or Fashion-MNIST, 28 px, patch 4",
     COST_VISION, IMAGES(64, 2, 4, 50, 28, 4, 1, 10), 0, 4},
    {"vit-cifar10", "vision transformer for CIFAR-10, 32 px, patch 4",
     COST_VISION, IMAGES(64, 2, 4, 50, 32, 4, 3, 10), 0, 4},
    {"vit-cifar100", "vision transformer for CIFAR-100, 32 px, patch 4",
     COST_VISION, IMAGES(64, 2, 4, 50, 32, 4, 3, 100), 0, 4},
    {"vit-tinyimagenet", "vision transformer for TinyImageNet at 224 px, patch 16",
     COST_VISION, IMAGES(768, 12, 12, 50, 224, 16, 3, 200), 0, 4},
    {"300m", "language model of 300 million parameters",
     COST_LANGUAGE, TOKENS(1024, 20, 16, 50, 2048, 2048, 50304, 50304), 32000, 2},
    {"1.2b", "language model of 1.2 billion parameters",
     COST_LANGUAGE, TOKENS(2048, 22, 32, 50, 2048, 2048, 50304, 50304), 32000, 2},
};

#define ENCODER  (1u << COST_ENCODER)
#define VISION   (1u << COST_VISION)
#define LANGUAGE (1u << COST_LANGUAGE)
#define ALL      (ENCODER | VISION | LANGUAGE)
#define KEY(name, member, range, kinds) {name, range, kinds, offsetof(struct model_shape, member)}

/* The sizes that can be changed. */
static const struct cost_key {
    const char *name;
    size_t least, most;
    unsigned kinds; /* which models have it */
    size_t offset;  /* in struct model_shape */
} KEYS[] = {
    KEY("n_embd",     n_embd,     RANGE_N_EMBD,     ALL),
    KEY("n_layer",    n_layer,    RANGE_N_LAYER,    ALL),
    KEY("n_head",     n_head,     RANGE_N_HEAD,     ALL),
    KEY("mlp_ratio",  mlp_ratio,  RANGE_MLP_RATIO,  ALL),
    KEY("pos_dim",    pos_dim,    RANGE_POS_DIM,    ALL),
    KEY("seq_len",    n_token,    RANGE_SEQ_LEN,    ENCODER | LANGUAGE),
    KEY("n_position", n_position, RANGE_N_POSITION, ENCODER | LANGUAGE),
    KEY("n_symbol",   n_symbol,   RANGE_N_SYMBOL,   ENCODER | LANGUAGE),
    KEY("n_class",    n_class,    RANGE_N_CLASS,    ENCODER | VISION),
    KEY("image_size", image_size, RANGE_IMAGE_SIZE, VISION),
    KEY("patch",      patch,      RANGE_PATCH,      VISION),
    KEY("n_channel",  n_channel,  RANGE_N_CHANNEL,  VISION),
};
/* clang-format on */

#define N_MODEL (sizeof MODELS / sizeof MODELS[0])
#define N_KEY (sizeof KEYS / sizeof KEYS[0])

/* The comparison of paper A's language models. */
static const char *const LANGUAGE_VARIANTS[] = {
    "qkv",           "kv", "qkv_tied", "qkv:n_kv_head=4", "kv:n_kv_head=4", "qkv:n_kv_head=1",
    "kv:n_kv_head=1"};
#define N_LANGUAGE_VARIANT (sizeof LANGUAGE_VARIANTS / sizeof LANGUAGE_VARIANTS[0])

/* ---- tables -------------------------------------------------------------------------------- */

const struct cost_model *cost_model_at(size_t i)
{
    return i < N_MODEL ? &MODELS[i] : NULL;
}

const struct cost_model *cost_model_find(const char *name, struct error *err)
{
    const char *names[N_MODEL];
    for (size_t i = 0; i < N_MODEL; i++) {
        if (strcmp(MODELS[i].name, name) == 0) {
            return &MODELS[i];
        }
        names[i] = MODELS[i].name;
    }
    error_expected(err, "model", names, N_MODEL, name);
    return NULL;
}

const char *cost_variant_at(const struct cost_model *model, size_t i, char id[VARIANT_TEXT_SIZE])
{
    if (model->kind == COST_LANGUAGE) {
        return i < N_LANGUAGE_VARIANT ? strcpy(id, LANGUAGE_VARIANTS[i]) : NULL;
    }
    const struct variant *row = variant_sharing_row(i);
    if (row == NULL) {
        return NULL;
    }
    variant_id(row, id);
    return id;
}

/* ---- sizes --------------------------------------------------------------------------------- */

static enum status refuse_key(const struct cost_model *model, const char *key, struct error *err)
{
    for (size_t i = 0; variant_axis_key(i); i++) {
        if (strcmp(variant_axis_key(i), key) == 0) {
            return error_set(err, STATUS_USAGE,
                             "%s belongs to a variant, not to the model: write it behind the "
                             "variant's id, as in kv:%s=...",
                             key, key);
        }
    }
    const char *names[N_KEY];
    size_t n = 0;
    for (size_t i = 0; i < N_KEY; i++) {
        if (KEYS[i].kinds >> model->kind & 1) {
            names[n++] = KEYS[i].name;
        }
    }
    if (model->kind == COST_VISION && strcmp(key, "seq_len") == 0) {
        return error_set(err, STATUS_USAGE,
                         "seq_len of %s follows from its image: set image_size or patch",
                         model->name);
    }
    const char *near = suggest_nearest(key, names, n);
    return error_set(err, STATUS_USAGE, "%s has no size '%s'%s%s%s; it has %s", model->name, key,
                     near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "",
                     suggest_all(names, n).text);
}

enum status cost_model_set(struct cost_model *model, const char *key, const char *value,
                           struct error *err)
{
    const struct cost_key *row = KEYS;
    while (row < KEYS + N_KEY &&
           (strcmp(row->name, key) != 0 || !(row->kinds >> model->kind & 1))) {
        row++;
    }
    if (row == KEYS + N_KEY) {
        return refuse_key(model, key, err);
    }
    char *end;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    bool padded = value[0] == '0' && value[1] != '\0'; /* YAML reads 010 as eight */
    if (!isdigit((unsigned char)value[0]) || padded || *end != '\0' || errno != 0 ||
        number < row->least || number > row->most) {
        return error_set(err, STATUS_USAGE, "%s: expected a whole number in %zu..%zu, found '%s'",
                         key, row->least, row->most, value);
    }
    *(size_t *)((char *)&model->shape + row->offset) = (size_t)number;
    return STATUS_OK;
}

size_t cost_model_tokens(const struct cost_model *model)
{
    bool images = model->shape.input == INPUT_PATCHES;
    return images ? 1 + model_n_patch(&model->shape) : model->shape.n_token;
}

size_t cost_model_context(const struct cost_model *model)
{
    return model->context > 0 ? model->context : cost_model_tokens(model);
}

static struct model_shape shape_of(const struct cost_model *model, const struct variant *variant)
{
    struct model_shape shape = model->shape;
    shape.variant = *variant;
    shape.n_token = cost_model_tokens(model);
    if (model->kind == COST_VISION) {
        shape.n_position = shape.n_token;
    } else if (model->kind == COST_LANGUAGE) {
        shape.n_class = shape.n_symbol;
    }
    return shape;
}

/* ---- counting ------------------------------------------------------------------------------ */

static bool begins_with(const char *name, const char *beginning)
{
    return strncmp(name, beginning, strlen(beginning)) == 0;
}

/* A language model's head is its embedding once more, and neither has a bias. */
static bool is_absent(const struct cost_model *model, const struct tensor *tensor)
{
    return model->kind == COST_LANGUAGE &&
           (begins_with(tensor->name, "head.") || strcmp(tensor->name, "embed.bias") == 0);
}

static uint64_t count_parameters(const struct cost_model *model, const struct layout *layout)
{
    uint64_t n = 0;
    for (size_t i = 0; i < layout->n_tensor; i++) {
        n += is_absent(model, &layout->tensor[i]) ? 0 : layout->tensor[i].n_element;
    }
    return n;
}

/* At the ends too every weight meets some rows: all tokens, all patches, or the class token. Words
 * are looked up without a product. */
static uint64_t count_end_macs(const struct cost_model *model, const struct model_shape *shape)
{
    uint64_t n_token = shape->n_token, d = shape->n_embd;
    switch (model->kind) {
    case COST_ENCODER:
        return n_token * d * (shape->n_symbol + shape->n_class);
    case COST_VISION:
        return (n_token - 1) * d * widths_of(shape).patch + d * shape->n_class;
    default:
        return n_token * d * shape->n_class;
    }
}

/* Every weight of a matrix in a block meets every token once; Q K^T and A V are T^2 d each. */
static uint64_t count_forward_macs(const struct cost_model *model, const struct layout *layout,
                                   const struct model_shape *shape)
{
    uint64_t n_token = shape->n_token;
    uint64_t macs = shape->n_layer * 2 * n_token * n_token * shape->n_embd;
    for (size_t i = 0; i < layout->n_tensor; i++) {
        const struct tensor *tensor = &layout->tensor[i];
        if (begins_with(tensor->name, "blocks.") && tensor->n_dim == 2) {
            macs += n_token * tensor->n_element;
        }
    }
    return macs + count_end_macs(model, shape);
}

enum status cost_compute(const struct cost_model *model, const struct variant *variant,
                         struct cost *cost, struct error *err)
{
    struct model_shape shape = shape_of(model, variant);
    struct layout layout;
    TRY(model_shape_check(&shape, err));
    TRY(layout_create(&shape, &layout, err));
    struct widths widths = widths_of(&shape);
    cost->n_param = count_parameters(model, &layout);
    cost->forward_macs = count_forward_macs(model, &layout, &shape);
    cost->training_macs = 3 * cost->forward_macs;
    cost->cache_per_token = (uint64_t)variant_cache_roles(variant) * widths.kv_heads * widths.head *
                            shape.n_layer * model->bytes;
    cost->cache = cost->cache_per_token * cost_model_context(model);
    layout_free(&layout);
    return STATUS_OK;
}

/* ---- amounts of memory --------------------------------------------------------------------- */

enum status cost_parse_bytes(const char *text, uint64_t *n_byte, struct error *err)
{
    static const struct {
        const char *unit;
        double bytes;
    } UNITS[] = {{"", 1},
                 {"B", 1},
                 {"kB", 1e3},
                 {"MB", 1e6},
                 {"GB", 1e9},
                 {"TB", 1e12},
                 {"KiB", 1024},
                 {"MiB", 1048576},
                 {"GiB", 1073741824.0},
                 {"TiB", 1099511627776.0}};
    char *end;
    double number = strtod(text, &end);
    size_t n_digit = strspn(text, "0123456789.");
    for (size_t i = 0; n_digit > 0 && end == text + n_digit && i < sizeof UNITS / sizeof UNITS[0];
         i++) {
        double bytes = number * UNITS[i].bytes;
        if (strcmp(end, UNITS[i].unit) == 0 && bytes >= 1 && bytes <= 1e18) {
            *n_byte = (uint64_t)bytes;
            return STATUS_OK;
        }
    }
    return error_set(
        err, STATUS_USAGE,
        "expected an amount of memory such as 40GB, 512MiB or 1000 (bytes), found '%s'", text);
}

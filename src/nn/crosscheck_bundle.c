/* Two lists say what a bundle holds: METADATA its keys, list_tensors its tensors. What is missing,
 * foreign or of another shape is refused by name.
 */
#include "nn/crosscheck_bundle.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn/patch.h"

#define BUNDLE_FORMAT "crosscheck-1"
#define LARGEST_SIZE 1000000 /* of any dimension; far above what a bundle is for */

/* What a key holds, and who has it: all bundles, those of patches, or any. */
enum key_kind {
    KEY_TEXT,
    KEY_SIZE,       /* a size_t of the bundle */
    KEY_PATCH_SIZE, /* the same, of patches alone */
    KEY_NUMBER,     /* a double of the bundle */
    KEY_AXIS,       /* of the variant */
    KEY_OPTIONAL    /* a text that may be missing */
};

/* clang-format off */
#define PLACE(member) offsetof(struct crosscheck_bundle, member)
static const struct {
    const char *key;
    enum key_kind kind;
    size_t place;
} METADATA[] = {
    {"format",      KEY_TEXT,       0},
    {"name",        KEY_TEXT,       0},
    {"input",       KEY_TEXT,       0},
    {"n_embd",      KEY_SIZE,       PLACE(model.shape.n_embd)},
    {"n_layer",     KEY_SIZE,       PLACE(model.shape.n_layer)},
    {"n_head",      KEY_SIZE,       PLACE(model.shape.n_head)},
    {"n_token",     KEY_SIZE,       PLACE(model.shape.n_token)},
    {"n_position",  KEY_SIZE,       PLACE(model.shape.n_position)},
    {"batch",       KEY_SIZE,       PLACE(batch.n_sequence)},
    {"n_symbol",    KEY_SIZE,       PLACE(model.shape.n_symbol)},
    {"n_class",     KEY_SIZE,       PLACE(model.shape.n_class)},
    {"mlp_ratio",   KEY_SIZE,       PLACE(model.shape.mlp_ratio)},
    {"pos_dim",     KEY_SIZE,       PLACE(model.shape.pos_dim)},
    {"channels",    KEY_PATCH_SIZE, PLACE(model.shape.n_channel)},
    {"image",       KEY_PATCH_SIZE, PLACE(model.shape.image_size)},
    {"patch",       KEY_PATCH_SIZE, PLACE(model.shape.patch)},
    {"sharing",     KEY_TEXT,       0},
    {"query",       KEY_AXIS,       0},
    {"qk_norm",     KEY_AXIS,       0},
    {"causal",      KEY_AXIS,       0},
    {"n_kv_head",   KEY_AXIS,       0},
    {"position2d",  KEY_TEXT,       0},
    {"score_term",  KEY_OPTIONAL,   0},
    {"score_scale", KEY_NUMBER,     PLACE(score_scale)},
    {"adam_lr",     KEY_NUMBER,     PLACE(adam.learning_rate)},
    {"adam_beta1",  KEY_NUMBER,     PLACE(adam.beta1)},
    {"adam_beta2",  KEY_NUMBER,     PLACE(adam.beta2)},
    {"adam_eps",    KEY_NUMBER,     PLACE(adam.epsilon)},
};
/* clang-format on */
#define N_METADATA (sizeof METADATA / sizeof METADATA[0])

/* ---- metadata ---- */

static enum status check_keys(const struct safetensors *file, enum model_input input,
                              struct error *err)
{
    bool patches = input == INPUT_PATCHES;
    for (size_t i = 0; i < file->n_metadata; i++) {
        const char *key = file->metadata[i].key;
        size_t k = 0;
        while (k < N_METADATA && strcmp(METADATA[k].key, key) != 0) {
            k++;
        }
        if (k == N_METADATA || (METADATA[k].kind == KEY_PATCH_SIZE && !patches)) {
            return error_set(err, STATUS_DATA, "metadata key '%s' is unknown in a bundle of %s",
                             key, patches ? "patches" : "tokens");
        }
    }
    for (size_t k = 0; k < N_METADATA; k++) {
        bool needed =
            METADATA[k].kind == KEY_PATCH_SIZE ? patches : METADATA[k].kind != KEY_OPTIONAL;
        if (needed && !safetensors_text(file, METADATA[k].key, NULL)) {
            return error_set(err, STATUS_DATA, "metadata key '%s' is missing", METADATA[k].key);
        }
    }
    return STATUS_OK;
}

static enum status parse_size(const char *key, const char *text, size_t *value, struct error *err)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno || number < 1 || number > LARGEST_SIZE) {
        return error_set(err, STATUS_DATA, "metadata %s: expected a whole number 1..%d, found '%s'",
                         key, LARGEST_SIZE, text);
    }
    *value = (size_t)number;
    return STATUS_OK;
}

static enum status parse_number(const char *key, const char *text, double *value, struct error *err)
{
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end || !isfinite(*value) || *value < 0.0) {
        return error_set(err, STATUS_DATA,
                         "metadata %s: expected a finite number, 0 or more, found '%s'", key, text);
    }
    return STATUS_OK;
}

/* Sentences of the other modules speak of wrong usage; here the file is wrong. */
static enum status as_data_error(struct error *err)
{
    if (err) {
        err->status = STATUS_DATA;
    }
    return STATUS_DATA;
}

static enum status set_axis(struct variant *variant, const char *key, const char *value,
                            struct error *err)
{
    return variant_set_axis(variant, key, value, err) == STATUS_OK ? STATUS_OK : as_data_error(err);
}

/* position2d says none or absolute; score_term, where it is there, names the other terms. */
static enum status get_score_term(const struct safetensors *file, struct variant *variant,
                                  struct error *err)
{
    const char *position2d = safetensors_text(file, "position2d", "");
    bool absolute = strcmp(position2d, "absolute") == 0;
    if (!absolute && strcmp(position2d, "none") != 0) {
        return error_set(err, STATUS_DATA,
                         "metadata position2d: expected none or absolute, found '%s'", position2d);
    }
    const char *term = safetensors_text(file, "score_term", absolute ? "position2d" : "none");
    if (absolute != (strcmp(term, "position2d") == 0)) {
        return error_set(err, STATUS_DATA,
                         "metadata position2d=%s contradicts score_term=%s: write position2d=none "
                         "with the other terms",
                         position2d, term);
    }
    return set_axis(variant, "score_term", term, err);
}

/* The sharing alone; the further axes have keys of their own. */
static enum status get_sharing(const struct safetensors *file, struct variant *variant,
                               struct error *err)
{
    const char *sharing = safetensors_text(file, "sharing", "");
    if (variant_parse(sharing, variant, err) != STATUS_OK) {
        return as_data_error(err);
    }
    if (strcmp(variant->sharing, sharing) != 0) {
        return error_set(err, STATUS_DATA,
                         "metadata sharing: expected the bare id %s, found '%s'; further axes have "
                         "keys of their own",
                         variant->sharing, sharing);
    }
    return STATUS_OK;
}

/* get_values fills the bundle's shape, batch size and Adam options. */
static enum status get_values(struct crosscheck_bundle *bundle, struct error *err)
{
    const struct safetensors *file = &bundle->file;
    struct model_shape *shape = &bundle->model.shape;
    struct variant *variant = &shape->variant;
    TRY(get_sharing(file, variant, err));
    TRY(get_score_term(file, variant, err));
    for (size_t k = 0; k < N_METADATA; k++) {
        const char *key = METADATA[k].key, *text = safetensors_text(file, key, "");
        void *place = (char *)bundle + METADATA[k].place;
        enum key_kind kind = METADATA[k].kind;
        if (kind == KEY_SIZE || (kind == KEY_PATCH_SIZE && shape->input == INPUT_PATCHES)) {
            TRY(parse_size(key, text, place, err));
        } else if (kind == KEY_NUMBER) {
            TRY(parse_number(key, text, place, err));
        } else if (kind == KEY_AXIS) {
            TRY(set_axis(variant, key, text, err));
        }
    }
    if (shape->n_layer > file->n_entry) {
        return error_set(err, STATUS_DATA, "metadata n_layer is %zu, but the file has %zu tensors",
                         shape->n_layer, file->n_entry);
    }
    if (variant->n_kv_head == shape->n_head) {
        variant->n_kv_head = 0; /* the canonical way to say so */
    }
    if (fabs(bundle->score_scale - variant_score_scale(variant)) > 1e-12) {
        return error_set(err, STATUS_DATA,
                         "metadata score_scale is %g, but query=%s is built with %g times "
                         "1/sqrt(head width)",
                         bundle->score_scale, safetensors_text(file, "query", ""),
                         variant_score_scale(variant));
    }
    bundle->batch.n_token = shape->n_token;
    return STATUS_OK;
}

/* ---- tensors ---- */

/* list_tensors lists what a bundle of this shape must hold. */
static struct safetensors list_tensors(const struct crosscheck_bundle *bundle)
{
    static const char *const numbers[] = {"loss", "grad_norm", "loss_after_1", "loss_after_2",
                                          "loss_after_3"};
    static const char *const of_layout[] = {"param", "grad", "adam3"};
    const struct model_shape *shape = &bundle->model.shape;
    const struct layout *layout = &bundle->model.layout;
    size_t b = bundle->batch.n_sequence, t = bundle->batch.n_token, side = shape->image_size;
    struct safetensors list = {0};
    if (shape->input == INPUT_PATCHES) {
        safetensors_add(&list, SAFETENSORS_F32, (size_t[]){b, shape->n_channel, side, side}, 4,
                        NULL, "input/images");
        safetensors_add(&list, SAFETENSORS_I64, &b, 1, NULL, "input/labels");
        safetensors_add(&list, SAFETENSORS_F32, (size_t[]){b, shape->n_class}, 2, NULL,
                        "expect/logits");
    } else {
        safetensors_add(&list, SAFETENSORS_I64, (size_t[]){b, t}, 2, NULL, "input/ids");
        safetensors_add(&list, SAFETENSORS_I64, (size_t[]){b, t}, 2, NULL, "input/targets");
        safetensors_add(&list, SAFETENSORS_F32, (size_t[]){b, t, shape->n_class}, 3, NULL,
                        "expect/logits");
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        safetensors_add(&list, SAFETENSORS_F32, (size_t[]){1}, 1, NULL, "expect/%s", numbers[i]);
    }
    for (size_t layer = 0; layer < shape->n_layer; layer++) {
        safetensors_add(&list, SAFETENSORS_F32, (size_t[]){b, shape->n_head, t, t}, 4, NULL,
                        "expect/attention.%zu", layer);
    }
    for (size_t p = 0; p < sizeof of_layout / sizeof *of_layout; p++) {
        for (size_t i = 0; i < layout->n_tensor; i++) {
            const struct tensor *tensor = &layout->tensor[i];
            safetensors_add(&list, SAFETENSORS_F32, tensor->dim, tensor->n_dim, NULL, "%s/%s",
                            of_layout[p], tensor->name);
        }
    }
    return list;
}

static enum status check_tensors(const struct crosscheck_bundle *bundle, struct error *err)
{
    char id[VARIANT_TEXT_SIZE], whose[VARIANT_TEXT_SIZE + 32];
    variant_id(&bundle->model.shape.variant, id);
    snprintf(whose, sizeof whose, "a model of variant %s", id);
    struct safetensors list = list_tensors(bundle);
    enum status status = list.failed ? error_memory(err, "listing the tensors of a bundle")
                                     : safetensors_match(&bundle->file, &list, whose, err);
    safetensors_free(&list);
    return status;
}

static enum status get_indices(const struct crosscheck_bundle *bundle, const char *name,
                               size_t n_value, int32_t **indices, struct error *err)
{
    const struct safetensors_entry *entry = crosscheck_bundle_entry(bundle, "input", name);
    const int64_t *from = entry->data;
    TRY_CALLOC(err, *indices, entry->n_element, "reading %s", entry->name);
    for (size_t i = 0; i < entry->n_element; i++) {
        if (from[i] < 0 || from[i] >= (int64_t)n_value) {
            return error_set(err, STATUS_DATA, "tensor %s, index %zu: expected 0..%zu, found %lld",
                             entry->name, i, n_value - 1, (long long)from[i]);
        }
        (*indices)[i] = (int32_t)from[i];
    }
    return STATUS_OK;
}

/* The images, cut. The file was checked: its sizes are those of the shape. */
static enum status get_patches(struct crosscheck_bundle *bundle, struct error *err)
{
    const struct model_shape *shape = &bundle->model.shape;
    const struct safetensors_entry *entry = crosscheck_bundle_entry(bundle, "input", "images");
    size_t side = shape->image_size, n_pixel = shape->n_channel * side * side;
    size_t n_row = (shape->n_token - 1) * shape->n_channel * shape->patch * shape->patch;
    const float *images = entry->data;
    bundle->patches = calloc(bundle->batch.n_sequence, n_row * sizeof(float));
    if (!bundle->patches) {
        return error_memory(err, "cutting %s", entry->name);
    }
    for (size_t i = 0; i < bundle->batch.n_sequence; i++) {
        patches_from_image(images + i * n_pixel, shape->n_channel, side, side, shape->patch,
                           bundle->patches + i * n_row);
    }
    return STATUS_OK;
}

static enum status get_batch(struct crosscheck_bundle *bundle, struct error *err)
{
    const struct model_shape *shape = &bundle->model.shape;
    bool patches = shape->input == INPUT_PATCHES;
    TRY(patches ? get_patches(bundle, err)
                : get_indices(bundle, "ids", shape->n_symbol, &bundle->ids, err));
    TRY(get_indices(bundle, patches ? "labels" : "targets", shape->n_class, &bundle->targets, err));
    bundle->batch.ids = bundle->ids;
    bundle->batch.patches = bundle->patches;
    bundle->batch.targets = bundle->targets;
    return STATUS_OK;
}

/* ---- the whole ---- */

static enum status bundle_fill(struct crosscheck_bundle *bundle, struct error *err)
{
    const struct safetensors *file = &bundle->file;
    const char *format = safetensors_text(file, "format", "(none)");
    if (strcmp(format, BUNDLE_FORMAT) != 0) {
        return error_set(err, STATUS_DATA, "no crosscheck bundle: expected format %s, found %s",
                         BUNDLE_FORMAT, format);
    }
    const char *input = safetensors_text(file, "input", "(none)");
    bool patches = strcmp(input, "patches") == 0;
    if (!patches && strcmp(input, "tokens") != 0) {
        return error_set(err, STATUS_DATA, "input: expected tokens or patches, found %s", input);
    }
    struct model_shape *shape = &bundle->model.shape;
    shape->input = patches ? INPUT_PATCHES : INPUT_TOKENS;
    TRY(check_keys(file, shape->input, err));
    TRY(get_values(bundle, err));
    const struct model_shape wanted = *shape;
    enum status status = model_create(&bundle->model, &wanted, err);
    if (status != STATUS_OK) {
        return status == STATUS_USAGE ? as_data_error(err) : status;
    }
    TRY(check_tensors(bundle, err));
    return get_batch(bundle, err);
}

enum status crosscheck_bundle_read(const char *path, struct crosscheck_bundle *bundle,
                                   struct error *err)
{
    *bundle = (struct crosscheck_bundle){0};
    TRY(safetensors_read(path, &bundle->file, err));
    enum status status = bundle_fill(bundle, err);
    if (status != STATUS_OK) {
        error_prefix(err, "%s", path);
        crosscheck_bundle_free(bundle);
    }
    return status;
}

void crosscheck_bundle_free(struct crosscheck_bundle *bundle)
{
    model_free(&bundle->model);
    safetensors_free(&bundle->file);
    free(bundle->ids);
    free(bundle->patches);
    free(bundle->targets);
    *bundle = (struct crosscheck_bundle){0};
}

const struct safetensors_entry *crosscheck_bundle_entry(const struct crosscheck_bundle *bundle,
                                                        const char *prefix, const char *name)
{
    char full[128];
    snprintf(full, sizeof full, "%s/%s", prefix, name);
    return safetensors_find(&bundle->file, full);
}

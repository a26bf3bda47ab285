/* Two lists say what a bundle holds: METADATA its keys, wanted_at (with the layout of the model)
 * its tensors. What is missing, foreign or of another shape is refused by name.
 */
#include "nn/crosscheck_bundle.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn/patch.h"
#include "nn/stored_tensor.h"

#define BUNDLE_FORMAT "crosscheck-1"
#define LARGEST_SIZE 1000000 /* of any dimension; far above what a bundle is for */

enum key_use { KEY_ALWAYS, KEY_PATCHES, KEY_OPTIONAL };

static const struct {
    const char *key;
    enum key_use use;
} METADATA[] = {
    {"format", KEY_ALWAYS},       {"name", KEY_ALWAYS},        {"input", KEY_ALWAYS},
    {"n_embd", KEY_ALWAYS},       {"n_layer", KEY_ALWAYS},     {"n_head", KEY_ALWAYS},
    {"n_kv_head", KEY_ALWAYS},    {"n_token", KEY_ALWAYS},     {"n_position", KEY_ALWAYS},
    {"batch", KEY_ALWAYS},        {"n_symbol", KEY_ALWAYS},    {"n_class", KEY_ALWAYS},
    {"mlp_ratio", KEY_ALWAYS},    {"sharing", KEY_ALWAYS},     {"query", KEY_ALWAYS},
    {"qk_norm", KEY_ALWAYS},      {"position2d", KEY_ALWAYS},  {"pos_dim", KEY_ALWAYS},
    {"causal", KEY_ALWAYS},       {"score_scale", KEY_ALWAYS}, {"adam_lr", KEY_ALWAYS},
    {"adam_beta1", KEY_ALWAYS},   {"adam_beta2", KEY_ALWAYS},  {"adam_eps", KEY_ALWAYS},
    {"score_term", KEY_OPTIONAL}, {"channels", KEY_PATCHES},   {"image", KEY_PATCHES},
    {"patch", KEY_PATCHES},
};
#define N_METADATA (sizeof(METADATA) / sizeof(METADATA[0]))

/* ---- metadata ---- */

static enum status check_format(const struct safetensors *file, struct error *err)
{
    const char *format = safetensors_text(file, "format", "(none)");
    if (strcmp(format, BUNDLE_FORMAT) != 0) {
        return error_set(err, STATUS_DATA, "no crosscheck bundle: expected format %s, found %s",
                         BUNDLE_FORMAT, format);
    }
    return STATUS_OK;
}

static enum status get_input(const struct safetensors *file, enum model_input *input,
                             struct error *err)
{
    const char *text = safetensors_text(file, "input", "(none)");
    bool patches = strcmp(text, "patches") == 0;
    if (!patches && strcmp(text, "tokens") != 0) {
        return error_set(err, STATUS_DATA, "input: expected tokens or patches, found %s", text);
    }
    *input = patches ? INPUT_PATCHES : INPUT_TOKENS;
    return STATUS_OK;
}

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
        if (k == N_METADATA || (METADATA[k].use == KEY_PATCHES && !patches)) {
            return error_set(err, STATUS_DATA, "metadata key '%s' is unknown in a bundle of %s",
                             key, patches ? "patches" : "tokens");
        }
    }
    for (size_t k = 0; k < N_METADATA; k++) {
        bool needed = METADATA[k].use == KEY_ALWAYS || (METADATA[k].use == KEY_PATCHES && patches);
        if (needed && !safetensors_text(file, METADATA[k].key, NULL)) {
            return error_set(err, STATUS_DATA, "metadata key '%s' is missing", METADATA[k].key);
        }
    }
    return STATUS_OK;
}

static enum status get_size(const struct safetensors *file, const char *key, size_t *value,
                            struct error *err)
{
    const char *text = safetensors_text(file, key, "");
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

static enum status get_number(const struct safetensors *file, const char *key, double *value,
                              struct error *err)
{
    const char *text = safetensors_text(file, key, "");
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

/* position2d says none or absolute; score_term, where it is there, names the other terms. */
static enum status get_score_term(const struct safetensors *file, const char **value,
                                  struct error *err)
{
    const char *position2d = safetensors_text(file, "position2d", "");
    bool absolute = strcmp(position2d, "absolute") == 0;
    if (!absolute && strcmp(position2d, "none") != 0) {
        return error_set(err, STATUS_DATA,
                         "metadata position2d: expected none or absolute, found '%s'", position2d);
    }
    *value = safetensors_text(file, "score_term", absolute ? "position2d" : "none");
    if (absolute != (strcmp(*value, "position2d") == 0)) {
        return error_set(err, STATUS_DATA,
                         "metadata position2d=%s contradicts score_term=%s: write position2d=none "
                         "with the other terms",
                         position2d, *value);
    }
    return STATUS_OK;
}

static enum status get_variant(const struct safetensors *file, size_t n_head,
                               struct variant *variant, struct error *err)
{
    const char *sharing = safetensors_text(file, "sharing", ""), *score_term = NULL;
    enum status status = get_score_term(file, &score_term, err);
    if (status != STATUS_OK) {
        return status;
    }
    if (variant_parse(sharing, variant, err) != STATUS_OK) {
        return as_data_error(err);
    }
    if (strcmp(variant->sharing, sharing) != 0) {
        return error_set(err, STATUS_DATA,
                         "metadata sharing: expected the bare id %s, found '%s'; further axes have "
                         "keys of their own",
                         variant->sharing, sharing);
    }
    const struct {
        const char *key, *value;
    } axes[] = {{"query", safetensors_text(file, "query", "")},
                {"score_term", score_term},
                {"qk_norm", safetensors_text(file, "qk_norm", "")},
                {"causal", safetensors_text(file, "causal", "")},
                {"n_kv_head", safetensors_text(file, "n_kv_head", "")}};
    for (size_t i = 0; i < sizeof(axes) / sizeof(axes[0]); i++) {
        if (variant_set_axis(variant, axes[i].key, axes[i].value, err) != STATUS_OK) {
            return as_data_error(err);
        }
    }
    if (variant->n_kv_head == n_head) {
        variant->n_kv_head = 0; /* the canonical way to say so */
    }
    double scale;
    status = get_number(file, "score_scale", &scale, err);
    if (status == STATUS_OK && fabs(scale - variant_score_scale(variant)) > 1e-12) {
        return error_set(err, STATUS_DATA,
                         "metadata score_scale is %g, but query=%s is built with %g times "
                         "1/sqrt(head width)",
                         scale, axes[0].value, variant_score_scale(variant));
    }
    return status;
}

static enum status get_shape(const struct safetensors *file, struct model_shape *shape,
                             size_t *n_sequence, struct error *err)
{
    const struct {
        const char *key;
        size_t *value;
    } sizes[] = {{"n_embd", &shape->n_embd},      {"n_layer", &shape->n_layer},
                 {"n_head", &shape->n_head},      {"mlp_ratio", &shape->mlp_ratio},
                 {"n_token", &shape->n_token},    {"n_position", &shape->n_position},
                 {"pos_dim", &shape->pos_dim},    {"n_symbol", &shape->n_symbol},
                 {"n_class", &shape->n_class},    {"batch", n_sequence},
                 {"channels", &shape->n_channel}, {"image", &shape->image_size},
                 {"patch", &shape->patch}};
    const size_t n_size = sizeof(sizes) / sizeof(sizes[0]), n_patch_size = 3;
    size_t n = shape->input == INPUT_PATCHES ? n_size : n_size - n_patch_size;
    for (size_t i = 0; i < n; i++) {
        enum status status = get_size(file, sizes[i].key, sizes[i].value, err);
        if (status != STATUS_OK) {
            return status;
        }
    }
    if (shape->n_layer > file->n_entry) {
        return error_set(err, STATUS_DATA, "metadata n_layer is %zu, but the file has %zu tensors",
                         shape->n_layer, file->n_entry);
    }
    return get_variant(file, shape->n_head, &shape->variant, err);
}

static enum status get_adam(const struct safetensors *file, struct adam_options *adam,
                            struct error *err)
{
    const struct {
        const char *key;
        double *value;
    } numbers[] = {{"adam_lr", &adam->learning_rate},
                   {"adam_beta1", &adam->beta1},
                   {"adam_beta2", &adam->beta2},
                   {"adam_eps", &adam->epsilon}};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        enum status status = get_number(file, numbers[i].key, numbers[i].value, err);
        if (status != STATUS_OK) {
            return status;
        }
    }
    return STATUS_OK;
}

/* ---- tensors ---- */

/* What a bundle must hold beside the tensors of the layout. */
struct wanted {
    char name[96];
    enum safetensors_type type;
    size_t dim[4];
    size_t n_dim;
};

static const char *const LAYOUT_PREFIX[] = {"param", "grad", "adam3"};
#define N_LAYOUT_PREFIX (sizeof(LAYOUT_PREFIX) / sizeof(LAYOUT_PREFIX[0]))

static size_t wanted_count(const struct model *model)
{
    return 8 + model->shape.n_layer + N_LAYOUT_PREFIX * model->layout.n_tensor;
}

/* wanted_at describes the i-th of wanted_count tensors. */
static struct wanted wanted_at(const struct crosscheck_bundle *bundle, size_t i)
{
    const struct model *model = &bundle->model;
    const struct model_shape *shape = &model->shape;
    size_t b = bundle->batch.n_sequence, t = bundle->batch.n_token;
    size_t side = shape->image_size;
    const struct wanted of_input[][3] = {
        [INPUT_TOKENS] = {{"input/ids", SAFETENSORS_I64, {b, t}, 2},
                          {"input/targets", SAFETENSORS_I64, {b, t}, 2},
                          {"expect/logits", SAFETENSORS_F32, {b, t, shape->n_class}, 3}},
        [INPUT_PATCHES] = {{"input/images", SAFETENSORS_F32, {b, shape->n_channel, side, side}, 4},
                           {"input/labels", SAFETENSORS_I64, {b}, 1},
                           {"expect/logits", SAFETENSORS_F32, {b, shape->n_class}, 2}},
    };
    const struct wanted fixed[] = {
        of_input[shape->input][0],
        of_input[shape->input][1],
        of_input[shape->input][2],
        {"expect/loss", SAFETENSORS_F32, {1}, 1},
        {"expect/grad_norm", SAFETENSORS_F32, {1}, 1},
        {"expect/loss_after_1", SAFETENSORS_F32, {1}, 1},
        {"expect/loss_after_2", SAFETENSORS_F32, {1}, 1},
        {"expect/loss_after_3", SAFETENSORS_F32, {1}, 1},
    };
    const size_t n_fixed = sizeof(fixed) / sizeof(fixed[0]);
    if (i < n_fixed) {
        return fixed[i];
    }
    struct wanted wanted = {.type = SAFETENSORS_F32};
    if (i < n_fixed + shape->n_layer) {
        snprintf(wanted.name, sizeof(wanted.name), "expect/attention.%zu", i - n_fixed);
        wanted.dim[0] = b;
        wanted.dim[1] = shape->n_head;
        wanted.dim[2] = wanted.dim[3] = t;
        wanted.n_dim = 4;
        return wanted;
    }
    i -= n_fixed + shape->n_layer;
    const struct tensor *tensor = &model->layout.tensor[i % model->layout.n_tensor];
    snprintf(wanted.name, sizeof(wanted.name), "%s/%s", LAYOUT_PREFIX[i / model->layout.n_tensor],
             tensor->name);
    memcpy(wanted.dim, tensor->dim, sizeof(wanted.dim));
    wanted.n_dim = tensor->n_dim;
    return wanted;
}

static enum status check_tensors(const struct crosscheck_bundle *bundle, struct error *err)
{
    const struct safetensors *file = &bundle->file;
    size_t n_wanted = wanted_count(&bundle->model);
    for (size_t i = 0; i < n_wanted; i++) {
        struct wanted wanted = wanted_at(bundle, i);
        enum status status =
            stored_tensor_check(file, wanted.name, wanted.type, wanted.dim, wanted.n_dim, err);
        if (status != STATUS_OK) {
            return status;
        }
    }
    for (size_t e = 0; e < file->n_entry; e++) {
        size_t i = 0;
        while (i < n_wanted && strcmp(wanted_at(bundle, i).name, file->entry[e].name) != 0) {
            i++;
        }
        if (i == n_wanted) {
            char id[VARIANT_TEXT_SIZE];
            variant_id(&bundle->model.shape.variant, id);
            return error_set(err, STATUS_DATA, "tensor %s has no place in a model of variant %s",
                             file->entry[e].name, id);
        }
    }
    return STATUS_OK;
}

static enum status get_indices(const struct crosscheck_bundle *bundle, const char *name,
                               size_t n_value, int32_t **indices, struct error *err)
{
    const struct safetensors_entry *entry = crosscheck_bundle_entry(bundle, "input", name);
    const int64_t *from = entry->data;
    *indices = malloc(entry->n_element * sizeof(**indices));
    if (!*indices) {
        return error_set(err, STATUS_MEMORY, "out of memory for %s", entry->name);
    }
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
        return error_set(err, STATUS_MEMORY, "out of memory for the patches of %s", entry->name);
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
    enum status status = patches ? get_patches(bundle, err)
                                 : get_indices(bundle, "ids", shape->n_symbol, &bundle->ids, err);
    if (status == STATUS_OK) {
        status = get_indices(bundle, patches ? "labels" : "targets", shape->n_class,
                             &bundle->targets, err);
    }
    bundle->batch.ids = bundle->ids;
    bundle->batch.patches = bundle->patches;
    bundle->batch.targets = bundle->targets;
    return status;
}

/* ---- the whole ---- */

static enum status bundle_fill(struct crosscheck_bundle *bundle, struct error *err)
{
    const struct safetensors *file = &bundle->file;
    struct model_shape shape = {0};
    enum status status = check_format(file, err);
    if (status == STATUS_OK) {
        status = get_input(file, &shape.input, err);
    }
    if (status == STATUS_OK) {
        status = check_keys(file, shape.input, err);
    }
    if (status == STATUS_OK) {
        status = get_shape(file, &shape, &bundle->batch.n_sequence, err);
    }
    if (status == STATUS_OK) {
        status = get_adam(file, &bundle->adam, err);
    }
    if (status != STATUS_OK) {
        return status;
    }
    status = model_create(&bundle->model, &shape, err);
    if (status != STATUS_OK) {
        return status == STATUS_USAGE ? as_data_error(err) : status;
    }
    bundle->batch.n_token = shape.n_token;
    status = check_tensors(bundle, err);
    return status == STATUS_OK ? get_batch(bundle, err) : status;
}

enum status crosscheck_bundle_read(const char *path, struct crosscheck_bundle *bundle,
                                   struct error *err)
{
    *bundle = (struct crosscheck_bundle){0};
    enum status status = safetensors_read(path, &bundle->file, err);
    if (status != STATUS_OK) {
        return status;
    }
    status = bundle_fill(bundle, err);
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
    snprintf(full, sizeof(full), "%s/%s", prefix, name);
    return safetensors_find(&bundle->file, full);
}

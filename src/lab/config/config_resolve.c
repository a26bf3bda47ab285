/* What does not fit together is refused here, before any work, with values that would fit. */
#include <stdio.h>

#include "lab/config/config.h"
#include "nn/patch.h"

/* Beyond these the arrays of a run (tokens, one row a step) would not fit into any memory. */
#define MAX_TOKENS ((size_t)1 << 31)
#define MAX_STEPS ((size_t)10000000)
#define MAX_SEQ_LEN 65536

/* ---- questions ---- */

bool config_is_vision(const struct config *config)
{
    return config->dataset != NULL;
}

const char *config_task_name(const struct config *config)
{
    return config->dataset ? config->dataset->name : config->task->name;
}

int config_task_version(const struct config *config)
{
    return config->dataset ? config->dataset->version : config->task->version;
}

size_t config_image_size(const struct config *config)
{
    return config->image_size ? config->image_size : config->dataset->image_size;
}

enum augmentation config_augmentation(const struct config *config)
{
    return config->augment == AUGMENT_OFF ? AUGMENT_NONE : config->dataset->augmentation;
}

struct model_shape config_shape(const struct config *config)
{
    struct model_shape shape = {
        .variant = config->variant,
        .n_embd = config->n_embd,
        .n_layer = config->n_layer,
        .n_head = config->n_head,
        .mlp_ratio = config->mlp_ratio,
        .n_token = config->seq_len,
        .n_position = config->n_position,
        .pos_dim = config->pos_dim,
        .n_class = TASK_N_SYMBOL,
        .dropout = config->dropout,
        .n_symbol = TASK_N_SYMBOL,
    };
    if (config->dataset) {
        shape.input = INPUT_PATCHES;
        shape.n_class = config->dataset->n_class;
        shape.n_symbol = 0;
        shape.n_channel = config->dataset->n_channel;
        shape.image_size = config_image_size(config);
        shape.patch = config->patch;
    }
    return shape;
}

size_t config_n_train(const struct config *config)
{
    return config->n_train > 0 || !config->dataset ? config->n_train : config->dataset->n_train;
}

size_t config_n_test(const struct config *config)
{
    return config->n_test > 0 || !config->dataset ? config->n_test : config->dataset->n_test;
}

size_t config_epoch_steps(const struct config *config, size_t n_train)
{
    size_t whole = n_train / config->batch_size, rest = n_train % config->batch_size;
    return whole + (rest > 0 && (whole == 0 || config->last_batch == LAST_BATCH_KEEP));
}

size_t config_steps(const struct config *config)
{
    return config->epochs * config_epoch_steps(config, config_n_train(config));
}

/* ---- what fits together ---- */

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
    return d < n ? d : n;
}

static enum status check_heads(const struct config *config, struct error *err)
{
    size_t d = config->n_embd, h = config->n_head;
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

static enum status check_positions(const struct config *config, struct error *err)
{
    if (config->seq_len <= config->n_position) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_USAGE,
                     "seq_len %zu is longer than the position table of n_position %zu; set "
                     "n_position to at least %zu or seq_len to at most %zu",
                     config->seq_len, config->n_position, config->seq_len, config->n_position);
}

static enum status check_data(const char *key, size_t n_sequence, size_t seq_len, struct error *err)
{
    if (n_sequence == 0) {
        return error_set(err, STATUS_USAGE,
                         "%s 0 stands for all images of a data set; a task over sequences needs a "
                         "number from 1",
                         key);
    }
    if (n_sequence <= MAX_TOKENS / seq_len) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_USAGE,
                     "%s %zu of seq_len %zu are more tokens than a run can hold (%zu); %s %zu "
                     "would work",
                     key, n_sequence, seq_len, MAX_TOKENS, key, MAX_TOKENS / seq_len);
}

static enum status check_sequences(const struct config *config, struct error *err)
{
    enum status status = check_data("n_train", config->n_train, config->seq_len, err);
    if (status == STATUS_OK) {
        status = check_data("n_test", config->n_test, config->seq_len, err);
    }
    return status == STATUS_OK ? check_data("n_probe", config->n_probe, config->seq_len, err)
                               : status;
}

static enum status check_sizes(const struct config *config, struct error *err)
{
    enum status status = config->dataset ? STATUS_OK : check_sequences(config, err);
    if (status == STATUS_OK && config_steps(config) > MAX_STEPS) {
        status = error_set(err, STATUS_USAGE,
                           "epochs %zu make %zu training steps, more than %zu; use fewer epochs or "
                           "a larger batch_size",
                           config->epochs, config_steps(config), MAX_STEPS);
    }
    return status;
}

/* ---- images ---- */

/* name_patches lists the patches that divide an image, "1, 2, 4, 7, 14 or 28". */
static void name_patches(size_t image_size, char *text, size_t size)
{
    size_t used = 0, previous = 0;
    text[0] = '\0';
    for (size_t p = 1; p <= image_size && used < size; p++) {
        if (image_size % p != 0) {
            continue;
        }
        if (previous > 0) {
            used += (size_t)snprintf(text + used, size - used, "%s%zu", used ? ", " : "", previous);
        }
        previous = p;
    }
    if (used < size) {
        snprintf(text + used, size - used, "%s%zu", used ? " or " : "", previous);
    }
}

static enum status check_patch(const struct config *config, struct error *err)
{
    size_t size = config_image_size(config), patch = config->patch;
    bool fits = config->patch_pad == PATCH_PAD_ZERO ? patch <= size : size % patch == 0;
    if (fits) {
        return STATUS_OK;
    }
    char list[256];
    name_patches(size, list, sizeof list);
    return error_set(err, STATUS_USAGE,
                     "patch %zu %s the %zu px of %s images; patch %s would work%s", patch,
                     patch > size ? "is larger than" : "does not divide", size,
                     config->dataset->title, list, patch < size ? ", or patch_pad=zero" : "");
}

/* check_tokens says in the words of images what seq_len may not be. */
static enum status check_tokens(const struct config *config, struct error *err)
{
    size_t size = config_image_size(config), patch = config->patch;
    size_t n_token = 1 + patches_count(size, size, patch);
    if (n_token <= MAX_SEQ_LEN) {
        return STATUS_OK;
    }
    size_t larger = patch;
    while (1 + patches_count(size, size, larger) > MAX_SEQ_LEN ||
           (config->patch_pad == PATCH_PAD_REFUSE && size % larger != 0)) {
        larger++;
    }
    size_t smaller = size - size % patch;
    while (1 + patches_count(smaller, smaller, patch) > MAX_SEQ_LEN) {
        smaller -= patch;
    }
    return error_set(err, STATUS_USAGE,
                     "image_size %zu in patches of %zu px makes %zu tokens of an image, more than "
                     "%d; patch %zu or image_size %zu would work",
                     size, patch, n_token, MAX_SEQ_LEN, larger, smaller);
}

/* The class token comes first, so that a causal mask would hide every patch from it. */
static enum status check_mask(const struct config *config, struct error *err)
{
    if (!config->variant.causal) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_USAGE,
                     "causal=1 hides all patches from the class token, which comes first; %s needs "
                     "causal=0",
                     config->dataset->title);
}

/* resolve_images derives what follows from image and patch. What is spelled differently and means
 * the same becomes the same. */
static enum status resolve_images(struct config *config, struct error *err)
{
    enum status status = check_patch(config, err);
    if (status == STATUS_OK) {
        status = check_tokens(config, err);
    }
    if (status == STATUS_OK) {
        status = check_mask(config, err);
    }
    if (status != STATUS_OK) {
        return status;
    }
    if (config->image_size == config->dataset->image_size) {
        config->image_size = 0;
    }
    if (config->dataset->augmentation == AUGMENT_NONE) {
        config->augment = AUGMENT_OF_DATASET;
    }
    size_t size = config_image_size(config);
    if (size % config->patch == 0) {
        config->patch_pad = PATCH_PAD_REFUSE;
    }
    config->seq_len = 1 + patches_count(size, size, config->patch);
    config->n_position = config->seq_len;
    return STATUS_OK;
}

static enum status resolve_input(struct config *config, struct error *err)
{
    enum status status = config_check_keys(config, err);
    if (status == STATUS_OK && config->dataset) {
        return resolve_images(config, err);
    }
    if (status == STATUS_OK && config->task->check) {
        status = config->task->check(config->seq_len, err);
    }
    return status == STATUS_OK ? check_positions(config, err) : status;
}

/* A key that the variant does not read gets its default, or the same run would have several ids. */
static void drop_unread_keys(struct config *config)
{
    struct config usual = config_default();
    if (config->variant.n_kv_head == config->n_head) {
        config->variant.n_kv_head = 0; /* the same model */
    }
    if (!variant_has_position_weights(&config->variant) &&
        config_set(&usual, "task", config_task_name(config), NULL) == STATUS_OK) {
        config->pos_dim = usual.pos_dim;
    }
}

static enum status refuse_size(const struct config *config, struct error *err)
{
    char input[96];
    if (config->dataset) {
        snprintf(input, sizeof input, "image_size %zu in patches of %zu", config_image_size(config),
                 config->patch);
    } else {
        snprintf(input, sizeof input, "seq_len %zu", config->seq_len);
    }
    return error_set(err, STATUS_USAGE,
                     "a model of n_embd %zu, n_layer %zu, %s with lanes %zu and micro_batch %zu is "
                     "larger than any memory; make one of them smaller",
                     config->n_embd, config->n_layer, input, config->lanes, config->micro_batch);
}

enum status config_resolve(struct config *config, struct error *err)
{
    enum status status = resolve_input(config, err);
    if (status == STATUS_OK) {
        status = check_heads(config, err);
    }
    if (status == STATUS_OK) {
        status = variant_check(&config->variant, config->n_head, err);
    }
    if (status != STATUS_OK) {
        return status;
    }
    drop_unread_keys(config);
    struct model_shape shape = config_shape(config);
    status = model_shape_check(&shape, err);
    if (status == STATUS_OK) {
        status = check_sizes(config, err);
    }
    if (status != STATUS_OK) {
        return status;
    }
    if (config->lanes == 0) {
        config->lanes = engine_default_lanes(&shape);
    }
    if (config->micro_batch == 0) {
        config->micro_batch = engine_default_micro_batch(&shape);
    }
    struct engine_options options = {.lanes = config->lanes,
                                     .micro_batch = config->micro_batch,
                                     .batch_size = config->batch_size,
                                     .threads = 1};
    return engine_memory(&shape, &options) > 0 ? STATUS_OK : refuse_size(config, err);
}

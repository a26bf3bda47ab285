#include "lab/kind/images/images.h"

#include <stdio.h>

#include "nn/patch.h"

#define MAX_SEQ_LEN RANGE_LAST(RANGE_SEQ_LEN)

const struct dataset *dataset_of(const struct task *task)
{
    return task->kind == &kind_images ? (const struct dataset *)task : NULL;
}

static const struct task *images_task_at(size_t i)
{
    const struct dataset *dataset = dataset_at(i);
    return dataset ? &dataset->task : NULL;
}

static enum status find(const struct task *task, const struct dataset_options *data,
                        struct error *err)
{
    static const struct dataset_options nowhere = {0};
    struct dataset_place place;
    return dataset_find(dataset_of(task), data ? data : &nowhere, &place, err);
}

/* ---- configurations ---- */

size_t images_size(const struct config *config)
{
    return config->image_size ? config->image_size : dataset_of(config->task)->image_size;
}

enum augmentation images_augmentation(const struct config *config)
{
    return config->augment == AUGMENT_OFF ? AUGMENT_NONE : dataset_of(config->task)->augmentation;
}

static void fill_shape(const struct config *config, struct model_shape *shape)
{
    shape->input = INPUT_PATCHES;
    shape->n_channel = dataset_of(config->task)->n_channel;
    shape->image_size = images_size(config);
    shape->patch = config->patch;
}

static void say_size(const struct config *config, char *text, size_t size)
{
    snprintf(text, size, "image_size %zu in patches of %zu", images_size(config), config->patch);
}

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
    size_t size = images_size(config), patch = config->patch;
    bool fits = config->patch_pad == PATCH_PAD_ZERO ? patch <= size : size % patch == 0;
    if (fits) {
        return STATUS_OK;
    }
    char list[256];
    name_patches(size, list, sizeof list);
    return error_set(err, STATUS_USAGE,
                     "patch %zu %s the %zu px of %s images; patch %s would work%s", patch,
                     patch > size ? "is larger than" : "does not divide", size, config->task->title,
                     list, patch < size ? ", or patch_pad=zero" : "");
}

/* check_tokens says in the words of images what seq_len may not be. */
static enum status check_tokens(const struct config *config, struct error *err)
{
    size_t size = images_size(config), patch = config->patch;
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
                     config->task->title);
}

/* resolve derives what follows from image and patch. What is spelled differently and means
 * the same becomes the same. */
static enum status resolve(struct config *config, struct error *err)
{
    if (config->numbers != NUMBERS_OWN) {
        return error_set(
            err, STATUS_USAGE,
            "numbers=pytorch: known for published runs on tasks over sequences, not on "
            "images; use numbers=own");
    }
    const struct dataset *dataset = dataset_of(config->task);
    TRY(check_patch(config, err));
    TRY(check_tokens(config, err));
    TRY(check_mask(config, err));
    if (config->image_size == dataset->image_size) {
        config->image_size = 0;
    }
    if (dataset->augmentation == AUGMENT_NONE) {
        config->augment = AUGMENT_OF_DATASET;
    }
    size_t size = images_size(config);
    if (size % config->patch == 0) {
        config->patch_pad = PATCH_PAD_REFUSE;
    }
    config->seq_len = 1 + patches_count(size, size, config->patch);
    config->n_position = config->seq_len;
    return STATUS_OK;
}

/* ---- the row ---- */

/* Of the published procedure, for d 64, L 2, H 2, patch 4. */
static const struct key_value presets[] = {
    {"task", "mnist"},
    {"n_head", "2"},
    {"seq_len", CONFIG_DERIVED},
    {"n_position", CONFIG_DERIVED},
    {"pos_dim", "50"},
    {"last_batch", "drop"},
    {"epochs", "20"},
    {"n_train", "0"},
    {"n_test", "0"},
    {"schedule", "step"},
    {"warmup", "0"},
    {"clip", "0"},
    {"dropout", "0.1"},
    {"patch", "4"},
    {"patch_pad", "refuse"},
    {"image_size", "0"},
    {"augment", "own"},
    {NULL, NULL},
};

static const struct kind_result results[] = {
    {"top1", "top-1", RESULT_ACCURACY, 0},
    {"top5", "top-5", RESULT_TOP5, 0},
    {"train_top1", NULL, RESULT_TRAIN_ACCURACY, 0},
    {"loss", "loss", RESULT_LOSS, 0},
    {"class_accuracy", NULL, RESULT_CLASS_ACCURACY, 0},
    {NULL, NULL, RESULT_LOSS, 0},
};

const struct kind kind_images = {
    .name = "images",
    .a_task = "a data set of images",
    .all = "image data sets",
    .instead = "a data set",
    .accuracy = "top-1 accuracy of test images",
    .preset = presets,
    .derived_from = "images",
    .derived_by = "patch",
    .result = results,
    .every_epoch = true,
    .task_at = images_task_at,
    .find = find,
    .resolve = resolve,
    .shape = fill_shape,
    .say_size = say_size,
    .source = &source_images,
};

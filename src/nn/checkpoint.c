/* Saving and loading walk the same list: every part (weights, m, v) of every tensor of the layout.
 * Loading checks the whole list before it touches the engine.
 */
#include "nn/checkpoint.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn/stored_tensor.h"

#define CHECKPOINT_FORMAT "qkvlab-checkpoint-1"
#define N_RESERVED 2

enum part { PART_WEIGHTS, PART_ADAM_M, PART_ADAM_V, PART_COUNT };

static const char *const PART_PREFIX[PART_COUNT] = {"", "adam_m/", "adam_v/"};

#define NAME_SIZE 96

static void part_name(enum part part, const struct tensor *tensor, char name[NAME_SIZE])
{
    snprintf(name, NAME_SIZE, "%s%s", PART_PREFIX[part], tensor->name);
}

static float *part_data(struct engine *engine, enum part part)
{
    switch (part) {
    case PART_ADAM_M:
        return engine_adam(engine)->m;
    case PART_ADAM_V:
        return engine_adam(engine)->v;
    default:
        return engine_param(engine);
    }
}

/* ---- saving ---- */

/* names [PART_COUNT * n_tensor][NAME_SIZE] keeps the text that the entries borrow. */
static void list_entries(struct engine *engine, struct safetensors_entry *entry,
                         char (*names)[NAME_SIZE])
{
    const struct layout *layout = &engine_model(engine)->layout;
    size_t n = 0;
    for (enum part part = 0; part < PART_COUNT; part++) {
        for (size_t i = 0; i < layout->n_tensor; i++, n++) {
            const struct tensor *tensor = &layout->tensor[i];
            part_name(part, tensor, names[n]);
            entry[n] = (struct safetensors_entry){.name = names[n],
                                                  .type = SAFETENSORS_F32,
                                                  .n_dim = tensor->n_dim,
                                                  .n_element = tensor->n_element,
                                                  .data = part_data(engine, part) + tensor->offset};
            memcpy(entry[n].dim, tensor->dim, sizeof(tensor->dim));
        }
    }
}

static bool is_reserved(const char *key)
{
    return strcmp(key, "format") == 0 || strcmp(key, "step") == 0;
}

static enum status check_notes(const struct checkpoint_notes *notes, struct error *err)
{
    for (size_t i = 0; i < notes->n_pair; i++) {
        if (is_reserved(notes->pair[i].key)) {
            return error_set(err, STATUS_USAGE,
                             "checkpoint: the note '%s' would hide the checkpoint's own; take "
                             "another key",
                             notes->pair[i].key);
        }
    }
    return STATUS_OK;
}

enum status checkpoint_save(const char *path, struct engine *engine,
                            const struct checkpoint_notes *notes, struct error *err)
{
    const struct checkpoint_notes none = {0};
    const struct checkpoint_notes *kept = notes ? notes : &none;
    enum status status = check_notes(kept, err);
    if (status != STATUS_OK) {
        return status;
    }
    size_t n_entry = PART_COUNT * engine_model(engine)->layout.n_tensor;
    struct safetensors_entry *entry = calloc(n_entry, sizeof(*entry));
    char(*names)[NAME_SIZE] = calloc(n_entry, sizeof(*names));
    struct safetensors_metadata *metadata = calloc(N_RESERVED + kept->n_pair, sizeof(*metadata));
    if (entry && names && metadata) {
        char format[] = CHECKPOINT_FORMAT, format_key[] = "format", step_key[] = "step", step[32];
        snprintf(step, sizeof(step), "%llu", (unsigned long long)engine_adam(engine)->step);
        metadata[0] = (struct safetensors_metadata){format_key, format};
        metadata[1] = (struct safetensors_metadata){step_key, step};
        for (size_t i = 0; i < kept->n_pair; i++) {
            metadata[N_RESERVED + i] = kept->pair[i];
        }
        list_entries(engine, entry, names);
        const struct safetensors file = {.entry = entry,
                                         .n_entry = n_entry,
                                         .metadata = metadata,
                                         .n_metadata = N_RESERVED + kept->n_pair};
        status = safetensors_write(path, &file, err);
    } else {
        status =
            error_set(err, STATUS_MEMORY, "checkpoint: out of memory for %zu tensors", n_entry);
    }
    free(entry);
    free(names);
    free(metadata);
    return status;
}

/* ---- loading ---- */

static enum status check_format(const struct safetensors *file, uint64_t *step, struct error *err)
{
    const char *format = safetensors_text(file, "format", "(none)");
    if (strcmp(format, CHECKPOINT_FORMAT) != 0) {
        return error_set(err, STATUS_DATA, "no checkpoint: expected format %s, found %s",
                         CHECKPOINT_FORMAT, format);
    }
    const char *text = safetensors_text(file, "step", "(none)");
    char *end;
    errno = 0;
    *step = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno) {
        return error_set(err, STATUS_DATA, "step: expected a whole number, found '%s'", text);
    }
    return STATUS_OK;
}

static enum status check_tensors(const struct safetensors *file, const struct model *model,
                                 struct error *err)
{
    const struct layout *layout = &model->layout;
    for (enum part part = 0; part < PART_COUNT; part++) {
        for (size_t i = 0; i < layout->n_tensor; i++) {
            const struct tensor *tensor = &layout->tensor[i];
            char name[NAME_SIZE], id[VARIANT_TEXT_SIZE];
            part_name(part, tensor, name);
            enum status status =
                stored_tensor_check(file, name, SAFETENSORS_F32, tensor->dim, tensor->n_dim, err);
            if (status != STATUS_OK) {
                variant_id(&model->shape.variant, id);
                error_prefix(err, "does not hold this model of variant %s", id);
                return status;
            }
        }
    }
    return STATUS_OK;
}

static bool is_part_of(const char *name, const struct model *model)
{
    for (enum part part = PART_ADAM_M; part < PART_COUNT; part++) {
        size_t length = strlen(PART_PREFIX[part]);
        if (strncmp(name, PART_PREFIX[part], length) == 0) {
            return model_find_tensor(model, name + length) != NULL;
        }
    }
    return model_find_tensor(model, name) != NULL;
}

static enum status check_no_other(const struct safetensors *file, const struct model *model,
                                  struct error *err)
{
    for (size_t i = 0; i < file->n_entry; i++) {
        if (!is_part_of(file->entry[i].name, model)) {
            char id[VARIANT_TEXT_SIZE];
            variant_id(&model->shape.variant, id);
            return error_set(err, STATUS_DATA, "tensor %s has no place in a model of variant %s",
                             file->entry[i].name, id);
        }
    }
    return STATUS_OK;
}

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

static enum status copy_notes(const struct safetensors *file, struct checkpoint_notes *notes,
                              struct error *err)
{
    *notes = (struct checkpoint_notes){.pair = calloc(file->n_metadata, sizeof(*notes->pair))};
    bool failed = !notes->pair;
    for (size_t i = 0; i < file->n_metadata && !failed; i++) {
        if (is_reserved(file->metadata[i].key)) {
            continue;
        }
        struct safetensors_metadata *pair = &notes->pair[notes->n_pair++];
        pair->key = copy_text(file->metadata[i].key);
        pair->value = copy_text(file->metadata[i].value);
        failed = !pair->key || !pair->value;
    }
    if (failed) {
        checkpoint_notes_free(notes);
        return error_set(err, STATUS_MEMORY, "out of memory for the notes");
    }
    return STATUS_OK;
}

static void restore(const struct safetensors *file, uint64_t step, struct engine *engine)
{
    const struct layout *layout = &engine_model(engine)->layout;
    for (enum part part = 0; part < PART_COUNT; part++) {
        for (size_t i = 0; i < layout->n_tensor; i++) {
            const struct tensor *tensor = &layout->tensor[i];
            char name[NAME_SIZE];
            part_name(part, tensor, name);
            memcpy(part_data(engine, part) + tensor->offset, safetensors_find(file, name)->data,
                   tensor->n_element * sizeof(float));
        }
    }
    engine_adam(engine)->step = step;
    engine_weights_changed(engine);
}

enum status checkpoint_load(const char *path, struct engine *engine, struct checkpoint_notes *notes,
                            struct error *err)
{
    struct safetensors file;
    uint64_t step = 0;
    enum status status = safetensors_read(path, &file, err);
    if (status != STATUS_OK) {
        return status;
    }
    status = check_format(&file, &step, err);
    if (status == STATUS_OK) {
        status = check_tensors(&file, engine_model(engine), err);
    }
    if (status == STATUS_OK) {
        status = check_no_other(&file, engine_model(engine), err);
    }
    if (status == STATUS_OK && notes) {
        status = copy_notes(&file, notes, err);
    }
    if (status == STATUS_OK) {
        restore(&file, step, engine);
    } else {
        error_prefix(err, "%s", path);
    }
    safetensors_free(&file);
    return status;
}

/* ---- notes ---- */

const char *checkpoint_note(const struct checkpoint_notes *notes, const char *key)
{
    for (size_t i = 0; i < notes->n_pair; i++) {
        if (strcmp(notes->pair[i].key, key) == 0) {
            return notes->pair[i].value;
        }
    }
    return NULL;
}

void checkpoint_notes_free(struct checkpoint_notes *notes)
{
    for (size_t i = 0; i < notes->n_pair; i++) {
        free(notes->pair[i].key);
        free(notes->pair[i].value);
    }
    free(notes->pair);
    *notes = (struct checkpoint_notes){0};
}

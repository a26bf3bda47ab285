/* Saving and loading walk the same list of the engine's own arrays: what is written, what a file
 * must hold, and where its contents go. Loading checks the whole list before it touches the engine.
 */
#include "nn/checkpoint.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECKPOINT_FORMAT "qkvlab-checkpoint-1"

/* list_state lists every tensor of the layout as weights, m and v. */
static struct safetensors list_state(struct engine *engine)
{
    const struct layout *layout = &engine_model(engine)->layout;
    const struct {
        const char *prefix;
        float *value;
    } parts[] = {{"", engine_param(engine)},
                 {"adam_m/", engine_adam(engine)->m},
                 {"adam_v/", engine_adam(engine)->v}};
    struct safetensors state = {0};
    for (size_t part = 0; part < sizeof parts / sizeof parts[0]; part++) {
        for (size_t i = 0; i < layout->n_tensor; i++) {
            const struct tensor *tensor = &layout->tensor[i];
            safetensors_add(&state, SAFETENSORS_F32, tensor->dim, tensor->n_dim,
                            parts[part].value + tensor->offset, "%s%s", parts[part].prefix,
                            tensor->name);
        }
    }
    return state;
}

enum status checkpoint_save(const char *path, struct engine *engine,
                            const struct safetensors_metadata *notes, size_t n_note,
                            struct error *err)
{
    for (size_t i = 0; i < n_note; i++) {
        if (strcmp(notes[i].key, "format") == 0 || strcmp(notes[i].key, "step") == 0) {
            return error_set(err, STATUS_USAGE,
                             "checkpoint: the note '%s' would hide the checkpoint's own; take "
                             "another key",
                             notes[i].key);
        }
    }
    struct safetensors state = list_state(engine);
    char step[32];
    snprintf(step, sizeof step, "%llu", (unsigned long long)engine_adam(engine)->step);
    safetensors_note(&state, "format", CHECKPOINT_FORMAT);
    safetensors_note(&state, "step", step);
    for (size_t i = 0; i < n_note; i++) {
        safetensors_note(&state, notes[i].key, notes[i].value);
    }
    enum status status = safetensors_write(path, &state, err);
    safetensors_free(&state);
    return status;
}

static enum status check_file(const struct safetensors *file, const struct safetensors *state,
                              const struct variant *variant, uint64_t *n_step, struct error *err)
{
    const char *format = safetensors_text(file, "format", "(none)");
    if (strcmp(format, CHECKPOINT_FORMAT) != 0) {
        return error_set(err, STATUS_DATA, "no checkpoint: expected format %s, found %s",
                         CHECKPOINT_FORMAT, format);
    }
    const char *step = safetensors_text(file, "step", "(none)");
    char *end, id[VARIANT_TEXT_SIZE], whose[VARIANT_TEXT_SIZE + 32];
    errno = 0;
    *n_step = strtoull(step, &end, 10);
    if (step[0] < '0' || step[0] > '9' || *end || errno) {
        return error_set(err, STATUS_DATA, "step: expected a whole number, found '%s'", step);
    }
    variant_id(variant, id);
    snprintf(whose, sizeof whose, "a model of variant %s", id);
    return safetensors_match(file, state, whose, err);
}

static enum status restore(const char *path, const struct safetensors *state, struct engine *engine,
                           struct safetensors *file, struct error *err)
{
    uint64_t n_step = 0;
    if (state->failed) {
        return error_memory(err, "listing the tensors of a model");
    }
    TRY(safetensors_read(path, file, err));
    TRY_AT(err, check_file(file, state, &engine_model(engine)->shape.variant, &n_step, err), "%s",
           path);
    for (size_t i = 0; i < state->n_entry; i++) {
        const struct safetensors_entry *entry = &state->entry[i];
        memcpy((float *)entry->data, safetensors_find(file, entry->name)->data,
               entry->n_element * sizeof(float));
    }
    engine_adam(engine)->step = n_step;
    engine_weights_changed(engine);
    return STATUS_OK;
}

enum status checkpoint_load(const char *path, struct engine *engine, struct safetensors *file,
                            struct error *err)
{
    struct safetensors read = {0}, state = list_state(engine);
    enum status status = restore(path, &state, engine, &read, err);
    safetensors_free(&state);
    if (status == STATUS_OK && file) {
        *file = read;
    } else {
        safetensors_free(&read);
    }
    return status;
}

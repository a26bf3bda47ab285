#include "nn/stored_tensor.h"

#include <stdbool.h>
#include <stdio.h>

static const char *type_text(enum safetensors_type type)
{
    switch (type) {
    case SAFETENSORS_F32:
        return "F32";
    case SAFETENSORS_I64:
        return "I64";
    default:
        return "U8";
    }
}

#define DIMS_SIZE (SAFETENSORS_MAX_DIM * 24)

static void dims_text(const size_t *dim, size_t n_dim, char text[DIMS_SIZE])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < n_dim; i++) {
        used += (size_t)snprintf(text + used, DIMS_SIZE - used, "%s%zu", i ? "," : "", dim[i]);
    }
}

enum status stored_tensor_check(const struct safetensors *file, const char *name,
                                enum safetensors_type type, const size_t *dim, size_t n_dim,
                                struct error *err)
{
    const struct safetensors_entry *entry = safetensors_find(file, name);
    if (!entry) {
        return error_set(err, STATUS_DATA, "tensor %s is missing", name);
    }
    bool same = entry->type == type && entry->n_dim == n_dim;
    for (size_t i = 0; same && i < n_dim; i++) {
        same = entry->dim[i] == dim[i];
    }
    if (!same) {
        char expected[DIMS_SIZE], found[DIMS_SIZE];
        dims_text(dim, n_dim, expected);
        dims_text(entry->dim, entry->n_dim, found);
        return error_set(err, STATUS_DATA, "tensor %s: expected %s [%s], found %s [%s]", name,
                         type_text(type), expected, type_text(entry->type), found);
    }
    return STATUS_OK;
}

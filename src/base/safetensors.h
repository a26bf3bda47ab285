/* safetensors: named arrays with text metadata in one file (8-byte header length, JSON header,
 * data).
 *
 * Checkpoints and crosscheck bundles use it, so that PyTorch users can open both. The reader trusts
 * nothing: header length, types, shapes and offsets are checked against the file's size before use.
 */
#ifndef QKVLAB_BASE_SAFETENSORS_H
#define QKVLAB_BASE_SAFETENSORS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

#define SAFETENSORS_MAX_DIM 8

enum safetensors_type { SAFETENSORS_F32, SAFETENSORS_I64, SAFETENSORS_U8 };

struct safetensors_entry {
    char *name;
    enum safetensors_type type;
    size_t dim[SAFETENSORS_MAX_DIM];
    size_t n_dim;
    size_t n_element; /* product of dim, 1 for a scalar */
    const void *data; /* reading: inside memory below; writing: borrowed from the caller */
};

struct safetensors_metadata {
    char *key, *value;
};

/* Owns its names and metadata. {0} is an empty list. */
struct safetensors {
    struct safetensors_entry *entry;
    size_t n_entry;
    struct safetensors_metadata *metadata;
    size_t n_metadata;
    void *memory; /* reading: what entries point into; writing: unused */
    bool failed;  /* sticky: something could not be added; safetensors_write tells */
};

/* safetensors_add appends a tensor [dim[0], ..., dim[n_dim-1]] with the name of a printf format, of
 * at most 255 bytes; safetensors_note appends metadata. Data are borrowed. */
void safetensors_add(struct safetensors *tensors, enum safetensors_type type, const size_t *dim,
                     size_t n_dim, const void *data, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
void safetensors_note(struct safetensors *tensors, const char *key, const char *value);
void safetensors_free(struct safetensors *tensors);

/* safetensors_read loads and checks a file. Caller frees with safetensors_free. Errors: STATUS_DATA
 * with the field and the offset. Element data are aligned for their type. */
enum status safetensors_read(const char *path, struct safetensors *tensors, struct error *err);

/* safetensors_find returns the entry of a name, or NULL. safetensors_text returns a metadata value,
 * or fallback. Both borrow. */
const struct safetensors_entry *safetensors_find(const struct safetensors *tensors,
                                                 const char *name);
const char *safetensors_text(const struct safetensors *tensors, const char *key,
                             const char *fallback);

/* safetensors_match: tensors has the names, types and shapes of wanted, in any order, and no other.
 * Errors: STATUS_DATA with what was expected and found; whose, "a model of variant kv", is part of
 * the sentence. */
enum status safetensors_match(const struct safetensors *tensors, const struct safetensors *wanted,
                              const char *whose, struct error *err);

/* safetensors_write writes the entries and metadata atomically, listed in the order given; the data
 * of wider types come first, so that all are aligned. Borrows all. Errors: STATUS_WRITE, and
 * STATUS_USAGE for entries that cannot be written (two of one name, a size that is not the
 * shape's).
 */
enum status safetensors_write(const char *path, const struct safetensors *tensors,
                              struct error *err);

#endif

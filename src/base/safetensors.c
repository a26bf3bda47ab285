/* Reading has two passes: everything is checked while entries still point into the bytes of the
 * file, then the data are copied to aligned memory. The header's length is any number, so data may
 * begin at any byte of the file.
 */
#include "base/safetensors.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the format is little-endian");

#define MAX_FILE_SIZE ((size_t)16 << 30)
#define LENGTH_SIZE sizeof(uint64_t) /* of the number in front of the header */
#define DATA_ALIGNMENT 8             /* suits every type */
#define METADATA_KEY "__metadata__"

static const struct {
    const char *name;
    size_t size;
} types[] = {
    [SAFETENSORS_F32] = {"F32", 4},
    [SAFETENSORS_I64] = {"I64", 8},
    [SAFETENSORS_U8] = {"U8", 1},
};

#define N_TYPE (sizeof types / sizeof types[0])

static size_t round_up(size_t size)
{
    return (size + DATA_ALIGNMENT - 1) / DATA_ALIGNMENT * DATA_ALIGNMENT;
}

/* Returns false where the number of bytes overflows. */
static bool count_elements(const size_t *dim, size_t n_dim, size_t element_size, size_t *n_element)
{
    size_t n = 1;
    for (size_t i = 0; i < n_dim; i++) {
        if (dim[i] > 0 && n > SIZE_MAX / element_size / dim[i]) {
            return false;
        }
        n *= dim[i];
    }
    *n_element = n;
    return true;
}

static size_t entry_size(const struct safetensors_entry *entry)
{
    return entry->n_element * types[entry->type].size;
}

/* ---- lists of tensors ---- */

/* Appends an entry with an own copy of name; returns NULL when out of memory. */
static struct safetensors_entry *append_entry(struct safetensors *tensors, const char *name)
{
    struct safetensors_entry *grown =
        realloc(tensors->entry, (tensors->n_entry + 1) * sizeof *grown);
    tensors->entry = grown ? grown : tensors->entry;
    char *copy = grown ? strdup(name) : NULL;
    if (!copy) {
        tensors->failed = true;
        return NULL;
    }
    grown[tensors->n_entry] = (struct safetensors_entry){.name = copy};
    return &grown[tensors->n_entry++];
}

void safetensors_add(struct safetensors *tensors, enum safetensors_type type, const size_t *dim,
                     size_t n_dim, const void *data, const char *format, ...)
{
    char name[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    struct safetensors_entry *entry = append_entry(tensors, name);
    if (entry) {
        entry->type = type;
        entry->n_dim = n_dim;
        entry->n_element = 1;
        entry->data = data;
        for (size_t i = 0; i < n_dim; i++) {
            entry->dim[i] = dim[i];
            entry->n_element *= dim[i];
        }
    }
}

void safetensors_note(struct safetensors *tensors, const char *key, const char *value)
{
    struct safetensors_metadata *grown =
        realloc(tensors->metadata, (tensors->n_metadata + 1) * sizeof *grown);
    if (!grown) {
        tensors->failed = true;
        return;
    }
    tensors->metadata = grown;
    grown += tensors->n_metadata++;
    *grown = (struct safetensors_metadata){strdup(key), strdup(value)};
    tensors->failed |= !grown->key || !grown->value;
}

void safetensors_free(struct safetensors *tensors)
{
    for (size_t i = 0; i < tensors->n_entry; i++) {
        free(tensors->entry[i].name);
    }
    for (size_t i = 0; i < tensors->n_metadata; i++) {
        free(tensors->metadata[i].key);
        free(tensors->metadata[i].value);
    }
    free(tensors->entry);
    free(tensors->metadata);
    free(tensors->memory);
    *tensors = (struct safetensors){0};
}

const struct safetensors_entry *safetensors_find(const struct safetensors *tensors,
                                                 const char *name)
{
    for (size_t i = 0; i < tensors->n_entry; i++) {
        if (strcmp(tensors->entry[i].name, name) == 0) {
            return &tensors->entry[i];
        }
    }
    return NULL;
}

const char *safetensors_text(const struct safetensors *tensors, const char *key,
                             const char *fallback)
{
    for (size_t i = 0; i < tensors->n_metadata; i++) {
        if (strcmp(tensors->metadata[i].key, key) == 0) {
            return tensors->metadata[i].value;
        }
    }
    return fallback;
}

#define DIMS_SIZE (SAFETENSORS_MAX_DIM * 24)

static const char *dims_text(const struct safetensors_entry *entry, char text[DIMS_SIZE])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < entry->n_dim; i++) {
        used +=
            (size_t)snprintf(text + used, DIMS_SIZE - used, "%s%zu", i ? "," : "", entry->dim[i]);
    }
    return text;
}

enum status safetensors_match(const struct safetensors *tensors, const struct safetensors *wanted,
                              const char *whose, struct error *err)
{
    for (size_t i = 0; i < wanted->n_entry; i++) {
        const struct safetensors_entry *expected = &wanted->entry[i];
        const struct safetensors_entry *found = safetensors_find(tensors, expected->name);
        char expected_dims[DIMS_SIZE], found_dims[DIMS_SIZE];
        if (!found) {
            return error_set(err, STATUS_DATA, "tensor %s is missing, which %s has", expected->name,
                             whose);
        }
        if (found->type != expected->type || found->n_dim != expected->n_dim ||
            memcmp(found->dim, expected->dim, found->n_dim * sizeof *found->dim) != 0) {
            return error_set(err, STATUS_DATA, "tensor %s: expected %s [%s], found %s [%s]",
                             expected->name, types[expected->type].name,
                             dims_text(expected, expected_dims), types[found->type].name,
                             dims_text(found, found_dims));
        }
    }
    for (size_t i = 0; i < tensors->n_entry; i++) {
        if (!safetensors_find(wanted, tensors->entry[i].name)) {
            return error_set(err, STATUS_DATA, "tensor %s has no place in %s",
                             tensors->entry[i].name, whose);
        }
    }
    return STATUS_OK;
}

/* ---- reading ---- */

/* The data of a file in memory, and how many bytes of it were claimed so far. */
struct source {
    const char *data;
    size_t n_data;
    size_t n_claimed;
};

static enum status read_metadata(json_t *object, struct safetensors *tensors, struct error *err)
{
    if (!json_is_object(object)) {
        return error_set(err, STATUS_DATA, METADATA_KEY " is not a JSON object");
    }
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        if (!json_is_string(value)) {
            return error_set(err, STATUS_DATA, METADATA_KEY " '%s' is not a text", key);
        }
        safetensors_note(tensors, key, json_string_value(value));
    }
    return STATUS_OK;
}

static enum status read_type(const json_t *field, struct safetensors_entry *entry,
                             struct error *err)
{
    const char *name = json_string_value(field);
    for (size_t i = 0; name && i < N_TYPE; i++) {
        if (strcmp(name, types[i].name) == 0) {
            entry->type = (enum safetensors_type)i;
            return STATUS_OK;
        }
    }
    return error_set(err, STATUS_DATA, "tensor '%s' has dtype %s, expected F32, I64 or U8",
                     entry->name, name ? name : "that is missing or not a text");
}

/* Reads an array of non-negative integers; returns false for anything else. */
static bool read_sizes(const json_t *field, size_t max_size, size_t *sizes, size_t *n_size)
{
    *n_size = json_array_size(field);
    if (!json_is_array(field) || *n_size > max_size) {
        return false;
    }
    for (size_t i = 0; i < *n_size; i++) {
        const json_t *item = json_array_get(field, i);
        json_int_t size = json_integer_value(item);
        if (!json_is_integer(item) || size < 0 || (unsigned long long)size > SIZE_MAX) {
            return false;
        }
        sizes[i] = (size_t)size;
    }
    return true;
}

static enum status read_shape(const json_t *field, struct safetensors_entry *entry,
                              struct error *err)
{
    if (!read_sizes(field, SAFETENSORS_MAX_DIM, entry->dim, &entry->n_dim)) {
        return error_set(err, STATUS_DATA,
                         "tensor '%s': shape is missing or not a list of at most %d "
                         "non-negative integers",
                         entry->name, SAFETENSORS_MAX_DIM);
    }
    if (!count_elements(entry->dim, entry->n_dim, types[entry->type].size, &entry->n_element)) {
        return error_set(err, STATUS_DATA,
                         "tensor '%s': shape claims more bytes than a memory can have",
                         entry->name);
    }
    return STATUS_OK;
}

static enum status read_offsets(struct source *source, const json_t *field,
                                struct safetensors_entry *entry, struct error *err)
{
    size_t range[2], n_range;
    if (!read_sizes(field, 2, range, &n_range) || n_range != 2) {
        return error_set(err, STATUS_DATA,
                         "tensor '%s': data_offsets are missing or not two non-negative integers",
                         entry->name);
    }
    size_t begin = range[0], end = range[1];
    if (begin > end || end > source->n_data) {
        return error_set(err, STATUS_DATA,
                         "tensor '%s': data_offsets [%zu, %zu] do not lie in the %zu bytes of "
                         "data (the file is truncated or damaged)",
                         entry->name, begin, end, source->n_data);
    }
    if (end - begin != entry_size(entry)) {
        return error_set(err, STATUS_DATA,
                         "tensor '%s': data_offsets [%zu, %zu] hold %zu bytes, expected %zu "
                         "from its shape and dtype",
                         entry->name, begin, end, end - begin, entry_size(entry));
    }
    /* Tensors that overlap could make a small file ask for any amount of memory. */
    if (end - begin > source->n_data - source->n_claimed) {
        return error_set(err, STATUS_DATA,
                         "tensor '%s': data_offsets [%zu, %zu] overlap those of other tensors",
                         entry->name, begin, end);
    }
    source->n_claimed += end - begin;
    entry->data = source->data + begin;
    return STATUS_OK;
}

static enum status read_entry(struct source *source, const char *name, const json_t *object,
                              struct safetensors *tensors, struct error *err)
{
    struct safetensors_entry *entry = append_entry(tensors, name);
    if (!entry) {
        return STATUS_OK; /* told at the end */
    }
    if (!json_is_object(object)) {
        return error_set(err, STATUS_DATA, "tensor '%s' is not described by a JSON object", name);
    }
    TRY(read_type(json_object_get(object, "dtype"), entry, err));
    TRY(read_shape(json_object_get(object, "shape"), entry, err));
    return read_offsets(source, json_object_get(object, "data_offsets"), entry, err);
}

/* Reads and checks all entries and metadata; the data stay where they are. */
static enum status read_header(json_t *header, struct source *source, struct safetensors *tensors,
                               struct error *err)
{
    if (!json_is_object(header)) {
        return error_set(err, STATUS_DATA, "the header at byte %zu is not a JSON object",
                         LENGTH_SIZE);
    }
    const char *name;
    json_t *value;
    json_object_foreach(header, name, value)
    {
        TRY(strcmp(name, METADATA_KEY) == 0 ? read_metadata(value, tensors, err)
                                            : read_entry(source, name, value, tensors, err));
    }
    if (source->n_claimed != source->n_data && !tensors->failed) {
        return error_set(err, STATUS_DATA,
                         "its tensors take %zu bytes, but %zu follow the header; the file is "
                         "damaged, or something was appended to it",
                         source->n_claimed, source->n_data);
    }
    return STATUS_OK;
}

/* Moves the checked data out of the file's bytes, each to an aligned place. */
static void copy_data(struct safetensors *tensors)
{
    size_t size = 1;
    for (size_t i = 0; i < tensors->n_entry; i++) {
        size += round_up(entry_size(&tensors->entry[i]));
    }
    char *place = malloc(size);
    tensors->memory = place;
    tensors->failed |= !place;
    for (size_t i = 0; place && i < tensors->n_entry; i++) {
        struct safetensors_entry *entry = &tensors->entry[i];
        memcpy(place, entry->data, entry_size(entry));
        entry->data = place;
        place += round_up(entry_size(entry));
    }
}

static enum status read_bytes(const char *file, size_t n_file, struct safetensors *tensors,
                              struct error *err)
{
    uint64_t n_header;
    size_t n_rest = n_file - LENGTH_SIZE;
    memcpy(&n_header, file, LENGTH_SIZE);
    if (n_header > n_rest) {
        return error_set(err, STATUS_DATA,
                         "the header length at byte 0 is %llu, but only %zu bytes follow it: "
                         "the file is truncated or not a safetensors file",
                         (unsigned long long)n_header, n_rest);
    }
    json_error_t problem;
    json_t *header = json_loadb(file + LENGTH_SIZE, n_header, JSON_REJECT_DUPLICATES, &problem);
    if (!header) {
        return error_set(err, STATUS_DATA, "the header is not valid JSON near byte %zu: %s",
                         LENGTH_SIZE + (size_t)problem.position, problem.text);
    }
    struct source source = {file + LENGTH_SIZE + n_header, n_rest - n_header, 0};
    enum status status = read_header(header, &source, tensors, err);
    json_decref(header);
    return status;
}

enum status safetensors_read(const char *path, struct safetensors *tensors, struct error *err)
{
    *tensors = (struct safetensors){0};
    char *file;
    size_t n_file;
    enum status status;
    TRY(file_read(path, MAX_FILE_SIZE, &file, &n_file, err));
    if (n_file < LENGTH_SIZE) {
        status = error_set(err, STATUS_DATA,
                           "%s has %zu bytes, a safetensors file begins with a header length of "
                           "%zu",
                           path, n_file, LENGTH_SIZE);
    } else if ((status = read_bytes(file, n_file, tensors, err)) != STATUS_OK) {
        error_prefix(err, "%s", path);
    } else {
        copy_data(tensors);
        status = tensors->failed ? error_memory(err, "reading %s", path) : STATUS_OK;
    }
    free(file);
    if (status != STATUS_OK) {
        safetensors_free(tensors);
    }
    return status;
}

/* ---- writing ---- */

static enum status check_entry(const char *path, const struct safetensors_entry *entry,
                               struct error *err)
{
    size_t n_element;
    if (entry->n_dim > SAFETENSORS_MAX_DIM ||
        !count_elements(entry->dim, entry->n_dim, types[entry->type].size, &n_element) ||
        n_element != entry->n_element) {
        return error_set(err, STATUS_USAGE,
                         "cannot write %s: tensor '%s' has %zu elements, which is not what its "
                         "shape of %zu dimensions says",
                         path, entry->name, entry->n_element, entry->n_dim);
    }
    return STATUS_OK;
}

/* Wider types first, otherwise in the order given: every tensor is then aligned without gaps, which
 * other readers refuse. Returns the end of the data. */
static size_t plan_offsets(const struct safetensors *tensors, size_t *offset)
{
    size_t end = 0;
    for (size_t width = DATA_ALIGNMENT; width > 0; width--) {
        for (size_t i = 0; i < tensors->n_entry; i++) {
            if (types[tensors->entry[i].type].size == width) {
                offset[i] = end;
                end += entry_size(&tensors->entry[i]);
            }
        }
    }
    return end;
}

/* Returns false when out of memory or where a text is not UTF-8. */
static bool describe_entry(json_t *header, const struct safetensors_entry *entry, size_t offset)
{
    json_t *shape = json_array();
    for (size_t i = 0; i < entry->n_dim; i++) {
        json_array_append_new(shape, json_integer((json_int_t)entry->dim[i]));
    }
    bool valid = json_array_size(shape) == entry->n_dim;
    json_t *object =
        json_pack("{s:s, s:o, s:[I, I]}", "dtype", types[entry->type].name, "shape", shape,
                  "data_offsets", (json_int_t)offset, (json_int_t)(offset + entry_size(entry)));
    return json_object_set_new(header, entry->name, object) == 0 && valid;
}

static bool describe_metadata(json_t *header, const struct safetensors *tensors)
{
    json_t *metadata = json_object();
    bool valid = true;
    for (size_t i = 0; valid && i < tensors->n_metadata; i++) {
        const struct safetensors_metadata *item = &tensors->metadata[i];
        valid = json_object_set_new(metadata, item->key, json_string(item->value)) == 0;
    }
    return json_object_set_new(header, METADATA_KEY, metadata) == 0 && valid;
}

static enum status describe_all(const char *path, const struct safetensors *tensors,
                                const size_t *offset, json_t *header, struct error *err)
{
    bool valid = tensors->n_metadata == 0 || describe_metadata(header, tensors);
    for (size_t i = 0; valid && i < tensors->n_entry; i++) {
        const struct safetensors_entry *entry = &tensors->entry[i];
        TRY(check_entry(path, entry, err));
        if (json_object_get(header, entry->name)) {
            return error_set(err, STATUS_USAGE, "cannot write %s: two tensors are named '%s'", path,
                             entry->name);
        }
        valid = describe_entry(header, entry, offset[i]);
    }
    if (!valid) {
        return error_set(err, STATUS_MEMORY,
                         "cannot write %s: out of memory, or a name that is not UTF-8", path);
    }
    return STATUS_OK;
}

/* Puts length, padded header and data together. Returns NULL when out of memory; caller frees with
 * free. */
static char *assemble(const struct safetensors *tensors, const size_t *offset, size_t n_data,
                      const json_t *header, size_t *size)
{
    size_t n_json = json_dumpb(header, NULL, 0, JSON_COMPACT);
    uint64_t n_header = round_up(n_json);
    char *file = calloc(LENGTH_SIZE + n_header + n_data, 1);
    if (n_json == 0 || !file) {
        free(file);
        return NULL;
    }
    char *text = file + LENGTH_SIZE, *data = text + n_header;
    memcpy(file, &n_header, LENGTH_SIZE);
    memset(text, ' ', n_header);
    json_dumpb(header, text, n_json, JSON_COMPACT);
    for (size_t i = 0; i < tensors->n_entry; i++) {
        size_t n = entry_size(&tensors->entry[i]);
        if (n > 0) {
            memcpy(data + offset[i], tensors->entry[i].data, n);
        }
    }
    *size = LENGTH_SIZE + n_header + n_data;
    return file;
}

enum status safetensors_write(const char *path, const struct safetensors *tensors,
                              struct error *err)
{
    json_t *header = json_object();
    size_t *offset = calloc(tensors->n_entry + 1, sizeof *offset);
    char *file = NULL;
    size_t size = 0;
    enum status status = STATUS_OK;
    if (header && offset && !tensors->failed) {
        size_t n_data = plan_offsets(tensors, offset);
        status = describe_all(path, tensors, offset, header, err);
        file = status == STATUS_OK ? assemble(tensors, offset, n_data, header, &size) : NULL;
    }
    if (status == STATUS_OK) {
        status = file ? file_write_atomic(path, file, size, err)
                      : error_memory(err, "writing the tensors of %s", path);
    }
    free(file);
    free(offset);
    json_decref(header);
    return status;
}

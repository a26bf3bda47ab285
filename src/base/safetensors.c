/* Reading has two passes: everything is checked while entries still point into the bytes of the
 * file, then the data are copied to aligned memory. The header's length is any number, so data may
 * begin at any byte of the file.
 */
#include "base/safetensors.h"

#include <jansson.h>
#include <stdbool.h>
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

/* ---- reading ---- */

/* A file in memory: length, header and data, and how many bytes of data were claimed so far. */
struct source {
    const char *path;
    const char *header;
    size_t n_header;
    const char *data;
    size_t n_data;
    size_t n_claimed;
};

static enum status find_parts(const char *path, const char *file, size_t n_file,
                              struct source *source, struct error *err)
{
    if (n_file < LENGTH_SIZE) {
        return error_set(err, STATUS_DATA,
                         "%s has %zu bytes, a safetensors file begins with a header length of %zu",
                         path, n_file, LENGTH_SIZE);
    }
    uint64_t n_header;
    memcpy(&n_header, file, LENGTH_SIZE);
    size_t n_rest = n_file - LENGTH_SIZE;
    if (n_header > n_rest) {
        return error_set(err, STATUS_DATA,
                         "%s: the header length at byte 0 is %llu, but only %zu bytes follow it: "
                         "the file is truncated or not a safetensors file",
                         path, (unsigned long long)n_header, n_rest);
    }
    *source = (struct source){
        .path = path,
        .header = file + LENGTH_SIZE,
        .n_header = (size_t)n_header,
        .data = file + LENGTH_SIZE + n_header,
        .n_data = n_rest - (size_t)n_header,
    };
    return STATUS_OK;
}

static enum status parse_header(const struct source *source, json_t **header, struct error *err)
{
    json_error_t problem;
    json_t *value = json_loadb(source->header, source->n_header, JSON_REJECT_DUPLICATES, &problem);
    if (!value) {
        return error_set(err, STATUS_DATA, "%s: the header is not valid JSON near byte %zu: %s",
                         source->path, LENGTH_SIZE + (size_t)problem.position, problem.text);
    }
    if (!json_is_object(value)) {
        json_decref(value);
        return error_set(err, STATUS_DATA, "%s: the header at byte %zu is not a JSON object",
                         source->path, LENGTH_SIZE);
    }
    *header = value;
    return STATUS_OK;
}

static enum status out_of_memory(const char *path, struct error *err)
{
    return error_set(err, STATUS_MEMORY, "out of memory: the tensors of %s", path);
}

static enum status read_metadata(const struct source *source, json_t *object,
                                 struct safetensors *tensors, struct error *err)
{
    if (!json_is_object(object)) {
        return error_set(err, STATUS_DATA, "%s: " METADATA_KEY " is not a JSON object",
                         source->path);
    }
    tensors->metadata = calloc(json_object_size(object) + 1, sizeof *tensors->metadata);
    if (!tensors->metadata) {
        return out_of_memory(source->path, err);
    }
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        if (!json_is_string(value)) {
            return error_set(err, STATUS_DATA, "%s: " METADATA_KEY " '%s' is not a text",
                             source->path, key);
        }
        struct safetensors_metadata *item = &tensors->metadata[tensors->n_metadata++];
        item->key = strdup(key);
        item->value = strdup(json_string_value(value));
        if (!item->key || !item->value) {
            return out_of_memory(source->path, err);
        }
    }
    return STATUS_OK;
}

static enum status read_type(const struct source *source, const json_t *field,
                             struct safetensors_entry *entry, struct error *err)
{
    const char *name = json_string_value(field);
    for (size_t i = 0; name && i < N_TYPE; i++) {
        if (strcmp(name, types[i].name) == 0) {
            entry->type = (enum safetensors_type)i;
            return STATUS_OK;
        }
    }
    return error_set(err, STATUS_DATA, "%s: tensor '%s' has dtype %s, expected F32, I64 or U8",
                     source->path, entry->name, name ? name : "that is missing or not a text");
}

/* Reads an array of non-negative integers; returns false for anything else. */
static bool read_sizes(const json_t *field, size_t max_size, size_t *sizes, size_t *n_size)
{
    size_t n = json_array_size(field);
    if (!json_is_array(field) || n > max_size) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(field, i);
        json_int_t size = json_integer_value(item);
        if (!json_is_integer(item) || size < 0 || (unsigned long long)size > SIZE_MAX) {
            return false;
        }
        sizes[i] = (size_t)size;
    }
    *n_size = n;
    return true;
}

static enum status read_shape(const struct source *source, const json_t *field,
                              struct safetensors_entry *entry, struct error *err)
{
    if (!read_sizes(field, SAFETENSORS_MAX_DIM, entry->dim, &entry->n_dim)) {
        return error_set(err, STATUS_DATA,
                         "%s: tensor '%s': shape is missing or not a list of at most %d "
                         "non-negative integers",
                         source->path, entry->name, SAFETENSORS_MAX_DIM);
    }
    if (!count_elements(entry->dim, entry->n_dim, types[entry->type].size, &entry->n_element)) {
        return error_set(err, STATUS_DATA,
                         "%s: tensor '%s': shape claims more bytes than a memory can have",
                         source->path, entry->name);
    }
    return STATUS_OK;
}

static enum status read_offsets(struct source *source, const json_t *field,
                                struct safetensors_entry *entry, struct error *err)
{
    size_t range[2], n_range;
    if (!read_sizes(field, 2, range, &n_range) || n_range != 2) {
        return error_set(err, STATUS_DATA,
                         "%s: tensor '%s': data_offsets are missing or not two non-negative "
                         "integers",
                         source->path, entry->name);
    }
    size_t begin = range[0], end = range[1];
    if (begin > end || end > source->n_data) {
        return error_set(err, STATUS_DATA,
                         "%s: tensor '%s': data_offsets [%zu, %zu] do not lie in the %zu bytes of "
                         "data (the file is truncated or damaged)",
                         source->path, entry->name, begin, end, source->n_data);
    }
    if (end - begin != entry_size(entry)) {
        return error_set(err, STATUS_DATA,
                         "%s: tensor '%s': data_offsets [%zu, %zu] hold %zu bytes, expected %zu "
                         "from its shape and dtype",
                         source->path, entry->name, begin, end, end - begin, entry_size(entry));
    }
    /* Tensors that overlap could make a small file ask for any amount of memory. */
    if (end - begin > source->n_data - source->n_claimed) {
        return error_set(err, STATUS_DATA,
                         "%s: tensor '%s': data_offsets [%zu, %zu] overlap those of other tensors",
                         source->path, entry->name, begin, end);
    }
    source->n_claimed += end - begin;
    entry->data = source->data + begin;
    return STATUS_OK;
}

static enum status read_entry(struct source *source, const char *name, const json_t *object,
                              struct safetensors_entry *entry, struct error *err)
{
    entry->name = strdup(name);
    if (!entry->name) {
        return out_of_memory(source->path, err);
    }
    if (!json_is_object(object)) {
        return error_set(err, STATUS_DATA, "%s: tensor '%s' is not described by a JSON object",
                         source->path, name);
    }
    enum status status = read_type(source, json_object_get(object, "dtype"), entry, err);
    if (!status) {
        status = read_shape(source, json_object_get(object, "shape"), entry, err);
    }
    if (!status) {
        status = read_offsets(source, json_object_get(object, "data_offsets"), entry, err);
    }
    return status;
}

static enum status read_header(struct source *source, json_t *header, struct safetensors *tensors,
                               struct error *err)
{
    tensors->entry = calloc(json_object_size(header) + 1, sizeof *tensors->entry);
    if (!tensors->entry) {
        return out_of_memory(source->path, err);
    }
    enum status status = STATUS_OK;
    const char *name;
    json_t *value;
    json_object_foreach(header, name, value)
    {
        if (strcmp(name, METADATA_KEY) == 0) {
            status = read_metadata(source, value, tensors, err);
        } else {
            status = read_entry(source, name, value, &tensors->entry[tensors->n_entry++], err);
        }
        if (status) {
            break;
        }
    }
    return status;
}

/* Moves the checked data out of the file's bytes, each to an aligned place. */
static enum status copy_data(const char *path, struct safetensors *tensors, struct error *err)
{
    size_t size = 0;
    for (size_t i = 0; i < tensors->n_entry; i++) {
        size += round_up(entry_size(&tensors->entry[i]));
    }
    char *place = malloc(size > 0 ? size : 1);
    if (!place) {
        return out_of_memory(path, err);
    }
    tensors->memory = place;
    for (size_t i = 0; i < tensors->n_entry; i++) {
        struct safetensors_entry *entry = &tensors->entry[i];
        memcpy(place, entry->data, entry_size(entry));
        entry->data = place;
        place += round_up(entry_size(entry));
    }
    return STATUS_OK;
}

static enum status read_bytes(const char *path, const char *file, size_t n_file,
                              struct safetensors *tensors, struct error *err)
{
    struct source source = {0};
    json_t *header = NULL;
    enum status status = find_parts(path, file, n_file, &source, err);
    if (!status) {
        status = parse_header(&source, &header, err);
    }
    if (!status) {
        status = read_header(&source, header, tensors, err);
    }
    if (!status && source.n_claimed != source.n_data) {
        status = error_set(err, STATUS_DATA,
                           "%s: its tensors take %zu bytes, but %zu follow the header; the file is "
                           "damaged, or something was appended to it",
                           path, source.n_claimed, source.n_data);
    }
    if (!status) {
        status = copy_data(path, tensors, err);
    }
    json_decref(header);
    return status;
}

enum status safetensors_read(const char *path, struct safetensors *tensors, struct error *err)
{
    *tensors = (struct safetensors){0};
    char *file;
    size_t n_file;
    enum status status = file_read(path, MAX_FILE_SIZE, &file, &n_file, err);
    if (!status) {
        status = read_bytes(path, file, n_file, tensors, err);
        free(file);
    }
    if (status) {
        safetensors_free(tensors);
    }
    return status;
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
        enum status status = check_entry(path, entry, err);
        if (status) {
            return status;
        }
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
    enum status status = STATUS_MEMORY;
    if (!header || !offset) {
        out_of_memory(path, err);
        goto done;
    }
    size_t n_data = plan_offsets(tensors, offset), size = 0;
    status = describe_all(path, tensors, offset, header, err);
    if (status) {
        goto done;
    }
    file = assemble(tensors, offset, n_data, header, &size);
    status = file ? file_write_atomic(path, file, size, err) : out_of_memory(path, err);
done:
    free(file);
    free(offset);
    json_decref(header);
    return status;
}

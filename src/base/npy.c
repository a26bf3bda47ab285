/* The header is a Python dictionary. It is parsed by a small strict reader of exactly what NumPy
 * writes: three keys in any order, with any spaces, and nothing else.
 */
#include "base/npy.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays are written as they are");

#define MAX_FILE_SIZE ((size_t)16 << 30)
#define MAGIC "\x93NUMPY"
#define MAGIC_SIZE (sizeof MAGIC - 1)
#define PREFIX_SIZE (MAGIC_SIZE + 4) /* magic, version, header length */
#define ALIGNMENT 64                 /* of the data, by the format's rule */
#define MAX_TYPE 16

/* What an array's elements are. */
struct element {
    const char *descr, *title;
    size_t size;
};
static const struct element element_float = {"<f4", "little-endian float32", sizeof(float)};
static const struct element element_byte = {"|u1", "uint8", 1};

/* Returns false where the number of bytes overflows. */
static bool count_bytes(const struct element *element, const size_t *dim, size_t n_dim,
                        size_t *size)
{
    size_t n = element->size;
    for (size_t i = 0; i < n_dim; i++) {
        if (dim[i] > 0 && n > SIZE_MAX / dim[i]) {
            return false;
        }
        n *= dim[i];
    }
    *size = n;
    return true;
}

/* ---- writing ---- */

/* Appends prefix and header, padded with spaces; the header's length is patched in at last. */
static void append_header(struct text *text, const struct element *element, const size_t *dim,
                          size_t n_dim)
{
    text_append(text, MAGIC "\x01%*s", (int)(PREFIX_SIZE - MAGIC_SIZE - 1), "");
    text_append(text, "{'descr': '%s', 'fortran_order': False, 'shape': (", element->descr);
    for (size_t i = 0; i < n_dim; i++) {
        text_append(text, "%s%zu", i > 0 ? ", " : "", dim[i]);
    }
    text_append(text, n_dim == 1 ? ",), }" : "), }");
    size_t padding = ALIGNMENT - 1 - text->size % ALIGNMENT;
    text_append(text, "%*s\n", (int)padding, "");
    if (!text->failed) {
        size_t length = text->size - PREFIX_SIZE;
        text->data[MAGIC_SIZE + 1] = 0;
        text->data[MAGIC_SIZE + 2] = (char)(length & 0xff);
        text->data[MAGIC_SIZE + 3] = (char)(length >> 8);
    }
}

static enum status write_array(const char *path, const struct element *element, const void *data,
                               const size_t *dim, size_t n_dim, struct error *err)
{
    size_t size;
    if (n_dim > NPY_MAX_DIM || !count_bytes(element, dim, n_dim, &size)) {
        return error_set(err, STATUS_USAGE,
                         "cannot write %s: an array of %zu dimensions, expected at most %d and a "
                         "size that fits in memory",
                         path, n_dim, NPY_MAX_DIM);
    }
    struct text header = {0};
    append_header(&header, element, dim, n_dim);
    char *file = header.failed ? NULL : malloc(header.size + size);
    if (!file) {
        text_free(&header);
        return error_memory(err, "writing %s, which takes %zu bytes", path, size);
    }
    memcpy(file, header.data, header.size);
    if (size > 0) {
        memcpy(file + header.size, data, size);
    }
    enum status status = file_write_atomic(path, file, header.size + size, err);
    free(file);
    text_free(&header);
    return status;
}

enum status npy_write(const char *path, const float *data, const size_t *dim, size_t n_dim,
                      struct error *err)
{
    return write_array(path, &element_float, data, dim, n_dim, err);
}

enum status npy_write_bytes(const char *path, const uint8_t *data, const size_t *dim, size_t n_dim,
                            struct error *err)
{
    return write_array(path, &element_byte, data, dim, n_dim, err);
}

/* ---- reading ---- */

/* What is left of the header's text. */
struct cursor {
    const char *at, *end;
};

enum { FIELD_DESCR = 1, FIELD_FORTRAN_ORDER = 2, FIELD_SHAPE = 4, FIELD_ALL = 7 };

struct header {
    unsigned seen; /* fields */
    char descr[MAX_TYPE];
    bool fortran_order;
    size_t dim[NPY_MAX_DIM];
    size_t n_dim;
};

/* Skips spaces, then the word if it comes next. */
static bool accept(struct cursor *cursor, const char *word)
{
    size_t n = strlen(word);
    while (cursor->at < cursor->end && *cursor->at == ' ') {
        cursor->at++;
    }
    if ((size_t)(cursor->end - cursor->at) < n || memcmp(cursor->at, word, n) != 0) {
        return false;
    }
    cursor->at += n;
    return true;
}

static bool parse_quoted(struct cursor *cursor, char text[MAX_TYPE])
{
    if (!accept(cursor, "'")) {
        return false;
    }
    size_t n = 0;
    while (cursor->at < cursor->end && *cursor->at != '\'' && n < MAX_TYPE - 1) {
        text[n++] = *cursor->at++;
    }
    text[n] = '\0';
    return cursor->at < cursor->end && *cursor->at++ == '\'';
}

static bool parse_size(struct cursor *cursor, size_t *size)
{
    accept(cursor, "");
    const char *start = cursor->at;
    *size = 0;
    while (cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9') {
        size_t digit = (size_t)(*cursor->at++ - '0');
        if (*size > (SIZE_MAX - digit) / 10) {
            return false;
        }
        *size = *size * 10 + digit;
    }
    return cursor->at > start;
}

/* "()", "(5,)", "(3, 4)", "(3, 4,)" */
static bool parse_shape(struct cursor *cursor, struct header *header)
{
    header->n_dim = 0;
    if (!accept(cursor, "(")) {
        return false;
    }
    bool comma = true;
    while (!accept(cursor, ")")) {
        if (!comma || header->n_dim == NPY_MAX_DIM ||
            !parse_size(cursor, &header->dim[header->n_dim])) {
            return false;
        }
        header->n_dim++;
        comma = accept(cursor, ",");
    }
    return comma || header->n_dim > 1;
}

static bool parse_field(struct cursor *cursor, struct header *header)
{
    unsigned field;
    bool valid;
    if (accept(cursor, "'descr'")) {
        field = FIELD_DESCR;
        valid = accept(cursor, ":") && parse_quoted(cursor, header->descr);
    } else if (accept(cursor, "'fortran_order'")) {
        field = FIELD_FORTRAN_ORDER;
        valid = accept(cursor, ":");
        header->fortran_order = accept(cursor, "True");
        valid = valid && (header->fortran_order || accept(cursor, "False"));
    } else if (accept(cursor, "'shape'")) {
        field = FIELD_SHAPE;
        valid = accept(cursor, ":") && parse_shape(cursor, header);
    } else {
        return false;
    }
    valid = valid && !(header->seen & field);
    header->seen |= field;
    return valid;
}

static bool parse_header(struct cursor cursor, struct header *header)
{
    *header = (struct header){0};
    bool comma = true;
    if (!accept(&cursor, "{")) {
        return false;
    }
    while (!accept(&cursor, "}")) {
        if (!comma || !parse_field(&cursor, header)) {
            return false;
        }
        comma = accept(&cursor, ",");
    }
    return header->seen == FIELD_ALL && accept(&cursor, "\n") && cursor.at == cursor.end;
}

/* Finds the header's text between prefix and data. */
static enum status find_header(const char *path, const char *file, size_t n_file,
                               struct cursor *cursor, struct error *err)
{
    if (n_file < PREFIX_SIZE || memcmp(file, MAGIC, MAGIC_SIZE) != 0) {
        return error_set(err, STATUS_DATA,
                         "%s is not an npy file: its first bytes are not \\x93NUMPY and a version",
                         path);
    }
    const unsigned char *prefix = (const unsigned char *)file;
    unsigned major = prefix[MAGIC_SIZE], minor = prefix[MAGIC_SIZE + 1];
    if (major != 1 || minor != 0) {
        return error_set(err, STATUS_DATA, "%s: npy version %u.%u at byte %zu, expected 1.0", path,
                         major, minor, MAGIC_SIZE);
    }
    size_t length = prefix[MAGIC_SIZE + 2] | (size_t)prefix[MAGIC_SIZE + 3] << 8;
    if (length > n_file - PREFIX_SIZE) {
        return error_set(err, STATUS_DATA,
                         "%s: the header length at byte %zu is %zu, but only %zu bytes follow: the "
                         "file is truncated",
                         path, MAGIC_SIZE + 2, length, n_file - PREFIX_SIZE);
    }
    *cursor = (struct cursor){file + PREFIX_SIZE, file + PREFIX_SIZE + length};
    return STATUS_OK;
}

/* Checks everything and finds where the data begin. */
static enum status check_file(const char *path, const struct element *element, const char *file,
                              size_t n_file, struct header *header, size_t *data_offset,
                              struct error *err)
{
    struct cursor cursor = {0};
    TRY(find_header(path, file, n_file, &cursor, err));
    if (!parse_header(cursor, header)) {
        return error_set(err, STATUS_DATA,
                         "%s: the header at byte %zu is not a dictionary of descr, fortran_order "
                         "and a shape of at most %d dimensions",
                         path, PREFIX_SIZE, NPY_MAX_DIM);
    }
    if (strcmp(header->descr, element->descr) != 0) {
        return error_set(err, STATUS_DATA, "%s: the array has descr '%s', expected '%s' (%s)", path,
                         header->descr, element->descr, element->title);
    }
    if (header->fortran_order) {
        return error_set(err, STATUS_DATA, "%s: the array is in Fortran order, expected C order",
                         path);
    }
    size_t size;
    *data_offset = (size_t)(cursor.end - file);
    if (!count_bytes(element, header->dim, header->n_dim, &size)) {
        return error_set(err, STATUS_DATA, "%s: the shape claims more bytes than a memory can have",
                         path);
    }
    if (size != n_file - *data_offset) {
        return error_set(err, STATUS_DATA,
                         "%s: %zu bytes of data from byte %zu on, expected %zu from the shape",
                         path, n_file - *data_offset, *data_offset, size);
    }
    return STATUS_OK;
}

/* The file's own memory becomes the array. */
static enum status read_array(const char *path, const struct element *element, char **data,
                              size_t dim[NPY_MAX_DIM], size_t *n_dim, struct error *err)
{
    char *file;
    size_t n_file, data_offset = 0;
    *data = NULL;
    *n_dim = 0;
    TRY(file_read(path, MAX_FILE_SIZE, &file, &n_file, err));
    struct header header;
    enum status status = check_file(path, element, file, n_file, &header, &data_offset, err);
    if (status) {
        free(file);
        return status;
    }
    memmove(file, file + data_offset, n_file - data_offset);
    *data = file;
    memcpy(dim, header.dim, sizeof header.dim);
    *n_dim = header.n_dim;
    return STATUS_OK;
}

enum status npy_read(const char *path, float **data, size_t dim[NPY_MAX_DIM], size_t *n_dim,
                     struct error *err)
{
    char *bytes;
    enum status status = read_array(path, &element_float, &bytes, dim, n_dim, err);
    *data = (float *)(void *)bytes;
    return status;
}

enum status npy_read_bytes(const char *path, uint8_t **data, size_t dim[NPY_MAX_DIM], size_t *n_dim,
                           struct error *err)
{
    char *bytes;
    enum status status = read_array(path, &element_byte, &bytes, dim, n_dim, err);
    *data = (uint8_t *)bytes;
    return status;
}

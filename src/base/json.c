/* jansson reads and holds the values; the dump is walked here, because jansson writes every real
 * with the same number of digits: 0.1 as 0.10000000000000001, or other numbers cut short. Strings
 * and single numbers are still written by jansson, which knows the escapes and the C locale.
 */
#include "base/json.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/text.h"

#define JSON_MAX_SIZE ((size_t)256 << 20)
/* So many digits survive the way through a double. Beginning with fewer would print 100.0 as 1e2.
 */
#define REAL_MIN_DIGITS 15
#define INDENT 2

json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* The length of the UTF-8 sequence at text, 0 if there is none: no overlong form, no surrogate,
 * nothing above U+10FFFF. */
static size_t utf8_length(const unsigned char *text)
{
    if (text[0] < 0x80) {
        return 1;
    }
    unsigned low = 0x80, high = 0xbf; /* of the second byte */
    size_t length = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
    if (text[0] < 0xc2 || text[0] > 0xf4) {
        return 0;
    }
    low = text[0] == 0xe0 ? 0xa0 : text[0] == 0xf0 ? 0x90 : low;
    high = text[0] == 0xed ? 0x9f : text[0] == 0xf4 ? 0x8f : high;
    if (text[1] < low || text[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    return length;
}

json_t *json_text(const char *bytes)
{
    struct text text = {0};
    text_append(&text, "%s", "");
    for (const char *c = bytes; *c;) {
        size_t length = utf8_length((const unsigned char *)c);
        text_append(&text, "%.*s", length > 0 ? (int)length : 3, length > 0 ? c : "\xef\xbf\xbd");
        c += length > 0 ? length : 1;
    }
    json_t *string = text.failed ? NULL : json_stringn(text.data ? text.data : "", text.size);
    text_free(&text);
    return string;
}

enum status json_read(const char *path, json_t **root, struct error *err)
{
    *root = NULL;
    char *data;
    size_t size;
    TRY(file_read(path, JSON_MAX_SIZE, &data, &size, err));
    json_error_t problem;
    json_t *value = json_loadb(data, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &problem);
    free(data);
    if (!value) {
        return error_set(err, STATUS_DATA, "%s, line %d, column %d: not valid JSON: %s", path,
                         problem.line, problem.column, problem.text);
    }
    if (!json_is_object(value)) {
        json_decref(value);
        return error_set(err, STATUS_DATA, "%s: the outermost JSON value is not an object", path);
    }
    *root = value;
    return STATUS_OK;
}

static int append_bytes(const char *data, size_t size, void *text)
{
    text_append(text, "%.*s", (int)size, data);
    return 0;
}

/* Appends a string or a single number, a real with as few digits as read back as the same. */
static void append_scalar(struct text *text, const json_t *value)
{
    int digits = json_is_real(value) ? text_digits(json_real_value(value), REAL_MIN_DIGITS) : 0;
    size_t flags = JSON_ENCODE_ANY | JSON_REAL_PRECISION(digits);
    if (json_dump_callback(value, append_bytes, text, flags) != 0) {
        text->failed = true;
    }
}

static void append_key(struct text *text, const char *key)
{
    json_t *string = json_string(key);
    if (!string) {
        text->failed = true;
        return;
    }
    append_scalar(text, string);
    json_decref(string);
    text_append(text, ": ");
}

/* Begins item number i of an array or object on a line of its own. */
static void begin_item(struct text *text, size_t i, int depth)
{
    text_append(text, "%s\n%*s", i > 0 ? "," : "", depth * INDENT, "");
}

static bool has_object(const json_t *value)
{
    bool found = json_is_object(value);
    for (size_t i = 0; i < json_array_size(value) && !found; i++) {
        found = has_object(json_array_get(value, i));
    }
    return found;
}

static void append_value(struct text *text, const json_t *value, int depth, bool dense);

static void append_array(struct text *text, const json_t *array, int depth, bool dense)
{
    size_t n = json_array_size(array);
    bool one_line = n == 0 || (dense && !has_object(array));
    text_append(text, "[");
    for (size_t i = 0; i < n; i++) {
        if (one_line) {
            text_append(text, i > 0 ? "," : "");
        } else {
            begin_item(text, i, depth + 1);
        }
        append_value(text, json_array_get(array, i), depth + 1, dense);
    }
    text_append(text, one_line ? "%*s]" : "\n%*s]", one_line ? 0 : depth * INDENT, "");
}

static void append_object(struct text *text, const json_t *object, int depth, bool dense)
{
    /* jansson's iterators take no const, though they change nothing. */
    json_t *owner = (json_t *)object;
    size_t i = 0;
    text_append(text, "{");
    for (void *item = json_object_iter(owner); item; item = json_object_iter_next(owner, item)) {
        begin_item(text, i++, depth + 1);
        append_key(text, json_object_iter_key(item));
        append_value(text, json_object_iter_value(item), depth + 1, dense);
    }
    text_append(text, i > 0 ? "\n%*s}" : "%*s}", i > 0 ? depth * INDENT : 0, "");
}

static void append_value(struct text *text, const json_t *value, int depth, bool dense)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        append_object(text, value, depth, dense);
        break;
    case JSON_ARRAY:
        append_array(text, value, depth, dense);
        break;
    default:
        append_scalar(text, value);
    }
}

void json_append(struct text *text, const json_t *value)
{
    append_value(text, value, 0, false);
}

static enum status write_root(const char *path, const json_t *root, bool dense, struct error *err)
{
    struct text text = {0};
    append_value(&text, root, 0, dense);
    text_append(&text, "\n");
    enum status status = text_write(&text, path, err);
    text_free(&text);
    return status;
}

enum status json_write(const char *path, const json_t *root, struct error *err)
{
    return write_root(path, root, false, err);
}

enum status json_write_dense(const char *path, const json_t *root, struct error *err)
{
    return write_root(path, root, true, err);
}

double json_get_number(const json_t *object, const char *key, double fallback)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : fallback;
}

long long json_get_integer(const json_t *object, const char *key, long long fallback)
{
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? json_integer_value(value) : fallback;
}

const char *json_get_text(const json_t *object, const char *key, const char *fallback)
{
    const json_t *value = json_object_get(object, key);
    return json_is_string(value) ? json_string_value(value) : fallback;
}

/* json: strict JSON on top of jansson: null for a number that is not finite, keys in insertion
 * order, numbers in the C locale, whole files read and written.
 */
#ifndef QKVLAB_BASE_JSON_H
#define QKVLAB_BASE_JSON_H

#include <jansson.h>

#include "base/status.h"

/* json_number returns a new real, or null where value is not finite. */
json_t *json_number(double value);

/* json_text returns a new string of bytes from elsewhere, such as a file's name: what is not UTF-8
 * in them is replaced by U+FFFD. NULL when out of memory. */
json_t *json_text(const char *bytes);

/* json_read loads a file whose root must be an object. Caller frees with json_decref. Errors:
 * STATUS_DATA with line and column. */
enum status json_read(const char *path, json_t **root, struct error *err);

/* json_write writes root, indented by 2, with a newline at the end, through file_write_atomic. A
 * real is written with as few digits as read back as the same double. */
enum status json_write(const char *path, const json_t *root, struct error *err);

/* json_write_dense is json_write for long lists: one without an object in it is one line. */
enum status json_write_dense(const char *path, const json_t *root, struct error *err);

/* json_append appends value to a text as json_write would write it, without a newline at the end.
 */
struct text;
void json_append(struct text *text, const json_t *value);

/* json_get_number, _integer and _text return object[key], or fallback where it is missing, null or
 * of another type. json_get_text borrows from object. A NULL object gives the fallback. */
double json_get_number(const json_t *object, const char *key, double fallback);
long long json_get_integer(const json_t *object, const char *key, long long fallback);
const char *json_get_text(const json_t *object, const char *key, const char *fallback);

#endif

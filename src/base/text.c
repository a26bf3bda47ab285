/* The capacity doubles, so that a long report costs few moves. */
#include "base/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"

#define FIRST_CAPACITY 256

/* Makes room for n more bytes and a '\0'. */
static bool reserve(struct text *text, size_t n)
{
    size_t capacity = text->capacity ? text->capacity : FIRST_CAPACITY;
    while (capacity - text->size <= n) {
        if (capacity > SIZE_MAX / 2) {
            return false;
        }
        capacity *= 2;
    }
    if (capacity == text->capacity) {
        return true;
    }
    char *data = realloc(text->data, capacity);
    if (!data) {
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

int text_digits(double value, int least)
{
    char text[32];
    int digits = least;
    for (; digits < 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    return digits;
}

void text_append(struct text *text, const char *format, ...)
{
    if (text->failed) {
        return;
    }
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0 || !reserve(text, (size_t)length)) {
        text->failed = true;
        return;
    }
    va_start(args, format);
    vsnprintf(text->data + text->size, (size_t)length + 1, format, args);
    va_end(args);
    text->size += (size_t)length;
}

void text_free(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}

enum status text_write(const struct text *text, const char *path, struct error *err)
{
    return text->failed ? error_memory(err, "building the text of %s", path)
                        : file_write_atomic(path, text->data ? text->data : "", text->size, err);
}

enum status text_write_unsynced(const struct text *text, const char *path, struct error *err)
{
    return text->failed ? error_memory(err, "building the text of %s", path)
                        : file_write(path, text->data ? text->data : "", text->size, err);
}

const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

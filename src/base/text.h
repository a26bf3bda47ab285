/* text: a growing text, for files that are built in memory and written at once. */
#ifndef QKVLAB_BASE_TEXT_H
#define QKVLAB_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* text_digits returns the fewest significant digits, at least `least` and at most 17, with which
 * "%.*g" prints a number that reads back as the same one. */
int text_digits(double value, int least);

struct text {
    char *data; /* '\0' terminated, NULL while empty */
    size_t size, capacity;
    bool failed; /* sticky: out of memory */
};
void text_append(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_free(struct text *text);
/* text_write writes the text with file_write_atomic; STATUS_MEMORY if an append had failed. */
enum status text_write(const struct text *text, const char *path, struct error *err);
/* text_write_unsynced is text_write with file_write. */
enum status text_write_unsynced(const struct text *text, const char *path, struct error *err);

/* plural returns the ending of a noun of which there are n: "" or "s". */
const char *plural(size_t n);

#endif

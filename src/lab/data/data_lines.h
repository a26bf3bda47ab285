/* data_lines: small text files beside data sets, read as their authors and editors leave them: with
 * CRLF, a byte order mark, blank lines, and with or without a newline at the end.
 */
#ifndef QKVLAB_LAB_DATA_LINES_H
#define QKVLAB_LAB_DATA_LINES_H

#include <stddef.h>

#include "base/status.h"

struct data_lines {
    char *text;
    char **line; /* [n_line], without blank ones, inside text */
    size_t n_line;
};

/* data_lines_read reads a file; caller frees with data_lines_free. Errors: STATUS_DATA. */
enum status data_lines_read(const char *path, struct data_lines *lines, struct error *err);

/* data_lines_split takes a '\0' terminated text from malloc over (also on failure). */
enum status data_lines_split(char *text, struct data_lines *lines, struct error *err);
void data_lines_free(struct data_lines *lines);

#endif

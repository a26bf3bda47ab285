#include "lab/data/data_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define MAX_SIZE ((size_t)64 << 20)

static const char byte_order_mark[] = "\xef\xbb\xbf";

static size_t count_newlines(const char *text)
{
    size_t n = 0;
    for (; *text; text++) {
        n += *text == '\n';
    }
    return n;
}

static void trim_end(char *line)
{
    size_t n = strlen(line);
    while (n > 0 && strchr(" \t\r", line[n - 1])) {
        line[--n] = '\0';
    }
}

enum status data_lines_split(char *text, struct data_lines *lines, struct error *err)
{
    *lines = (struct data_lines){.text = text};
    lines->line = malloc((count_newlines(text) + 1) * sizeof *lines->line);
    if (!lines->line) {
        data_lines_free(lines);
        return error_memory(err, "reading lines");
    }
    size_t n_mark = strlen(byte_order_mark);
    char *next = strncmp(text, byte_order_mark, n_mark) == 0 ? text + n_mark : text;
    while (next) {
        char *line = next, *end = strchr(line, '\n');
        next = end ? end + 1 : NULL;
        if (end) {
            *end = '\0';
        }
        trim_end(line);
        if (line[0]) {
            lines->line[lines->n_line++] = line;
        }
    }
    return STATUS_OK;
}

enum status data_lines_read(const char *path, struct data_lines *lines, struct error *err)
{
    char *text;
    size_t size;
    *lines = (struct data_lines){0};
    TRY(file_read(path, MAX_SIZE, &text, &size, err));
    return data_lines_split(text, lines, err);
}

void data_lines_free(struct data_lines *lines)
{
    free(lines->line);
    free(lines->text);
    *lines = (struct data_lines){0};
}

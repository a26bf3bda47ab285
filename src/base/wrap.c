#include "base/wrap.h"

#include <stdbool.h>
#include <string.h>

/* Of the first n_byte bytes. */
static size_t bytes_columns(const char *text, size_t n_byte)
{
    size_t n_column = 0;
    for (size_t i = 0; i < n_byte; i++) {
        n_column += ((unsigned char)text[i] & 0xC0) != 0x80; /* continuation bytes take none */
    }
    return n_column;
}

size_t text_columns(const char *text)
{
    return bytes_columns(text, strlen(text));
}

void text_wrap(struct text *text, const char *words, size_t column, size_t indent, size_t width)
{
    bool at_start = true;
    while (*words) {
        if (*words == '\n') {
            text_append(text, "\n");
            words++;
            if (*words && *words != '\n') {
                text_append(text, "%*s", (int)indent, "");
            }
            column = indent;
            at_start = true;
            continue;
        }
        if (*words == ' ') {
            words++;
            continue;
        }
        size_t n_byte = strcspn(words, " \n");
        size_t n_column = bytes_columns(words, n_byte);
        if (!at_start && width > 0 && column + 1 + n_column > width) {
            text_append(text, "\n%*s", (int)indent, "");
            column = indent;
            at_start = true;
        }
        text_append(text, "%s%.*s", at_start ? "" : " ", (int)n_byte, words);
        column += n_column + !at_start;
        words += n_byte;
        at_start = false;
    }
    text_append(text, "\n");
}

/* Bytes 0x80..0x9F behind 0xC2 are the control characters that UTF-8 has beyond ASCII's. */
size_t text_control(const char *at)
{
    unsigned char byte = (unsigned char)at[0], next = byte ? (unsigned char)at[1] : 0;
    if (byte == 0xC2 && next >= 0x80 && next <= 0x9F) {
        return 2;
    }
    return (byte > 0 && byte < 0x20) || byte == 0x7F;
}

void text_clean(char *text)
{
    while (*text) {
        size_t n = *text == '\n' ? 0 : text_control(text);
        memset(text, '?', n);
        text += n > 0 ? n : 1;
    }
}

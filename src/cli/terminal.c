#include "cli/terminal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/path.h"

bool terminal_is(FILE *stream)
{
    const char *term = getenv("TERM");
    return isatty(fileno(stream)) && (!term || strcmp(term, "dumb") != 0);
}

bool terminal_colour(FILE *stream)
{
    const char *no_colour = getenv("NO_COLOR");
    return terminal_is(stream) && (!no_colour || no_colour[0] == '\0');
}

size_t terminal_width(FILE *stream, size_t fallback)
{
    struct winsize size;
    if (isatty(fileno(stream)) && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 &&
        size.ws_col > 0) {
        return size.ws_col;
    }
    return fallback;
}

size_t terminal_columns(const char *text)
{
    size_t n_column = 0;
    for (; *text; text++) {
        n_column += ((unsigned char)*text & 0xC0) != 0x80; /* continuation bytes take none */
    }
    return n_column;
}

static size_t word_columns(const char *word, size_t n_byte)
{
    size_t n_column = 0;
    for (size_t i = 0; i < n_byte; i++) {
        n_column += ((unsigned char)word[i] & 0xC0) != 0x80;
    }
    return n_column;
}

void terminal_wrap(FILE *stream, const char *text, size_t column, size_t indent, size_t width)
{
    bool at_start = true;
    while (*text) {
        if (*text == '\n') {
            fputc('\n', stream);
            text++;
            if (*text && *text != '\n') {
                fprintf(stream, "%*s", (int)indent, "");
            }
            column = indent;
            at_start = true;
            continue;
        }
        if (*text == ' ') {
            text++;
            continue;
        }
        size_t n_byte = strcspn(text, " \n");
        size_t n_column = word_columns(text, n_byte);
        if (!at_start && width > 0 && column + 1 + n_column > width) {
            fprintf(stream, "\n%*s", (int)indent, "");
            column = indent;
            at_start = true;
        }
        if (!at_start) {
            fputc(' ', stream);
            column++;
        }
        fwrite(text, 1, n_byte, stream);
        column += n_column;
        text += n_byte;
        at_start = false;
    }
    fputc('\n', stream);
}

/* Bytes 0x80..0x9F behind 0xC2 are the control characters that UTF-8 has beyond ASCII's. */
void terminal_clean(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at; at++) {
        if ((*at < 0x20 && *at != '\n') || *at == 0x7F) {
            *at = '?';
        } else if (*at == 0xC2 && at[1] >= 0x80 && at[1] <= 0x9F) {
            at[0] = at[1] = '?';
        }
    }
}

static void print_clean(FILE *stream, const char *format, va_list list)
{
    char text[2 * PATH_SIZE];
    vsnprintf(text, sizeof text, format, list);
    terminal_clean(text);
    fputs(text, stream);
}

void terminal_print(FILE *stream, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    print_clean(stream, format, list);
    va_end(list);
}

void terminal_say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fputs("qkvlab: ", stderr);
    print_clean(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
}

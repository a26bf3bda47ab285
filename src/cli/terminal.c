#include "cli/terminal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/wrap.h"

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

void terminal_wrap(FILE *stream, const char *words, size_t column, size_t indent, size_t width)
{
    struct text text = {0};
    text_wrap(&text, words, column, indent, width);
    fputs(text.failed ? words : text.data, stream);
    text_free(&text);
}

static void print_clean(FILE *stream, const char *format, va_list list)
{
    char text[2 * PATH_SIZE];
    vsnprintf(text, sizeof text, format, list);
    text_clean(text);
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

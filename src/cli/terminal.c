#include "cli/terminal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
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

enum status terminal_pass(enum status status, const struct error *one, enum status *worst,
                          struct error *err)
{
    if (status == STATUS_DATA) {
        if (one->text[0]) {
            terminal_say("%s", one->text);
        }
        *worst = status;
        return STATUS_OK;
    }
    if (status != STATUS_OK) {
        *err = *one;
    }
    return status;
}

/* Less is the usual coming and going, and changes times by less than they vary anyway. */
#define WORTH_SAYING 0.1

void terminal_say_busy(double others, const char *consequence)
{
    if (others >= WORTH_SAYING) {
        terminal_say("warning: other programs took about %.0f %% of the processors while this was "
                     "timed; %s",
                     100 * others, consequence);
    }
}

static void append_json(const struct table *table, struct text *text)
{
    json_t *rows = table_json(table);
    if (rows) {
        json_append(text, rows);
        text_append(text, "\n");
    }
    text->failed |= !rows;
    json_decref(rows);
}

enum status table_print(const struct table *table, enum format format, struct error *err)
{
    struct text text = {0};
    if (format == FORMAT_JSON) {
        append_json(table, &text);
    } else if (format == FORMAT_CSV) {
        table_append_csv(table, &text);
    } else {
        table_append_text(table, &text, terminal_width(stdout, 0));
        if (text.data) {
            text_clean(text.data);
        }
    }
    bool fine = !text.failed;
    if (fine && text.data) {
        fputs(text.data, stdout);
    }
    text_free(&text);
    return fine ? STATUS_OK : error_memory(err, "making a table");
}

enum status table_finish(struct table *table, enum format format, struct error *err)
{
    enum status status = table_print(table, format, err);
    table_free(table);
    return status;
}

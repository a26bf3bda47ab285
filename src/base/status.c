/* A sentence is formatted into a buffer of its own first, because callers like to quote the
 * sentence they were given: error_set(err, status, "...: %s", err->text).
 */
#include "base/status.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int exit_code;
    const char *meaning;
} rows[] = {
#define STATUS_ROW(name, ...) [STATUS_##name] = {__VA_ARGS__},
    STATUS_TABLE(STATUS_ROW)
#undef STATUS_ROW
};

/* Room for a sentence with another and ": " in front of it, before it is cut to an error's size. */
#define DRAFT_SIZE (2 * sizeof((struct error *)0)->text + 2)

/* A sentence that does not fit ends in "...", so that nobody takes it for whole. */
static void keep_sentence(struct error *err, const char *draft)
{
    static const char ellipsis[] = "...";
    size_t n = strlen(draft) + 1;
    bool fits = n <= sizeof err->text;
    memcpy(err->text, draft, fits ? n : sizeof err->text);
    if (!fits) {
        memcpy(err->text + sizeof err->text - sizeof ellipsis, ellipsis, sizeof ellipsis);
    }
}

enum status error_set(struct error *err, enum status status, const char *format, ...)
{
    if (err) {
        char draft[DRAFT_SIZE];
        va_list args;
        va_start(args, format);
        vsnprintf(draft, sizeof draft, format, args);
        va_end(args);
        err->status = status;
        keep_sentence(err, draft);
    }
    return status;
}

void error_prefix(struct error *err, const char *format, ...)
{
    if (err) {
        char where[sizeof err->text], draft[DRAFT_SIZE];
        va_list args;
        va_start(args, format);
        vsnprintf(where, sizeof where, format, args);
        va_end(args);
        snprintf(draft, sizeof draft, "%s: %s", where, err->text);
        keep_sentence(err, draft);
    }
}

int status_exit_code(enum status status)
{
    return rows[status].exit_code;
}

const char *status_name(enum status status)
{
    return rows[status].name;
}

const char *status_meaning(enum status status)
{
    return rows[status].meaning;
}

enum status error_memory(struct error *err, const char *doing, ...)
{
    char what[sizeof err->text];
    va_list args;
    va_start(args, doing);
    vsnprintf(what, sizeof what, doing, args);
    va_end(args);
    return error_set(err, STATUS_MEMORY, "out of memory while %s", what);
}

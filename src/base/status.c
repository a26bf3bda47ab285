/* A sentence is formatted into a buffer of its own first, because callers like to quote the
 * sentence they were given: error_set(err, status, "...: %s", err->text).
 */
#include "base/status.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const int exit_codes[] = {
#define STATUS_EXIT(name, exit_code, meaning) [STATUS_##name] = exit_code,
    STATUS_TABLE(STATUS_EXIT)
#undef STATUS_EXIT
};

static const char *const meanings[] = {
#define STATUS_MEANING(name, exit_code, meaning) [STATUS_##name] = meaning,
    STATUS_TABLE(STATUS_MEANING)
#undef STATUS_MEANING
};

static const char *const names[] = {
    [STATUS_OK] = "ok",
    [STATUS_FAILED] = "failed",
    [STATUS_USAGE] = "usage",
    [STATUS_DATA] = "data",
    [STATUS_WRITE] = "write",
    [STATUS_MEMORY] = "memory",
    [STATUS_INTERRUPTED] = "interrupted",
};

_Static_assert(sizeof names / sizeof names[0] == STATUS_COUNT, "a status has no name");

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
    return exit_codes[status];
}

const char *status_name(enum status status)
{
    return names[status];
}

const char *status_meaning(enum status status)
{
    return meanings[status];
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

/* A sentence is formatted into a buffer of its own first, because callers like to quote the
 * sentence they were given: error_set(err, status, "...: %s", err->text).
 */
#include "base/status.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_WORD 63

static const int exit_codes[] = {
#define STATUS_EXIT(name, exit_code, meaning) [STATUS_##name] = exit_code,
    STATUS_TABLE(STATUS_EXIT)
#undef STATUS_EXIT
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

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Levenshtein's distance, upper and lower case being the same letter. row[j] is the distance
 * between the letters of a seen so far and the first j of b. */
static size_t edit_distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
    size_t row[LONGEST_WORD + 1];
    for (size_t j = 0; j <= n_b; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= n_a; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n_b; j++) {
            int same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            size_t distance = smallest(row[j] + 1, row[j - 1] + 1, diagonal + (same ? 0 : 1));
            diagonal = row[j];
            row[j] = distance;
        }
    }
    return row[n_b];
}

const char *text_nearest(const char *word, const char *const *candidates, size_t n_candidate)
{
    size_t n_word = strlen(word);
    size_t limit = n_word / 3 > 2 ? n_word / 3 : 2;
    const char *nearest = NULL;
    size_t nearest_distance = limit + 1;
    for (size_t i = 0; i < n_candidate; i++) {
        size_t n = strlen(candidates[i]);
        if (n > LONGEST_WORD || n_word > LONGEST_WORD) {
            continue;
        }
        size_t distance = edit_distance(word, n_word, candidates[i], n);
        size_t longer = n > n_word ? n : n_word;
        /* A distance as long as the longer word: not one letter in common. */
        if (distance < nearest_distance && (distance < longer || longer == 0)) {
            nearest = candidates[i];
            nearest_distance = distance;
        }
    }
    return nearest;
}

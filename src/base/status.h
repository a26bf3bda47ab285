/* status: how every function that can fail says so.
 *
 * Such a function returns an enum status and fills one sentence for a human: what, where, expected,
 * found, what to do. The first failure is kept while the callers unwind; only src/cli prints it.
 */
#ifndef QKVLAB_BASE_STATUS_H
#define QKVLAB_BASE_STATUS_H

#include <stddef.h>

/*        name and its text, exit, meaning; main exits with 128 + n */
#define STATUS_TABLE(X)                                                                            \
    X(OK, "ok", 0, "fine")                                                                         \
    X(FAILED, "failed", 1, "a check failed, or a run failed or diverged")                          \
    X(MEMORY, "memory", 1, "out of memory")                                                        \
    X(USAGE, "usage", 2, "wrong usage or configuration")                                           \
    X(DATA, "data", 3, "bad or missing data")                                                      \
    X(WRITE, "write", 4, "cannot write")                                                           \
    X(INTERRUPTED, "interrupted", 130, "stopped by signal n")

enum status {
#define STATUS_ENUM(name, ...) STATUS_##name,
    STATUS_TABLE(STATUS_ENUM)
#undef STATUS_ENUM
        STATUS_COUNT
};

struct error {
    enum status status;
    char text[1024]; /* one sentence, no newline at the end */
};

/* error_set formats the sentence into err (which may be NULL) and returns status, so that a caller
 * can write `return error_set(err, STATUS_DATA, ...)`. */
enum status error_set(struct error *err, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* error_prefix puts "where: " (printf style) in front of the sentence already in err. */
void error_prefix(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* status_exit_code returns the exit status of the process for a status (see the table). */
int status_exit_code(enum status status);

/* status_name returns "ok", "failed", "usage", ... */
const char *status_name(enum status status);

/* status_meaning returns what the exit status of a status tells: "bad or missing data". */
const char *status_meaning(enum status status);

/* error_memory says what there was no memory for, "reading %s" (printf style), and returns
 * STATUS_MEMORY. */
enum status error_memory(struct error *err, const char *doing, ...)
    __attribute__((format(printf, 2, 3)));

/* TRY leaves the function with the status of a call that failed. Where something has to be freed
 * first, the steps that can fail are a function of their own, or their own owner frees. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        enum status try_status_ = (call);                                                          \
        if (try_status_ != STATUS_OK) {                                                            \
            return try_status_;                                                                    \
        }                                                                                          \
    } while (0)

/* TRY_AT(err, call, "run %zu", i) is TRY that says where: it puts that in front of the sentence. */
#define TRY_AT(err, call, ...)                                                                     \
    do {                                                                                           \
        enum status try_status_ = (call);                                                          \
        if (try_status_ != STATUS_OK) {                                                            \
            error_prefix(err, __VA_ARGS__);                                                        \
            return try_status_;                                                                    \
        }                                                                                          \
    } while (0)

/* TRY_CALLOC(err, list, n, "reading %s", path) makes list one of n elements, zeroed and never NULL,
 * or leaves the function as error_memory does. The caller includes stdlib.h, and frees. */
#define TRY_CALLOC(err, list, n, ...)                                                              \
    do {                                                                                           \
        (list) = calloc((size_t)(n) + 1, sizeof *(list));                                          \
        if (!(list)) {                                                                             \
            return error_memory(err, __VA_ARGS__);                                                 \
        }                                                                                          \
    } while (0)

#endif

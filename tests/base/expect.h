/* expect: checks of outcomes that say what they found. */
#ifndef QKVLAB_TESTS_BASE_EXPECT_H
#define QKVLAB_TESTS_BASE_EXPECT_H

#include <check.h>
#include <string.h>

#include "base/status.h"

/* expect_ok prints the sentence of a failure that should not be. */
static inline void expect_ok(enum status found, const struct error *err)
{
    ck_assert_msg(found == STATUS_OK, "status is '%s', expected 'ok': %s", status_name(found),
                  err->text);
}

/* expect_error wants a status whose sentence contains a phrase. */
static inline void expect_error(enum status found, enum status expected, const struct error *err,
                                const char *phrase)
{
    ck_assert_msg(found == expected, "status is '%s', expected '%s' with '%s'", status_name(found),
                  status_name(expected), phrase);
    ck_assert_msg(err->status == expected, "error holds '%s', expected '%s'",
                  status_name(err->status), status_name(expected));
    ck_assert_msg(strstr(err->text, phrase) != NULL, "sentence '%s' does not contain '%s'",
                  err->text, phrase);
}

static inline void expect_text(const char *found, const char *expected)
{
    ck_assert_msg(found && strcmp(found, expected) == 0, "found '%s', expected '%s'",
                  found ? found : "(null)", expected);
}

static inline void expect_size(size_t found, size_t expected, const char *what)
{
    ck_assert_msg(found == expected, "%s is %zu, expected %zu", what, found, expected);
}

#endif

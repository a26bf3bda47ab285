/* testing: a test is TEST(name) { ... } and is run because it is written; testing.c has the main of
 * every test program. Tests run in the order of the file, in one process. */
#ifndef QKVLAB_TESTS_TESTING_H
#define QKVLAB_TESTS_TESTING_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/* TEST(name) { body }: a test of the program that this file becomes. */
#define TEST(name)                                                                                 \
    static const TTest *name;                                                                      \
    __attribute__((constructor)) static void add_##name(void)                                      \
    {                                                                                              \
        testing_add(name);                                                                         \
    }                                                                                              \
    START_TEST(name)

/* FIXTURE(set_up, tear_down): called before and after each test below it, up to the next one; NULL
 * for neither. */
#define FIXTURE(set_up, tear_down) FIXTURE_AT(set_up, tear_down, __LINE__)
#define FIXTURE_AT(set_up, tear_down, line) FIXTURE_NAMED(set_up, tear_down, line)
#define FIXTURE_NAMED(set_up, tear_down, line)                                                     \
    __attribute__((constructor)) static void fixture_##line(void)                                  \
    {                                                                                              \
        testing_fixture(set_up, tear_down);                                                        \
    }

/* Of calls that fill the `err` at hand: FINE(call) came to STATUS_OK; SAID(words): the sentence has
 * these words; REFUSED(call, status, words): it came to that status with such a sentence. */
#define FINE(call) ck_assert_msg((call) == STATUS_OK, "%s", err.text)
#define SAID(words)                                                                                \
    ck_assert_msg(strstr(err.text, words) != NULL, "expected '%s' in: %s", words, err.text)
#define REFUSED(call, status, words)                                                               \
    do {                                                                                           \
        ck_assert_int_eq(call, status);                                                            \
        SAID(words);                                                                               \
    } while (0)

/* A folder of its own for a test: FIXTURE(scratch_make, scratch_remove) makes and removes it. */
#define SCRATCH_SIZE 32
extern char scratch[SCRATCH_SIZE];
void scratch_make(void);
void scratch_remove(void);

/* scratch_path writes the path of a name inside the folder. */
void scratch_path(char path[PATH_SIZE], const char *name);

/* scratch_read returns the text of a file, by its path or by its name inside the folder; the caller
 * frees it with free. */
char *scratch_read(const char *name);

/* scratch_write writes a file by its path, without the code under test. */
void scratch_write(const char *path, const void *data, size_t size);

void testing_add(const TTest *test);
void testing_fixture(SFun set_up, SFun tear_down);

#endif

/* scratch: a folder of its own for a test, and files in it. */
#ifndef QKVLAB_TESTS_SCRATCH_H
#define QKVLAB_TESTS_SCRATCH_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/folder.h"

static char scratch[64]; /* the folder, from scratch_make to scratch_remove */

static inline void scratch_make(void)
{
    strcpy(scratch, "/tmp/qkvlab-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(scratch));
}

static inline void scratch_remove(void)
{
    ck_assert_int_eq(folder_remove(scratch, NULL), STATUS_OK);
}

/* scratch_read returns the text of a file; caller frees with free. Inlined, GCC 12 takes what it
 * returns for a pointer to its own variable. */
static __attribute__((unused, noinline)) char *scratch_read(const char *path)
{
    char *text;
    size_t size;
    struct error problem;
    ck_assert_msg(file_read(path, 1 << 24, &text, &size, &problem) == STATUS_OK, "%s",
                  problem.text);
    return text;
}

#endif

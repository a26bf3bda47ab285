/* scratch: a temporary folder for tests that write files; a checked fixture makes and removes it.
 */
#ifndef QKVLAB_TESTS_BASE_SCRATCH_H
#define QKVLAB_TESTS_BASE_SCRATCH_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/folder.h"
#include "base/path.h"

static char scratch_folder[] = "/tmp/qkvlab-test-XXXXXX";

static inline void scratch_setup(void)
{
    snprintf(scratch_folder, sizeof scratch_folder, "/tmp/qkvlab-test-XXXXXX");
    ck_assert_msg(mkdtemp(scratch_folder) != NULL, "cannot create %s", scratch_folder);
}

static inline void scratch_teardown(void)
{
    struct error err;
    ck_assert_msg(folder_remove(scratch_folder, &err) == STATUS_OK, "%s", err.text);
}

/* scratch_path writes the path of a name inside the folder. */
static inline void scratch_path(char path[PATH_SIZE], const char *name)
{
    struct error err;
    ck_assert_msg(path_format(path, &err, "%s/%s", scratch_folder, name) == STATUS_OK, "%s",
                  err.text);
}

/* scratch_write writes a file without the code under test. */
static inline void scratch_write(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    size_t n = size > 0 ? fwrite(data, 1, size, file) : 0;
    ck_assert_msg(fclose(file) == 0 && n == size, "wrote %zu of %zu bytes to %s", n, size, path);
}

#endif

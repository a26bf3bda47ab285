#include "testing.h"

#include "base/file.h"
#include "base/folder.h"

/* Constructors run one after the other before main, so the suite grows in the order of the file. */
static Suite *suite;
static TCase *tests;

void testing_fixture(SFun set_up, SFun tear_down)
{
    if (!suite) {
        suite = suite_create("tests");
    }
    tests = tcase_create("tests");
    if (set_up || tear_down) {
        tcase_add_checked_fixture(tests, set_up, tear_down);
    }
    suite_add_tcase(suite, tests);
}

void testing_add(const TTest *test)
{
    if (!tests) {
        testing_fixture(NULL, NULL);
    }
    tcase_add_test(tests, test);
}

char scratch[SCRATCH_SIZE];

void scratch_make(void)
{
    snprintf(scratch, sizeof scratch, "/tmp/qkvlab-test-XXXXXX");
    ck_assert_msg(mkdtemp(scratch) != NULL, "cannot create %s", scratch);
}

void scratch_remove(void)
{
    struct error err;
    ck_assert_msg(folder_remove(scratch, &err) == STATUS_OK, "%s", err.text);
}

void scratch_path(char path[PATH_SIZE], const char *name)
{
    struct error err;
    ck_assert_msg(path_format(path, &err, "%s/%s", scratch, name) == STATUS_OK, "%s", err.text);
}

char *scratch_read(const char *name)
{
    char path[PATH_SIZE], *text;
    size_t size;
    struct error err;
    ck_assert_int_eq(path_format(path, &err, "%s%s%s", name[0] == '/' ? "" : scratch,
                                 name[0] == '/' ? "" : "/", name),
                     STATUS_OK);
    ck_assert_msg(file_read(path, (size_t)64 << 20, &text, &size, &err) == STATUS_OK, "%s",
                  err.text);
    return text;
}

void scratch_write(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    size_t n = size > 0 ? fwrite(data, 1, size, file) : 0;
    ck_assert_msg(fclose(file) == 0 && n == size, "wrote %zu of %zu bytes to %s", n, size, path);
}

int main(void)
{
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_NORMAL);
    int n_failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

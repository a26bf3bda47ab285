#include "testing.h"

/* Constructors run one after the other before main, so the suite grows in the order of the file. */
static Suite *suite;
static TCase *tests;

void testing_fixture(SFun set_up, SFun tear_down)
{
    if (!suite) {
        suite = suite_create("tests");
    }
    tests = tcase_create("tests");
    if (set_up) {
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

int main(void)
{
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_NORMAL);
    int n_failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

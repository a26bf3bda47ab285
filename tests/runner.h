/* runner: what every test executable's main does. */
#ifndef QKVLAB_TESTS_RUNNER_H
#define QKVLAB_TESTS_RUNNER_H

#include <check.h>
#include <stdlib.h>

/* run_suite runs a suite and returns the exit status of the executable. */
static inline int run_suite(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int n_failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif

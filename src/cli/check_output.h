/* check_output: what `check` says: text with the finding first, JSON, JUnit XML. */
#ifndef QKVLAB_CLI_CHECK_OUTPUT_H
#define QKVLAB_CLI_CHECK_OUTPUT_H

#include "report/check/compare.h"

struct check_result {
    const char *file; /* the baseline's */
    const struct baseline *baseline, *fresh;
    const struct comparison *comparison;
    const char *reason; /* of the tier */
    double seconds;
};

void check_print_text(const struct check_result *result);
enum status check_print_json(const struct check_result *result, struct error *err);

/* check_write_junit writes a test suite with a test case a configuration, as Jenkins, GitLab and
 * others read it. Errors: STATUS_WRITE, STATUS_MEMORY. */
enum status check_write_junit(const struct check_result *result, const char *path,
                              struct error *err);

#endif

/* check_output: what `check` says: text with the finding first, JSON, JUnit XML. */
#ifndef QKVLAB_CLI_CHECK_OUTPUT_H
#define QKVLAB_CLI_CHECK_OUTPUT_H

#include "base/table.h"
#include "check/tier.h"

struct check_result {
    const char *file; /* the baseline's */
    const struct traces *old, *new;
    const struct verdict *verdict;
    const char *reason; /* of the tier */
    double seconds;
};

/* check_print prints text or JSON. Errors: STATUS_MEMORY. */
enum status check_print(const struct check_result *result, enum format format, struct error *err);

/* check_write_junit writes a test suite with a test case a configuration, as Jenkins, GitLab and
 * others read it. Errors: STATUS_WRITE, STATUS_MEMORY. */
enum status check_write_junit(const struct check_result *result, const char *path,
                              struct error *err);

#endif

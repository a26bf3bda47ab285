#include <stdio.h>

#include "base/threads.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "nn/selftest.h"

enum status cmd_selftest(const struct arguments *arguments, struct error *err)
{
    static const struct column columns[] = {
        {"name", "check"},        {"measured", "measured", -3},
        {"bound", "allowed", -3}, {"passed", NULL},
        {NULL, "result"},         {"what", "what"},
        {"detail", NULL},
    };
    struct table *table = table_create(columns, sizeof columns / sizeof columns[0]);
    struct selftest_result result;
    size_t n_failed = 0, n_check = 0;
    bool training_failed = false;
    threads_flush_denormals();
    for (; selftest_run(n_check, &result); n_check++) {
        table_text(table, result.name);
        table_number(table, result.measured);
        table_number(table, result.bound);
        table_bool(table, result.passed);
        table_text(table, result.passed ? "passed" : "FAILED");
        table_text(table, result.what);
        table_text(table, result.detail);
        if (!result.passed) {
            n_failed++;
            training_failed = training_failed || !result.is_of_bench;
            terminal_say("%s failed: %s", result.name, result.detail);
        }
    }
    TRY(table_finish(table, arguments->format, err));
    if (n_failed == 0) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_FAILED,
                     training_failed
                         ? "%zu of %zu checks failed: results of this machine cannot be trusted"
                         : "%zu of %zu checks failed: bench cannot trust OpenBLAS, which nothing "
                           "else uses",
                     n_failed, n_check);
}

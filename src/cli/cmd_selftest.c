#include <stdio.h>

#include "base/threads.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/table.h"
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
            terminal_say("%s failed: %s", result.name, result.detail);
        }
    }
    TRY(table_finish(table, arguments->format, err));
    return n_failed == 0
               ? STATUS_OK
               : error_set(err, STATUS_FAILED,
                           "%zu of %zu checks failed: results of this machine cannot be trusted",
                           n_failed, n_check);
}

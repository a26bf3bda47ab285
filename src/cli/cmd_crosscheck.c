#include <math.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/startup.h"
#include "cli/terminal.h"
#include "nn/crosscheck.h"

static size_t count_failed(const struct crosscheck_report *report)
{
    size_t n = 0;
    for (size_t i = 0; i < report->n_row; i++) {
        n += !crosscheck_row_passed(&report->row[i]);
    }
    return n;
}

static void say_failed(const char *path, const struct crosscheck_report *report)
{
    for (size_t i = 0; i < report->n_row; i++) {
        const struct crosscheck_row *row = &report->row[i];
        if (!crosscheck_row_passed(row)) {
            terminal_say("%s: %s: error %.3g is above %.3g; element %zu is %.9g, expected "
                         "%.9g\n",
                         path, row->tensor, row->error, row->tolerance, row->worst, row->found,
                         row->expected);
        }
    }
}

static void add_report(struct table *table, const char *path,
                       const struct crosscheck_report *report)
{
    const struct crosscheck_row *worst = crosscheck_worst(report);
    table_text(table, report->name);
    table_text(table, path);
    table_text(table, report->variant);
    table_integer(table, (long long)report->n_row);
    table_integer(table, (long long)count_failed(report));
    table_bool(table, crosscheck_passed(report));
    table_text(table, crosscheck_passed(report) ? "passed" : "FAILED");
    table_number(table, worst ? worst->error : NAN);
    table_number(table, worst ? worst->tolerance : NAN);
    table_text(table, worst ? worst->tensor : NULL);
}

/* Compares one file. A file that cannot be compared is said at once, and the others go on. */
static enum status check_file(const struct arguments *arguments, const char *path,
                              struct table *table)
{
    struct crosscheck_options options = {.threads = arguments->threads};
    struct crosscheck_report report;
    struct error err = {0};
    enum status status = crosscheck_run(path, &options, &report, &err);
    if (status != STATUS_OK) {
        terminal_say("%s", err.text);
        return status;
    }
    add_report(table, path, &report);
    say_failed(path, &report);
    if (!crosscheck_passed(&report)) {
        status = STATUS_FAILED;
    }
    crosscheck_report_free(&report);
    return status;
}

enum status cmd_crosscheck(const struct arguments *arguments, struct error *err)
{
    static const struct column columns[] = {
        {"name", "bundle"},         {"file", NULL},
        {"variant", NULL},          {"n_tensor", "tensors"},
        {"n_failed", NULL},         {"passed", NULL},
        {NULL, "result"},           {"error", "error", -2},
        {"allowed", "allowed", -2}, {"worst_tensor", "worst at"},
    };
    TRY(startup_compute(err));
    enum status worst = STATUS_OK;
    struct table *table = table_create(columns, sizeof columns / sizeof columns[0]);
    size_t n_compared = 0;
    for (size_t i = 0; i < arguments->n_operand; i++) {
        enum status status = check_file(arguments, arguments->operand[i], table);
        n_compared += status == STATUS_OK || status == STATUS_FAILED;
        if (status_exit_code(status) > status_exit_code(worst)) {
            worst = status;
        }
    }
    enum status printed = n_compared > 0 ? table_print(table, arguments->format, err) : STATUS_OK;
    table_free(table);
    return printed == STATUS_OK ? worst : printed;
}

#include <stdio.h>

#include "cli/command.h"
#include "cli/options.h"
#include "report/report.h"

enum status cmd_report(const struct arguments *arguments, struct error *err)
{
    struct report_summary summary;
    enum status status = report_write_against(arguments_folder(arguments), arguments->baseline,
                                              arguments->n_baseline, &summary, err);
    if (status != STATUS_OK) {
        return status;
    }
    if (!arguments->quiet) {
        fprintf(stderr, "%zu run%s in the tables", summary.n_run, summary.n_run == 1 ? "" : "s");
        if (summary.n_left_out > 0) {
            fprintf(stderr, ", %zu left out (the report says why)", summary.n_left_out);
        }
        fputc('\n', stderr);
    }
    printf("%s\n", summary.markdown);
    return STATUS_OK;
}

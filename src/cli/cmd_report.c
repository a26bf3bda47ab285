#include <stdio.h>

#include "cli/command.h"
#include "cli/options.h"
#include "report/report.h"

/* What the report says first, in one line. */
static void say_summary(const struct report_summary *summary)
{
    fprintf(stderr, "%zu run%s in the tables", summary->n_run, plural(summary->n_run));
    if (summary->n_left_out > 0) {
        fprintf(stderr, ", %zu left out (the report says why)", summary->n_left_out);
    }
    if (summary->n_missing > 0) {
        fprintf(stderr, "; %zu of %zu planned runs missing", summary->n_missing,
                summary->n_planned);
    }
    if (summary->n_repeat > 0) {
        fprintf(stderr, "; %zu repeat%s others bit for bit, counted once", summary->n_repeat,
                summary->n_repeat == 1 ? "s" : "");
    }
    if (summary->n_without_maps > 0) {
        fprintf(stderr, "; %zu lost attention maps", summary->n_without_maps);
    }
    if (summary->n_without_curve > 0) {
        fprintf(stderr, "; %zu without a curve", summary->n_without_curve);
    }
    fputc('\n', stderr);
}

enum status cmd_report(const struct arguments *arguments, struct error *err)
{
    struct report_summary summary;
    TRY(report_write_against(arguments_folder(arguments), arguments->baseline,
                             arguments->n_baseline, &summary, err));
    if (!arguments->quiet) {
        say_summary(&summary);
    }
    printf("%s\n", summary.markdown);
    return STATUS_OK;
}

/* report: what a folder of finished runs says, as Markdown, CSV, JSON and figures.
 *
 * A pure function of run folders, and of the plans beside them that tell which runs are missing: it
 * never trains, and two reports of the same folder are the same bytes.
 */
#ifndef QKVLAB_REPORT_REPORT_H
#define QKVLAB_REPORT_REPORT_H

#include "base/status.h"

struct report_summary {
    size_t n_run;      /* runs in the tables */
    size_t n_left_out; /* failed, unreadable or of another version: listed, never averaged */
    size_t n_repeat;   /* of the runs in the tables and others: copies, counted once */
    size_t n_planned, n_missing;            /* see frame.h */
    size_t n_without_maps, n_without_curve; /* lost or damaged */
    char markdown[4096];                    /* path of report.md */
};

/* report_write reads <out>/runs and writes <out>/report/: report.md, runs.csv (a row a run),
 * cells.csv (a row a cell), heads.csv (a row an attention head), comparisons.csv (a row a
 * comparison with the baseline), overview.csv (averages over configurations), report.json,
 * report.html, tables for LaTeX, figures; all of it at once, see report_folder.h. Errors:
 * STATUS_DATA when there is no finished run, STATUS_WRITE. */
enum status report_write(const char *out, struct report_summary *summary, struct error *err);

/* report_write_against is report_write that compares variants with others than QKV: ids, see
 * pairs.h. Errors: also STATUS_USAGE for an unknown id. */
enum status report_write_against(const char *out, const char *const *reference, size_t n_reference,
                                 struct report_summary *summary, struct error *err);

#endif

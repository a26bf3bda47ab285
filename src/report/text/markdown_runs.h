/* markdown_runs: the part of report.md that says what was run. Private to markdown*.c. */
#ifndef QKVLAB_REPORT_MARKDOWN_RUNS_H
#define QKVLAB_REPORT_MARKDOWN_RUNS_H

#include "base/text.h"
#include "report/statistics/overview.h"

/* markdown_append_setting_runs tells of one setting; has_images: a sentence points to the runs on
 * images. markdown_append_grid_runs tells of all settings together, and lists them. */
void markdown_append_setting_runs(struct text *text, const struct setting *setting,
                                  bool has_images);
void markdown_append_grid_runs(struct text *text, const struct run_set *set,
                               const struct overview *tasks);

#endif

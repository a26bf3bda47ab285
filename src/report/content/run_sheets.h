/* run_sheets: the attention maps of one run as sheets: after training, and on the way.
 *
 * Caller frees with sheet_free; *sheet is NULL on failure. Errors: STATUS_DATA where a file is
 * missing or not what a run writes, STATUS_MEMORY.
 */
#ifndef QKVLAB_REPORT_RUN_SHEETS_H
#define QKVLAB_REPORT_RUN_SHEETS_H

#include "report/document/sheet.h"
#include "report/frame/run.h"

/* run_sheet makes the sheet "overview": the latest snapshot's maps, layers down, heads (the first
 * OVERVIEW_MAX_HEAD) and their mean across, one colour scale from 0 to 1. *sheet is NULL where
 * there is no snapshot. */
#define OVERVIEW_MAX_HEAD 16
enum status run_sheet(const struct run *run, struct sheet **sheet, struct error *err);

/* training_sheet makes the sheet "training": layers down (the last TRAINING_MAX_LAYER), snapshots
 * across, the mean over heads, in multiples of uniform attention. *sheet is NULL where there are
 * fewer than two snapshots. */
#define TRAINING_MAX_LAYER 4
enum status training_sheet(const struct run *run, struct sheet **sheet, struct error *err);

/* sheet_name_axes says what the numbers of attention maps are. */
void sheet_name_axes(struct sheet *sheet, const char *unit, const char *place);

#endif

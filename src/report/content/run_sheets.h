/* run_sheets: the attention maps of one run as sheets: after training, and on the way. */
#ifndef QKVLAB_REPORT_RUN_SHEETS_H
#define QKVLAB_REPORT_RUN_SHEETS_H

#include "base/path.h"
#include "report/document/sheet.h"
#include "report/frame/run.h"

/* run_sheet makes the sheet "overview" of a run folder: the latest snapshot's maps, layers down,
 * heads and their mean across, one colour scale from 0 to 1. Caller frees with sheet_free. Errors:
 * STATUS_DATA where the run kept no maps. */
enum status run_sheet(const char *run_folder, struct sheet **sheet, struct error *err);

/* training_sheet makes the sheet "training": layers down, snapshots across, the mean over heads, in
 * multiples of uniform attention. *sheet is NULL where there are fewer than two snapshots. Errors:
 * STATUS_DATA, STATUS_MEMORY. */
#define TRAINING_MAX_LAYER 4 /* of a deeper model the last ones are shown */
enum status training_sheet(const struct run *run, struct sheet **sheet, struct error *err);

#endif

/* confusion_sheet: which class a run's model took for which. */
#ifndef QKVLAB_REPORT_CONFUSION_SHEET_H
#define QKVLAB_REPORT_CONFUSION_SHEET_H

#include "report/document/sheet.h"
#include "report/frame/run.h"

/* confusion_read reads the run's confusion.csv: counts [n,n], true class down, predicted across.
 * Caller frees. NULL where there is none or it is not what a run writes. */
float *confusion_read(const struct run *run, size_t *n_class);

/* confusion_sheet makes the sheet "confusion-<run id>": each row as shares of its true class, with
 * the counts. *sheet is NULL where the run has no confusions. Caller frees with sheet_free. Errors:
 * STATUS_MEMORY. */
enum status confusion_sheet(const struct run *run, struct sheet **sheet, struct error *err);

#endif

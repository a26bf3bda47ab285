/* draw_sheet: any sheet as PNG, at twice its size for sharp text. */
#ifndef QKVLAB_REPORT_DRAW_SHEET_H
#define QKVLAB_REPORT_DRAW_SHEET_H

#include "base/status.h"
#include "report/document/sheet.h"

/* draw_sheet_write writes <folder>/<sheet->name>.png. Of a grid with dimensions the plane is drawn
 * that the page shows at first. The same bytes for the same sheet on one machine. Errors:
 * STATUS_WRITE, STATUS_MEMORY. */
enum status draw_sheet_write(const struct sheet *sheet, const char *folder, struct error *err);

#endif

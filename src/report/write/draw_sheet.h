/* draw_sheet: any sheet as PNG, at twice its size for sharp text. */
#ifndef QKVLAB_REPORT_DRAW_SHEET_H
#define QKVLAB_REPORT_DRAW_SHEET_H

#include "base/status.h"
#include "report/document/sheet.h"

/* draw_sheet_write writes <folder>/<sheet->name>.png. The same bytes for the same sheet on one
 * machine. Errors: STATUS_WRITE, STATUS_MEMORY (also for a sheet that is NULL or failed). */
enum status draw_sheet_write(const struct sheet *sheet, const char *folder, struct error *err);

/* draw_map_write writes a map [n,n] as a plain PNG without text: 0 is dark blue, 1 yellow, NaN
 * grey, a number a square of whole pixels. */
#define DRAW_MAP_WIDTH 256 /* pixels aimed at */
enum status draw_map_write(const char *path, const float *map, size_t n, struct error *err);

/* draw_map_square returns the pixels a side of one number's square in a map of n columns. */
size_t draw_map_square(size_t n);

#endif

/* draw_plot: any plot as PNG (at twice its size, for sharp text) and SVG. */
#ifndef QKVLAB_REPORT_DRAW_PLOT_H
#define QKVLAB_REPORT_DRAW_PLOT_H

#include "base/status.h"
#include "report/document/plot.h"

/* draw_plot_write writes <folder>/<plot->name>.png and .svg; nothing where there is no panel. The
 * same bytes for the same plot on one machine. Errors: STATUS_WRITE, STATUS_MEMORY. */
enum status draw_plot_write(const struct plot *plot, const char *folder, struct error *err);

#endif

/* draw_plot: any plot as PNG (at twice its size, for sharp text) and SVG.
 *
 * Panels stand in rows of plot->n_column. Axes of one scale have labels once a row or a column. The
 * legend is to the right, that of strips below. Whatever cannot be drawn (not a number, infinite,
 * not positive on a logarithmic axis) is a gap; what leaves an axis is clipped.
 */
#ifndef QKVLAB_REPORT_DRAW_PLOT_H
#define QKVLAB_REPORT_DRAW_PLOT_H

#include "base/status.h"
#include "report/document/plot.h"
#include "report/write/chart.h"

/* draw_plot_write writes <folder>/<plot->name>.png and .svg, draw_plot_png one file; nothing where
 * there is no panel. The same bytes for the same plot on one machine. Errors: STATUS_WRITE,
 * STATUS_MEMORY, also for a plot that is NULL or failed. */
enum status draw_plot_write(const struct plot *plot, const char *folder, struct error *err);
enum status draw_plot_png(const struct plot *plot, const char *path, struct error *err);

struct draw_style {
    double scale;                       /* of text, lines and marks; 1 in a report */
    const char *font;                   /* a family */
    struct rgb (*colour)(size_t style); /* of a series */
};

/* draw_plot_in draws a plot without its title into a box of a canvas; panels take what the legend
 * leaves. Nothing for a plot that is NULL, failed or without a panel. */
void draw_plot_in(cairo_t *cr, const struct plot *plot, const struct draw_style *style, double x,
                  double y, double width, double height);

#endif

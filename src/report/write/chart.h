/* chart: labelled figures on cairo. A figure is a function that draws on a canvas of a stated size;
 * the same function makes the PNG (at twice the size, for sharp text) and the SVG.
 */
#ifndef QKVLAB_REPORT_CHART_H
#define QKVLAB_REPORT_CHART_H

#include <cairo.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "report/write/colormap.h"

typedef void chart_draw(cairo_t *cr, const void *figure);

/* chart_write_png and chart_write_svg draw figure on a white canvas of width x height points. A PNG
 * too large for cairo has fewer pixels a point. Deterministic bytes on one machine. Errors:
 * STATUS_WRITE, STATUS_MEMORY. */
enum status chart_write_png(const char *path, double width, double height, chart_draw *draw,
                            const void *figure, struct error *err);
enum status chart_write_svg(const char *path, double width, double height, chart_draw *draw,
                            const void *figure, struct error *err);

enum chart_align { CHART_LEFT, CHART_CENTRE, CHART_RIGHT };

/* Text sizes, in points. */
#define CHART_TITLE 15.0
#define CHART_LABEL 12.0
#define CHART_SMALL 10.0

#define CHART_INK ((struct rgb){0x22, 0x22, 0x22})
#define CHART_MUTED ((struct rgb){0x66, 0x66, 0x66})
#define CHART_GRID ((struct rgb){0xdd, 0xdd, 0xdd})

void chart_colour(cairo_t *cr, struct rgb colour, double alpha);

/* chart_text writes one line whose vertical middle is at y, in the canvas' font family (until
 * another is selected, that of chart_width); chart_text_up turns it a quarter to the
 * left around (x, y). chart_width returns the width of a bold text; it needs no canvas, so that a
 * figure can make room before it has one. */
void chart_text(cairo_t *cr, double x, double y, double size, enum chart_align align,
                const char *text);
void chart_text_bold(cairo_t *cr, double x, double y, double size, enum chart_align align,
                     const char *text);
void chart_text_up(cairo_t *cr, double x, double y, double size, const char *text);

double chart_width(double size, const char *text);

/* chart_pixels fills a rectangle of the canvas with n_row x n_column rectangles of one colour each,
 * with hard edges; pixel returns a colour. chart_image fills a square with n x n squares of
 * viridis.
 */
typedef struct rgb chart_pixel(const void *data, size_t row, size_t column);
void chart_pixels(cairo_t *cr, double x, double y, double width, double height, size_t n_row,
                  size_t n_column, chart_pixel *pixel, const void *data);
void chart_image(cairo_t *cr, double x, double y, double side, const float *map, size_t n);

/* chart_scale_bar draws the scale of chart_image from 0 to top, with a label; clipped: some values
 * are larger. It takes CHART_BAR_ROOM points to the right of x. */
#define CHART_BAR_ROOM 76.0
void chart_scale_bar(cairo_t *cr, double x, double y, double height, double top, bool clipped,
                     const char *label);

void chart_line(cairo_t *cr, double x0, double y0, double x1, double y1);
void chart_frame(cairo_t *cr, double x, double y, double width, double height);

/* chart_line_style sets colour and dashes of the i-th line of a figure; no two of the first 49 look
 * the same, and the dashes alone tell seven apart. */
void chart_line_style(cairo_t *cr, size_t i, double width);

/* A straight scale from values to canvas coordinates. */
struct chart_scale {
    double low, high; /* values at the ends */
    double from, to;  /* canvas coordinates of the ends */
};
double chart_at(const struct chart_scale *scale, double value);

/* chart_step returns 1, 2 or 5 times a power of ten, so that a range has at most n_tick steps. */
double chart_step(double range, size_t n_tick);

#endif

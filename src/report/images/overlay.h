/* overlay: images with attention laid over them, enlarged with hard pixels.
 *
 * Attention is drawn in multiples of the uniform share, on one linear scale for everything that
 * is compared, so that 1 is what a token gets that nobody prefers, whatever the number of tokens.
 */
#ifndef QKVLAB_REPORT_OVERLAY_H
#define QKVLAB_REPORT_OVERLAY_H

#include <cairo.h>
#include <stdbool.h>
#include <stddef.h>

#include "report/images/samples.h"

struct overlay_scale {
    double top;   /* the multiple of the uniform share that is yellow; 0 is dark blue */
    bool clipped; /* some values are larger */
};

/* overlay_scale_of returns a scale up to a round number, at least 2, below which 99 of 100 values
 * lie. NULL or n 0: up to 2. Sorts value. */
struct overlay_scale overlay_scale_of(double *value, size_t n);

/* overlay_scale_maps finds the scale of n values of maps, and brings them to 0..1 for chart_image.
 * STATUS_MEMORY. */
enum status overlay_scale_maps(float *map, size_t n, struct overlay_scale *scale,
                               struct error *err);

/* overlay_side returns the points a side near aim at which an image's pixels are whole pixels of a
 * PNG; of the longer side. */
double overlay_side(const struct samples *samples, double aim);

/* overlay_image draws a sample's image; overlay_map draws it grey below the colours of its patches,
 * value [n_row n_column] in multiples of the uniform share. */
void overlay_image(cairo_t *cr, double x, double y, double side, const struct samples *samples,
                   size_t sample);
void overlay_map(cairo_t *cr, double x, double y, double side, const struct samples *samples,
                 size_t sample, const double *value, const struct overlay_scale *scale);

/* overlay_grid draws the edges of the patches; overlay_mark frames one of them. */
void overlay_grid(cairo_t *cr, double x, double y, double side, const struct samples *samples);
void overlay_mark(cairo_t *cr, double x, double y, double side, const struct samples *samples,
                  size_t patch);

/* overlay_bar draws the scale: the colours themselves, and with over_images as they look over dark,
 * middle and light pixels. It takes OVERLAY_BAR_WIDTH points to the right of x. */
#define OVERLAY_BAR_WIDTH 96.0
void overlay_bar(cairo_t *cr, double x, double y, double height, bool over_images,
                 const struct overlay_scale *scale);

/* The sentence that explains the bar, for a subtitle. */
#define OVERLAY_NOTE "The bar shows a colour alone, and over dark, middle and light pixels."

#endif

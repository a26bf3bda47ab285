/* A colour covers two thirds of the grey image below it: enough to be read off the bar, which shows
 * it over dark, middle and light pixels, and not so much that the image is lost.
 */
#include "report/images/overlay.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/write/chart.h"

#define PNG_PIXELS 2 /* a point of the canvas, see chart_write_png */
#define COVER 0.66
#define QUANTILE 0.99
#define MIN_TOP 2.0

/* ---- the scale ---- */

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* The next of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten. */
static double round_up(double value)
{
    static const double nice[] = {1, 1.5, 2, 3, 4, 5, 6, 8};
    double power = pow(10, floor(log10(value)));
    for (size_t i = 0; i < sizeof(nice) / sizeof(nice[0]); i++) {
        if (value <= nice[i] * power * (1 + 1e-9)) {
            return nice[i] * power;
        }
    }
    return 10 * power;
}

struct overlay_scale overlay_scale_of(double *value, size_t n)
{
    if (!value || n == 0) {
        return (struct overlay_scale){MIN_TOP, false};
    }
    qsort(value, n, sizeof(*value), compare);
    double most = value[(size_t)(QUANTILE * (double)(n - 1))];
    double top = most > MIN_TOP ? round_up(most) : MIN_TOP;
    return (struct overlay_scale){top, value[n - 1] > top};
}

enum status overlay_scale_maps(float *map, size_t n, struct overlay_scale *scale, struct error *err)
{
    double *value = calloc(n, sizeof(*value));
    if (!value) {
        return error_memory(err, "scaling maps");
    }
    for (size_t i = 0; i < n; i++) {
        value[i] = map[i];
    }
    *scale = overlay_scale_of(value, n);
    for (size_t i = 0; i < n; i++) {
        map[i] /= (float)scale->top;
    }
    free(value);
    return STATUS_OK;
}

/* ---- pixels ---- */

double overlay_side(const struct samples *samples, double aim)
{
    size_t longer = samples->width > samples->height ? samples->width : samples->height;
    double scale = round(aim * PNG_PIXELS / (double)longer);
    return fmax(scale, 1) * (double)longer / PNG_PIXELS;
}

static double unit(double side, const struct samples *samples)
{
    return side / (double)(samples->width > samples->height ? samples->width : samples->height);
}

static struct rgb colour_of(const uint8_t *pixel, size_t n_channel)
{
    return n_channel == 3 ? (struct rgb){pixel[0], pixel[1], pixel[2]}
                          : (struct rgb){pixel[0], pixel[0], pixel[0]};
}

/* Luma of ITU-R BT.601. */
static double grey_of(struct rgb colour)
{
    return 0.299 * colour.r + 0.587 * colour.g + 0.114 * colour.b;
}

static uint8_t cover(uint8_t colour, double grey)
{
    return (uint8_t)(COVER * colour + (1 - COVER) * grey + 0.5);
}

static struct rgb lay_over(struct rgb colour, double grey)
{
    return (struct rgb){cover(colour.r, grey), cover(colour.g, grey), cover(colour.b, grey)};
}

/* draw enlarges a sample; value NULL: as it is. */
static void draw(cairo_t *cr, double x, double y, double side, const struct samples *samples,
                 size_t sample, const double *value, double top)
{
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)samples->width, (int)samples->height);
    unsigned char *bytes = cairo_image_surface_get_data(surface);
    size_t stride = (size_t)cairo_image_surface_get_stride(surface);
    for (size_t i = 0; bytes && i < samples->height * samples->width; i++) {
        size_t row = i / samples->width, column = i % samples->width;
        struct rgb colour =
            colour_of(samples_pixels(samples, sample, row, column), samples->n_channel);
        if (value) {
            size_t patch = row / samples->patch * samples->n_column + column / samples->patch;
            colour = lay_over(colormap_viridis(value[patch] / top), grey_of(colour));
        }
        uint32_t pixel = (uint32_t)colour.r << 16 | (uint32_t)colour.g << 8 | colour.b;
        memcpy(bytes + row * stride + column * sizeof(pixel), &pixel, sizeof(pixel));
    }
    cairo_surface_mark_dirty(surface);
    cairo_save(cr);
    cairo_translate(cr, x, y);
    cairo_scale(cr, unit(side, samples), unit(side, samples));
    cairo_set_source_surface(cr, surface, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
    cairo_rectangle(cr, 0, 0, (double)samples->width, (double)samples->height);
    cairo_fill(cr);
    cairo_restore(cr);
    cairo_surface_destroy(surface);
}

void overlay_image(cairo_t *cr, double x, double y, double side, const struct samples *samples,
                   size_t sample)
{
    draw(cr, x, y, side, samples, sample, NULL, 1);
}

void overlay_map(cairo_t *cr, double x, double y, double side, const struct samples *samples,
                 size_t sample, const double *value, const struct overlay_scale *scale)
{
    draw(cr, x, y, side, samples, sample, value, scale->top);
}

/* ---- patches ---- */

/* A light line upon a dark one is seen on every image. */
static void stroke_twice(cairo_t *cr, double width, struct rgb colour)
{
    cairo_set_line_width(cr, width + 1);
    chart_colour(cr, CHART_INK, 0.7);
    cairo_stroke_preserve(cr);
    cairo_set_line_width(cr, width);
    chart_colour(cr, colour, 1);
    cairo_stroke(cr);
}

void overlay_grid(cairo_t *cr, double x, double y, double side, const struct samples *samples)
{
    double pixel = unit(side, samples), step = pixel * (double)samples->patch;
    double width = pixel * (double)samples->width, height = pixel * (double)samples->height;
    struct rgb white = {255, 255, 255};
    cairo_set_line_width(cr, 0.6);
    chart_colour(cr, white, 0.55);
    for (size_t i = 1; i < samples->n_column; i++) {
        chart_line(cr, x + (double)i * step, y, x + (double)i * step, y + height);
    }
    for (size_t i = 1; i < samples->n_row; i++) {
        chart_line(cr, x, y + (double)i * step, x + width, y + (double)i * step);
    }
}

void overlay_mark(cairo_t *cr, double x, double y, double side, const struct samples *samples,
                  size_t patch)
{
    double pixel = unit(side, samples), step = pixel * (double)samples->patch;
    double left = (double)(patch % samples->n_column) * step;
    double above = (double)(patch / samples->n_column) * step;
    double width = fmin(step, pixel * (double)samples->width - left);
    double height = fmin(step, pixel * (double)samples->height - above);
    struct rgb white = {255, 255, 255};
    cairo_rectangle(cr, x + left, y + above, width, height);
    stroke_twice(cr, 1.6, white);
}

/* ---- the bar ---- */

#define N_SHADE 128
#define ALONE_WIDTH 12.0
#define STRIP_WIDTH 7.0
#define LONG_LABEL 230.0 /* points that the label takes */

/* grey below 0: the colours alone. */
static void draw_strip(cairo_t *cr, double x, double y, double width, double height, double grey)
{
    cairo_save(cr);
    cairo_set_antialias(cr, CAIRO_ANTIALIAS_NONE);
    for (size_t i = 0; i < N_SHADE; i++) {
        struct rgb colour = colormap_viridis((double)(N_SHADE - 1 - i) / (N_SHADE - 1));
        chart_colour(cr, grey < 0 ? colour : lay_over(colour, grey), 1);
        cairo_rectangle(cr, x, y + height * (double)i / N_SHADE, width, height / N_SHADE);
        cairo_fill(cr);
    }
    cairo_restore(cr);
}

/* draw_covers returns where it ends. */
static double draw_covers(cairo_t *cr, double x, double y, double height)
{
    static const double grey[] = {0, 128, 255};
    size_t n = sizeof(grey) / sizeof(grey[0]);
    for (size_t i = 0; i < n; i++) {
        draw_strip(cr, x + (double)i * STRIP_WIDTH, y, STRIP_WIDTH, height, grey[i]);
    }
    chart_frame(cr, x, y, (double)n * STRIP_WIDTH, height);
    return x + (double)n * STRIP_WIDTH;
}

static void draw_ticks(cairo_t *cr, double x, double y, double height,
                       const struct overlay_scale *scale)
{
    double step = chart_step(scale->top, 5), end = scale->top * (1 + 1e-9);
    for (size_t i = 0; (double)i * step <= end; i++) {
        char tick[32];
        double value = (double)i * step;
        bool above = scale->clipped && value + step > end;
        snprintf(tick, sizeof(tick), "%s%g", above ? "\u2265 " : "", value);
        chart_text(cr, x, y + height * (1 - value / scale->top), CHART_SMALL, CHART_LEFT, tick);
    }
}

void overlay_bar(cairo_t *cr, double x, double y, double height, bool over_images,
                 const struct overlay_scale *scale)
{
    double right = x + ALONE_WIDTH;
    draw_strip(cr, x, y, ALONE_WIDTH, height, -1);
    chart_frame(cr, x, y, ALONE_WIDTH, height);
    if (over_images) {
        right = draw_covers(cr, right + 3, y, height);
    }
    chart_colour(cr, CHART_INK, 1);
    draw_ticks(cr, right + 5, y, height, scale);
    chart_text_up(cr, right + 46, y + height / 2, CHART_LABEL,
                  height < LONG_LABEL ? "multiples of uniform" : "multiples of uniform attention");
}

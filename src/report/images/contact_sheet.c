/* Every pixel of an image becomes a square of whole pixels of the PNG, so that nothing is blurred
 * and what is seen is what a model gets.
 */
#include "report/images/contact_sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/write/chart.h"

#define PNG_PIXELS 2 /* a point of the canvas, see chart_write_png */
#define MARGIN 16.0
#define HEAD 58.0
#define GAP 4.0
#define NAME_GAP 10.0
#define COLUMN_GAP 24.0
#define MIN_WIDTH 460.0 /* of the title */

struct sheet {
    const struct image_data *data;
    size_t n_sample;
    const uint8_t **sample; /* [n_class, n_sample], NULL: none */
    size_t n_row, n_column; /* of classes */
    double side;            /* of an image */
    double name_width, column_width;
};

/* ---- layout -------------------------------------------------------------------------------- */

static double image_side(const struct image_set *set, bool few)
{
    size_t aim = few ? 80 : 64;
    size_t scale = (aim + set->width / 2) / set->width;
    return (double)((scale ? scale : 1) * set->width) / PNG_PIXELS;
}

static struct sheet lay_out(const struct image_data *data)
{
    bool few = data->n_class <= CONTACT_SHEET_FEW;
    struct sheet sheet = {.data = data, .n_sample = few ? 8 : 4};
    size_t n_column = few ? 1 : data->n_class <= 100 ? 4 : 5;
    sheet.n_row = (data->n_class + n_column - 1) / n_column;
    sheet.n_column = (data->n_class + sheet.n_row - 1) / sheet.n_row;
    sheet.side = image_side(&data->train, few);
    for (size_t i = 0; i < data->n_class; i++) {
        sheet.name_width = fmax(sheet.name_width, chart_width(CHART_LABEL, data->class_name[i]));
    }
    sheet.column_width =
        sheet.name_width + NAME_GAP + (double)sheet.n_sample * (sheet.side + GAP) - GAP;
    return sheet;
}

static void choose_samples(struct sheet *sheet, size_t *n_chosen)
{
    const struct image_set *set = &sheet->data->train;
    for (size_t i = 0; i < set->n_image; i++) {
        size_t class = set->label[i];
        if (n_chosen[class] < sheet->n_sample) {
            sheet->sample[class * sheet->n_sample + n_chosen[class]++] = set->image[i];
        }
    }
}

/* ---- drawing ------------------------------------------------------------------------------- */

static void draw_image(cairo_t *cr, double x, double y, double side, const uint8_t *image,
                       const struct image_set *set)
{
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)set->width, (int)set->height);
    unsigned char *bytes = cairo_image_surface_get_data(surface);
    size_t stride = (size_t)cairo_image_surface_get_stride(surface);
    size_t n_pixel = set->height * set->width;
    for (size_t i = 0; bytes && i < n_pixel; i++) {
        uint32_t r = image[i], g = r, b = r;
        if (set->n_channel == 3) {
            g = image[n_pixel + i];
            b = image[2 * n_pixel + i];
        }
        uint32_t pixel = r << 16 | g << 8 | b;
        memcpy(bytes + i / set->width * stride + i % set->width * sizeof pixel, &pixel,
               sizeof pixel);
    }
    cairo_surface_mark_dirty(surface);
    cairo_save(cr);
    cairo_translate(cr, x, y);
    cairo_scale(cr, side / (double)set->width, side / (double)set->height);
    cairo_set_source_surface(cr, surface, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
    cairo_rectangle(cr, 0, 0, (double)set->width, (double)set->height);
    cairo_fill(cr);
    cairo_restore(cr);
    cairo_surface_destroy(surface);
}

static void draw_class(cairo_t *cr, const struct sheet *sheet, size_t class)
{
    double x = MARGIN + (double)(class / sheet->n_row) * (sheet->column_width + COLUMN_GAP);
    double y = HEAD + (double)(class % sheet->n_row) * (sheet->side + GAP);
    double first = ceil(x + sheet->name_width + NAME_GAP);
    chart_colour(cr, CHART_INK, 1);
    chart_text(cr, first - NAME_GAP, y + sheet->side / 2, CHART_LABEL, CHART_RIGHT,
               sheet->data->class_name[class]);
    for (size_t i = 0; i < sheet->n_sample; i++) {
        const uint8_t *image = sheet->sample[class * sheet->n_sample + i];
        if (image) {
            draw_image(cr, first + (double)i * (sheet->side + GAP), y, sheet->side, image,
                       &sheet->data->train);
        }
    }
}

static void draw_sheet(cairo_t *cr, const void *figure)
{
    const struct sheet *sheet = figure;
    const struct image_data *data = sheet->data;
    char line[160];
    chart_colour(cr, CHART_INK, 1);
    chart_text_bold(cr, MARGIN, 20, CHART_TITLE, CHART_LEFT, data->dataset->task.title);
    snprintf(line, sizeof line,
             "the first %zu training images of each class (%zu training, %zu test images of "
             "%zu x %zu)",
             sheet->n_sample, data->train.n_image, data->test.n_image, data->train.height,
             data->train.width);
    chart_colour(cr, CHART_MUTED, 1);
    chart_text(cr, MARGIN, 40, CHART_SMALL, CHART_LEFT, line);
    for (size_t class = 0; class < data->n_class; class ++) {
        draw_class(cr, sheet, class);
    }
}

enum status contact_sheet_write(const char *path, const struct image_data *data, struct error *err)
{
    struct sheet sheet = lay_out(data);
    size_t *n_chosen = calloc(data->n_class, sizeof *n_chosen);
    sheet.sample = calloc(data->n_class * sheet.n_sample, sizeof *sheet.sample);
    enum status status;
    if (n_chosen && sheet.sample) {
        choose_samples(&sheet, n_chosen);
        double width =
            2 * MARGIN + (double)sheet.n_column * (sheet.column_width + COLUMN_GAP) - COLUMN_GAP;
        double height = HEAD + (double)sheet.n_row * (sheet.side + GAP) - GAP + MARGIN;
        status = chart_write_png(path, ceil(fmax(width, MIN_WIDTH)), ceil(height), draw_sheet,
                                 &sheet, err);
    } else {
        status = error_memory(err, "drawing %s", path);
    }
    free(n_chosen);
    free(sheet.sample);
    return status;
}

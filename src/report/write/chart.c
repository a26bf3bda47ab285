/* chart: everything cairo needs to make legible figures with the same bytes every time. Glyphs are
 * not hinted, so that a drawing looks the same at every scale.
 */
#include "report/write/chart.h"

#include <cairo-svg.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define PNG_SCALE 2.0
#define PNG_SIDE 30000.0 /* in pixels: cairo has no longer one */
#define PNG_AREA 2e8
#define BAR_WIDTH 14.0
#define FONT "DejaVu Sans"

#if defined(__SANITIZE_ADDRESS__)
/* fontconfig loses a few patterns of its own whenever a font is looked up. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig";
}
#endif

/* ---- output ---- */

struct bytes {
    char *data;
    size_t size, capacity;
};

static cairo_status_t collect(void *closure, const unsigned char *data, unsigned int length)
{
    struct bytes *bytes = closure;
    if (bytes->capacity - bytes->size < length) {
        size_t capacity = (bytes->capacity + length) * 2;
        char *grown = realloc(bytes->data, capacity);
        if (!grown) {
            return CAIRO_STATUS_NO_MEMORY;
        }
        bytes->data = grown;
        bytes->capacity = capacity;
    }
    memcpy(bytes->data + bytes->size, data, length);
    bytes->size += length;
    return CAIRO_STATUS_SUCCESS;
}

static cairo_status_t paint(cairo_surface_t *surface, chart_draw *draw, const void *figure)
{
    cairo_t *cr = cairo_create(surface);
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(cr, options);
    cairo_font_options_destroy(options);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    cairo_select_font_face(cr, FONT, CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    draw(cr, figure);
    cairo_status_t status = cairo_status(cr);
    cairo_destroy(cr);
    return status;
}

static enum status finish(const char *path, cairo_status_t drawn, const struct bytes *bytes,
                          struct error *err)
{
    if (drawn != CAIRO_STATUS_SUCCESS) {
        return error_set(err, drawn == CAIRO_STATUS_NO_MEMORY ? STATUS_MEMORY : STATUS_WRITE,
                         "cairo cannot draw %s: %s", path, cairo_status_to_string(drawn));
    }
    return file_write(path, bytes->data, bytes->size, err);
}

enum status chart_write_png(const char *path, double width, double height, chart_draw *draw,
                            const void *figure, struct error *err)
{
    struct bytes bytes = {0};
    double scale =
        fmin(fmin(PNG_SCALE, PNG_SIDE / fmax(width, height)), sqrt(PNG_AREA / (width * height)));
    cairo_surface_t *surface = cairo_image_surface_create(
        CAIRO_FORMAT_RGB24, (int)ceil(width * scale), (int)ceil(height * scale));
    cairo_surface_set_device_scale(surface, scale, scale);
    cairo_status_t drawn = paint(surface, draw, figure);
    if (drawn == CAIRO_STATUS_SUCCESS) {
        drawn = cairo_surface_write_to_png_stream(surface, collect, &bytes);
    }
    cairo_surface_destroy(surface);
    enum status status = finish(path, drawn, &bytes, err);
    free(bytes.data);
    return status;
}

/* cairo numbers surfaces over the life of the process and writes the number as an id, to which
 * nothing in these drawings refers. */
static void blank_surface_ids(struct bytes *bytes)
{
    static const char mark[] = "id=\"surface";
    size_t length = strlen(mark);
    for (size_t i = 0, kept = 0, end = bytes->size; i < end; bytes->size = kept) {
        bool found = end - i >= length && memcmp(bytes->data + i, mark, length) == 0;
        for (size_t n = found ? length : 1; n > 0; n--) {
            bytes->data[kept++] = bytes->data[i++];
        }
        while (found && i < end && bytes->data[i] >= '0' && bytes->data[i] <= '9') {
            i++;
        }
    }
}

enum status chart_write_svg(const char *path, double width, double height, chart_draw *draw,
                            const void *figure, struct error *err)
{
    struct bytes bytes = {0};
    cairo_surface_t *surface = cairo_svg_surface_create_for_stream(collect, &bytes, width, height);
    cairo_status_t drawn = paint(surface, draw, figure);
    cairo_surface_finish(surface);
    if (drawn == CAIRO_STATUS_SUCCESS) {
        drawn = cairo_surface_status(surface);
    }
    cairo_surface_destroy(surface);
    blank_surface_ids(&bytes);
    enum status status = finish(path, drawn, &bytes, err);
    free(bytes.data);
    return status;
}

/* ---- drawing ---- */

void chart_colour(cairo_t *cr, struct rgb colour, double alpha)
{
    cairo_set_source_rgba(cr, colour.r / 255.0, colour.g / 255.0, colour.b / 255.0, alpha);
}

static void set_font(cairo_t *cr, double size, cairo_font_weight_t weight)
{
    const char *family = cairo_toy_font_face_get_family(cairo_get_font_face(cr));
    cairo_select_font_face(cr, family, CAIRO_FONT_SLANT_NORMAL, weight);
    cairo_set_font_size(cr, size);
}

/* A third of the size below the middle puts capitals and digits, not descenders, around y. */
static void show(cairo_t *cr, double x, double y, double size, enum chart_align align,
                 const char *text)
{
    cairo_text_extents_t extents;
    cairo_text_extents(cr, text, &extents);
    if (align == CHART_CENTRE) {
        x -= extents.x_advance / 2;
    }
    if (align == CHART_RIGHT) {
        x -= extents.x_advance;
    }
    cairo_move_to(cr, x, y + size * 0.35);
    cairo_show_text(cr, text);
    cairo_new_path(cr);
}

void chart_text(cairo_t *cr, double x, double y, double size, enum chart_align align,
                const char *text)
{
    set_font(cr, size, CAIRO_FONT_WEIGHT_NORMAL);
    show(cr, x, y, size, align, text);
}

void chart_text_bold(cairo_t *cr, double x, double y, double size, enum chart_align align,
                     const char *text)
{
    set_font(cr, size, CAIRO_FONT_WEIGHT_BOLD);
    show(cr, x, y, size, align, text);
}

void chart_text_up(cairo_t *cr, double x, double y, double size, const char *text)
{
    cairo_save(cr);
    cairo_translate(cr, x, y);
    cairo_rotate(cr, -acos(-1) / 2);
    chart_text(cr, 0, 0, size, CHART_CENTRE, text);
    cairo_restore(cr);
}

double chart_width(double size, const char *text)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    cairo_t *cr = cairo_create(surface);
    cairo_text_extents_t extents;
    cairo_select_font_face(cr, FONT, CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD);
    cairo_set_font_size(cr, size);
    cairo_text_extents(cr, text, &extents);
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
    return ceil(extents.x_advance);
}

void chart_pixels(cairo_t *cr, double x, double y, double width, double height, size_t n_row,
                  size_t n_column, chart_pixel *pixel, const void *data)
{
    cairo_surface_t *image =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)n_column, (int)n_row);
    unsigned char *bytes = cairo_image_surface_get_data(image);
    size_t stride = (size_t)cairo_image_surface_get_stride(image);
    for (size_t i = 0; bytes && i < n_row * n_column; i++) {
        struct rgb colour = pixel(data, i / n_column, i % n_column);
        uint32_t word = (uint32_t)colour.r << 16 | (uint32_t)colour.g << 8 | colour.b;
        memcpy(bytes + i / n_column * stride + i % n_column * sizeof word, &word, sizeof word);
    }
    cairo_surface_mark_dirty(image);
    cairo_save(cr);
    cairo_translate(cr, x, y);
    cairo_scale(cr, width / (double)n_column, height / (double)n_row);
    cairo_set_source_surface(cr, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
    cairo_rectangle(cr, 0, 0, (double)n_column, (double)n_row);
    cairo_fill(cr);
    cairo_restore(cr);
    cairo_surface_destroy(image);
}

struct map {
    const float *value; /* [n,n] */
    size_t n;
};

static struct rgb map_pixel(const void *data, size_t row, size_t column)
{
    const struct map *map = data;
    return colormap_viridis(map->value[row * map->n + column]);
}

void chart_image(cairo_t *cr, double x, double y, double side, const float *map, size_t n)
{
    chart_pixels(cr, x, y, side, side, n, n, map_pixel, &(struct map){map, n});
}

void chart_scale_bar(cairo_t *cr, double x, double y, double height, double top, bool clipped,
                     const char *label)
{
    size_t n = 256;
    double step = chart_step(top, 5), end = top * (1 + 1e-9);
    cairo_save(cr);
    cairo_set_antialias(cr, CAIRO_ANTIALIAS_NONE);
    for (size_t i = 0; i < n; i++) {
        chart_colour(cr, colormap_viridis((double)(n - 1 - i) / (double)(n - 1)), 1);
        cairo_rectangle(cr, x, y + height * (double)i / (double)n, BAR_WIDTH, height / (double)n);
        cairo_fill(cr);
    }
    cairo_restore(cr);
    chart_frame(cr, x, y, BAR_WIDTH, height);
    chart_colour(cr, CHART_INK, 1);
    for (size_t i = 0; (double)i * step <= end; i++) {
        double value = (double)i * step;
        char tick[32];
        snprintf(tick, sizeof tick, "%s%g", clipped && value + step > end ? "\u2265 " : "", value);
        chart_text(cr, x + BAR_WIDTH + 5, y + height * (1 - value / top), CHART_SMALL, CHART_LEFT,
                   tick);
    }
    chart_text_up(cr, x + BAR_WIDTH + 46, y + height / 2, CHART_LABEL, label);
}

void chart_line(cairo_t *cr, double x0, double y0, double x1, double y1)
{
    cairo_move_to(cr, x0, y0);
    cairo_line_to(cr, x1, y1);
    cairo_stroke(cr);
}

void chart_frame(cairo_t *cr, double x, double y, double width, double height)
{
    cairo_save(cr);
    cairo_set_dash(cr, NULL, 0, 0);
    cairo_set_line_width(cr, 0.8);
    chart_colour(cr, CHART_MUTED, 1);
    cairo_rectangle(cr, x, y, width, height);
    cairo_stroke(cr);
    cairo_restore(cr);
}

#define N_DASH 7
#define MAX_DASH 6
static const struct dash {
    int n;
    double length[MAX_DASH];
} dashes[N_DASH] = {
    {0, {0}},          {2, {7, 3}},  {2, {2, 2}},
    {4, {8, 2, 2, 2}}, {2, {12, 3}}, {6, {8, 2, 2, 2, 2, 2}},
    {2, {4, 1.5}},
};

void chart_line_style(cairo_t *cr, size_t i, double width)
{
    const struct dash *dash = &dashes[(i + i / COLORMAP_N_LINE) % N_DASH];
    chart_colour(cr, colormap_line(i), 1);
    cairo_set_line_width(cr, width);
    cairo_set_dash(cr, dash->length, dash->n, 0);
}

double chart_at(const struct chart_scale *scale, double value)
{
    return scale->from +
           (value - scale->low) / (scale->high - scale->low) * (scale->to - scale->from);
}

double chart_step(double range, size_t n_tick)
{
    static const double nice[] = {1, 2, 5};
    double power = pow(10, floor(log10(range / (double)n_tick)));
    for (size_t i = 0; i < sizeof(nice) / sizeof(nice[0]); i++) {
        if (range / (nice[i] * power) <= (double)n_tick) {
            return nice[i] * power;
        }
    }
    return 10 * power;
}

/* The overlay is one row of the map beside it, which is marked there: so the eye learns to read the
 * map.
 */
#include "report/images/figure_patches.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/path.h"
#include "report/images/overlay.h"
#include "report/write/chart.h"

#define SAMPLE 0
#define IMAGE_AIM 160.0
#define MAP 240.0
#define EDGE 14.0
#define TOP 118.0
#define GAP 22.0
#define MAP_LEFT 50.0 /* room for the map's axis */
#define ROW_GAP 46.0
#define BOTTOM 34.0
#define MIN_WIDTH 660.0 /* of the titles */

struct patches_figure {
    const struct samples *samples;
    size_t first_layer, n_row; /* layers drawn */
    size_t query;              /* the patch, from 0; its token is one more */
    float *map;                /* [n_row,T,T] multiples of 1/T */
    double *overlay;           /* [n_row,T-1] */
    struct overlay_scale scale;
    double side; /* of an image */
};

/* ---- filling ---- */

static enum status find_query(struct patches_figure *figure, double *row, struct error *err)
{
    enum status status =
        samples_rollout(figure->samples, SAMPLE, figure->samples->n_layer, row, err);
    for (size_t i = 1; status == STATUS_OK && i < figure->samples->n_token; i++) {
        if (row[i] > row[figure->query + 1]) {
            figure->query = i - 1;
        }
    }
    return status;
}

static void fill_layer(struct patches_figure *figure, size_t index, double *row)
{
    const struct samples *samples = figure->samples;
    size_t n = samples->n_token;
    float *map = figure->map + index * n * n;
    for (size_t query = 0; query < n; query++) {
        samples_mean_row(samples, SAMPLE, figure->first_layer + index, query, row);
        for (size_t i = 0; i < n; i++) {
            map[query * n + i] = (float)(row[i] * (double)n);
        }
    }
    for (size_t i = 0; i + 1 < n; i++) {
        figure->overlay[index * (n - 1) + i] = map[(figure->query + 1) * n + i + 1];
    }
}

static enum status fill(struct patches_figure *figure, struct error *err)
{
    size_t n = figure->samples->n_token;
    double *row = calloc(n, sizeof(*row));
    figure->map = calloc(figure->n_row * n * n, sizeof(*figure->map));
    figure->overlay = calloc(figure->n_row * (n - 1), sizeof(*figure->overlay));
    enum status status = row && figure->map && figure->overlay
                             ? find_query(figure, row, err)
                             : error_memory(err, "drawing patches");
    for (size_t i = 0; status == STATUS_OK && i < figure->n_row; i++) {
        fill_layer(figure, i, row);
    }
    free(row);
    if (status == STATUS_OK) {
        status = overlay_scale_maps(figure->map, figure->n_row * n * n, &figure->scale, err);
    }
    return status;
}

/* ---- drawing ---- */

static double row_y(size_t row)
{
    return TOP + (double)row * (MAP + ROW_GAP);
}

static double overlay_x(const struct patches_figure *figure)
{
    return EDGE + figure->side + GAP;
}

static double map_x(const struct patches_figure *figure)
{
    return overlay_x(figure) + figure->side + MAP_LEFT;
}

static void draw_titles(cairo_t *cr, const struct patches_figure *figure)
{
    const struct samples *samples = figure->samples;
    char text[200], name[SAMPLES_CLASS_SIZE];
    samples_class(samples, samples->label[SAMPLE], name);
    chart_colour(cr, CHART_INK, 1);
    chart_text_bold(cr, EDGE, 20, CHART_TITLE, CHART_LEFT, run_id(samples->run));
    snprintf(
        text, sizeof(text),
        "Which patch looks at which, in one image (%s), mean of %zu heads, in multiples of the "
        "uniform 1/%zu",
        name, samples->n_head, samples->n_token);
    chart_text(cr, EDGE, 41, CHART_SMALL, CHART_LEFT, text);
    snprintf(text, sizeof(text),
             "Token 0 is the class token, then %zu x %zu patches row by row; framed: token %zu, "
             "from which the class token's rollout takes most",
             samples->n_row, samples->n_column, figure->query + 1);
    chart_text(cr, EDGE, 57, CHART_SMALL, CHART_LEFT, text);
    chart_colour(cr, CHART_MUTED, 1);
    chart_text(cr, EDGE, 73, CHART_SMALL, CHART_LEFT, "One scale. " OVERLAY_NOTE);
    snprintf(text, sizeof(text), "what token %zu looks at", figure->query + 1);
    chart_colour(cr, CHART_INK, 1);
    chart_text_bold(cr, EDGE + figure->side / 2, TOP - 14, CHART_LABEL, CHART_CENTRE,
                    "image and patches");
    chart_text_bold(cr, overlay_x(figure) + figure->side / 2, TOP - 14, CHART_LABEL, CHART_CENTRE,
                    text);
    chart_text_bold(cr, map_x(figure) + MAP / 2, TOP - 14, CHART_LABEL, CHART_CENTRE, "all tokens");
}

/* Ticks at both ends and at the query. */
static void draw_axes(cairo_t *cr, const struct patches_figure *figure, double y)
{
    size_t token[] = {0, figure->query + 1, figure->samples->n_token - 1};
    double x = map_x(figure), cell = MAP / (double)figure->samples->n_token;
    chart_colour(cr, CHART_MUTED, 1);
    for (size_t i = 0; i < 3; i++) {
        char tick[24];
        double at = ((double)token[i] + 0.5) * cell;
        if (i == 1 && (at < 14 || at > MAP - 14)) {
            continue;
        }
        snprintf(tick, sizeof(tick), "%zu", token[i]);
        chart_text(cr, x - 5, y + at, CHART_SMALL, CHART_RIGHT, tick);
        if (i != 1) {
            chart_text(cr, x + at, y + MAP + 9, CHART_SMALL, CHART_CENTRE, tick);
        }
    }
    chart_colour(cr, CHART_INK, 1);
    chart_text(cr, x + MAP / 2, y + MAP + 12, CHART_LABEL, CHART_CENTRE, "key token");
    chart_text_up(cr, x - 32, y + MAP / 2, CHART_LABEL, "query token");
}

static void draw_map(cairo_t *cr, const struct patches_figure *figure, size_t row)
{
    size_t n = figure->samples->n_token;
    double x = map_x(figure), y = row_y(row), cell = MAP / (double)n;
    chart_image(cr, x, y, MAP, figure->map + row * n * n, n);
    chart_frame(cr, x, y, MAP, MAP);
    struct rgb white = {255, 255, 255};
    chart_colour(cr, white, 1);
    cairo_set_line_width(cr, 1);
    cairo_rectangle(cr, x, y + (double)(figure->query + 1) * cell, MAP, cell);
    cairo_stroke(cr);
    draw_axes(cr, figure, y);
}

static void draw_row(cairo_t *cr, const struct patches_figure *figure, size_t row)
{
    const struct samples *samples = figure->samples;
    char text[48];
    double x = overlay_x(figure), y = row_y(row);
    const double *value = figure->overlay + row * (samples->n_token - 1);
    overlay_map(cr, x, y, figure->side, samples, SAMPLE, value, &figure->scale);
    overlay_mark(cr, x, y, figure->side, samples, figure->query);
    snprintf(text, sizeof(text), "layer %zu", figure->first_layer + row);
    chart_colour(cr, CHART_INK, 1);
    chart_text_bold(cr, x + figure->side / 2, y + figure->side + 12, CHART_LABEL, CHART_CENTRE,
                    text);
    draw_map(cr, figure, row);
}

static void draw(cairo_t *cr, const void *data)
{
    const struct patches_figure *figure = data;
    draw_titles(cr, figure);
    overlay_image(cr, EDGE, TOP, figure->side, figure->samples, SAMPLE);
    overlay_grid(cr, EDGE, TOP, figure->side, figure->samples);
    overlay_mark(cr, EDGE, TOP, figure->side, figure->samples, figure->query);
    for (size_t row = 0; row < figure->n_row; row++) {
        draw_row(cr, figure, row);
    }
    overlay_bar(cr, map_x(figure) + MAP + 16, TOP, MAP, true, &figure->scale);
}

enum status figure_patches(const struct samples *samples, const char *folder, size_t *n_picture,
                           struct error *err)
{
    char path[PATH_SIZE];
    struct patches_figure figure = {.samples = samples};
    enum status status = path_format(path, err, "%s/patch-to-patch.png", folder);
    if (status != STATUS_OK) {
        return status;
    }
    figure.n_row = samples->n_layer < FIGURE_MAX_LAYER ? samples->n_layer : FIGURE_MAX_LAYER;
    figure.first_layer = samples->n_layer - figure.n_row;
    figure.side = overlay_side(samples, IMAGE_AIM);
    status = fill(&figure, err);
    if (status == STATUS_OK) {
        double width = map_x(&figure) + MAP + 16 + OVERLAY_BAR_WIDTH;
        width = fmax(width, chart_width(CHART_TITLE, run_id(samples->run)) + 2 * EDGE);
        status = chart_write_png(path, ceil(fmax(width, MIN_WIDTH)),
                                 row_y(figure.n_row) - ROW_GAP + BOTTOM, draw, &figure, err);
    }
    *n_picture += status == STATUS_OK;
    free(figure.map);
    free(figure.overlay);
    return status;
}

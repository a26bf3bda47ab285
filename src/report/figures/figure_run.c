/* figure_run: layers are read from layer0.npy on until there is none. A sheet has an end: what does
 * not fit is said in the subtitle, and has its own picture anyway.
 */
#include "report/figures/figure_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/npy.h"
#include "base/path.h"
#include "report/figures/chart.h"
#include "report/runs/run_files.h"

#define MAX_LAYER 64
#define MAX_HEAD 16
#define PANEL 116.0
#define GAP 16.0
#define LEFT 110.0
#define TOP 92.0
#define BOTTOM 34.0
#define RIGHT 92.0
#define MIN_WIDTH 560.0 /* of the title */

struct layer {
    float *maps; /* [n_head,T,T] */
    float *mean; /* [T,T] */
    size_t n_head, n_token;
};

struct run_figure {
    const char *id;
    unsigned long step;
    struct layer layer[MAX_LAYER];
    size_t n_layer;
    size_t n_column; /* heads drawn; the mean is one more */
};

static double column_x(size_t column)
{
    return LEFT + (double)column * (PANEL + GAP);
}

static double row_y(size_t row)
{
    return TOP + (double)row * (PANEL + GAP);
}

static void draw_ticks(cairo_t *cr, const struct run_figure *figure)
{
    char last[24];
    snprintf(last, sizeof(last), "%zu", figure->layer[0].n_token - 1);
    double inset = PANEL / (double)figure->layer[0].n_token / 2;
    chart_colour(cr, CHART_MUTED, 1);
    for (size_t row = 0; row < figure->n_layer; row++) {
        chart_text(cr, LEFT - 5, row_y(row) + fmax(inset, 5), CHART_SMALL, CHART_RIGHT, "0");
        chart_text(cr, LEFT - 5, row_y(row) + PANEL - fmax(inset, 5), CHART_SMALL, CHART_RIGHT,
                   last);
    }
    for (size_t column = 0; column <= figure->n_column; column++) {
        double x = column_x(column);
        chart_text(cr, x + fmax(inset, 4), TOP - 9, CHART_SMALL, CHART_CENTRE, "0");
        chart_text(cr, x + PANEL - fmax(inset, 6), TOP - 9, CHART_SMALL, CHART_CENTRE, last);
    }
}

static void draw_titles(cairo_t *cr, const struct run_figure *figure)
{
    char text[160];
    size_t n_head = figure->layer[0].n_head;
    chart_colour(cr, CHART_INK, 1);
    chart_text_bold(cr, 14, 20, CHART_TITLE, CHART_LEFT, figure->id);
    snprintf(text, sizeof(text), "Attention, mean over the probe sequences, after step %lu%s",
             figure->step,
             n_head > figure->n_column ? "; the first heads and the mean over all" : "");
    chart_text(cr, 14, 40, CHART_LABEL, CHART_LEFT, text);
    for (size_t column = 0; column <= figure->n_column; column++) {
        snprintf(text, sizeof(text), "head %zu", column);
        chart_text_bold(cr, column_x(column) + PANEL / 2, TOP - 26, CHART_LABEL, CHART_CENTRE,
                        column < figure->n_column ? text : "mean of heads");
    }
    for (size_t row = 0; row < figure->n_layer; row++) {
        snprintf(text, sizeof(text), "layer %zu", row);
        chart_text_bold(cr, LEFT - 24, row_y(row) + PANEL / 2, CHART_LABEL, CHART_RIGHT, text);
    }
    double bottom = row_y(figure->n_layer) - GAP;
    chart_text(cr, (LEFT + column_x(figure->n_column + 1) - GAP) / 2, bottom + 16, CHART_LABEL,
               CHART_CENTRE, "key position");
    chart_text_up(cr, 16, (TOP + bottom) / 2, CHART_LABEL, "query position");
}

static void draw(cairo_t *cr, const void *data)
{
    const struct run_figure *figure = data;
    draw_titles(cr, figure);
    draw_ticks(cr, figure);
    for (size_t row = 0; row < figure->n_layer; row++) {
        const struct layer *layer = &figure->layer[row];
        for (size_t column = 0; column <= figure->n_column; column++) {
            const float *map = column < figure->n_column
                                   ? &layer->maps[column * layer->n_token * layer->n_token]
                                   : layer->mean;
            chart_image(cr, column_x(column), row_y(row), PANEL, map, layer->n_token);
            chart_frame(cr, column_x(column), row_y(row), PANEL, PANEL);
        }
    }
    double height = fmin(row_y(figure->n_layer) - GAP - TOP, 3 * PANEL);
    chart_colour_bar(cr, column_x(figure->n_column + 1) + 4, TOP, height, "share of attention");
}

/* ---- reading ---- */

static enum status load_layer(const char *path, struct layer *layer, struct error *err)
{
    size_t dim[NPY_MAX_DIM], n_dim;
    enum status status = npy_read(path, &layer->maps, dim, &n_dim, err);
    if (status != STATUS_OK) {
        return status;
    }
    if (n_dim != 3 || dim[0] == 0 || dim[1] == 0 || dim[1] != dim[2]) {
        return error_set(err, STATUS_DATA, "%s is not square, expected [heads, T, T]", path);
    }
    layer->n_head = dim[0];
    layer->n_token = dim[1];
    layer->mean = malloc(dim[1] * dim[1] * sizeof(*layer->mean));
    if (!layer->mean) {
        return error_memory(err, "drawing %s", path);
    }
    attention_mean(layer->maps, layer->n_head, layer->n_token, layer->mean);
    return STATUS_OK;
}

static enum status load_layers(struct run_figure *figure, const char *folder, struct error *err)
{
    char path[PATH_SIZE];
    for (size_t i = 0; i < MAX_LAYER; i++) {
        enum status status = path_format(path, err, "%s/layer%zu.npy", folder, i);
        if (status == STATUS_OK && !file_exists(path)) {
            break;
        }
        figure->n_layer++;
        if (status == STATUS_OK) {
            status = load_layer(path, &figure->layer[i], err);
        }
        if (status != STATUS_OK) {
            return status;
        }
        if (figure->layer[i].n_head != figure->layer[0].n_head ||
            figure->layer[i].n_token != figure->layer[0].n_token) {
            return error_set(err, STATUS_DATA, "%s has another shape than layer0.npy", path);
        }
    }
    if (figure->n_layer == 0) {
        return error_set(err, STATUS_DATA, "%s has no layer0.npy", folder);
    }
    size_t n_head = figure->layer[0].n_head;
    figure->n_column = n_head < MAX_HEAD ? n_head : MAX_HEAD;
    return STATUS_OK;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

enum status figure_run_path(const char *run_folder, char path[PATH_SIZE], struct error *err)
{
    return path_format(path, err, "%s/attention/overview.png", run_folder);
}

enum status figure_run(const char *run_folder, struct error *err)
{
    char folder[PATH_SIZE], path[PATH_SIZE], whole[PATH_SIZE];
    struct run_figure figure = {0};
    enum status status = run_files_attention_folder(run_folder, folder, err);
    if (status == STATUS_OK) {
        status = figure_run_path(run_folder, path, err);
    }
    if (status == STATUS_OK) {
        status = path_format(whole, err, "%s", run_folder);
    }
    if (status != STATUS_OK) {
        return status;
    }
    for (size_t n = strlen(whole); n > 1 && whole[n - 1] == '/'; n--) {
        whole[n - 1] = '\0';
    }
    figure.id = base_name(whole);
    figure.step = strtoul(base_name(folder) + strlen("step"), NULL, 10);
    status = load_layers(&figure, folder, err);
    if (status == STATUS_OK) {
        double width = fmax(column_x(figure.n_column + 1) + RIGHT, MIN_WIDTH);
        width = fmax(width, chart_width(CHART_TITLE, figure.id) + 28);
        status =
            chart_write_png(path, width, row_y(figure.n_layer) - GAP + BOTTOM, draw, &figure, err);
    }
    for (size_t i = 0; i < figure.n_layer; i++) {
        free(figure.layer[i].maps);
        free(figure.layer[i].mean);
    }
    return status;
}

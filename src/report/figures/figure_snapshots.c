/* Names of step folders have as many digits as it takes, so that they are sorted as numbers here.
 */
#include "report/figures/figure_snapshots.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/npy.h"
#include "base/path.h"
#include "report/figures/chart.h"
#include "report/figures/overlay.h"
#include "report/runs/run_files.h"

#define PANEL 76.0
#define GAP 10.0
#define LEFT 92.0
#define TOP 90.0
#define BOTTOM 34.0
#define EDGE 14.0
#define MIN_WIDTH 620.0 /* of the titles */

struct snapshot {
    unsigned long long step;
    char name[32]; /* of its folder */
};

struct snapshots_figure {
    const struct run *run;
    struct snapshot *snapshot; /* [n], by step */
    size_t n;
    size_t first_layer, n_layer; /* drawn */
    float *map;                  /* [n, n_layer, T, T] multiples of 1/T, then shares of the top */
    struct overlay_scale scale;
};

/* ---- reading ---- */

static int compare_steps(const void *a, const void *b)
{
    unsigned long long left = ((const struct snapshot *)a)->step;
    unsigned long long right = ((const struct snapshot *)b)->step;
    return (left > right) - (left < right);
}

static enum status list_snapshots(struct snapshots_figure *figure, struct error *err)
{
    char folder[PATH_SIZE];
    char **names;
    size_t n_name;
    enum status status = path_format(folder, err, "%s/attention", figure->run->folder);
    if (status == STATUS_OK) {
        status = folder_list(folder, &names, &n_name, err);
    }
    if (status != STATUS_OK) {
        return status;
    }
    figure->snapshot = calloc(n_name + 1, sizeof(*figure->snapshot));
    for (size_t i = 0; figure->snapshot && i < n_name; i++) {
        struct snapshot *snapshot = &figure->snapshot[figure->n];
        char *end;
        if (strncmp(names[i], "step", 4) != 0 || strlen(names[i]) >= sizeof(snapshot->name)) {
            continue;
        }
        snapshot->step = strtoull(names[i] + 4, &end, 10);
        snprintf(snapshot->name, sizeof(snapshot->name), "%s", names[i]);
        figure->n += *end == '\0' && end > names[i] + 4;
    }
    folder_list_free(names, n_name);
    if (!figure->snapshot) {
        return error_memory(err, "drawing snapshots");
    }
    qsort(figure->snapshot, figure->n, sizeof(*figure->snapshot), compare_steps);
    return STATUS_OK;
}

static float *map_at(const struct snapshots_figure *figure, size_t snapshot, size_t layer)
{
    size_t square = figure->run->n_token * figure->run->n_token;
    return figure->map + (snapshot * figure->n_layer + layer) * square;
}

static enum status read_map(struct snapshots_figure *figure, size_t snapshot, size_t layer,
                            struct error *err)
{
    char path[PATH_SIZE];
    float *maps = NULL, *mean = map_at(figure, snapshot, layer);
    size_t dim[NPY_MAX_DIM], n_dim, n_token = figure->run->n_token;
    enum status status = path_format(path, err, "%s/attention/%s/layer%zu.npy", figure->run->folder,
                                     figure->snapshot[snapshot].name, figure->first_layer + layer);
    if (status == STATUS_OK) {
        status = npy_read(path, &maps, dim, &n_dim, err);
    }
    if (status == STATUS_OK &&
        (n_dim != 3 || dim[0] == 0 || dim[1] != n_token || dim[2] != n_token)) {
        status = error_set(err, STATUS_DATA, "%s: expected maps of the shape [heads, %zu, %zu]",
                           path, n_token, n_token);
    }
    if (status == STATUS_OK) {
        attention_mean(maps, dim[0], n_token, mean);
        for (size_t i = 0; i < n_token * n_token; i++) {
            mean[i] *= (float)n_token;
        }
    }
    free(maps);
    return status;
}

static enum status read_maps(struct snapshots_figure *figure, struct error *err)
{
    size_t n_layer = figure->run->n_layer, n_token = figure->run->n_token;
    figure->n_layer = n_layer < SNAPSHOTS_MAX_LAYER ? n_layer : SNAPSHOTS_MAX_LAYER;
    figure->first_layer = n_layer - figure->n_layer;
    figure->map = calloc(figure->n * figure->n_layer * n_token * n_token, sizeof(*figure->map));
    if (!figure->map) {
        return error_memory(err, "drawing snapshots");
    }
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < figure->n * figure->n_layer; i++) {
        status = read_map(figure, i / figure->n_layer, i % figure->n_layer, err);
    }
    return status;
}

/* ---- drawing ---- */

static double column_x(size_t snapshot)
{
    return LEFT + (double)snapshot * (PANEL + GAP);
}

static double row_y(size_t layer)
{
    return TOP + (double)layer * (PANEL + GAP);
}

static void draw_titles(cairo_t *cr, const struct snapshots_figure *figure)
{
    char text[200];
    const struct run *run = figure->run;
    chart_colour(cr, CHART_INK, 1);
    chart_text_bold(cr, EDGE, 20, CHART_TITLE, CHART_LEFT, run->id);
    snprintf(text, sizeof(text),
             "Attention during training, mean over the probe and %zu heads, in multiples of the "
             "uniform 1/%zu; step 0 is before training",
             run->n_head, run->n_token);
    chart_text(cr, EDGE, 41, CHART_SMALL, CHART_LEFT, text);
    for (size_t i = 0; i < figure->n; i++) {
        snprintf(text, sizeof(text), i == 0 ? "step %llu" : "%llu", figure->snapshot[i].step);
        chart_text_bold(cr, column_x(i) + PANEL / 2, TOP - 14, CHART_LABEL, CHART_CENTRE, text);
    }
    for (size_t layer = 0; layer < figure->n_layer; layer++) {
        snprintf(text, sizeof(text), "layer %zu", figure->first_layer + layer);
        chart_text_bold(cr, LEFT - 8, row_y(layer) + PANEL / 2, CHART_LABEL, CHART_RIGHT, text);
    }
    double bottom = row_y(figure->n_layer) - GAP;
    chart_text(cr, column_x(0), bottom + 14, CHART_SMALL, CHART_LEFT,
               "each map: query tokens down, key tokens across, the first token top left");
}

static void draw(cairo_t *cr, const void *data)
{
    const struct snapshots_figure *figure = data;
    draw_titles(cr, figure);
    for (size_t i = 0; i < figure->n; i++) {
        for (size_t layer = 0; layer < figure->n_layer; layer++) {
            double x = column_x(i), y = row_y(layer);
            chart_image(cr, x, y, PANEL, map_at(figure, i, layer), figure->run->n_token);
            chart_frame(cr, x, y, PANEL, PANEL);
        }
    }
    overlay_bar(cr, column_x(figure->n) + 4, TOP,
                fmax(row_y(figure->n_layer) - GAP - TOP, 2 * PANEL), false, &figure->scale);
}

enum status figure_snapshots(const struct run *run, bool *drawn, struct error *err)
{
    char path[PATH_SIZE];
    struct snapshots_figure figure = {.run = run};
    enum status status = path_format(path, err, "%s/attention/training.png", run->folder);
    if (status == STATUS_OK) {
        status = list_snapshots(&figure, err);
    }
    *drawn = status == STATUS_OK && figure.n > 1;
    if (*drawn) {
        status = read_maps(&figure, err);
        if (status == STATUS_OK) {
            size_t n = figure.n * figure.n_layer * run->n_token * run->n_token;
            status = overlay_scale_maps(figure.map, n, &figure.scale, err);
        }
        if (status == STATUS_OK) {
            double width = column_x(figure.n) + 4 + OVERLAY_BAR_WIDTH;
            double height = fmax(row_y(figure.n_layer) - GAP, TOP + 2 * PANEL) + BOTTOM;
            width = fmax(width, chart_width(CHART_TITLE, run->id) + 2 * EDGE);
            status = chart_write_png(path, fmax(width, MIN_WIDTH), height, draw, &figure, err);
        }
    }
    free(figure.snapshot);
    free(figure.map);
    return status;
}

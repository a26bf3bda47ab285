/* figure_attention: the grid of attention maps. Every panel has the same scale, so a uniform map
 * looks flat and panels can be compared by eye.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/path.h"
#include "report/figures/chart.h"
#include "report/figures/figures.h"

#define PANEL 116.0
#define GAP_X 16.0
#define CAPTION 20.0 /* below a panel */
#define ROW (PANEL + CAPTION + 6)
#define LEFT 58.0 /* without the names of the variants */
#define TOP 92.0
#define BOTTOM 34.0
#define RIGHT 92.0
#define NAME_LINE 16.0
#define MIN_WIDTH 500.0 /* of the title */

struct attention_figure {
    const struct setting *setting;
    long long seed;
    double left; /* of the first panel */
    float **map; /* [n_variant * n_task], NULL: none */
};

static double panel_x(const struct attention_figure *figure, size_t task)
{
    return figure->left + (double)task * (PANEL + GAP_X);
}

static double panel_y(size_t variant)
{
    return TOP + (double)variant * ROW;
}

static void draw_caption(cairo_t *cr, double x, double y, const struct run *run)
{
    char caption[64];
    double needed = run->measure[MEASURE_NEEDED];
    if (isfinite(needed)) {
        snprintf(caption, sizeof(caption), "on needed key: %.2f", needed);
    } else {
        snprintf(caption, sizeof(caption), "no single needed key");
    }
    chart_colour(cr, CHART_INK, 1);
    chart_text(cr, x + PANEL / 2, y + PANEL + 11, CHART_SMALL, CHART_CENTRE, caption);
}

static void draw_panel(cairo_t *cr, const struct attention_figure *figure, size_t variant,
                       size_t task)
{
    const struct setting *setting = figure->setting;
    double x = panel_x(figure, task), y = panel_y(variant);
    const float *map = figure->map[variant * setting->n_task + task];
    const struct run *run = cell_find_seed(setting_cell(setting, variant, task), figure->seed);
    if (map && run) {
        chart_image(cr, x, y, PANEL, map, run->n_token);
        draw_caption(cr, x, y, run);
    } else {
        chart_colour(cr, CHART_MUTED, 1);
        chart_text(cr, x + PANEL / 2, y + PANEL / 2, CHART_TITLE, CHART_CENTRE, "-");
    }
    chart_frame(cr, x, y, PANEL, PANEL);
}

static void draw_ticks(cairo_t *cr, const struct attention_figure *figure)
{
    const struct setting *setting = figure->setting;
    size_t last = setting->run->n_token - 1;
    char first_text[] = "0", last_text[24];
    snprintf(last_text, sizeof(last_text), "%zu", last);
    double inset = PANEL / (double)(last + 1) / 2;
    chart_colour(cr, CHART_MUTED, 1);
    for (size_t i = 0; i < setting->n_variant; i++) {
        double y = panel_y(i);
        chart_text(cr, figure->left - 5, y + fmax(inset, 5), CHART_SMALL, CHART_RIGHT, first_text);
        chart_text(cr, figure->left - 5, y + PANEL - fmax(inset, 5), CHART_SMALL, CHART_RIGHT,
                   last_text);
    }
    for (size_t i = 0; i < setting->n_task; i++) {
        double x = panel_x(figure, i);
        chart_text(cr, x + fmax(inset, 4), TOP - 9, CHART_SMALL, CHART_CENTRE, first_text);
        chart_text(cr, x + PANEL - fmax(inset, 6), TOP - 9, CHART_SMALL, CHART_CENTRE, last_text);
    }
}

/* Further axes of a variant make its name long: a line each, around y. */
static void draw_name(cairo_t *cr, double x, double y, const char *name)
{
    char line[VARIANT_TEXT_SIZE];
    size_t n_line = 0;
    while (figure_name_line(name, n_line, line)) {
        n_line++;
    }
    for (size_t i = 0; figure_name_line(name, i, line); i++) {
        chart_text_bold(cr, x, y + ((double)i - (double)(n_line - 1) / 2) * NAME_LINE, CHART_LABEL,
                        CHART_RIGHT, line);
    }
}

static void draw_titles(cairo_t *cr, const struct attention_figure *figure)
{
    const struct setting *setting = figure->setting;
    char shape[SETTING_TITLE_SIZE], title[2 * SETTING_TITLE_SIZE];
    setting_title(setting, shape);
    snprintf(title, sizeof(title), "Attention of the last layer, mean over heads, seed %lld",
             figure->seed);
    chart_colour(cr, CHART_INK, 1);
    chart_text_bold(cr, 14, 20, CHART_TITLE, CHART_LEFT, title);
    chart_text(cr, 14, 40, CHART_LABEL, CHART_LEFT, shape);
    for (size_t i = 0; i < setting->n_task; i++) {
        chart_text_bold(cr, panel_x(figure, i) + PANEL / 2, TOP - 26, CHART_LABEL, CHART_CENTRE,
                        setting->task[i]->title);
    }
    for (size_t i = 0; i < setting->n_variant; i++) {
        draw_name(cr, figure->left - 24, panel_y(i) + PANEL / 2, setting->variant[i]->variant_name);
    }
    double bottom = panel_y(setting->n_variant);
    chart_text(cr, (figure->left + panel_x(figure, setting->n_task) - GAP_X) / 2, bottom + 8,
               CHART_LABEL, CHART_CENTRE, "key position");
    chart_text_up(cr, 16, (TOP + bottom) / 2, CHART_LABEL, "query position");
}

static void draw(cairo_t *cr, const void *data)
{
    const struct attention_figure *figure = data;
    const struct setting *setting = figure->setting;
    draw_titles(cr, figure);
    draw_ticks(cr, figure);
    for (size_t i = 0; i < setting->n_variant * setting->n_task; i++) {
        draw_panel(cr, figure, i / setting->n_task, i % setting->n_task);
    }
    double height = fmin(panel_y(setting->n_variant) - CAPTION - 6 - TOP, 3 * ROW);
    chart_colour_bar(cr, panel_x(figure, setting->n_task) + 4, TOP, height, "share of attention");
}

/* Maps are read before anything is drawn: a picture has to know whether it has anything to show. */
static bool load_maps(const struct attention_figure *figure)
{
    const struct setting *setting = figure->setting;
    bool any = false;
    for (size_t i = 0; i < setting->n_variant * setting->n_task; i++) {
        const struct run *run = cell_find_seed(setting->cell[i], figure->seed);
        figure->map[i] = run ? run_attention_map(run) : NULL;
        any |= figure->map[i] != NULL;
    }
    return any;
}

enum status figure_attention(const struct setting *setting, long long seed, const char *folder,
                             const char *stem, bool *drawn, struct error *err)
{
    *drawn = false;
    size_t n_panel = setting->n_variant * setting->n_task;
    char path[PATH_SIZE];
    enum status status = path_format(path, err, "%s/%sattention-seed%lld.png", folder, stem, seed);
    if (status != STATUS_OK) {
        return status;
    }
    struct attention_figure figure = {setting, seed,
                                      LEFT + figure_name_line_width(setting, CHART_LABEL),
                                      calloc(n_panel, sizeof(float *))};
    if (!figure.map) {
        return error_memory(err, "drawing %s", path);
    }
    *drawn = load_maps(&figure);
    if (*drawn) {
        status = chart_write_png(path, fmax(panel_x(&figure, setting->n_task) + RIGHT, MIN_WIDTH),
                                 panel_y(setting->n_variant) + BOTTOM, draw, &figure, err);
    }
    for (size_t i = 0; i < n_panel; i++) {
        free(figure.map[i]);
    }
    free(figure.map);
    return status;
}

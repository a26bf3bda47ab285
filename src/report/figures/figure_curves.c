/* figure_curves: one panel a task with shared axes. The thick line is the mean over seeds; single
 * seeds are thin, because seeds leave the plateau at different steps and a band would hide that.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/path.h"
#include "report/figures/chart.h"
#include "report/figures/figures.h"

#define COLUMNS 3
#define PANEL_WIDTH 286.0
#define PANEL_HEIGHT 200.0
#define GAP_X 22.0
#define GAP_Y 46.0
#define LEFT 62.0
#define TOP 82.0
#define BOTTOM 50.0
#define SAMPLE 40.0           /* a line in the legend */
#define RIGHT (SAMPLE + 24.0) /* the legend without its names */
#define MIN_WIDTH 520.0       /* of the title */
#define LEGEND_LINE 22.0
#define CHANCE "chance, ln 10" /* in the legend: in a panel it would lie on a curve */

struct curves_figure {
    const struct setting *setting;
    size_t n_step;
    double highest;
    double **mean; /* [n_variant * n_task] */
    size_t *n_mean;
};

static size_t columns(const struct setting *setting)
{
    return setting->n_task < COLUMNS ? setting->n_task : COLUMNS;
}

static size_t rows(const struct setting *setting)
{
    return (setting->n_task + COLUMNS - 1) / COLUMNS;
}

static double panel_x(size_t task)
{
    return LEFT + (double)(task % COLUMNS) * (PANEL_WIDTH + GAP_X);
}

static double panel_y(size_t task)
{
    return TOP + (double)(task / COLUMNS) * (PANEL_HEIGHT + GAP_Y);
}

static void trace(cairo_t *cr, const struct chart_scale *x, const struct chart_scale *y,
                  const double *loss, size_t n_step)
{
    for (size_t step = 0; step < n_step; step++) {
        if (isfinite(loss[step])) {
            cairo_line_to(cr, chart_at(x, (double)step), chart_at(y, loss[step]));
        } else {
            cairo_new_sub_path(cr);
        }
    }
    cairo_stroke(cr);
}

static void draw_axes(cairo_t *cr, const struct chart_scale *x, const struct chart_scale *y,
                      bool labels_x, bool labels_y)
{
    char label[32];
    cairo_set_line_width(cr, 0.6);
    double step = chart_step(y->high - y->low, 6);
    for (double value = 0; value <= y->high + step / 1000; value += step) {
        double at = chart_at(y, value);
        chart_colour(cr, CHART_GRID, 1);
        chart_line(cr, x->from, at, x->to, at);
        snprintf(label, sizeof(label), "%.1f", value);
        chart_colour(cr, CHART_INK, 1);
        if (labels_y) {
            chart_text(cr, x->from - 6, at, CHART_SMALL, CHART_RIGHT, label);
        }
    }
    step = chart_step(x->high - x->low, 5);
    for (double value = 0; value <= x->high + step / 1000; value += step) {
        double at = chart_at(x, value);
        chart_colour(cr, CHART_GRID, 1);
        chart_line(cr, at, y->from, at, y->to);
        snprintf(label, sizeof(label), "%.0f", value);
        chart_colour(cr, CHART_INK, 1);
        if (labels_x) {
            chart_text(cr, at, y->from + 12, CHART_SMALL, CHART_CENTRE, label);
        }
    }
}

static void draw_chance(cairo_t *cr, double from, double to, double at)
{
    cairo_save(cr);
    chart_colour(cr, CHART_MUTED, 1);
    cairo_set_line_width(cr, 1);
    cairo_set_dash(cr, (double[]){1, 2}, 2, 0);
    chart_line(cr, from, at, to, at);
    cairo_restore(cr);
}

static void draw_lines(cairo_t *cr, const struct curves_figure *figure, size_t task,
                       const struct chart_scale *x, const struct chart_scale *y)
{
    const struct setting *setting = figure->setting;
    cairo_save(cr);
    cairo_rectangle(cr, x->from, y->to, x->to - x->from, y->from - y->to);
    cairo_clip(cr);
    for (size_t variant = 0; variant < setting->n_variant; variant++) {
        const struct cell *cell = setting_cell(setting, variant, task);
        cairo_set_dash(cr, NULL, 0, 0);
        cairo_set_line_width(cr, 0.6);
        chart_colour(cr, colormap_line(variant), 0.35);
        for (size_t i = 0; cell && cell->n_ok > 1 && i < cell->n_run; i++) {
            if (run_is_ok(&cell->run[i]) && cell->run[i].curve) {
                trace(cr, x, y, cell->run[i].curve, cell->run[i].n_curve);
            }
        }
    }
    for (size_t variant = 0; variant < setting->n_variant; variant++) {
        size_t i = variant * setting->n_task + task;
        chart_line_style(cr, variant, 1.8);
        if (figure->mean[i]) {
            trace(cr, x, y, figure->mean[i], figure->n_mean[i]);
        }
    }
    cairo_restore(cr);
}

static void draw_panel(cairo_t *cr, const struct curves_figure *figure, size_t task)
{
    const struct setting *setting = figure->setting;
    double left = panel_x(task), top = panel_y(task);
    struct chart_scale x = {0, fmax((double)figure->n_step - 1, 1), left, left + PANEL_WIDTH};
    struct chart_scale y = {0, figure->highest, top + PANEL_HEIGHT, top};
    bool lowest = task + COLUMNS >= setting->n_task;
    draw_axes(cr, &x, &y, true, task % COLUMNS == 0);
    draw_chance(cr, x.from, x.to, chart_at(&y, task_chance_loss(figure->setting->task[0])));
    draw_lines(cr, figure, task, &x, &y);
    chart_frame(cr, left, top, PANEL_WIDTH, PANEL_HEIGHT);
    chart_colour(cr, CHART_INK, 1);
    chart_text_bold(cr, left + PANEL_WIDTH / 2, top - 11, CHART_LABEL, CHART_CENTRE,
                    setting->task[task]->title);
    if (lowest) {
        chart_text(cr, left + PANEL_WIDTH / 2, top + PANEL_HEIGHT + 30, CHART_LABEL, CHART_CENTRE,
                   "training step");
    }
    if (task % COLUMNS == 0) {
        chart_text_up(cr, left - 42, top + PANEL_HEIGHT / 2, CHART_LABEL, "training loss");
    }
}

static void draw_legend(cairo_t *cr, const struct setting *setting)
{
    double x = LEFT + (double)columns(setting) * (PANEL_WIDTH + GAP_X);
    for (size_t variant = 0; variant < setting->n_variant; variant++) {
        double y = TOP + 8 + (double)variant * LEGEND_LINE;
        chart_line_style(cr, variant, 1.8);
        chart_line(cr, x, y, x + SAMPLE, y);
        cairo_set_dash(cr, NULL, 0, 0);
        chart_colour(cr, CHART_INK, 1);
        chart_text(cr, x + SAMPLE + 8, y, CHART_LABEL, CHART_LEFT,
                   setting->variant[variant]->variant_name);
    }
    double y = TOP + 8 + (double)setting->n_variant * LEGEND_LINE;
    draw_chance(cr, x, x + SAMPLE, y);
    chart_colour(cr, CHART_INK, 1);
    chart_text(cr, x + SAMPLE + 8, y, CHART_LABEL, CHART_LEFT, CHANCE);
}

static void draw(cairo_t *cr, const void *data)
{
    const struct curves_figure *figure = data;
    char shape[SETTING_TITLE_SIZE], subtitle[2 * SETTING_TITLE_SIZE];
    setting_title(figure->setting, shape);
    snprintf(subtitle, sizeof(subtitle), "%s; %s", shape,
             figure->setting->n_seed > 1 ? "thick: mean over seeds, thin: single seeds"
                                         : "one seed");
    chart_colour(cr, CHART_INK, 1);
    chart_text_bold(cr, 14, 20, CHART_TITLE, CHART_LEFT, "Training loss by step");
    chart_text(cr, 14, 40, CHART_LABEL, CHART_LEFT, subtitle);
    for (size_t task = 0; task < figure->setting->n_task; task++) {
        draw_panel(cr, figure, task);
    }
    draw_legend(cr, figure->setting);
}

/* The scale holds every mean and the chance line; single seeds may leave it for a moment. */
static void measure_range(struct curves_figure *figure)
{
    double highest = task_chance_loss(figure->setting->task[0]);
    for (size_t i = 0; i < figure->setting->n_variant * figure->setting->n_task; i++) {
        for (size_t step = 0; figure->mean[i] && step < figure->n_mean[i]; step++) {
            if (isfinite(figure->mean[i][step])) {
                highest = fmax(highest, figure->mean[i][step]);
            }
        }
        if (figure->n_mean[i] > figure->n_step) {
            figure->n_step = figure->n_mean[i];
        }
    }
    figure->highest = ceil((highest + 0.05) * 4) / 4;
}

static enum status write_both(const struct curves_figure *figure, const char *folder,
                              const char *stem, struct error *err)
{
    const struct setting *setting = figure->setting;
    double width =
        fmax(LEFT + (double)columns(setting) * (PANEL_WIDTH + GAP_X) + RIGHT +
                 fmax(figure_name_width(setting, CHART_LABEL), chart_width(CHART_LABEL, CHANCE)),
             MIN_WIDTH);
    double height = fmax(TOP + (double)rows(setting) * (PANEL_HEIGHT + GAP_Y) - GAP_Y + BOTTOM,
                         TOP + (double)(setting->n_variant + 1) * LEGEND_LINE + 16);
    char path[PATH_SIZE];
    enum status status = path_format(path, err, "%s/%scurves.png", folder, stem);
    if (status == STATUS_OK) {
        status = chart_write_png(path, width, height, draw, figure, err);
    }
    if (status == STATUS_OK) {
        status = path_format(path, err, "%s/%scurves.svg", folder, stem);
    }
    if (status == STATUS_OK) {
        status = chart_write_svg(path, width, height, draw, figure, err);
    }
    return status;
}

enum status figure_curves(const struct setting *setting, const char *folder, const char *stem,
                          bool *drawn, struct error *err)
{
    size_t n_cell = setting->n_variant * setting->n_task;
    struct curves_figure figure = {.setting = setting,
                                   .mean = calloc(n_cell, sizeof(double *)),
                                   .n_mean = calloc(n_cell, sizeof(size_t))};
    enum status status = STATUS_OK;
    *drawn = false;
    if (!figure.mean || !figure.n_mean) {
        status = error_memory(err, "drawing curves");
    } else {
        for (size_t i = 0; i < n_cell; i++) {
            figure.mean[i] = cell_mean_curve(setting->cell[i], &figure.n_mean[i]);
        }
        measure_range(&figure);
        *drawn = figure.n_step > 0;
        if (*drawn) {
            status = write_both(&figure, folder, stem, err);
        }
        for (size_t i = 0; i < n_cell; i++) {
            free(figure.mean[i]);
        }
    }
    free(figure.mean);
    free(figure.n_mean);
    return status;
}

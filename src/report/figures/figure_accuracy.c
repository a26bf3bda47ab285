/* figure_accuracy: every seed is a dot, since the runs are bimodal and a mean alone would show an
 * accuracy that no run had.
 */
#include <math.h>
#include <stdio.h>

#include "base/path.h"
#include "report/figures/chart.h"
#include "report/figures/figures.h"

#define COLUMNS 6
#define PANEL_WIDTH 136.0
#define GAP_X 18.0
#define LINE 28.0
#define LEFT 26.0 /* without the names of the variants */
#define TOP 84.0
#define BLOCK_GAP 70.0
#define BOTTOM 92.0
#define RIGHT 26.0
#define DOT 3.2
#define LEGEND_WIDTH 480.0

struct accuracy_figure {
    const struct setting *setting;
    double left; /* of the first panel */
};

static double block_height(const struct setting *setting)
{
    return (double)setting->n_variant * LINE;
}

static double panel_x(const struct accuracy_figure *figure, size_t task)
{
    return figure->left + (double)(task % COLUMNS) * (PANEL_WIDTH + GAP_X);
}

static double panel_y(const struct setting *setting, size_t task)
{
    return TOP + (double)(task / COLUMNS) * (block_height(setting) + BLOCK_GAP);
}

static struct chart_scale scale_of(const struct accuracy_figure *figure, size_t task)
{
    double x = panel_x(figure, task);
    return (struct chart_scale){0, 1, x + 6, x + PANEL_WIDTH - 6};
}

static double position_floor(const struct setting *setting, size_t task)
{
    return task_chance(setting->task[task], setting->run->n_token);
}

static void draw_axis(cairo_t *cr, const struct chart_scale *x, double top, double height)
{
    static const char *const label[] = {"0", "0.5", "1"};
    for (int i = 0; i <= 4; i++) {
        double at = chart_at(x, i / 4.0);
        cairo_set_line_width(cr, 0.6);
        chart_colour(cr, CHART_GRID, 1);
        chart_line(cr, at, top, at, top + height);
        chart_colour(cr, CHART_INK, 1);
        if (i % 2 == 0) {
            chart_text(cr, at, top + height + 12, CHART_SMALL, CHART_CENTRE, label[i / 2]);
        }
    }
}

static void draw_floor(cairo_t *cr, double at, double top, double bottom)
{
    cairo_save(cr);
    chart_colour(cr, CHART_MUTED, 1);
    cairo_set_line_width(cr, 1.2);
    cairo_set_dash(cr, (double[]){4, 3}, 2, 0);
    chart_line(cr, at, top, at, bottom);
    cairo_restore(cr);
}

static void draw_mean(cairo_t *cr, double x, double y)
{
    cairo_set_line_width(cr, 2.2);
    chart_line(cr, x, y - 12, x, y + 12);
}

/* Dots of equal value would cover each other, so seeds are spread a little across the row. */
static void draw_cell(cairo_t *cr, const struct cell *cell, const struct chart_scale *x, double y,
                      struct rgb colour)
{
    struct stats stats = cell_stats(cell, MEASURE_TOKEN_ACCURACY);
    if (stats.n == 0) {
        chart_colour(cr, CHART_MUTED, 1);
        chart_text(cr, (x->from + x->to) / 2, y, CHART_LABEL, CHART_CENTRE, "-");
        return;
    }
    size_t place = 0;
    for (size_t i = 0; i < cell->n_run; i++) {
        if (!run_is_ok(&cell->run[i])) {
            continue;
        }
        double shift =
            ((double)place++ - (double)(cell->n_ok - 1) / 2) * fmin(5, 14 / (double)cell->n_ok);
        cairo_arc(cr, chart_at(x, cell->run[i].measure[MEASURE_TOKEN_ACCURACY]), y + shift, DOT, 0,
                  2 * acos(-1));
        chart_colour(cr, (struct rgb){255, 255, 255}, 0.75);
        cairo_fill_preserve(cr);
        chart_colour(cr, colour, 1);
        cairo_set_line_width(cr, 1.3);
        cairo_stroke(cr);
    }
    if (stats.n > 1) {
        draw_mean(cr, chart_at(x, stats.mean), y);
    }
}

static void draw_panel(cairo_t *cr, const struct accuracy_figure *figure, size_t task)
{
    const struct setting *setting = figure->setting;
    struct chart_scale x = scale_of(figure, task);
    double top = panel_y(setting, task), height = block_height(setting);
    draw_axis(cr, &x, top, height);
    draw_floor(cr, chart_at(&x, position_floor(setting, task)), top, top + height);
    for (size_t variant = 0; variant < setting->n_variant; variant++) {
        double y = top + ((double)variant + 0.5) * LINE;
        draw_cell(cr, setting_cell(setting, variant, task), &x, y, colormap_line(variant));
        chart_colour(cr, CHART_INK, 1);
        if (task % COLUMNS == 0) {
            chart_text(cr, figure->left - 10, y, CHART_LABEL, CHART_RIGHT,
                       setting->variant[variant]->variant_name);
        }
    }
    chart_frame(cr, panel_x(figure, task), top, PANEL_WIDTH, height);
    chart_text_bold(cr, panel_x(figure, task) + PANEL_WIDTH / 2, top - 11, CHART_LABEL,
                    CHART_CENTRE, setting->task[task]->title);
    chart_text(cr, panel_x(figure, task) + PANEL_WIDTH / 2, top + height + 30, CHART_SMALL,
               CHART_CENTRE, "token accuracy");
}

static double last_row_bottom(const struct setting *setting)
{
    return panel_y(setting, setting->n_task - 1) + block_height(setting);
}

/* One seed has no mean. */
static bool shows_means(const struct setting *setting)
{
    bool any = false;
    for (size_t i = 0; i < setting->n_variant * setting->n_task; i++) {
        any |= setting->cell[i] && setting->cell[i]->n_ok > 1;
    }
    return any;
}

static void draw_legend(cairo_t *cr, double x, double y, bool means)
{
    chart_colour(cr, CHART_INK, 1);
    cairo_set_line_width(cr, 1.3);
    cairo_arc(cr, x + 4, y, DOT, 0, 2 * acos(-1));
    cairo_stroke(cr);
    chart_text(cr, x + 14, y, CHART_SMALL, CHART_LEFT, "one seed");
    x += 94;
    if (means) {
        draw_mean(cr, x, y);
        chart_text(cr, x + 10, y, CHART_SMALL, CHART_LEFT, "mean");
        x += 66;
    }
    draw_floor(cr, x, y - 9, y + 9);
    chart_colour(cr, CHART_INK, 1);
    chart_text(cr, x + 10, y, CHART_SMALL, CHART_LEFT,
               "chance, or what knowing the position alone gives");
}

static void draw(cairo_t *cr, const void *data)
{
    const struct accuracy_figure *figure = data;
    const struct setting *setting = figure->setting;
    char shape[SETTING_TITLE_SIZE];
    setting_title(setting, shape);
    chart_colour(cr, CHART_INK, 1);
    chart_text_bold(cr, 14, 20, CHART_TITLE, CHART_LEFT, "Token accuracy on the test sequences");
    chart_text(cr, 14, 40, CHART_LABEL, CHART_LEFT, shape);
    for (size_t task = 0; task < setting->n_task; task++) {
        draw_panel(cr, figure, task);
    }
    draw_legend(cr, figure->left, last_row_bottom(setting) + 62, shows_means(setting));
}

enum status figure_accuracy(const struct setting *setting, const char *folder, const char *stem,
                            struct error *err)
{
    struct accuracy_figure figure = {setting, LEFT + figure_name_width(setting, CHART_LABEL)};
    size_t n_column = setting->n_task < COLUMNS ? setting->n_task : COLUMNS;
    double width =
        fmax(panel_x(&figure, n_column - 1) + PANEL_WIDTH + RIGHT, figure.left + LEGEND_WIDTH);
    double height = last_row_bottom(setting) + BOTTOM;
    char path[PATH_SIZE];
    enum status status = path_format(path, err, "%s/%saccuracy.png", folder, stem);
    if (status == STATUS_OK) {
        status = chart_write_png(path, width, height, draw, &figure, err);
    }
    if (status == STATUS_OK) {
        status = path_format(path, err, "%s/%saccuracy.svg", folder, stem);
    }
    if (status == STATUS_OK) {
        status = chart_write_svg(path, width, height, draw, &figure, err);
    }
    return status;
}

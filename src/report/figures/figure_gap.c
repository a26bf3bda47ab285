/* figure_gap: values of a size stand at equal distances, because a grid has two or three of them
 * and their numbers are read off the axis. One scale for all panels, so that a small gap looks
 * small.
 */
#include "report/figures/figure_gap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "report/figures/chart.h"
#include "report/statistics/gap.h"

#define PANEL_WIDTH 190.0
#define PANEL_HEIGHT 132.0
#define GAP_X 18.0
#define GAP_Y 62.0
#define LEFT 66.0
#define TOP 100.0
#define BOTTOM 46.0
#define SAMPLE 40.0           /* a line in the legend */
#define RIGHT (SAMPLE + 24.0) /* the legend without its names */
#define LEGEND_LINE 22.0
#define MIN_WIDTH 700.0  /* of the titles */
#define LEAST_RANGE 0.05 /* a hair's breadth must not look like a gap */
#define DOT 2.0
#define MAX_VALUE 24 /* a panel has room for no more */
#define DODGE 5.0    /* points between the dots of two variants */

struct gap_figure {
    const struct overview *tasks;
    enum measure measure;
    struct gap_line *line; /* [n_line] */
    size_t n_line;
    size_t n_value[GAP_N_SIZE], value[GAP_N_SIZE][MAX_VALUE]; /* over all lines, ascending */
    size_t n_row, *row_of_task; /* [n_task]; n_task: a task without a line */
    double low, high;
};

static size_t find_variant(const struct overview *tasks, const struct run *run)
{
    size_t i = 0;
    while (i + 1 < tasks->n_variant &&
           strcmp(tasks->variant[i]->variant_id, run->variant_id) != 0) {
        i++;
    }
    return i;
}

static size_t find_task(const struct overview *tasks, const struct run *run)
{
    size_t i = 0;
    while (i + 1 < tasks->n_task && tasks->task[i]->task != run->task) {
        i++;
    }
    return i;
}

/* ---- filling ---- */

static void note_value(struct gap_figure *figure, enum gap_size size, size_t value)
{
    size_t *list = figure->value[size], *n = &figure->n_value[size], place = 0;
    while (place < *n && list[place] < value) {
        place++;
    }
    if (*n < MAX_VALUE && (place == *n || list[place] != value)) {
        memmove(list + place + 1, list + place, (*n - place) * sizeof(*list));
        list[place] = value;
        (*n)++;
    }
}

static void note_line(struct gap_figure *figure, const struct gap_line *line)
{
    figure->row_of_task[find_task(figure->tasks, line->paired->run)] = 0;
    for (size_t i = 0; i < line->n_point; i++) {
        note_value(figure, line->size, line->point[i].value);
        for (size_t k = 0; k < line->n_combination; k++) {
            figure->low = fmin(figure->low, line->point[i].of_combination[k]);
            figure->high = fmax(figure->high, line->point[i].of_combination[k]);
        }
    }
}

static enum status add_lines(struct gap_figure *figure, const struct paired *paired,
                             struct error *err)
{
    enum status status = STATUS_OK;
    for (int size = 0; status == STATUS_OK && size < GAP_N_SIZE; size++) {
        struct gap_line *line = &figure->line[figure->n_line];
        status = gap_make(paired, figure->measure, (enum gap_size)size, line, err);
        if (status == STATUS_OK && line->n_point > 0 && line->n_point <= MAX_VALUE) {
            note_line(figure, line);
            figure->n_line++;
        } else {
            gap_free(line);
        }
    }
    return status;
}

static enum status fill(struct gap_figure *figure, const struct paired_set *pairs,
                        struct error *err)
{
    figure->line = calloc(pairs->n_paired * GAP_N_SIZE + 1, sizeof(*figure->line));
    figure->row_of_task = calloc(figure->tasks->n_task + 1, sizeof(*figure->row_of_task));
    if (!figure->line || !figure->row_of_task) {
        return error_memory(err, "comparing variants by size");
    }
    for (size_t i = 0; i < figure->tasks->n_task; i++) {
        figure->row_of_task[i] = figure->tasks->n_task;
    }
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < pairs->n_paired; i++) {
        if (pairs->paired[i].run->task) {
            status = add_lines(figure, &pairs->paired[i], err);
        }
    }
    for (size_t i = 0; i < figure->tasks->n_task; i++) {
        if (figure->row_of_task[i] == 0) {
            figure->row_of_task[i] = figure->n_row++;
        }
    }
    return status;
}

/* ---- drawing ---- */

static size_t n_column(const struct gap_figure *figure)
{
    size_t n = 0;
    for (int i = 0; i < GAP_N_SIZE; i++) {
        n += figure->n_value[i] > 0;
    }
    return n;
}

static double panel_x(const struct gap_figure *figure, enum gap_size size)
{
    size_t column = 0;
    for (int i = 0; i < (int)size; i++) {
        column += figure->n_value[i] > 0;
    }
    return LEFT + (double)column * (PANEL_WIDTH + GAP_X);
}

static double panel_y(size_t row)
{
    return TOP + (double)row * (PANEL_HEIGHT + GAP_Y);
}

static struct chart_scale scale_y(const struct gap_figure *figure, double top)
{
    double margin = 0.06 * (figure->high - figure->low);
    return (struct chart_scale){figure->low - margin, figure->high + margin, top + PANEL_HEIGHT,
                                top};
}

/* Where a value stands; variants that lack one still share the places of the others. */
static double value_x(const struct gap_figure *figure, enum gap_size size, size_t value)
{
    size_t place = 0;
    while (place + 1 < figure->n_value[size] && figure->value[size][place] < value) {
        place++;
    }
    return panel_x(figure, size) +
           PANEL_WIDTH * ((double)place + 0.5) / (double)figure->n_value[size];
}

static void draw_values(cairo_t *cr, const struct gap_figure *figure, enum gap_size size, double y)
{
    for (size_t i = 0; i < figure->n_value[size]; i++) {
        char label[32];
        size_t value = figure->value[size][i];
        snprintf(label, sizeof(label), "%zu", value);
        chart_text(cr, value_x(figure, size, value), y, CHART_SMALL, CHART_CENTRE, label);
    }
}

static void draw_grid(cairo_t *cr, const struct chart_scale *y, double left, bool labels)
{
    double step = chart_step(y->high - y->low, 5);
    int n_decimal = step < 0.1 ? 2 : 1;
    cairo_set_dash(cr, NULL, 0, 0);
    for (double i = ceil(y->low / step); i * step <= y->high; i++) {
        double at = chart_at(y, i * step);
        char label[32];
        snprintf(label, sizeof(label), i == 0 ? "%.*f" : "%+.*f", n_decimal, i * step + 0.0);
        cairo_set_line_width(cr, i == 0 ? 1.2 : 0.6);
        chart_colour(cr, i == 0 ? CHART_MUTED : CHART_GRID, 1);
        chart_line(cr, left, at, left + PANEL_WIDTH, at);
        if (labels) {
            chart_colour(cr, CHART_INK, 1);
            chart_text(cr, left - 6, at, CHART_SMALL, CHART_RIGHT, label);
        }
    }
}

static void draw_frames(cairo_t *cr, const struct gap_figure *figure, size_t row, const char *title)
{
    double top = panel_y(row);
    struct chart_scale y = scale_y(figure, top);
    bool first = true;
    for (int size = 0; size < GAP_N_SIZE; size++) {
        if (figure->n_value[size] == 0) {
            continue;
        }
        double left = panel_x(figure, (enum gap_size)size);
        draw_grid(cr, &y, left, first);
        chart_frame(cr, left, top, PANEL_WIDTH, PANEL_HEIGHT);
        chart_colour(cr, CHART_INK, 1);
        chart_text(cr, left + PANEL_WIDTH / 2, top + PANEL_HEIGHT + 27, CHART_SMALL, CHART_CENTRE,
                   gap_size_title((enum gap_size)size));
        draw_values(cr, figure, (enum gap_size)size, top + PANEL_HEIGHT + 12);
        first = false;
    }
    chart_text_bold(cr, LEFT, top - 12, CHART_LABEL, CHART_LEFT, title);
}

static void draw_line(cairo_t *cr, const struct gap_figure *figure, const struct gap_line *line)
{
    size_t variant = find_variant(figure->tasks, line->paired->run);
    size_t row = figure->row_of_task[find_task(figure->tasks, line->paired->run)];
    struct chart_scale y = scale_y(figure, panel_y(row));
    double shift = ((double)variant - (double)(figure->tasks->n_variant - 1) / 2) * DODGE;
    for (size_t i = 0; i < line->n_point; i++) {
        for (size_t k = 0; k < line->n_combination; k++) {
            cairo_arc(cr, value_x(figure, line->size, line->point[i].value) + shift,
                      chart_at(&y, line->point[i].of_combination[k]), DOT, 0, 2 * acos(-1));
            chart_colour(cr, colormap_line(variant), 0.45);
            cairo_fill(cr);
        }
    }
    chart_line_style(cr, variant, 1.8);
    for (size_t i = 0; i < line->n_point; i++) {
        cairo_line_to(cr, value_x(figure, line->size, line->point[i].value) + shift,
                      chart_at(&y, line->point[i].mean));
    }
    cairo_stroke(cr);
}

static bool has_variant(const struct gap_figure *figure, size_t variant)
{
    for (size_t i = 0; i < figure->n_line; i++) {
        if (find_variant(figure->tasks, figure->line[i].paired->run) == variant) {
            return true;
        }
    }
    return false;
}

static double legend_x(const struct gap_figure *figure)
{
    return LEFT + (double)n_column(figure) * (PANEL_WIDTH + GAP_X) + 4;
}

static void draw_legend(cairo_t *cr, const struct gap_figure *figure)
{
    double x = legend_x(figure);
    size_t n = 0;
    for (size_t variant = 0; variant < figure->tasks->n_variant; variant++) {
        if (!has_variant(figure, variant)) {
            continue;
        }
        double y = TOP + 8 + (double)n++ * LEGEND_LINE;
        chart_line_style(cr, variant, 1.8);
        chart_line(cr, x, y, x + SAMPLE, y);
        cairo_set_dash(cr, NULL, 0, 0);
        chart_colour(cr, CHART_INK, 1);
        chart_text(cr, x + SAMPLE + 8, y, CHART_LABEL, CHART_LEFT,
                   figure->tasks->variant[variant]->variant_name);
    }
}

static void draw(cairo_t *cr, const void *data)
{
    const struct gap_figure *figure = data;
    char title[128];
    snprintf(title, sizeof(title), "Gap to the baseline in %s, by size",
             measure_title(figure->measure));
    chart_colour(cr, CHART_INK, 1);
    chart_text_bold(cr, 14, 20, CHART_TITLE, CHART_LEFT, title);
    chart_text(cr, 14, 41, CHART_SMALL, CHART_LEFT,
               "Variant minus baseline with the same configuration and seed. Dot: a combination of "
               "the other sizes, mean over seeds; line: the mean of the dots.");
    chart_colour(cr, CHART_MUTED, 1);
    chart_text(
        cr, 14, 57, CHART_SMALL, CHART_LEFT,
        "Only combinations that the variant has at every value of the size; one scale for all "
        "panels.");
    for (size_t task = 0; task < figure->tasks->n_task; task++) {
        if (figure->row_of_task[task] < figure->tasks->n_task) {
            draw_frames(cr, figure, figure->row_of_task[task],
                        run_task_title(figure->tasks->task[task]));
        }
    }
    for (size_t i = 0; i < figure->n_line; i++) {
        draw_line(cr, figure, &figure->line[i]);
    }
    draw_legend(cr, figure);
}

static enum status write_both(const struct gap_figure *figure, const char *folder,
                              struct error *err)
{
    double names = 0;
    for (size_t i = 0; i < figure->tasks->n_variant; i++) {
        names = fmax(names, chart_width(CHART_LABEL, figure->tasks->variant[i]->variant_name));
    }
    double width = fmax(legend_x(figure) + RIGHT + names, MIN_WIDTH);
    double height = fmax(panel_y(figure->n_row) - GAP_Y + BOTTOM,
                         TOP + (double)figure->tasks->n_variant * LEGEND_LINE + 16);
    const char *key = measure_key(figure->measure);
    char path[PATH_SIZE];
    enum status status = path_format(path, err, "%s/gap-%s.png", folder, key);
    if (status == STATUS_OK) {
        status = chart_write_png(path, width, height, draw, figure, err);
    }
    if (status == STATUS_OK) {
        status = path_format(path, err, "%s/gap-%s.svg", folder, key);
    }
    if (status == STATUS_OK) {
        status = chart_write_svg(path, width, height, draw, figure, err);
    }
    return status;
}

enum status figure_gap(const struct statistics *statistics, enum measure measure,
                       const char *folder, bool *drawn, struct error *err)
{
    struct gap_figure figure = {
        .tasks = &statistics->tasks, .measure = measure, .low = -LEAST_RANGE, .high = LEAST_RANGE};
    enum status status = fill(&figure, &statistics->all.pairs, err);
    *drawn = status == STATUS_OK && figure.n_line > 0;
    if (*drawn) {
        status = write_both(&figure, folder, err);
    }
    for (size_t i = 0; i < figure.n_line; i++) {
        gap_free(&figure.line[i]);
    }
    free(figure.line);
    free(figure.row_of_task);
    return status;
}

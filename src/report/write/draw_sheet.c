/* draw_sheet: every panel has the same scale, so a uniform map looks flat and panels can be
 * compared by eye.
 */
#include "report/write/draw_sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "report/write/chart.h"

#define TITLE_X 14.0
#define SUBTITLE_LINE 18.0
#define GAP 16.0
#define NOTE 20.0 /* below a panel */
#define NAME_LINE 16.0
#define TICK_ROOM 24.0 /* left of a panel, for the numbers of its rows */
#define BAR_ROOM 92.0
#define BOTTOM 34.0
#define MIN_WIDTH 500.0 /* of the titles */
#define MAX_LABELLED 20 /* rows of a grid with labels and numbers */
#define DARK_FROM 0.6   /* shares of the top above it are bright: dark text */

struct layout {
    const struct sheet *sheet;
    bool labels; /* of a grid's rows and columns are written */
    double left, top, step_x, step_y;
    double width, height;
};

static double panel_x(const struct layout *layout, size_t column)
{
    return layout->left + (double)column * layout->step_x;
}

static double panel_y(const struct layout *layout, size_t row)
{
    return layout->top + (double)row * layout->step_y;
}

/* ---- names: a line for each part between commas ---- */

static size_t n_name_line(const char *name)
{
    char line[CHART_LINE_SIZE];
    size_t n = 0;
    while (chart_name_line(name, n, line)) {
        n++;
    }
    return n;
}

static double name_width(const char *name)
{
    char line[CHART_LINE_SIZE];
    double width = 0;
    for (size_t i = 0; chart_name_line(name, i, line); i++) {
        width = fmax(width, chart_width(CHART_LABEL, line));
    }
    return width;
}

static void draw_name(cairo_t *cr, double x, double y, enum chart_align align, const char *name)
{
    char line[CHART_LINE_SIZE];
    double n = (double)n_name_line(name);
    for (size_t i = 0; chart_name_line(name, i, line); i++) {
        chart_text_bold(cr, x, y + ((double)i - (n - 1) / 2) * NAME_LINE, CHART_LABEL, align, line);
    }
}

/* ---- panels ---- */

static void draw_numbers(cairo_t *cr, const struct sheet *sheet, const struct sheet_panel *panel,
                         double x, double y)
{
    struct rgb white = {255, 255, 255};
    size_t n = panel->n;
    double cell = sheet->side / (double)n;
    for (size_t i = 0; i < n * n; i++) {
        char text[24];
        if (panel->number[i] == 0) {
            continue;
        }
        snprintf(text, sizeof text, "%.0f", (double)panel->number[i]);
        chart_colour(cr, panel->value[i] > DARK_FROM * sheet->top ? CHART_INK : white, 1);
        chart_text(cr, x + ((double)(i % n) + 0.5) * cell, y + ((double)(i / n) + 0.5) * cell,
                   CHART_SMALL, CHART_CENTRE, text);
    }
}

static void draw_panel(cairo_t *cr, const struct layout *layout, size_t row, size_t column)
{
    const struct sheet *sheet = layout->sheet;
    const struct sheet_panel *panel = sheet_panel_at(sheet, row, column);
    double x = panel_x(layout, column), y = panel_y(layout, row), side = sheet->side;
    size_t n = panel->n * panel->n;
    float *share = panel->value ? malloc((n + 1) * sizeof *share) : NULL;
    for (size_t i = 0; share && i < n; i++) {
        share[i] = panel->value[i] / (float)sheet->top;
    }
    if (share) {
        chart_image(cr, x, y, side, share, panel->n);
        if (panel->number && layout->labels) {
            draw_numbers(cr, sheet, panel, x, y);
        }
        chart_colour(cr, CHART_INK, 1);
        if (panel->note) {
            chart_text(cr, x + side / 2, y + side + 11, CHART_SMALL, CHART_CENTRE, panel->note);
        }
    } else {
        chart_colour(cr, CHART_MUTED, 1);
        chart_text(cr, x + side / 2, y + side / 2, CHART_TITLE, CHART_CENTRE, "-");
    }
    chart_frame(cr, x, y, side, side);
    free(share);
}

static size_t first_size(const struct sheet *sheet)
{
    for (size_t i = 0; i < sheet->n_row * sheet->n_column; i++) {
        if (sheet->panel[i].value) {
            return sheet->panel[i].n;
        }
    }
    return 1;
}

/* The first and the last number of rows and columns. */
static void draw_ticks(cairo_t *cr, const struct layout *layout)
{
    const struct sheet *sheet = layout->sheet;
    char last[24];
    double side = sheet->side, inset = side / (double)first_size(sheet) / 2;
    snprintf(last, sizeof last, "%zu", first_size(sheet) - 1);
    chart_colour(cr, CHART_MUTED, 1);
    for (size_t row = 0; row < sheet->n_row; row++) {
        double y = panel_y(layout, row), x = layout->left - 5;
        chart_text(cr, x, y + fmax(inset, 5), CHART_SMALL, CHART_RIGHT, "0");
        chart_text(cr, x, y + side - fmax(inset, 5), CHART_SMALL, CHART_RIGHT, last);
    }
    for (size_t column = 0; column < sheet->n_column; column++) {
        double x = panel_x(layout, column), y = layout->top - 9;
        chart_text(cr, x + fmax(inset, 4), y, CHART_SMALL, CHART_CENTRE, "0");
        chart_text(cr, x + side - fmax(inset, 6), y, CHART_SMALL, CHART_CENTRE, last);
    }
}

/* The labels of every row and column of a grid. */
static void draw_labels(cairo_t *cr, const struct layout *layout)
{
    const struct sheet *sheet = layout->sheet;
    double cell = sheet->side / (double)first_size(sheet);
    chart_colour(cr, CHART_INK, 1);
    for (size_t i = 0; i < sheet->n_label; i++) {
        const char *label = sheet->label[i] ? sheet->label[i] : "";
        double middle = ((double)i + 0.5) * cell;
        chart_text(cr, layout->left - 8, layout->top + middle, CHART_SMALL, CHART_RIGHT, label);
        chart_text_up(cr, layout->left + middle,
                      layout->top - 8 - chart_width(CHART_SMALL, label) / 2, CHART_SMALL, label);
    }
}

/* ---- the scale ---- */

static void draw_bar(cairo_t *cr, const struct layout *layout)
{
    const struct sheet *sheet = layout->sheet;
    double x = panel_x(layout, sheet->n_column) - GAP + 18;
    double rows = (double)sheet->n_row;
    double height = rows * layout->step_y - (layout->step_y - sheet->side);
    height = fmin(height, fmax(3 * sheet->side, 200));
    chart_scale_bar(cr, x, layout->top, height, sheet->top, sheet->clipped,
                    sheet->scale_title ? sheet->scale_title : "");
}

/* ---- the whole ---- */

static size_t n_line(const char *text)
{
    size_t n = text && text[0] ? 1 : 0;
    for (; text && *text; text++) {
        n += *text == '\n';
    }
    return n;
}

static void draw_titles(cairo_t *cr, const struct layout *layout)
{
    const struct sheet *sheet = layout->sheet;
    const char *line = sheet->subtitle;
    chart_colour(cr, CHART_INK, 1);
    chart_text_bold(cr, TITLE_X, 20, CHART_TITLE, CHART_LEFT, sheet->title);
    for (size_t i = 0, n = n_line(sheet->subtitle); i < n; i++) {
        char text[256];
        size_t length = strcspn(line, "\n");
        snprintf(text, sizeof text, "%.*s", (int)length, line);
        chart_text(cr, TITLE_X, 40 + SUBTITLE_LINE * (double)i, CHART_LABEL, CHART_LEFT, text);
        line += length + 1;
    }
    for (size_t i = 0; i < sheet->n_column; i++) {
        if (sheet->column_title[i]) {
            draw_name(cr, panel_x(layout, i) + sheet->side / 2, layout->top - 26, CHART_CENTRE,
                      sheet->column_title[i]);
        }
    }
    for (size_t i = 0; i < sheet->n_row; i++) {
        if (sheet->row_title[i]) {
            draw_name(cr, layout->left - TICK_ROOM, panel_y(layout, i) + sheet->side / 2,
                      CHART_RIGHT, sheet->row_title[i]);
        }
    }
    double bottom = panel_y(layout, sheet->n_row - 1) + layout->step_y - GAP;
    double right = panel_x(layout, sheet->n_column - 1) + sheet->side;
    if (sheet->right) {
        chart_text(cr, (layout->left + right) / 2, bottom + 18, CHART_LABEL, CHART_CENTRE,
                   sheet->right);
    }
    if (sheet->down) {
        chart_text_up(cr, 16, (layout->top + bottom) / 2, CHART_LABEL, sheet->down);
    }
}

static void draw(cairo_t *cr, const void *data)
{
    const struct layout *layout = data;
    draw_titles(cr, layout);
    if (layout->labels) {
        draw_labels(cr, layout);
    } else {
        draw_ticks(cr, layout);
    }
    for (size_t i = 0; i < layout->sheet->n_row * layout->sheet->n_column; i++) {
        draw_panel(cr, layout, i / layout->sheet->n_column, i % layout->sheet->n_column);
    }
    draw_bar(cr, layout);
}

static struct layout lay_out(const struct sheet *sheet)
{
    struct layout layout = {.sheet = sheet,
                            .labels = sheet->label && first_size(sheet) <= MAX_LABELLED,
                            .step_x = sheet->side + GAP,
                            .step_y = sheet->side + GAP};
    double name = 0, label = 0;
    size_t lines = 0;
    for (size_t i = 0; i < sheet->n_row; i++) {
        name = fmax(name, sheet->row_title[i] ? name_width(sheet->row_title[i]) : 0);
    }
    for (size_t i = 0; i < sheet->n_column; i++) {
        size_t here = sheet->column_title[i] ? n_name_line(sheet->column_title[i]) : 0;
        lines = here > lines ? here : lines;
        layout.step_x = fmax(layout.step_x, here ? name_width(sheet->column_title[i]) + GAP : 0);
    }
    for (size_t i = 0; layout.labels && i < sheet->n_label; i++) {
        label = fmax(label, chart_width(CHART_SMALL, sheet->label[i] ? sheet->label[i] : ""));
    }
    for (size_t i = 0; i < sheet->n_row * sheet->n_column; i++) {
        if (sheet->panel[i].note) {
            layout.step_y = sheet->side + GAP + NOTE - 10;
        }
    }
    layout.left = 34 + fmax(name + TICK_ROOM, label + 8);
    layout.top = 50 + SUBTITLE_LINE * (double)n_line(sheet->subtitle) + NAME_LINE * (double)lines +
                 (layout.labels ? label : 8);
    layout.width = fmax(panel_x(&layout, sheet->n_column) + BAR_ROOM, MIN_WIDTH);
    layout.width = fmax(layout.width, chart_width(CHART_TITLE, sheet->title) + 2 * TITLE_X);
    layout.height = panel_y(&layout, sheet->n_row) - GAP + BOTTOM;
    return layout;
}

enum status draw_sheet_write(const struct sheet *sheet, const char *folder, struct error *err)
{
    char path[PATH_SIZE];
    struct layout layout = lay_out(sheet);
    TRY(path_format(path, err, "%s/%s.png", folder, sheet->name));
    return chart_write_png(path, layout.width, layout.height, draw, &layout, err);
}

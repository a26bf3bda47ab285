/* Everything is laid out before anything is drawn: names decide how wide the columns are, and heads
 * of several lines how far down the images begin.
 */
#include "report/images/sample_sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/write/chart.h"

#define AIM 84.0 /* points a side of a panel */
#define GAP 10.0
#define CAPTION 16.0 /* below a panel */
#define ROW_GAP 8.0
#define EDGE 14.0
#define TOP 86.0 /* titles, without the heads of the columns */
#define HEAD_LINE 15.0
#define LABEL_GAP 8.0
#define BOTTOM 12.0
#define MIN_WIDTH 620.0 /* of the titles */
#define WRONG ((struct rgb){0xb0, 0x30, 0x00})

static size_t n_patch(const struct samples *samples)
{
    return samples->n_token - 1;
}

/* ---- filling ---- */

enum status sample_sheet_create(struct sample_sheet *sheet, const struct samples *samples,
                                size_t n_column, struct error *err)
{
    size_t n_value = n_column * samples->n * n_patch(samples);
    *sheet = (struct sample_sheet){.samples = samples, .n_column = n_column};
    sheet->row = calloc(samples->n, sizeof(*sheet->row));
    sheet->column = calloc(n_column, sizeof(*sheet->column));
    sheet->value = calloc(n_value, sizeof(*sheet->value));
    bool fine = sheet->row && sheet->column && sheet->value;
    for (size_t i = 0; fine && i < n_column; i++) {
        sheet->column[i].panel = calloc(samples->n, sizeof(*sheet->column[i].panel));
        fine = sheet->column[i].panel != NULL;
    }
    if (!fine) {
        return error_memory(err, "drawing samples");
    }
    for (size_t i = 0; i < n_value; i++) {
        sheet->value[i] = NAN;
    }
    for (size_t i = 0; i < samples->n; i++) {
        samples_class(samples, samples->label[i], sheet->row[i].name);
    }
    sheet->scale = overlay_scale_of(NULL, 0);
    return STATUS_OK;
}

void sample_sheet_free(struct sample_sheet *sheet)
{
    for (size_t i = 0; sheet->column && i < sheet->n_column; i++) {
        free(sheet->column[i].panel);
    }
    free(sheet->column);
    free(sheet->row);
    free(sheet->value);
    *sheet = (struct sample_sheet){0};
}

static double *panel_value(const struct sample_sheet *sheet, size_t column, size_t sample)
{
    return sheet->value + (column * sheet->samples->n + sample) * n_patch(sheet->samples);
}

void sample_sheet_show(struct sample_sheet *sheet, size_t column, size_t sample,
                       const double *share, double uniform)
{
    double *value = panel_value(sheet, column, sample);
    for (size_t i = 0; i < n_patch(sheet->samples); i++) {
        value[i] = share[i + 1] / uniform;
    }
}

enum status sample_sheet_scale(struct sample_sheet *const *sheet, size_t n_sheet, struct error *err)
{
    size_t n = 0, n_finite = 0;
    for (size_t i = 0; i < n_sheet; i++) {
        n += sheet[i]->n_column * sheet[i]->samples->n * n_patch(sheet[i]->samples);
    }
    double *all = calloc(n + 1, sizeof(*all));
    if (!all) {
        return error_memory(err, "drawing samples");
    }
    for (size_t i = 0; i < n_sheet; i++) {
        size_t n_value = sheet[i]->n_column * sheet[i]->samples->n * n_patch(sheet[i]->samples);
        for (size_t k = 0; k < n_value; k++) {
            if (isfinite(sheet[i]->value[k])) {
                all[n_finite++] = sheet[i]->value[k];
            }
        }
    }
    struct overlay_scale scale = overlay_scale_of(all, n_finite);
    for (size_t i = 0; i < n_sheet; i++) {
        sheet[i]->scale = scale;
    }
    free(all);
    return STATUS_OK;
}

/* ---- layout ---- */

struct sheet_layout {
    const struct sample_sheet *sheet;
    double side;      /* of a panel */
    double left, top; /* of the first image */
    double *x;        /* [n_column + 2] of panels, the image's first; behind them the bar's */
    double width, height;
};

static size_t head_lines(const struct sheet_column *column)
{
    char line[CHART_LINE_SIZE];
    size_t n = 0;
    while (chart_name_line(column->head, n, line)) {
        n++;
    }
    return n;
}

static double head_width(const struct sheet_column *column)
{
    char line[CHART_LINE_SIZE];
    double width = chart_width(CHART_SMALL, column->below);
    for (size_t i = 0; chart_name_line(column->head, i, line); i++) {
        width = fmax(width, chart_width(CHART_LABEL, line));
    }
    return width;
}

static double label_width(const struct sheet_label *label)
{
    return fmax(chart_width(CHART_LABEL, label->name), chart_width(CHART_SMALL, label->below));
}

/* place_columns puts every panel into the middle of a column as wide as its head. */
static void place_columns(struct sheet_layout *layout)
{
    const struct sample_sheet *sheet = layout->sheet;
    double at = layout->left + layout->side + GAP;
    layout->x[0] = layout->left;
    for (size_t i = 0; i < sheet->n_column; i++) {
        double width = fmax(layout->side, head_width(&sheet->column[i]));
        layout->x[i + 1] = floor(at + (width - layout->side) / 2);
        at += width + GAP;
    }
    layout->x[sheet->n_column + 1] = at + GAP;
}

static void lay_out(struct sheet_layout *layout)
{
    const struct sample_sheet *sheet = layout->sheet;
    double label = 0;
    size_t n_line = 1;
    for (size_t i = 0; i < sheet->samples->n; i++) {
        label = fmax(label, label_width(&sheet->row[i]));
    }
    for (size_t i = 0; i < sheet->n_column; i++) {
        size_t lines = head_lines(&sheet->column[i]);
        n_line = lines > n_line ? lines : n_line;
    }
    layout->side = overlay_side(sheet->samples, AIM);
    layout->left = ceil(EDGE + label + LABEL_GAP);
    layout->top = ceil(TOP + ((double)n_line + 1) * HEAD_LINE + 4);
    place_columns(layout);
    double titles = fmax(chart_width(CHART_TITLE, sheet->title), MIN_WIDTH);
    titles = fmax(titles, chart_width(CHART_SMALL, sheet->subtitle));
    titles = fmax(titles, chart_width(CHART_SMALL, sheet->note));
    layout->width = fmax(layout->x[sheet->n_column + 1] + OVERLAY_BAR_WIDTH, titles + 2 * EDGE);
    layout->height = layout->top + (double)sheet->samples->n * (layout->side + CAPTION + ROW_GAP) -
                     ROW_GAP + BOTTOM;
}

static double panel_y(const struct sheet_layout *layout, size_t sample)
{
    return layout->top + (double)sample * (layout->side + CAPTION + ROW_GAP);
}

/* ---- drawing ---- */

static void draw_titles(cairo_t *cr, const struct sample_sheet *sheet)
{
    chart_colour(cr, CHART_INK, 1);
    chart_text_bold(cr, EDGE, 20, CHART_TITLE, CHART_LEFT, sheet->title);
    chart_text(cr, EDGE, 41, CHART_SMALL, CHART_LEFT, sheet->subtitle);
    chart_colour(cr, CHART_MUTED, 1);
    chart_text(cr, EDGE, 57, CHART_SMALL, CHART_LEFT, sheet->note);
    chart_text(cr, EDGE, 73, CHART_SMALL, CHART_LEFT, OVERLAY_NOTE);
}

static void draw_heads(cairo_t *cr, const struct sheet_layout *layout)
{
    const struct sample_sheet *sheet = layout->sheet;
    double below = layout->top - 10, last = below - HEAD_LINE;
    double middle = layout->side / 2;
    chart_colour(cr, CHART_INK, 1);
    chart_text_bold(cr, layout->x[0] + middle, last, CHART_LABEL, CHART_CENTRE, "image");
    for (size_t i = 0; i < sheet->n_column; i++) {
        const struct sheet_column *column = &sheet->column[i];
        char line[CHART_LINE_SIZE];
        double x = layout->x[i + 1] + middle;
        size_t n_line = head_lines(column);
        for (size_t k = 0; chart_name_line(column->head, k, line); k++) {
            chart_text_bold(cr, x, last - (double)(n_line - 1 - k) * HEAD_LINE, CHART_LABEL,
                            CHART_CENTRE, line);
        }
        chart_text(cr, x, below, CHART_SMALL, CHART_CENTRE, column->below);
    }
}

static void draw_row_label(cairo_t *cr, double x, double y, const struct sheet_label *label)
{
    double shift = label->below[0] ? 8 : 0;
    chart_colour(cr, CHART_INK, 1);
    chart_text_bold(cr, x, y - shift, CHART_LABEL, CHART_RIGHT, label->name);
    chart_colour(cr, label->wrong ? WRONG : CHART_MUTED, 1);
    chart_text(cr, x, y + shift, CHART_SMALL, CHART_RIGHT, label->below);
}

static void draw_panel(cairo_t *cr, const struct sheet_layout *layout, size_t column, size_t sample)
{
    const struct sample_sheet *sheet = layout->sheet;
    const struct sheet_label *caption = &sheet->column[column].panel[sample];
    const double *value = panel_value(sheet, column, sample);
    double x = layout->x[column + 1], y = panel_y(layout, sample);
    if (isnan(value[0])) {
        chart_colour(cr, CHART_MUTED, 1);
        chart_text(cr, x + layout->side / 2, y + layout->side / 2, CHART_TITLE, CHART_CENTRE, "-");
    } else {
        overlay_map(cr, x, y, layout->side, sheet->samples, sample, value, &sheet->scale);
    }
    chart_colour(cr, caption->wrong ? WRONG : CHART_MUTED, 1);
    chart_text(cr, x + layout->side / 2, y + layout->side + CAPTION / 2, CHART_SMALL, CHART_CENTRE,
               caption->below);
}

static void draw(cairo_t *cr, const void *data)
{
    const struct sheet_layout *layout = data;
    const struct sample_sheet *sheet = layout->sheet;
    draw_titles(cr, sheet);
    draw_heads(cr, layout);
    for (size_t i = 0; i < sheet->samples->n; i++) {
        double y = panel_y(layout, i);
        draw_row_label(cr, layout->left - LABEL_GAP, y + layout->side / 2, &sheet->row[i]);
        overlay_image(cr, layout->x[0], y, layout->side, sheet->samples, i);
        for (size_t column = 0; column < sheet->n_column; column++) {
            draw_panel(cr, layout, column, i);
        }
    }
    double rows = panel_y(layout, sheet->samples->n) - CAPTION - ROW_GAP - layout->top;
    overlay_bar(cr, layout->x[sheet->n_column + 1], layout->top, fmin(rows, 260), true,
                &sheet->scale);
}

enum status sample_sheet_write(const struct sample_sheet *sheet, const char *path,
                               struct error *err)
{
    struct sheet_layout layout = {.sheet = sheet, .x = calloc(sheet->n_column + 2, sizeof(double))};
    if (!layout.x) {
        return error_memory(err, "drawing %s", path);
    }
    lay_out(&layout);
    enum status status =
        chart_write_png(path, ceil(layout.width), ceil(layout.height), draw, &layout, err);
    free(layout.x);
    return status;
}

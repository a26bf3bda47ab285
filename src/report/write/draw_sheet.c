/* draw_sheet: every panel has the same scale, so a uniform map looks flat and panels can be
 * compared by eye. A colour that lies over a picture covers two thirds of it in grey: enough to be
 * read off the bar, which shows it over dark, middle and light pixels, and not so much that the
 * picture is lost.
 */
#include "report/write/draw_sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "report/write/chart.h"

#define EDGE 14.0
#define PNG_PIXELS 2 /* of a point, see chart_write_png */
#define SUBTITLE_LINE 18.0
#define NAME_LINE 16.0
#define NOTE_LINE 14.0
#define AXIS_ROOM 20.0 /* of an axis' title */
#define TICK_GAP 5.0
#define TITLE_GAP 10.0
#define BLOCK_GAP 24.0
#define MIN_LABELLED 20.0 /* points a side of a grid's squares that are labelled */
#define DARK_FROM 0.6     /* shares of the top above it are bright: dark text */
#define COVER 0.66        /* of a picture by a colour */
#define STRIP_WIDTH 7.0   /* of the bar's colours over a picture */
#define N_STRIP 3

static const struct rgb WHITE = {255, 255, 255};
static const struct rgb WRONG = {0xb0, 0x30, 0x00};

struct layout {
    const struct sheet *sheet;
    double side;                    /* of the largest panel */
    double left, top;               /* of the first panel */
    double step_x, step_y;          /* from panel to panel */
    double block;                   /* from block to block */
    double row_ticks, column_ticks; /* room for the labels of grids, left of and above them */
    double bar_x, bar_height;
    double width, height;
    size_t n_row;       /* of a block */
    size_t grid_column; /* the first with a grid that lies over no picture; n_column: none */
    bool covers;        /* some grids lie over pictures */
};

static bool is_grid(const struct sheet_panel *panel)
{
    return panel->value && !panel->rgb;
}

/* ---- places ---- */

static double panel_x(const struct layout *layout, size_t row, size_t column)
{
    bool shifted = layout->grid_column > 0 && column >= layout->grid_column;
    return layout->left + (double)(row / layout->n_row) * layout->block +
           (double)column * layout->step_x + (shifted ? layout->row_ticks + AXIS_ROOM : 0);
}

static double panel_y(const struct layout *layout, size_t row)
{
    return layout->top + (double)(row % layout->n_row) * layout->step_y;
}

static double longer(const struct sheet_panel *panel)
{
    return (double)(panel->width > panel->height ? panel->width : panel->height);
}

/* Points a pixel of a picture: whole pixels of the PNG. */
static double pixel_of(const struct sheet *sheet, const struct sheet_panel *panel)
{
    return fmax(round(sheet->side * PNG_PIXELS / longer(panel)), 1) / PNG_PIXELS;
}

/* The size of a panel's squares. */
static void square_of(const struct layout *layout, const struct sheet_panel *panel, double *width,
                      double *height)
{
    if (panel->rgb) {
        *width = *height = pixel_of(layout->sheet, panel) * (double)panel->square;
    } else {
        *width = layout->side / (double)panel->n_column;
        *height = layout->side / (double)panel->n_row;
    }
}

/* ---- titles: in bold a line for each part between commas; behind a line break small print ---- */

struct title_line {
    char text[160];
    bool small;
};

static bool title_line(const char *title, size_t i, struct title_line *line)
{
    line->small = false;
    title = title && title[0] ? title : NULL;
    for (; title; i--) {
        size_t n = strcspn(title, "\n");
        const char *comma = line->small ? NULL : strstr(title, ", ");
        bool breaks = comma && comma < title + n;
        n = breaks ? (size_t)(comma - title) + 1 : n;
        if (i == 0) {
            snprintf(line->text, sizeof line->text, "%.*s", (int)n, title);
            return true;
        }
        line->small |= !breaks;
        title = title[n] ? title + n + 1 : NULL;
    }
    return false;
}

static double title_height(const char *title)
{
    struct title_line line;
    double height = 0;
    for (size_t i = 0; title_line(title, i, &line); i++) {
        height += line.small ? NOTE_LINE : NAME_LINE;
    }
    return height;
}

static double title_width(const char *title)
{
    struct title_line line;
    double width = 0;
    for (size_t i = 0; title_line(title, i, &line); i++) {
        width = fmax(width, chart_width(line.small ? CHART_SMALL : CHART_LABEL, line.text));
    }
    return width;
}

static void draw_title(cairo_t *cr, double x, double middle, enum chart_align align,
                       const char *title)
{
    struct title_line line;
    double y = middle - title_height(title) / 2;
    chart_colour(cr, CHART_INK, 1);
    for (size_t i = 0; title_line(title, i, &line); i++) {
        double height = line.small ? NOTE_LINE : NAME_LINE;
        if (line.small) {
            chart_text(cr, x, y + height / 2, CHART_SMALL, align, line.text);
        } else {
            chart_text_bold(cr, x, y + height / 2, CHART_LABEL, align, line.text);
        }
        y += height;
    }
}

/* ---- labels of a grid's rows and columns ---- */

static bool all_labelled(const struct layout *layout, const struct sheet_panel *panel)
{
    return layout->sheet->label && panel->n_row <= layout->sheet->n_label &&
           panel->n_column <= layout->sheet->n_label &&
           layout->side / (double)panel->n_row >= MIN_LABELLED;
}

static const char *label_of(const struct sheet *sheet, bool all, size_t i, char number[24])
{
    snprintf(number, 24, "%zu", i);
    return all && sheet->label[i] ? sheet->label[i] : number;
}

static double widest_label(const struct layout *layout, const struct sheet_panel *panel, size_t n)
{
    char number[24];
    double width = 0;
    bool all = all_labelled(layout, panel);
    for (size_t i = all ? 0 : n - 1; i < n; i++) {
        width = fmax(width, chart_width(CHART_SMALL, label_of(layout->sheet, all, i, number)));
    }
    return width;
}

/* Labels are turned where they are wider than a column. */
static bool is_turned(const struct layout *layout, const struct sheet_panel *panel)
{
    return all_labelled(layout, panel) && widest_label(layout, panel, panel->n_column) >
                                              layout->side / (double)panel->n_column - 2;
}

/* Without labels the first and the last number are written, and that of a framed row. */
static void draw_row_labels(cairo_t *cr, const struct layout *layout,
                            const struct sheet_panel *panel, double x, double y)
{
    char number[24];
    bool all = all_labelled(layout, panel);
    double width, height, side = layout->side;
    square_of(layout, panel, &width, &height);
    chart_colour(cr, all ? CHART_INK : CHART_MUTED, 1);
    for (size_t i = 0; i < panel->n_row; i++) {
        double at = fmin(fmax(((double)i + 0.5) * height, 5), side - 5);
        bool framed = panel->frame.n_row == 1 && i == panel->frame.row &&
                      fabs(at - side / 2) < side / 2 - NOTE_LINE;
        if (all || i == 0 || i == panel->n_row - 1 || framed) {
            chart_text(cr, x - TICK_GAP, y + at, CHART_SMALL, CHART_RIGHT,
                       label_of(layout->sheet, all, i, number));
        }
    }
}

static void draw_column_labels(cairo_t *cr, const struct layout *layout,
                               const struct sheet_panel *panel, double x, double y)
{
    char number[24];
    bool all = all_labelled(layout, panel), turned = is_turned(layout, panel);
    double width, height;
    square_of(layout, panel, &width, &height);
    chart_colour(cr, all ? CHART_INK : CHART_MUTED, 1);
    for (size_t i = 0; i < panel->n_column; i++) {
        double at = fmin(fmax(((double)i + 0.5) * width, 4), layout->side - 6);
        const char *label = label_of(layout->sheet, all, i, number);
        if (turned) {
            chart_text_up(cr, x + at, y - TICK_GAP - chart_width(CHART_SMALL, label) / 2,
                          CHART_SMALL, label);
        } else if (all || i == 0 || i == panel->n_column - 1) {
            chart_text(cr, x + at, y - TICK_GAP - 4, CHART_SMALL, CHART_CENTRE, label);
        }
    }
}

/* Rows are labelled at the first grid of a row, columns at that of a column. */
static void draw_labels(cairo_t *cr, const struct layout *layout)
{
    const struct sheet *sheet = layout->sheet;
    for (size_t row = 0; row < sheet->n_row; row++) {
        size_t column = layout->grid_column;
        while (column < sheet->n_column && !is_grid(sheet_panel_at(sheet, row, column))) {
            column++;
        }
        if (column < sheet->n_column) {
            draw_row_labels(cr, layout, sheet_panel_at(sheet, row, column),
                            panel_x(layout, row, layout->grid_column), panel_y(layout, row));
        }
    }
    for (size_t column = layout->grid_column; column < sheet->n_column; column++) {
        size_t row = 0;
        while (row < sheet->n_row && !is_grid(sheet_panel_at(sheet, row, column))) {
            row++;
        }
        if (row < sheet->n_row) {
            draw_column_labels(cr, layout, sheet_panel_at(sheet, row, column),
                               panel_x(layout, row, column), layout->top);
        }
    }
}

/* ---- panels ---- */

struct pixels {
    const struct sheet *sheet;
    const struct sheet_panel *panel;
};

static struct rgb value_colour(const struct pixels *pixels, size_t row, size_t column)
{
    return colormap_viridis(sheet_value(pixels->sheet, pixels->panel, row, column) /
                            pixels->sheet->top);
}

static uint8_t cover(uint8_t colour, double grey)
{
    return (uint8_t)(COVER * colour + (1 - COVER) * grey + 0.5);
}

static struct rgb lay_over(struct rgb colour, double grey)
{
    return (struct rgb){cover(colour.r, grey), cover(colour.g, grey), cover(colour.b, grey)};
}

/* Grey is the luma of ITU-R BT.601. */
static struct rgb picture_pixel(const void *data, size_t row, size_t column)
{
    const struct pixels *pixels = data;
    const struct sheet_panel *panel = pixels->panel;
    const unsigned char *byte = panel->rgb + 3 * (row * panel->width + column);
    if (!panel->value) {
        return (struct rgb){byte[0], byte[1], byte[2]};
    }
    return lay_over(value_colour(pixels, row / panel->square, column / panel->square),
                    0.299 * byte[0] + 0.587 * byte[1] + 0.114 * byte[2]);
}

static struct rgb grid_pixel(const void *data, size_t row, size_t column)
{
    return value_colour(data, row, column);
}

static void draw_edges(cairo_t *cr, const struct sheet_panel *panel, double x, double y,
                       double pixel)
{
    double width = pixel * (double)panel->width, height = pixel * (double)panel->height;
    double step = pixel * (double)panel->square;
    cairo_set_line_width(cr, 0.6);
    chart_colour(cr, WHITE, 0.55);
    for (size_t i = 1; i < panel->n_column; i++) {
        chart_line(cr, x + (double)i * step, y, x + (double)i * step, y + height);
    }
    for (size_t i = 1; i < panel->n_row; i++) {
        chart_line(cr, x, y + (double)i * step, x + width, y + (double)i * step);
    }
}

static void draw_numbers(cairo_t *cr, const struct layout *layout, const struct sheet_panel *panel,
                         double x, double y)
{
    double width, height;
    square_of(layout, panel, &width, &height);
    for (size_t i = 0; i < panel->n_row * panel->n_column; i++) {
        size_t row = i / panel->n_column, column = i % panel->n_column;
        bool bright =
            sheet_value(layout->sheet, panel, row, column) > DARK_FROM * layout->sheet->top;
        char text[24];
        snprintf(text, sizeof text, "%.0f", (double)panel->number[i]);
        chart_colour(cr, bright ? CHART_INK : WHITE, 1);
        if (panel->number[i] != 0) {
            chart_text(cr, x + ((double)column + 0.5) * width, y + ((double)row + 0.5) * height,
                       CHART_SMALL, CHART_CENTRE, text);
        }
    }
}

/* A light line upon a dark one is seen on every picture. */
static void draw_frame(cairo_t *cr, const struct layout *layout, const struct sheet_panel *panel,
                       double x, double y, double right, double bottom)
{
    const struct sheet_frame *frame = &panel->frame;
    double width, height;
    square_of(layout, panel, &width, &height);
    double left = x + (double)frame->column * width, above = y + (double)frame->row * height;
    cairo_rectangle(cr, left, above, fmin((double)frame->n_column * width, right - left),
                    fmin((double)frame->n_row * height, bottom - above));
    cairo_set_line_width(cr, 2.2);
    chart_colour(cr, CHART_INK, 0.7);
    cairo_stroke_preserve(cr);
    cairo_set_line_width(cr, 1.2);
    chart_colour(cr, WHITE, 1);
    cairo_stroke(cr);
}

static void draw_panel(cairo_t *cr, const struct layout *layout, size_t row, size_t column)
{
    const struct sheet *sheet = layout->sheet;
    const struct sheet_panel *panel = sheet_panel_at(sheet, row, column);
    const struct pixels pixels = {sheet, panel};
    double x = panel_x(layout, row, column), y = panel_y(layout, row), side = layout->side;
    double width = side, height = side;
    if (panel->rgb) {
        double pixel = pixel_of(sheet, panel);
        width = pixel * (double)panel->width;
        height = pixel * (double)panel->height;
        chart_pixels(cr, x, y, width, height, panel->height, panel->width, picture_pixel, &pixels);
        if (!panel->value) {
            draw_edges(cr, panel, x, y, pixel);
        }
    } else if (panel->value) {
        chart_pixels(cr, x, y, side, side, panel->n_row, panel->n_column, grid_pixel, &pixels);
        if (panel->number && all_labelled(layout, panel)) {
            draw_numbers(cr, layout, panel, x, y);
        }
    } else {
        chart_colour(cr, CHART_MUTED, 1);
        chart_text(cr, x + side / 2, y + side / 2, CHART_TITLE, CHART_CENTRE, "-");
    }
    if (layout->grid_column <= column && !panel->rgb) {
        chart_frame(cr, x, y, side, side);
    }
    if (panel->frame.n_row > 0) {
        draw_frame(cr, layout, panel, x, y, x + width, y + height);
    }
    if (panel->note) {
        chart_colour(cr, panel->wrong ? WRONG : CHART_INK, 1);
        chart_text(cr, x + side / 2, y + side + 11, CHART_SMALL, CHART_CENTRE, panel->note);
    }
}

/* ---- the scale ---- */

static struct rgb strip_pixel(const void *data, size_t row, size_t column)
{
    (void)column;
    return lay_over(colormap_viridis(1 - (double)row / 127), *(const double *)data);
}

static void draw_bar(cairo_t *cr, const struct layout *layout)
{
    static const double grey[N_STRIP] = {0, 128, 255};
    const struct sheet *sheet = layout->sheet;
    double x = layout->bar_x, y = layout->top, height = layout->bar_height;
    for (size_t i = 0; layout->covers && i < N_STRIP; i++) {
        chart_pixels(cr, x + (double)i * STRIP_WIDTH, y, STRIP_WIDTH, height, 128, 1, strip_pixel,
                     &grey[i]);
    }
    if (layout->covers) {
        chart_frame(cr, x, y, N_STRIP * STRIP_WIDTH, height);
        x += N_STRIP * STRIP_WIDTH + 4;
    }
    chart_scale_bar(cr, x, y, height, sheet->top, sheet->clipped,
                    sheet->scale_title ? sheet->scale_title : "");
}

/* ---- the whole ---- */

/* The i-th line below the title; false past the last. */
static bool subtitle_line(const struct layout *layout, size_t i, char text[256])
{
    const char *line = layout->sheet->subtitle ? layout->sheet->subtitle : "";
    for (; *line && i > 0; i--) {
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    snprintf(text, 256, "%.*s", (int)strcspn(line, "\n"), line);
    if (!*line && i == 0 && layout->covers) {
        snprintf(text, 256,
                 "Beside the bar: its colours as they look over dark, middle and light pixels.");
    }
    return text[0] != '\0';
}

static void draw_titles(cairo_t *cr, const struct layout *layout)
{
    const struct sheet *sheet = layout->sheet;
    char line[256];
    chart_colour(cr, CHART_INK, 1);
    chart_text_bold(cr, EDGE, 20, CHART_TITLE, CHART_LEFT, sheet->title);
    for (size_t i = 0; subtitle_line(layout, i, line); i++) {
        chart_colour(cr, i == 0 ? CHART_INK : CHART_MUTED, 1);
        chart_text(cr, EDGE, 41 + SUBTITLE_LINE * (double)i, i == 0 ? CHART_LABEL : CHART_SMALL,
                   CHART_LEFT, line);
    }
    for (size_t i = 0; i < sheet->n_column; i++) {
        const char *title = sheet->column_title[i];
        draw_title(cr, panel_x(layout, 0, i) + layout->side / 2,
                   layout->top - layout->column_ticks - 4 - title_height(title) / 2, CHART_CENTRE,
                   title);
    }
    for (size_t i = 0; i < sheet->n_row; i++) {
        double ticks = layout->grid_column == 0 ? layout->row_ticks : 0;
        draw_title(cr, panel_x(layout, i, 0) - ticks - TITLE_GAP,
                   panel_y(layout, i) + layout->side / 2, CHART_RIGHT, sheet->row_title[i]);
    }
}

/* A title longer than the panels begins with them. */
static void draw_axes(cairo_t *cr, const struct layout *layout)
{
    const struct sheet *sheet = layout->sheet;
    size_t column = layout->grid_column;
    double last = panel_y(layout, layout->n_row - 1), left = panel_x(layout, 0, column);
    double width = panel_x(layout, 0, sheet->n_column - 1) + layout->side - left;
    double height = last + layout->side - layout->top;
    chart_colour(cr, CHART_INK, 1);
    if (sheet->right) {
        chart_text(cr, left + fmax(width, chart_width(CHART_LABEL, sheet->right)) / 2,
                   last + layout->step_y + 4, CHART_LABEL, CHART_CENTRE, sheet->right);
    }
    if (sheet->down) {
        chart_text_up(cr, column == 0 ? EDGE + 6 : left - layout->row_ticks - AXIS_ROOM / 2,
                      layout->top + fmax(height, chart_width(CHART_LABEL, sheet->down)) / 2,
                      CHART_LABEL, sheet->down);
    }
}

static void draw(cairo_t *cr, const void *data)
{
    const struct layout *layout = data;
    const struct sheet *sheet = layout->sheet;
    draw_titles(cr, layout);
    if (layout->grid_column < sheet->n_column) {
        draw_labels(cr, layout);
        draw_axes(cr, layout);
    }
    for (size_t i = 0; i < sheet->n_row * sheet->n_column; i++) {
        draw_panel(cr, layout, i / sheet->n_column, i % sheet->n_column);
    }
    if (layout->bar_height > 0) {
        draw_bar(cr, layout);
    }
}

/* ---- the layout ---- */

/* What the panels are: how large, and which of them need room for labels, notes and a bar. */
static void lay_out_panels(struct layout *layout)
{
    const struct sheet *sheet = layout->sheet;
    bool notes = false, values = false;
    layout->grid_column = sheet->n_column;
    for (size_t i = 0; i < sheet->n_row * sheet->n_column; i++) {
        const struct sheet_panel *panel = &sheet->panel[i];
        double side = panel->rgb ? pixel_of(sheet, panel) * longer(panel) : sheet->side;
        layout->side = fmax(layout->side, side);
        layout->covers |= panel->value && panel->rgb;
        notes |= panel->note != NULL;
        values |= panel->value != NULL;
        if (is_grid(panel) && i % sheet->n_column < layout->grid_column) {
            layout->grid_column = i % sheet->n_column;
        }
    }
    double gap = fmin(fmax(round(0.14 * sheet->side), 4), 16);
    layout->step_x = layout->side + gap;
    layout->step_y = layout->side + (notes ? 20 + gap / 2 : gap);
    for (size_t i = 0; i < sheet->n_row * sheet->n_column; i++) {
        const struct sheet_panel *panel = &sheet->panel[i];
        if (is_grid(panel)) {
            layout->row_ticks =
                fmax(layout->row_ticks, widest_label(layout, panel, panel->n_row) + TICK_GAP);
            layout->column_ticks =
                fmax(layout->column_ticks, is_turned(layout, panel)
                                               ? widest_label(layout, panel, panel->n_column) + 8
                                               : NAME_LINE);
        }
        layout->step_x =
            fmax(layout->step_x, panel->note ? chart_width(CHART_SMALL, panel->note) + gap / 2 : 0);
    }
    double rows = (double)(layout->n_row - 1) * layout->step_y + layout->side;
    double label = sheet->scale_title ? chart_width(CHART_LABEL, sheet->scale_title) : 0;
    layout->bar_height = values ? fmax(fmin(rows, 2 * layout->step_y + layout->side), label) : 0;
}

static struct layout lay_out(const struct sheet *sheet)
{
    struct layout layout = {.sheet = sheet,
                            .n_row = (sheet->n_row + sheet->n_block - 1) / sheet->n_block};
    double name = 0, head = 0, widest = chart_width(CHART_TITLE, sheet->title);
    char line[256];
    size_t n_line = 0;
    lay_out_panels(&layout);
    for (size_t i = 0; i < sheet->n_row; i++) {
        name = fmax(name, title_width(sheet->row_title[i]));
    }
    for (size_t i = 0; i < sheet->n_column; i++) {
        head = fmax(head, title_height(sheet->column_title[i]));
        layout.step_x = fmax(layout.step_x, title_width(sheet->column_title[i]) + TITLE_GAP);
    }
    for (; subtitle_line(&layout, n_line, line); n_line++) {
        widest = fmax(widest, chart_width(n_line == 0 ? CHART_LABEL : CHART_SMALL, line));
    }
    layout.left = ceil(EDGE + (name > 0 ? name + TITLE_GAP : 0) +
                       (layout.grid_column == 0 ? layout.row_ticks : 0) +
                       (layout.grid_column == 0 && sheet->down ? AXIS_ROOM : 0) +
                       (layout.step_x - layout.side) / 2);
    layout.top = ceil(36 + SUBTITLE_LINE * (double)n_line + head + layout.column_ticks + 10);
    double end = panel_x(&layout, 0, sheet->n_column) - (layout.step_x - layout.side) / 2;
    layout.block = end - EDGE + BLOCK_GAP;
    end += (double)(sheet->n_block - 1) * layout.block;
    layout.bar_x = end + 14;
    if (layout.bar_height > 0) {
        end = layout.bar_x + CHART_BAR_ROOM + (layout.covers ? N_STRIP * STRIP_WIDTH + 4 : 0);
    }
    end = fmax(end, EDGE + widest);
    if (sheet->right) {
        end = fmax(end, panel_x(&layout, 0, layout.grid_column) +
                            chart_width(CHART_LABEL, sheet->right));
    }
    layout.width = ceil(end + EDGE);
    double label = sheet->down ? chart_width(CHART_LABEL, sheet->down) : 0;
    double bottom = panel_y(&layout, layout.n_row - 1) + layout.step_y + (sheet->right ? 14 : 0);
    layout.height = ceil(fmax(bottom, layout.top + fmax(layout.bar_height, label)) + 8);
    return layout;
}

enum status draw_sheet_write(const struct sheet *sheet, const char *folder, struct error *err)
{
    char path[PATH_SIZE];
    if (!sheet || sheet->failed) {
        return error_memory(err, "drawing a sheet for %s", folder);
    }
    struct layout layout = lay_out(sheet);
    TRY(path_format(path, err, "%s/%s.png", folder, sheet->name));
    return chart_write_png(path, layout.width, layout.height, draw, &layout, err);
}

/* ---- a map alone ---- */

struct map {
    const float *value;
    size_t n;
    double side;
};

size_t draw_map_square(size_t n)
{
    size_t square = (DRAW_MAP_WIDTH + n / 2) / n;
    return square ? square : 1;
}

static void draw_map(cairo_t *cr, const void *data)
{
    const struct map *map = data;
    chart_image(cr, 0, 0, map->side, map->value, map->n);
}

enum status draw_map_write(const char *path, const float *map, size_t n, struct error *err)
{
    double side = (double)(draw_map_square(n) * n) / PNG_PIXELS;
    return chart_write_png(path, side, side, draw_map, &(struct map){map, n, side}, err);
}

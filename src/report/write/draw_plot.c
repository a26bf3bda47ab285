/* draw_plot: what a panel's size is follows from the mark of its series. Lengths are in points, for
 * a style of scale 1.
 */
#include "report/write/draw_plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"

#define EDGE 14.0 /* of the titles */
#define SUBTITLE 18.0
#define PANEL_TITLE 26.0 /* above a panel */
#define LEFT 68.0
#define OWN_LABELS 46.0 /* of a panel that does not share the first one's */
#define RIGHT 26.0
#define STRIP_ROW 28.0
#define SAMPLE 40.0 /* a line in the legend */
#define LEGEND_LINE 22.0
#define MIN_WIDTH 520.0
#define LINE_WIDTH 1.8
#define RING 3.2
#define DOT 2.0
#define DODGE 5.0    /* between the dots of two series, where there is room */
#define FAR 20000.0  /* outside of a panel, where cairo's coordinates still hold */
#define HUGEST 1e300 /* differences of such values are finite */
#define MAX_ENTRY 128
#define MAX_DISCRETE 64
#define LINE_SIZE 1024

struct entry { /* of the legend: a series, a rule or, of strips, what a ring and a bar are */
    const char *name;
    const struct series *series;
    const struct rule *rule;
    bool is_bar;
};

struct layout {
    const struct plot *plot;
    const struct draw_style *style;
    bool strip;
    size_t n_column, n_row;
    double left, top;              /* of the first panel */
    double width, height;          /* of a panel */
    double gap_x, gap_y;           /* between panels */
    double right, bottom;          /* room beside and below the last ones */
    struct entry entry[MAX_ENTRY]; /* [n_entry] series by style, then rules */
    size_t n_entry;
};

static double panel_left(const struct layout *layout, size_t i)
{
    return layout->left + (double)(i % layout->n_column) * (layout->width + layout->gap_x);
}

static double panel_top(const struct layout *layout, size_t i)
{
    return layout->top + (double)(i / layout->n_column) * (layout->height + layout->gap_y);
}

/* ---- scales ---- */

struct scale {
    const struct axis *axis;
    struct chart_scale line;       /* of values, of their decimal logarithms or of places */
    double discrete[MAX_DISCRETE]; /* [n_discrete] the values that have a place, ascending */
    size_t n_discrete;
    bool empty;      /* nothing stands on it, so that it has no ticks */
    bool has_labels; /* of y: other panels use those of the first */
};

/* Where a value stands on the scale's line; NaN: nowhere. */
static double on_line(const struct scale *scale, double value)
{
    if (scale->axis->discrete) {
        size_t i = 0;
        while (i < scale->n_discrete && scale->discrete[i] != value) {
            i++;
        }
        return i < scale->n_discrete ? (double)i : NAN;
    }
    if (!(fabs(value) <= HUGEST) || (scale->axis->log && value <= 0)) {
        return NAN;
    }
    return scale->axis->log ? log10(value) : value;
}

/* The value's coordinate on the canvas, not far outside of the panel; NaN: it has none. */
static double place(const struct scale *scale, double value)
{
    double at = chart_at(&scale->line, on_line(scale, value));
    return isnan(at) ? at : fmin(fmax(at, -FAR), FAR);
}

static void widen(struct scale *scale, const double *value, size_t n)
{
    for (size_t i = 0; value && i < n; i++) {
        scale->line.low = fmin(scale->line.low, on_line(scale, value[i]));
        scale->line.high = fmax(scale->line.high, on_line(scale, value[i]));
    }
}

static void widen_to_panel(struct scale *scale, const struct panel *panel, bool is_x, bool strip)
{
    for (size_t i = 0; i < panel->n_series; i++) {
        const struct series *series = &panel->series[i];
        if (is_x != strip) {
            widen(scale, series->x, is_x ? series->n : 0);
            continue;
        }
        widen(scale, series->y, series->n);
        widen(scale, series->low, series->n);
        widen(scale, series->high, series->n);
        for (size_t k = 0; k < series->n_single; k++) {
            widen(scale, series->single[k], series->n);
        }
    }
    for (size_t i = 0; i < panel->n_rule; i++) {
        widen(scale, &panel->rule[i].at, panel->rule[i].vertical == is_x);
    }
}

static void add_discrete(struct scale *scale, double value)
{
    if (!isfinite(value) || !isnan(on_line(scale, value)) || scale->n_discrete == MAX_DISCRETE) {
        return;
    }
    size_t at = scale->n_discrete++;
    for (; at > 0 && scale->discrete[at - 1] > value; at--) {
        scale->discrete[at] = scale->discrete[at - 1];
    }
    scale->discrete[at] = value;
}

/* Panels below one another have the same discrete values, also where a series lacks some. */
static void list_discrete(const struct layout *layout, size_t panel, struct scale *scale)
{
    for (size_t i = panel % layout->n_column; i < layout->plot->n_panel; i += layout->n_column) {
        const struct panel *here = &layout->plot->panel[i];
        for (size_t k = 0; k < here->n_series; k++) {
            for (size_t j = 0; j < here->series[k].n; j++) {
                add_discrete(scale, here->series[k].x[j]);
            }
        }
    }
    scale->line.low = -0.5;
    scale->line.high = (double)scale->n_discrete - 0.5;
}

/* Makes the scale of a panel's axis between two coordinates: as long as the axis says, else as its
 * values need, with a margin where they are drawn against it. */
static void make_scale(const struct layout *layout, size_t i, bool is_x, double from, double to,
                       struct scale *scale)
{
    const struct plot *plot = layout->plot;
    const struct axis *axis = is_x ? &plot->panel[i].x : &plot->panel[i].y;
    *scale = (struct scale){.axis = axis, .line = {INFINITY, -INFINITY, from, to}};
    struct chart_scale *line = &scale->line;
    if (axis->discrete) {
        list_discrete(layout, i, scale);
        return;
    }
    for (size_t k = 0; k < plot->n_panel; k++) {
        if (k == i || (!is_x && plot->share_y)) {
            widen_to_panel(scale, &plot->panel[k], is_x, layout->strip);
        }
    }
    double low = on_line(scale, axis->low), high = on_line(scale, axis->high);
    line->low = isnan(low) ? line->low : low;
    line->high = isnan(high) ? line->high : high;
    double margin = is_x != layout->strip ? 0 : 0.06 * (line->high - line->low);
    line->low -= isnan(low) ? margin : 0;
    line->high += isnan(high) ? margin : 0;
    scale->empty = !isfinite(line->low) || !isfinite(line->high);
    double largest = fmax(fabs(line->low), fabs(line->high));
    if (scale->empty) {
        line->low = 0;
        line->high = 1;
    } else if (line->high - line->low <= 1e-12 * largest) { /* one value stands in the middle */
        line->low -= isnan(low) ? fmax(0.5, 1e-3 * largest) : 0;
        line->high += isnan(high) ? fmax(0.5, 1e-3 * largest) : 0;
    }
}

/* What draws one panel. */
struct pen {
    cairo_t *cr;
    const struct layout *layout;
    double size; /* the style's scale */
    struct scale x, y;
    double shift; /* of the series that is drawn */
};

static double pen_x(const struct pen *pen, double value)
{
    return place(&pen->x, value) + pen->shift;
}

static double pen_y(const struct pen *pen, double value)
{
    return place(&pen->y, value);
}

/* ---- axes ---- */

static void draw_tick(const struct pen *pen, const struct scale *scale, double value,
                      const char *format, int decimals)
{
    const struct chart_scale *line = &scale->line, *x = &pen->x.line, *y = &pen->y.line;
    double on = on_line(scale, value), slack = 1e-9 * (line->high - line->low);
    double at = chart_at(line, on), s = pen->size;
    char label[32];
    if (!(on >= line->low - slack && on <= line->high + slack)) {
        return;
    }
    snprintf(label, sizeof label, format, decimals, value);
    chart_colour(pen->cr, CHART_GRID, 1);
    if (scale == &pen->y) {
        chart_line(pen->cr, x->from, at, x->to, at);
    } else if (!scale->axis->discrete) {
        chart_line(pen->cr, at, y->from, at, y->to);
    }
    chart_colour(pen->cr, CHART_INK, 1);
    if (scale == &pen->x) {
        chart_text(pen->cr, at, y->from + 12 * s, CHART_SMALL * s, CHART_CENTRE, label);
    } else if (scale->has_labels) {
        chart_text(pen->cr, x->from - 6 * s, at, CHART_SMALL * s, CHART_RIGHT, label);
    }
}

static void draw_even_ticks(const struct pen *pen, const struct scale *scale, double low,
                            double high, size_t n)
{
    double step = chart_step(high - low, n);
    step = scale->axis->whole ? fmax(step, 1) : step;
    double first = ceil(low / step - 1e-9);
    int decimals = (int)fmax(0, ceil(-log10(step) - 1e-9));
    double most = scale == &pen->x ? 1e7 : 1e5; /* what has room */
    bool is_long = decimals > 4 || fmax(fabs(low), fabs(high)) >= most;
    for (size_t i = 0; i <= n; i++) {
        double value = (first + (double)i) * step + 0.0; /* never -0 */
        bool sign = scale->axis->sign && value > 0;
        draw_tick(pen, scale, value,
                  is_long ? (sign ? "%+.*g" : "%.*g") : (sign ? "%+.*f" : "%.*f"),
                  is_long ? 3 : decimals);
    }
}

/* 1, 2 and 5 of each decade, or 1 alone over many; over a short stretch they would leave the axis
 * almost without ticks. */
static void draw_log_ticks(const struct pen *pen, const struct scale *scale)
{
    static const int digits[] = {1, 2, 5};
    double low = scale->line.low, high = scale->line.high;
    int n_digit = high - low > 3 ? 1 : 3, stride = (int)ceil((high - low) / 9);
    if (high - low < 0.7) {
        draw_even_ticks(pen, scale, pow(10, low), pow(10, high), 5);
        return;
    }
    for (int decade = (int)floor(low); decade <= (int)ceil(high); decade += stride) {
        for (int i = 0; i < n_digit; i++) {
            draw_tick(pen, scale, digits[i] * pow(10, decade), "%.*g", 6);
        }
    }
}

static void draw_axis(const struct pen *pen, const struct scale *scale, size_t n_tick)
{
    cairo_set_dash(pen->cr, NULL, 0, 0);
    cairo_set_line_width(pen->cr, 0.6 * pen->size);
    for (size_t i = 0; i < scale->n_discrete; i++) {
        draw_tick(pen, scale, scale->discrete[i], "%.*g", 6);
    }
    if (!scale->axis->discrete && !scale->empty && scale->axis->log) {
        draw_log_ticks(pen, scale);
    } else if (!scale->axis->discrete && !scale->empty) {
        draw_even_ticks(pen, scale, scale->line.low, scale->line.high, n_tick);
    }
}

/* ---- series ---- */

static struct rgb colour_of(const struct layout *layout, size_t style)
{
    static const struct rgb solid[] = {{0x77, 0x77, 0x77}, {0xd5, 0x5e, 0x00}, {0x56, 0xb4, 0xe9}};
    return style >= STYLE_GREY ? solid[(style - STYLE_GREY) % 3] : layout->style->colour(style);
}

/* Lines of a width of their own let others shine through. */
static void set_line(cairo_t *cr, const struct layout *layout, const struct series *series)
{
    double width = series->width > 0 ? series->width : LINE_WIDTH;
    chart_line_style(cr, series->style, width * layout->style->scale);
    if (series->style >= STYLE_GREY) {
        cairo_set_dash(cr, NULL, 0, 0);
    }
    chart_colour(cr, colour_of(layout, series->style), series->width > 0 ? 0.6 : 1);
}

static void disc(cairo_t *cr, double x, double y, double radius)
{
    cairo_new_path(cr);
    cairo_arc(cr, x, y, radius, 0, 2 * acos(-1));
}

/* Draws y over x with gaps; a value between two gaps is a dot. */
static void trace(const struct pen *pen, const double *x, const double *y, size_t n)
{
    double radius = cairo_get_line_width(pen->cr);
    size_t length = 0; /* of the stretch so far */
    for (size_t i = 0; i <= n; i++) {
        if (i < n && !isnan(pen_x(pen, x[i])) && !isnan(pen_y(pen, y[i]))) {
            cairo_line_to(pen->cr, pen_x(pen, x[i]), pen_y(pen, y[i]));
            length++;
            continue;
        }
        if (length == 1) {
            disc(pen->cr, pen_x(pen, x[i - 1]), pen_y(pen, y[i - 1]), radius);
            cairo_fill(pen->cr);
        }
        cairo_stroke(pen->cr);
        length = 0;
    }
}

static void draw_singles(const struct pen *pen, const struct series *series)
{
    bool lines = series->mark == MARK_LINE;
    cairo_set_dash(pen->cr, NULL, 0, 0);
    cairo_set_line_width(pen->cr, 0.6 * pen->size);
    chart_colour(pen->cr, colour_of(pen->layout, series->style), lines ? 0.35 : 0.45);
    for (size_t i = 0; i < series->n_single; i++) {
        if (lines) {
            trace(pen, series->x, series->single[i], series->n);
        }
        for (size_t k = 0; !lines && k < series->n; k++) {
            double x = pen_x(pen, series->x[k]), y = pen_y(pen, series->single[i][k]);
            if (!isnan(x) && !isnan(y)) {
                disc(pen->cr, x, y, DOT * pen->size);
                cairo_fill(pen->cr);
            }
        }
    }
}

static bool is_band_alone(const struct series *series)
{
    for (size_t i = 0; i < series->n; i++) {
        if (isfinite(series->y[i])) {
            return false;
        }
    }
    return series->low && series->high;
}

static void set_band(cairo_t *cr, const struct layout *layout, const struct series *series)
{
    chart_colour(cr, colour_of(layout, series->style), is_band_alone(series) ? 0.45 : 0.2);
}

static void draw_band(const struct pen *pen, const struct series *series)
{
    const double *x = series->x;
    set_band(pen->cr, pen->layout, series);
    for (size_t i = 0, first = 0; i <= series->n; i++) {
        if (i < series->n && !isnan(pen_x(pen, x[i])) && !isnan(pen_y(pen, series->low[i])) &&
            !isnan(pen_y(pen, series->high[i]))) {
            continue;
        }
        for (size_t k = first; k < i; k++) {
            cairo_line_to(pen->cr, pen_x(pen, x[k]), pen_y(pen, series->high[k]));
        }
        for (size_t k = i; k > first; k--) {
            cairo_line_to(pen->cr, pen_x(pen, x[k - 1]), pen_y(pen, series->low[k - 1]));
        }
        cairo_fill(pen->cr);
        first = i + 1;
    }
}

/* The dots of series stand beside each other, in the order of the legend. */
static double dodge(const struct pen *pen, const struct series *series)
{
    size_t at = 0, n = 0, n_value = pen->x.n_discrete;
    for (; n < pen->layout->n_entry && pen->layout->entry[n].series; n++) {
        at += pen->layout->entry[n].series->style < series->style;
    }
    double room = 0.8 * pen->layout->width / (double)(n * n_value);
    return n * n_value == 0 ? 0
                            : ((double)at - (double)(n - 1) / 2) * fmin(DODGE * pen->size, room);
}

static void draw_series(struct pen *pen, const struct panel *panel)
{
    const struct chart_scale *x = &pen->x.line, *y = &pen->y.line;
    cairo_save(pen->cr);
    cairo_rectangle(pen->cr, x->from, y->to, x->to - x->from, y->from - y->to);
    cairo_clip(pen->cr);
    for (size_t i = 0; i < panel->n_series; i++) {
        const struct series *series = &panel->series[i];
        pen->shift = dodge(pen, series);
        if (series->low && series->high && series->n_single == 0) {
            draw_band(pen, series);
        }
        draw_singles(pen, series);
    }
    for (size_t i = 0; i < panel->n_series; i++) {
        const struct series *series = &panel->series[i];
        pen->shift = dodge(pen, series);
        set_line(pen->cr, pen->layout, series);
        trace(pen, series->x, series->y, series->n);
    }
    cairo_restore(pen->cr);
}

/* ---- rows of a strip ---- */

static void draw_ring(cairo_t *cr, double x, double y, double scale, struct rgb colour)
{
    disc(cr, x, y, RING * scale);
    chart_colour(cr, (struct rgb){255, 255, 255}, 0.75);
    cairo_fill_preserve(cr);
    chart_colour(cr, colour, 1);
    cairo_set_line_width(cr, 1.3 * scale);
    cairo_stroke(cr);
}

static void draw_bar(cairo_t *cr, double x, double y, double scale)
{
    cairo_set_line_width(cr, 2.2 * scale);
    chart_line(cr, x, y - 12 * scale, x, y + 12 * scale);
}

/* Rings of equal value would cover each other, so they are spread a little across the row. */
static void draw_row(const struct pen *pen, const struct series *series, double y)
{
    struct rgb colour = colour_of(pen->layout, series->style);
    size_t n = 0, n_drawn = 0;
    for (size_t i = 0; series->n > 0 && i < series->n_single; i++) {
        n += !isnan(pen_x(pen, series->single[i][0]));
    }
    for (size_t i = 0; n > 0 && i < series->n_single; i++) {
        double x = pen_x(pen, series->single[i][0]);
        if (!isnan(x)) {
            double from_middle = (double)n_drawn++ - (double)(n - 1) / 2;
            draw_ring(pen->cr, x, y + from_middle * fmin(5, 14 / (double)n) * pen->size, pen->size,
                      colour);
        }
    }
    if (n > 1 && !isnan(pen_x(pen, series->y[0]))) {
        draw_bar(pen->cr, pen_x(pen, series->y[0]), y, pen->size);
    }
    if (n == 0) {
        chart_colour(pen->cr, CHART_MUTED, 1);
        chart_text(pen->cr, (pen->x.line.from + pen->x.line.to) / 2, y, CHART_LABEL * pen->size,
                   CHART_CENTRE, "-");
    }
}

static void draw_rows(const struct pen *pen, const struct panel *panel, bool names)
{
    const struct chart_scale *y = &pen->y.line;
    for (size_t i = 0; i < panel->n_series; i++) {
        double at = y->to + (y->from - y->to) * ((double)i + 0.5) / (double)panel->n_series;
        draw_row(pen, &panel->series[i], at);
        if (names && panel->series[i].name) {
            chart_colour(pen->cr, CHART_INK, 1);
            chart_text(pen->cr, pen->layout->left - 10 * pen->size, at, CHART_LABEL * pen->size,
                       CHART_RIGHT, panel->series[i].name);
        }
    }
}

/* ---- rules ---- */

/* A rule without a title is a line of the grid that matters; a horizontal one with a title is
 * dotted, so that curves that lie on it are seen. */
static void set_rule(cairo_t *cr, const struct rule *rule, double s)
{
    double dotted[] = {1 * s, 2 * s}, dashed[] = {4 * s, 3 * s};
    chart_colour(cr, rule->beside ? CHART_INK : CHART_MUTED, 1);
    cairo_set_line_width(cr, (rule->beside ? 0.8 : rule->vertical || !rule->title ? 1.2 : 1) * s);
    cairo_set_dash(cr, rule->vertical ? dashed : dotted, rule->title ? 2 : 0, 0);
}

static void draw_rule(const struct pen *pen, const struct rule *rule)
{
    const struct chart_scale *x = &pen->x.line, *y = &pen->y.line;
    double at = place(rule->vertical ? &pen->x : &pen->y, rule->at), s = pen->size;
    bool right = rule->vertical && at < (x->from + x->to) / 2; /* there is more room */
    if (isnan(at)) {
        return;
    }
    cairo_save(pen->cr);
    set_rule(pen->cr, rule, s);
    if (rule->vertical) {
        chart_line(pen->cr, at, y->from, at, y->to);
    } else {
        chart_line(pen->cr, x->from, at, x->to, at);
    }
    cairo_restore(pen->cr);
    if (rule->beside && rule->title) {
        chart_text(pen->cr, (rule->vertical ? at : x->to) + (right ? 6 : -6) * s,
                   rule->vertical ? y->to + 12 * s : at - 8 * s, CHART_SMALL * s,
                   right ? CHART_LEFT : CHART_RIGHT, rule->title);
    }
}

static void draw_rules(const struct pen *pen, const struct panel *panel, bool beside)
{
    for (size_t i = 0; i < panel->n_rule; i++) {
        if (panel->rule[i].beside == beside) {
            draw_rule(pen, &panel->rule[i]);
        }
    }
}

/* ---- panels ---- */

static bool is_same(const char *text, const char *other)
{
    return text && other && strcmp(text, other) == 0;
}

/* A title that the first panel of a row has alone is the row's. What an axis is is said once where
 * the next panel says the same. */
static void draw_texts(const struct pen *pen, size_t i, bool first)
{
    const struct layout *layout = pen->layout;
    const struct plot *plot = layout->plot;
    const struct panel *panel = &plot->panel[i];
    double s = pen->size, left = panel_left(layout, i), top = panel_top(layout, i);
    double middle = left + layout->width / 2, bottom = top + layout->height;
    bool of_row = first && layout->n_column > 1 && i + 1 < plot->n_panel && !panel[1].title;
    bool is_above = i + layout->n_column < plot->n_panel && !panel->x.discrete &&
                    is_same(panel->x.title, panel[layout->n_column].x.title);
    bool is_beside = plot->share_y && !first && is_same(panel->y.title, panel[-1].y.title);
    bool small = panel->n_series > 0 && panel->series[0].mark != MARK_LINE;
    chart_colour(pen->cr, CHART_INK, 1);
    if (panel->title) {
        chart_text_bold(pen->cr, of_row ? left : middle, top - 11 * s, CHART_LABEL * s,
                        of_row ? CHART_LEFT : CHART_CENTRE, panel->title);
    }
    if (panel->x.title && !is_above) {
        chart_text(pen->cr, middle, bottom + 29 * s, (small ? CHART_SMALL : CHART_LABEL) * s,
                   CHART_CENTRE, panel->x.title);
    }
    if (panel->y.title && !layout->strip && !is_beside) {
        chart_text_up(pen->cr, left - 50 * s, (top + bottom) / 2, CHART_LABEL * s, panel->y.title);
    }
    if (panel->note) {
        chart_colour(pen->cr, CHART_MUTED, 1);
        chart_text(pen->cr, left + layout->width - 8 * s, top + 12 * s, CHART_SMALL * s,
                   CHART_RIGHT, panel->note);
    }
}

static void draw_panel(cairo_t *cr, const struct layout *layout, size_t i)
{
    const struct panel *panel = &layout->plot->panel[i];
    double left = panel_left(layout, i), top = panel_top(layout, i), s = layout->style->scale;
    double edge = layout->strip ? 6 * s : 0;
    bool first = i % layout->n_column == 0;
    struct pen pen = {.cr = cr, .layout = layout, .size = s};
    make_scale(layout, i, true, left + edge, left + layout->width - edge, &pen.x);
    make_scale(layout, i, false, top + layout->height, top, &pen.y);
    pen.y.has_labels = first || !layout->plot->share_y;
    if (!layout->strip) {
        draw_axis(&pen, &pen.y, 6);
    }
    draw_axis(&pen, &pen.x, 5);
    draw_rules(&pen, panel, false);
    if (layout->strip) {
        draw_rows(&pen, panel, first);
    } else {
        draw_series(&pen, panel);
    }
    draw_rules(&pen, panel, true);
    chart_frame(cr, left, top, layout->width, layout->height);
    draw_texts(&pen, i, first);
}

/* ---- legend ---- */

/* Series of one name, and rules of one title, share an entry. Series stand by their styles, also
 * where a panel lacks one. */
static void add_entry(struct layout *layout, struct entry entry)
{
    size_t at = layout->n_entry;
    for (size_t i = 0; i < at; i++) {
        if (!layout->entry[i].rule == !entry.rule && is_same(entry.name, layout->entry[i].name)) {
            return;
        }
    }
    if (!entry.name || at == MAX_ENTRY) {
        return;
    }
    for (; entry.series && at > 0 && layout->entry[at - 1].series->style > entry.series->style;
         at--) {
        layout->entry[at] = layout->entry[at - 1];
    }
    layout->entry[at] = entry;
    layout->n_entry++;
}

/* A strip's series have their names beside them. */
static void list_entries(struct layout *layout)
{
    const struct plot *plot = layout->plot;
    for (size_t i = 0; !layout->strip && i < plot->n_panel; i++) {
        for (size_t k = 0; k < plot->panel[i].n_series; k++) {
            const struct series *series = &plot->panel[i].series[k];
            add_entry(layout, (struct entry){.name = series->name, .series = series});
        }
    }
    if (layout->strip) {
        add_entry(layout, (struct entry){.name = plot->single_title});
        add_entry(layout, (struct entry){.name = plot->mean_title, .is_bar = true});
    }
    for (size_t i = 0; i < plot->n_panel; i++) {
        for (size_t k = 0; k < plot->panel[i].n_rule; k++) {
            const struct rule *rule = &plot->panel[i].rule[k];
            add_entry(layout,
                      (struct entry){.name = rule->beside ? NULL : rule->title, .rule = rule});
        }
    }
}

static double entry_width(const struct layout *layout, const struct entry *entry)
{
    double s = layout->style->scale;
    return layout->strip ? chart_width(CHART_SMALL * s, entry->name) + 40 * s
                         : chart_width(CHART_LABEL * s, entry->name) + (SAMPLE + 48) * s;
}

static void draw_sample(cairo_t *cr, const struct layout *layout, const struct entry *entry,
                        double x, double y)
{
    double s = layout->style->scale;
    chart_colour(cr, CHART_INK, 1);
    if (entry->series && is_band_alone(entry->series)) {
        set_band(cr, layout, entry->series);
        cairo_rectangle(cr, x, y - 5 * s, SAMPLE * s, 10 * s);
        cairo_fill(cr);
    } else if (entry->series) {
        set_line(cr, layout, entry->series);
        chart_line(cr, x, y, x + SAMPLE * s, y);
    } else if (entry->rule && layout->strip) {
        set_rule(cr, entry->rule, s);
        chart_line(cr, x + 4 * s, y - 9 * s, x + 4 * s, y + 9 * s);
    } else if (entry->rule) {
        set_rule(cr, entry->rule, s);
        chart_line(cr, x, y, x + SAMPLE * s, y);
    } else if (entry->is_bar) {
        draw_bar(cr, x + 4 * s, y, s);
    } else {
        draw_ring(cr, x + 4 * s, y, s, CHART_INK);
    }
    cairo_set_dash(cr, NULL, 0, 0);
}

/* Beside the panels, a line an entry; of strips below them, in one line. */
static void draw_legend(cairo_t *cr, const struct layout *layout)
{
    const struct plot *plot = layout->plot;
    double s = layout->style->scale, x = layout->left, y = layout->top + 8 * s;
    double sample = (layout->strip ? 14 : SAMPLE + 8) * s;
    if (layout->strip) {
        y = panel_top(layout, plot->n_panel - 1) + layout->height + 62 * s;
    } else {
        x = panel_left(layout, layout->n_column - 1) + layout->width + 22 * s;
    }
    for (size_t i = 0; i < layout->n_entry; i++) {
        const struct entry *entry = &layout->entry[i];
        draw_sample(cr, layout, entry, x, y);
        chart_colour(cr, CHART_INK, 1);
        chart_text(cr, x + sample, y, (layout->strip ? CHART_SMALL : CHART_LABEL) * s, CHART_LEFT,
                   entry->name);
        x += layout->strip ? entry_width(layout, entry) : 0;
        y += layout->strip ? 0 : LEGEND_LINE * s;
    }
}

/* ---- the whole ---- */

static void lay_out(const struct plot *plot, const struct draw_style *style, struct layout *layout)
{
    static const struct {
        double width, height, gap_x, gap_y, bottom;
    } looks[] = {[MARK_LINE] = {286, 200, 22, 46, 48},
                 [MARK_DOTS] = {190, 132, 18, 62, 48},
                 [MARK_STRIP] = {136, 0, 18, 70, 46}};
    enum mark mark = MARK_LINE;
    size_t n_row = 1; /* of a strip */
    double names = 0, s = style->scale;
    for (size_t i = 0; i < plot->n_panel; i++) {
        const struct panel *panel = &plot->panel[i];
        for (size_t k = 0; k < panel->n_series; k++) {
            mark = panel->series[k].mark;
            if (mark == MARK_STRIP && panel->series[k].name) {
                names = fmax(names, chart_width(CHART_LABEL * s, panel->series[k].name));
            }
        }
        n_row = panel->n_series > n_row ? panel->n_series : n_row;
    }
    bool strip = mark == MARK_STRIP, own = !plot->share_y && !strip;
    size_t n_column = plot->n_panel < plot->n_column ? plot->n_panel : plot->n_column;
    n_column = n_column > 0 ? n_column : 1;
    *layout =
        (struct layout){.plot = plot,
                        .style = style,
                        .strip = strip,
                        .n_column = n_column,
                        .n_row = (plot->n_panel + n_column - 1) / n_column,
                        .left = strip ? RIGHT * s + names : LEFT * s,
                        .top = PANEL_TITLE * s,
                        .width = looks[mark].width * s,
                        .height = strip ? (double)n_row * STRIP_ROW * s : looks[mark].height * s,
                        .gap_x = (looks[mark].gap_x + (own ? OWN_LABELS : 0)) * s,
                        .gap_y = looks[mark].gap_y * s,
                        .right = RIGHT * s,
                        .bottom = looks[mark].bottom * s};
    list_entries(layout);
    layout->bottom += strip && layout->n_entry > 0 ? 46 * s : 0;
    for (size_t i = 0; !strip && i < layout->n_entry; i++) {
        layout->right = fmax(layout->right, entry_width(layout, &layout->entry[i]));
    }
}

static void draw_inside(cairo_t *cr, const struct layout *layout)
{
    for (size_t i = 0; i < layout->plot->n_panel; i++) {
        draw_panel(cr, layout, i);
    }
    draw_legend(cr, layout);
}

void draw_plot_in(cairo_t *cr, const struct plot *plot, const struct draw_style *style, double x,
                  double y, double width, double height)
{
    struct layout layout;
    if (!plot || plot->failed || plot->n_panel == 0) {
        return;
    }
    lay_out(plot, style, &layout);
    double n_column = (double)layout.n_column, n_row = (double)layout.n_row;
    layout.width = (width - layout.left - layout.right + layout.gap_x) / n_column - layout.gap_x;
    layout.height = (height - layout.top - layout.bottom + layout.gap_y) / n_row - layout.gap_y;
    layout.left += x;
    layout.top += y;
    cairo_save(cr);
    cairo_select_font_face(cr, style->font, CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    draw_inside(cr, &layout);
    cairo_restore(cr);
}

/* Copies the i-th line of the subtitle; false behind the last. */
static bool subtitle_line(const struct plot *plot, size_t i, char line[LINE_SIZE])
{
    const char *from = plot->subtitle && plot->subtitle[0] ? plot->subtitle : NULL;
    for (; from && i > 0; i--) {
        from = strchr(from, '\n');
        from = from ? from + 1 : NULL;
    }
    if (from) {
        snprintf(line, LINE_SIZE, "%.*s", (int)strcspn(from, "\n"), from);
    }
    return from != NULL;
}

static double subtitle_size(const struct plot *plot)
{
    return plot->subtitle && strchr(plot->subtitle, '\n') ? CHART_SMALL : CHART_LABEL;
}

static void draw(cairo_t *cr, const void *data)
{
    const struct layout *layout = data;
    const struct plot *plot = layout->plot;
    char line[LINE_SIZE];
    chart_colour(cr, CHART_INK, 1);
    chart_text_bold(cr, EDGE, 20, CHART_TITLE, CHART_LEFT, plot->title);
    for (size_t i = 0; subtitle_line(plot, i, line); i++) {
        chart_colour(cr, i == 0 ? CHART_INK : CHART_MUTED, 1);
        chart_text(cr, EDGE, 40 + SUBTITLE * (double)i, subtitle_size(plot), CHART_LEFT, line);
    }
    draw_inside(cr, layout);
}

typedef enum status chart_write(const char *path, double width, double height, chart_draw *draw,
                                const void *figure, struct error *err);

/* Makes room for titles, panels and legend. */
static enum status write(const struct plot *plot, const char *path, chart_write *chart,
                         struct error *err)
{
    static const struct draw_style style = {.scale = 1, .colour = colormap_line};
    struct layout layout;
    char line[LINE_SIZE];
    lay_out(plot, &style, &layout);
    layout.top += 38;
    double width = fmax(MIN_WIDTH, chart_width(CHART_TITLE, plot->title) + 2 * EDGE);
    for (size_t i = 0; subtitle_line(plot, i, line); i++) {
        width = fmax(width, chart_width(subtitle_size(plot), line) + 2 * EDGE);
        layout.top += SUBTITLE;
    }
    double right = panel_left(&layout, layout.n_column - 1) + layout.width + layout.right;
    double height = panel_top(&layout, plot->n_panel - 1) + layout.height + layout.bottom;
    double below = layout.left, beside = layout.top + 16;
    for (size_t i = 0; i < layout.n_entry; i++) {
        below += layout.strip ? entry_width(&layout, &layout.entry[i]) : 0;
        beside += layout.strip ? 0 : LEGEND_LINE;
    }
    return chart(path, fmax(width, fmax(right, below)), fmax(height, beside), draw, &layout, err);
}

enum status draw_plot_png(const struct plot *plot, const char *path, struct error *err)
{
    if (!plot || plot->failed) {
        return error_memory(err, "drawing a plot");
    }
    return plot->n_panel > 0 ? write(plot, path, chart_write_png, err) : STATUS_OK;
}

enum status draw_plot_write(const struct plot *plot, const char *folder, struct error *err)
{
    char path[PATH_SIZE];
    if (plot && plot->n_panel == 0 && !plot->failed) {
        return STATUS_OK;
    }
    TRY(path_format(path, err, "%s/%s.png", folder, plot ? plot->name : ""));
    TRY(draw_plot_png(plot, path, err));
    TRY(path_format(path, err, "%s/%s.svg", folder, plot->name));
    return write(plot, path, chart_write_svg, err);
}

/* draw_plot: panels in rows and columns, the legend to their right, that of a strip below. What a
 * panel's size and axes are follows from its mark.
 */
#include "report/write/draw_plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "report/write/chart.h"

#define STRIP_ROW 28.0
#define GAP_Y 62.0
#define TITLE_X 14.0
#define SUBTITLE_LINE 18.0
#define SAMPLE 40.0 /* a line in the legend */
#define LEGEND_LINE 22.0
#define MIN_WIDTH 520.0 /* of the titles */
#define MARGIN 26.0
#define RING 3.2
#define DOT 2.0
#define DODGE 5.0 /* points between the dots of two series */
#define MAX_TICK 64

struct look {
    double width, height, gap_x;
};

struct layout {
    const struct plot *plot;
    struct look look;
    bool strip;
    double left, top, width, height; /* of the first panel; of the canvas */
    size_t n_column, n_row;
    size_t n_dodge; /* series that stand side by side */
};

static enum mark mark_of(const struct plot *plot)
{
    for (size_t i = 0; i < plot->n_panel; i++) {
        if (plot->panel[i].n_series > 0) {
            return plot->panel[i].series[0].mark;
        }
    }
    return MARK_LINE;
}

/* ---- scales ---- */

/* A straight or logarithmic scale; discrete values stand at equal distances. */
struct scale {
    struct chart_scale line;
    const struct axis *axis;
    const double *value; /* [n_value] of a discrete axis, ascending */
    size_t n_value;
};

static double scale_at(const struct scale *scale, double value)
{
    if (scale->axis->discrete) {
        size_t i = 0;
        while (i < scale->n_value && scale->value[i] != value) {
            i++;
        }
        value = (double)i;
    }
    return chart_at(&scale->line, scale->axis->log ? log10(value) : value);
}

static bool has_place(const struct scale *scale, double value)
{
    return isfinite(value) && (!scale->axis->log || value > 0);
}

struct range {
    double low, high;
};

static void widen(struct range *range, const double *value, size_t n, bool log)
{
    for (size_t i = 0; value && i < n; i++) {
        if (isfinite(value[i]) && (!log || value[i] > 0)) {
            range->low = fmin(range->low, value[i]);
            range->high = fmax(range->high, value[i]);
        }
    }
}

static void widen_by_panel(struct range *range, const struct panel *panel, bool vertical)
{
    const struct axis *axis = vertical ? &panel->y : &panel->x;
    for (size_t i = 0; i < panel->n_series; i++) {
        const struct series *series = &panel->series[i];
        widen(range, vertical ? series->y : series->x, series->n, axis->log);
        for (size_t k = 0; vertical && k < series->n_single; k++) {
            widen(range, series->single[k], series->n, axis->log);
        }
    }
    for (size_t i = 0; i < panel->n_rule; i++) {
        if (panel->rule[i].vertical != vertical) {
            widen(range, &panel->rule[i].at, 1, axis->log);
        }
    }
}

/* The ends of an axis: those it names, else those of the values, with a margin for y. */
static struct range range_of(const struct layout *layout, const struct panel *panel, bool vertical)
{
    const struct axis *axis = vertical ? &panel->y : &panel->x;
    struct range range = {INFINITY, -INFINITY};
    bool all = vertical ? layout->plot->share_y : false;
    for (size_t i = 0; i < layout->plot->n_panel; i++) {
        const struct panel *here = &layout->plot->panel[i];
        if (all || here == panel) {
            widen_by_panel(&range, here, vertical);
        }
    }
    double margin = vertical ? 0.06 * (range.high - range.low) : 0;
    range.low = isfinite(axis->low) ? axis->low : range.low - margin;
    range.high = isfinite(axis->high) ? axis->high : range.high + margin;
    if (!(range.low < range.high)) {
        double middle = isfinite(range.low) ? range.low : 0;
        range = (struct range){middle - 0.5, middle + 0.5};
    }
    return range;
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Writes the distinct values of x of all panels below one another (one column of the picture). */
static size_t distinct_x(const struct layout *layout, size_t column, double value[MAX_TICK])
{
    size_t n = 0;
    for (size_t i = column; i < layout->plot->n_panel; i += layout->n_column) {
        const struct panel *panel = &layout->plot->panel[i];
        for (size_t k = 0; k < panel->n_series; k++) {
            for (size_t j = 0; j < panel->series[k].n && n < MAX_TICK; j++) {
                size_t at = 0;
                while (at < n && value[at] != panel->series[k].x[j]) {
                    at++;
                }
                value[at] = panel->series[k].x[j];
                n += at == n;
            }
        }
    }
    qsort(value, n, sizeof *value, compare_doubles);
    return n;
}

/* ---- axes ---- */

static int decimals_of(const struct axis *axis, double step)
{
    return axis->whole || step >= 10 ? 0 : step < 0.1 ? 2 : 1;
}

static void draw_tick(cairo_t *cr, bool vertical, const struct chart_scale *across, double at,
                      const char *label)
{
    cairo_set_line_width(cr, 0.6);
    chart_colour(cr, CHART_GRID, 1);
    if (vertical) {
        chart_line(cr, across->from, at, across->to, at);
    } else {
        chart_line(cr, at, across->from, at, across->to);
    }
    if (label && label[0]) {
        chart_colour(cr, CHART_INK, 1);
        if (vertical) {
            chart_text(cr, across->from - 6, at, CHART_SMALL, CHART_RIGHT, label);
        } else {
            chart_text(cr, at, fmax(across->from, across->to) + 12, CHART_SMALL, CHART_CENTRE,
                       label);
        }
    }
}

/* across: the other axis' canvas coordinates, which the grid's lines run along. */
static void draw_axis(cairo_t *cr, const struct scale *scale, const struct chart_scale *across,
                      bool vertical, bool labels)
{
    const struct axis *axis = scale->axis;
    char label[32];
    cairo_set_dash(cr, NULL, 0, 0);
    if (axis->discrete) {
        for (size_t i = 0; i < scale->n_value; i++) {
            snprintf(label, sizeof label, "%g", scale->value[i]);
            double at = scale_at(scale, scale->value[i]);
            chart_colour(cr, CHART_INK, 1);
            chart_text(cr, at, fmax(across->from, across->to) + 12, CHART_SMALL, CHART_CENTRE,
                       label);
        }
        return;
    }
    if (axis->log) {
        for (int power = (int)floor(scale->line.low); power <= (int)scale->line.high; power++) {
            double value = pow(10, power);
            snprintf(label, sizeof label, "%g", value);
            if (power >= scale->line.low) {
                draw_tick(cr, vertical, across, scale_at(scale, value), labels ? label : NULL);
            }
        }
        return;
    }
    double step = chart_step(scale->line.high - scale->line.low, vertical ? 6 : 5);
    int n_decimal = decimals_of(axis, step);
    for (double i = ceil(scale->line.low / step - 1e-9); i * step <= scale->line.high + step / 1000;
         i++) {
        snprintf(label, sizeof label, axis->sign && i > 0 ? "%+.*f" : "%.*f", n_decimal,
                 i * step + 0.0);
        draw_tick(cr, vertical, across, scale_at(scale, i * step), labels ? label : NULL);
    }
}

/* ---- marks ---- */

static void trace(cairo_t *cr, const struct scale *x, const struct scale *y, const double *at,
                  const double *value, size_t n, double shift)
{
    for (size_t i = 0; i < n; i++) {
        if (has_place(x, at[i]) && has_place(y, value[i])) {
            cairo_line_to(cr, scale_at(x, at[i]) + shift, scale_at(y, value[i]));
        } else if (x->axis->discrete == false) {
            cairo_new_sub_path(cr);
        }
    }
    cairo_stroke(cr);
}

static void draw_singles(cairo_t *cr, const struct series *series, const struct scale *x,
                         const struct scale *y, double shift)
{
    cairo_set_dash(cr, NULL, 0, 0);
    cairo_set_line_width(cr, 0.6);
    for (size_t i = 0; i < series->n_single; i++) {
        if (series->mark == MARK_LINE) {
            chart_colour(cr, colormap_line(series->style), 0.35);
            trace(cr, x, y, series->x, series->single[i], series->n, 0);
            continue;
        }
        chart_colour(cr, colormap_line(series->style), 0.45);
        for (size_t k = 0; k < series->n; k++) {
            if (has_place(y, series->single[i][k])) {
                cairo_arc(cr, scale_at(x, series->x[k]) + shift, scale_at(y, series->single[i][k]),
                          DOT, 0, 2 * acos(-1));
                cairo_fill(cr);
            }
        }
    }
}

static double dodge(const struct layout *layout, const struct series *series)
{
    return series->mark == MARK_DOTS
               ? ((double)series->style - (double)(layout->n_dodge - 1) / 2) * DODGE
               : 0;
}

static void draw_rule(cairo_t *cr, bool vertical, double at, double from, double to)
{
    cairo_save(cr);
    chart_colour(cr, CHART_MUTED, 1);
    cairo_set_line_width(cr, 1.1);
    cairo_set_dash(cr, vertical ? (double[]){4, 3} : (double[]){1, 2}, 2, 0);
    if (vertical) {
        chart_line(cr, at, from, at, to);
    } else {
        chart_line(cr, from, at, to, at);
    }
    cairo_restore(cr);
}

static void draw_rules(cairo_t *cr, const struct panel *panel, const struct scale *x,
                       const struct scale *y)
{
    for (size_t i = 0; i < panel->n_rule; i++) {
        const struct rule *rule = &panel->rule[i];
        if (rule->vertical && has_place(x, rule->at)) {
            draw_rule(cr, true, scale_at(x, rule->at), y->line.from, y->line.to);
        } else if (!rule->vertical && has_place(y, rule->at)) {
            draw_rule(cr, false, scale_at(y, rule->at), x->line.from, x->line.to);
        }
    }
}

static void draw_ring(cairo_t *cr, double x, double y, struct rgb colour)
{
    cairo_arc(cr, x, y, RING, 0, 2 * acos(-1));
    chart_colour(cr, (struct rgb){255, 255, 255}, 0.75);
    cairo_fill_preserve(cr);
    chart_colour(cr, colour, 1);
    cairo_set_line_width(cr, 1.3);
    cairo_stroke(cr);
}

static void draw_bar(cairo_t *cr, double x, double y)
{
    cairo_set_line_width(cr, 2.2);
    chart_line(cr, x, y - 12, x, y + 12);
}

/* Rings of equal value would cover each other, so they are spread a little across the row. */
static void draw_strip(cairo_t *cr, const struct series *series, const struct scale *x, double y)
{
    if (series->n_single == 0) {
        chart_colour(cr, CHART_MUTED, 1);
        chart_text(cr, (x->line.from + x->line.to) / 2, y, CHART_LABEL, CHART_CENTRE, "-");
        return;
    }
    size_t n = series->n_single;
    for (size_t i = 0; i < n; i++) {
        double shift = ((double)i - (double)(n - 1) / 2) * fmin(5, 14 / (double)n);
        draw_ring(cr, scale_at(x, series->single[i][0]), y + shift, colormap_line(series->style));
    }
    if (n > 1) {
        draw_bar(cr, scale_at(x, series->y[0]), y);
    }
}

/* ---- panels ---- */

static double panel_x(const struct layout *layout, size_t i)
{
    return layout->left +
           (double)(i % layout->n_column) * (layout->look.width + layout->look.gap_x);
}

static double panel_y(const struct layout *layout, size_t i)
{
    return layout->top + (double)(i / layout->n_column) * (layout->look.height + GAP_Y);
}

static void draw_frame(cairo_t *cr, const struct layout *layout, size_t i)
{
    const struct panel *panel = &layout->plot->panel[i];
    double left = panel_x(layout, i), top = panel_y(layout, i);
    double middle = left + layout->look.width / 2;
    bool first = i % layout->n_column == 0;
    cairo_set_dash(cr, NULL, 0, 0);
    chart_frame(cr, left, top, layout->look.width, layout->look.height);
    chart_colour(cr, CHART_INK, 1);
    if (panel->title) {
        chart_text_bold(cr, middle, top - 11, CHART_LABEL, CHART_CENTRE, panel->title);
    }
    if (panel->x.title) {
        chart_text(cr, middle, top + layout->look.height + 28, CHART_SMALL, CHART_CENTRE,
                   panel->x.title);
    }
    if (panel->y.title && !layout->strip && (first || !layout->plot->share_y)) {
        chart_text_up(cr, left - 42, top + layout->look.height / 2, CHART_LABEL, panel->y.title);
    }
}

static void draw_strips(cairo_t *cr, const struct layout *layout, size_t i)
{
    const struct panel *panel = &layout->plot->panel[i];
    double left = panel_x(layout, i), top = panel_y(layout, i);
    struct range range = range_of(layout, panel, false);
    struct scale x = {
        {range.low, range.high, left + 6, left + layout->look.width - 6}, &panel->x, NULL, 0};
    struct scale y = {{0, 1, top, top + layout->look.height}, &panel->y, NULL, 0};
    draw_axis(cr, &x, &y.line, false, true);
    draw_rules(cr, panel, &x, &y);
    for (size_t k = 0; k < panel->n_series; k++) {
        double at = top + ((double)k + 0.5) * STRIP_ROW;
        draw_strip(cr, &panel->series[k], &x, at);
        chart_colour(cr, CHART_INK, 1);
        if (i % layout->n_column == 0) {
            chart_text(cr, layout->left - 10, at, CHART_LABEL, CHART_RIGHT, panel->series[k].name);
        }
    }
}

static void draw_curves(cairo_t *cr, const struct layout *layout, size_t i)
{
    const struct panel *panel = &layout->plot->panel[i];
    double left = panel_x(layout, i), top = panel_y(layout, i);
    double value[MAX_TICK];
    struct range of_x = range_of(layout, panel, false), of_y = range_of(layout, panel, true);
    struct scale x = {{of_x.low, of_x.high, left, left + layout->look.width}, &panel->x, value, 0};
    struct scale y = {{of_y.low, of_y.high, top + layout->look.height, top}, &panel->y, NULL, 0};
    if (panel->x.discrete) {
        x.n_value = distinct_x(layout, i % layout->n_column, value);
        x.line.low = -0.5;
        x.line.high = (double)x.n_value - 0.5;
    } else if (panel->x.log) {
        x.line.low = log10(fmax(of_x.low, 1));
        x.line.high = log10(of_x.high);
    }
    if (panel->y.log) {
        y.line.low = log10(of_y.low);
        y.line.high = log10(of_y.high);
    }
    draw_axis(cr, &y, &x.line, true, i % layout->n_column == 0 || !layout->plot->share_y);
    draw_axis(cr, &x, &y.line, false, true);
    draw_rules(cr, panel, &x, &y);
    cairo_save(cr);
    cairo_rectangle(cr, left, top, layout->look.width, layout->look.height);
    cairo_clip(cr);
    for (size_t k = 0; k < panel->n_series; k++) {
        draw_singles(cr, &panel->series[k], &x, &y, dodge(layout, &panel->series[k]));
    }
    for (size_t k = 0; k < panel->n_series; k++) {
        const struct series *series = &panel->series[k];
        chart_line_style(cr, series->style, 1.8);
        trace(cr, &x, &y, series->x, series->y, series->n, dodge(layout, series));
    }
    cairo_restore(cr);
}

/* ---- legend ---- */

struct entry {
    const char *name;
    size_t style;
    const struct rule *rule; /* NULL: a series */
};

/* Series of one name, and rules of one title, share an entry. Returns their number. */
static size_t legend_of(const struct plot *plot, struct entry entry[MAX_TICK])
{
    size_t n = 0;
    for (int rules = 0; rules < 2; rules++) {
        for (size_t i = 0; i < plot->n_panel; i++) {
            const struct panel *panel = &plot->panel[i];
            size_t n_item = rules ? panel->n_rule : panel->n_series;
            for (size_t k = 0; k < n_item && n < MAX_TICK; k++) {
                struct entry here =
                    rules ? (struct entry){panel->rule[k].title, 0, &panel->rule[k]}
                          : (struct entry){panel->series[k].name, panel->series[k].style, NULL};
                size_t at = 0;
                while (here.name && at < n && strcmp(entry[at].name, here.name) != 0) {
                    at++;
                }
                if (here.name && at == n) {
                    entry[n++] = here;
                }
            }
        }
    }
    return n;
}

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (!a->rule != !b->rule) {
        return a->rule ? 1 : -1;
    }
    return (a->style > b->style) - (a->style < b->style);
}

static void draw_legend(cairo_t *cr, const struct layout *layout)
{
    struct entry entry[MAX_TICK];
    size_t n = legend_of(layout->plot, entry);
    double x = panel_x(layout, layout->n_column - 1) + layout->look.width + 22;
    qsort(entry, n, sizeof *entry, compare_entries);
    for (size_t i = 0; i < n; i++) {
        double y = layout->top + 8 + (double)i * LEGEND_LINE;
        if (entry[i].rule) {
            draw_rule(cr, false, y, x, x + SAMPLE);
        } else {
            chart_line_style(cr, entry[i].style, 1.8);
            chart_line(cr, x, y, x + SAMPLE, y);
        }
        cairo_set_dash(cr, NULL, 0, 0);
        chart_colour(cr, CHART_INK, 1);
        chart_text(cr, x + SAMPLE + 8, y, CHART_LABEL, CHART_LEFT, entry[i].name);
    }
}

/* Below the strips: what a ring, a bar and a rule are. */
static void draw_strip_legend(cairo_t *cr, const struct layout *layout)
{
    const struct plot *plot = layout->plot;
    double x = layout->left;
    double y = panel_y(layout, plot->n_panel - 1) + layout->look.height + 60;
    if (plot->single_title) {
        draw_ring(cr, x + 4, y, CHART_INK);
        chart_text(cr, x + 14, y, CHART_SMALL, CHART_LEFT, plot->single_title);
        x += 40 + chart_width(CHART_SMALL, plot->single_title);
    }
    if (plot->mean_title) {
        chart_colour(cr, CHART_INK, 1);
        draw_bar(cr, x, y);
        chart_text(cr, x + 10, y, CHART_SMALL, CHART_LEFT, plot->mean_title);
        x += 40 + chart_width(CHART_SMALL, plot->mean_title);
    }
    const struct panel *panel = &plot->panel[0];
    if (panel->n_rule > 0 && panel->rule[0].title) {
        draw_rule(cr, true, x, y - 9, y + 9);
        chart_colour(cr, CHART_INK, 1);
        chart_text(cr, x + 10, y, CHART_SMALL, CHART_LEFT, panel->rule[0].title);
    }
}

static double legend_width(const struct plot *plot)
{
    struct entry entry[MAX_TICK];
    size_t n = legend_of(plot, entry);
    double width = 0;
    for (size_t i = 0; i < n; i++) {
        width = fmax(width, chart_width(CHART_LABEL, entry[i].name));
    }
    return width + SAMPLE + 48;
}

/* ---- the whole ---- */

static size_t n_subtitle(const struct plot *plot)
{
    size_t n = plot->subtitle && plot->subtitle[0] ? 1 : 0;
    for (const char *c = plot->subtitle; c && *c; c++) {
        n += *c == '\n';
    }
    return n;
}

static struct layout lay_out(const struct plot *plot)
{
    static const struct look looks[] = {
        [MARK_LINE] = {286, 200, 22}, [MARK_DOTS] = {190, 132, 18}, [MARK_STRIP] = {136, 0, 18}};
    enum mark mark = mark_of(plot);
    struct layout layout = {.plot = plot, .look = looks[mark], .strip = mark == MARK_STRIP};
    size_t n_series = 0;
    double names = 0;
    for (size_t i = 0; i < plot->n_panel; i++) {
        const struct panel *panel = &plot->panel[i];
        n_series = panel->n_series > n_series ? panel->n_series : n_series;
        for (size_t k = 0; k < panel->n_series; k++) {
            names = fmax(names, chart_width(CHART_LABEL, panel->series[k].name));
            size_t style = panel->series[k].style + 1;
            layout.n_dodge = style > layout.n_dodge ? style : layout.n_dodge;
        }
    }
    layout.n_column = plot->n_panel < plot->n_column ? plot->n_panel : plot->n_column;
    layout.n_row = (plot->n_panel + layout.n_column - 1) / layout.n_column;
    layout.left = layout.strip ? MARGIN + names : 62;
    layout.top = 66 + SUBTITLE_LINE * (double)n_subtitle(plot);
    if (!plot->share_y && !layout.strip) {
        layout.look.gap_x += 46;
    }
    if (layout.strip) {
        layout.look.height = (double)n_series * STRIP_ROW;
    }
    double right = panel_x(&layout, layout.n_column - 1) + layout.look.width;
    double bottom = layout.top + (double)layout.n_row * (layout.look.height + GAP_Y) - GAP_Y;
    if (layout.strip) {
        layout.width = fmax(right + MARGIN, layout.left + 480);
        layout.height = bottom + 88;
    } else {
        struct entry entry[MAX_TICK];
        layout.width = right + legend_width(plot);
        layout.height =
            fmax(bottom + 50, layout.top + 24 + (double)legend_of(plot, entry) * LEGEND_LINE);
    }
    layout.width =
        fmax(fmax(layout.width, MIN_WIDTH), chart_width(CHART_TITLE, plot->title) + 2 * TITLE_X);
    return layout;
}

static void draw_titles(cairo_t *cr, const struct plot *plot)
{
    const char *line = plot->subtitle;
    chart_colour(cr, CHART_INK, 1);
    chart_text_bold(cr, TITLE_X, 20, CHART_TITLE, CHART_LEFT, plot->title);
    for (size_t i = 0, n = n_subtitle(plot); i < n; i++) {
        char text[256];
        size_t length = strcspn(line, "\n");
        snprintf(text, sizeof text, "%.*s", (int)length, line);
        chart_colour(cr, i == 0 ? CHART_INK : CHART_MUTED, 1);
        chart_text(cr, TITLE_X, 41 + SUBTITLE_LINE * (double)i, n > 1 ? CHART_SMALL : CHART_LABEL,
                   CHART_LEFT, text);
        line += length + 1;
    }
}

static void draw(cairo_t *cr, const void *data)
{
    const struct layout *layout = data;
    draw_titles(cr, layout->plot);
    for (size_t i = 0; i < layout->plot->n_panel; i++) {
        if (layout->strip) {
            draw_strips(cr, layout, i);
        } else {
            draw_curves(cr, layout, i);
        }
        draw_frame(cr, layout, i);
    }
    if (layout->strip) {
        draw_strip_legend(cr, layout);
    } else {
        draw_legend(cr, layout);
    }
}

enum status draw_plot_write(const struct plot *plot, const char *folder, struct error *err)
{
    char path[PATH_SIZE];
    if (plot->n_panel == 0) {
        return STATUS_OK;
    }
    struct layout layout = lay_out(plot);
    TRY(path_format(path, err, "%s/%s.png", folder, plot->name));
    TRY(chart_write_png(path, layout.width, layout.height, draw, &layout, err));
    TRY(path_format(path, err, "%s/%s.svg", folder, plot->name));
    return chart_write_svg(path, layout.width, layout.height, draw, &layout, err);
}

/* The scale is logarithmic, as the band is: it is one of means of logarithms. The band is where the
 * mean of the new curves stays in all but 1 % of checks, over all steps and parts at once.
 */
#include "check/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/write/chart.h"

#define PANEL_WIDTH 300.0
#define PANEL_HEIGHT 200.0
#define GAP 64.0
#define LEFT 64.0
#define TOP 92.0
#define BOTTOM 54.0
#define OLD ((struct rgb){0x77, 0x77, 0x77})
#define NEW ((struct rgb){0xd5, 0x5e, 0x00})
#define BAND ((struct rgb){0x56, 0xb4, 0xe9})
#define SAMPLE 34.0
#define LEGEND_WIDTH 770.0
#define LINE 0.8
#define LINE_MEAN 2.0
#define LINE_BEHIND 2.4 /* of an old curve that a new one of the same seed may cover */

static const enum trace_curve rows[] = {CURVE_LOSS, CURVE_GRAD_NORM};
static const char *const row_names[] = {"training loss", "gradient norm", "loss, new - old"};
#define ROW_CHANGE 2

struct check_figure {
    const struct traces *old, *new;
    const struct verdict *verdict;
    size_t n_row;
};

static bool is_drawn(double value)
{
    return isfinite(value) && value > 0;
}

/* measure widens both scales to the curves of a part; a diverged run may leave the upper end. */
static void measure(const struct part *part, enum trace_curve c, struct chart_scale *x,
                    struct chart_scale *y)
{
    for (size_t r = 0; part && r < part->n_trace; r++) {
        const struct trace *run = &part->trace[r];
        const double *curve = run->curve[c];
        for (size_t i = 0; curve && i < run->n_point; i++) {
            if (is_drawn(curve[i])) {
                y->low = fmin(y->low, log10(curve[i]));
                y->high = fmax(y->high, fmin(log10(curve[i]), 3));
                x->high = fmax(x->high, (double)trace_step(run, i));
            }
        }
    }
}

static void draw_tick(cairo_t *cr, const struct chart_scale *x, const struct chart_scale *y,
                      double value)
{
    char label[32];
    double at = chart_at(y, log10(value));
    if (log10(value) >= y->low && log10(value) <= y->high) {
        chart_colour(cr, CHART_GRID, 1);
        chart_line(cr, x->from, at, x->to, at);
        snprintf(label, sizeof label, "%.6g", value);
        chart_colour(cr, CHART_INK, 1);
        chart_text(cr, x->from - 6, at, CHART_SMALL, CHART_RIGHT, label);
    }
}

/* Over less than a decade 1, 2 and 5 would leave a scale almost without ticks. */
static void draw_ticks(cairo_t *cr, const struct chart_scale *x, const struct chart_scale *y)
{
    static const double digits[] = {1, 2, 5};
    double low = pow(10, y->low), high = pow(10, y->high), step = chart_step(high - low, 5);
    if (y->high - y->low < 0.7) {
        for (double value = ceil(low / step) * step; value <= high; value += step) {
            draw_tick(cr, x, y, value);
        }
        return;
    }
    size_t n_digit = y->high - y->low > 3 ? 1 : sizeof digits / sizeof digits[0];
    for (int decade = (int)floor(y->low); decade <= (int)ceil(y->high); decade++) {
        for (size_t i = 0; i < n_digit; i++) {
            draw_tick(cr, x, y, digits[i] * pow(10, decade));
        }
    }
}

static void draw_steps(cairo_t *cr, const struct chart_scale *x, const struct chart_scale *y)
{
    char label[32];
    double step = chart_step(x->high - x->low, 5);
    for (double value = 0; value <= x->high + step / 1000; value += step) {
        double at = chart_at(x, value);
        chart_colour(cr, CHART_GRID, 1);
        chart_line(cr, at, y->from, at, y->to);
        snprintf(label, sizeof label, "%.6g", value);
        chart_colour(cr, CHART_INK, 1);
        chart_text(cr, at, y->from + 12, CHART_SMALL, CHART_CENTRE, label);
    }
}

static void draw_curves(cairo_t *cr, const struct part *part, enum trace_curve c, struct rgb colour,
                        double width, const struct chart_scale *x, const struct chart_scale *y)
{
    cairo_set_line_width(cr, width);
    chart_colour(cr, colour, 0.6);
    for (size_t r = 0; part && r < part->n_trace; r++) {
        const struct trace *run = &part->trace[r];
        const double *curve = run->curve[c];
        for (size_t i = 0; curve && i < run->n_point; i++) {
            if (is_drawn(curve[i])) {
                cairo_line_to(cr, chart_at(x, (double)trace_step(run, i)),
                              chart_at(y, log10(curve[i])));
            } else {
                cairo_new_sub_path(cr);
            }
        }
        cairo_stroke(cr);
    }
}

/* The stretches of one curve. */
static bool is_stretch(const struct verdict *verdict, size_t i, size_t part, enum trace_curve c)
{
    const struct band_row *row = &verdict->band[i];
    return row->part == part && row->curve == c && !row->whole;
}

static void draw_band(cairo_t *cr, const struct verdict *verdict, size_t part, enum trace_curve c,
                      const struct chart_scale *x, const struct chart_scale *y)
{
    const double to_log10 = log10(exp(1));
    chart_colour(cr, BAND, 0.45);
    for (size_t i = 0; i < verdict->n_band; i++) {
        const struct band_row *row = &verdict->band[i];
        if (is_stretch(verdict, i, part, c) && isfinite(row->half) && !row->after_divergence) {
            double left = chart_at(x, (double)row->first - 0.5);
            double right = chart_at(x, (double)row->last + 0.5);
            double top = chart_at(y, (row->old + row->half) * to_log10);
            double bottom = chart_at(y, (row->old - row->half) * to_log10);
            cairo_rectangle(cr, left, top, right - left, bottom - top);
        }
    }
    cairo_fill(cr);
    cairo_set_line_width(cr, LINE_MEAN);
    chart_colour(cr, NEW, 1);
    for (size_t i = 0; i < verdict->n_band; i++) {
        const struct band_row *row = &verdict->band[i];
        if (is_stretch(verdict, i, part, c) && !row->after_divergence) {
            cairo_line_to(cr, chart_at(x, (double)(row->first + row->last) / 2),
                          chart_at(y, row->new *to_log10));
        }
    }
    cairo_stroke(cr);
}

static bool has_curves(const struct part *part, enum trace_curve c)
{
    for (size_t r = 0; part && r < part->n_trace; r++) {
        if (part->trace[r].curve[c]) {
            return true;
        }
    }
    return false;
}

/* A panel with the curves of one side alone says why. */
static void draw_missing(cairo_t *cr, const struct part *old_part, const struct part *new_part,
                         enum trace_curve c, const struct chart_scale *x,
                         const struct chart_scale *y)
{
    bool old = has_curves(old_part, c), new = has_curves(new_part, c);
    if (new_part && !(old && new)) {
        chart_colour(cr, CHART_MUTED, 1);
        chart_text(cr, x->to - 8, y->to + 12, CHART_SMALL, CHART_RIGHT,
                   old   ? "the new curves have none: not compared"
                   : new ? "the baseline has none: not compared"
                         : "neither the baseline nor the new curves have any");
    }
}

/* mark_step draws a dashed line at a step, and says beside it why. */
static void mark_step(cairo_t *cr, long step, const char *why, const struct chart_scale *x,
                      const struct chart_scale *y)
{
    char label[48];
    double at = chart_at(x, (double)step);
    bool left = at < (x->from + x->to) / 2;
    cairo_set_line_width(cr, LINE);
    cairo_set_dash(cr, (double[]){4, 3}, 2, 0);
    chart_colour(cr, CHART_INK, 1);
    chart_line(cr, at, y->from, at, y->to);
    cairo_set_dash(cr, NULL, 0, 0);
    snprintf(label, sizeof label, "%s: step %ld", why, step);
    chart_text(cr, at + (left ? 6 : -6), y->to + 12, CHART_SMALL, left ? CHART_LEFT : CHART_RIGHT,
               label);
}

/* A run that diverged at once is too short to be seen. */
static void mark_divergence(cairo_t *cr, const struct verdict *verdict, const char *part,
                            const struct chart_scale *x, const struct chart_scale *y)
{
    for (size_t i = 0; i < verdict->n_difference; i++) {
        const struct difference *d = &verdict->difference[i];
        if (strcmp(d->part, part) == 0 && strcmp(d->what, "divergence") == 0 && d->step >= 0) {
            mark_step(cr, d->step, "diverged", x, y);
        }
    }
}

static void draw_quantity(cairo_t *cr, const struct check_figure *figure, size_t p,
                          enum trace_curve c, struct chart_scale *x, struct chart_scale *y)
{
    const struct part *old_part = &figure->old->part[p];
    const struct part *new_part = traces_part(figure->new, old_part->name);
    measure(old_part, c, x, y);
    measure(new_part, c, x, y);
    if (y->low <= y->high) {
        double margin = 0.05 * (y->high - y->low) + 0.01;
        y->low -= margin;
        y->high += margin;
        cairo_set_line_width(cr, 0.6);
        draw_ticks(cr, x, y);
        draw_steps(cr, x, y);
        cairo_save(cr);
        cairo_rectangle(cr, x->from, y->to, x->to - x->from, y->from - y->to);
        cairo_clip(cr);
        double old_width = !figure->verdict->tier->same_seeds ? LINE : LINE_BEHIND;
        draw_curves(cr, old_part, c, OLD, old_width, x, y);
        draw_curves(cr, new_part, c, NEW, LINE, x, y);
        draw_band(cr, figure->verdict, p, c, x, y);
        cairo_restore(cr);
    }
    if (c == CURVE_LOSS) {
        mark_divergence(cr, figure->verdict, old_part->name, x, y);
    }
    draw_missing(cr, old_part, new_part, c, x, y);
}

/* ---- the difference of the losses, where the seeds are the same ---- */

static double change_at(const struct trace *old, const struct trace *new, size_t i)
{
    bool same_step = i < new->n_point &&trace_step(old, i) == trace_step(new, i);
    return same_step ? new->curve[CURVE_LOSS][i] - old->curve[CURVE_LOSS][i] : NAN;
}

static void measure_changes(const struct part *old_part, const struct part *new_part,
                            struct chart_scale *y)
{
    for (size_t r = 0; new_part && r < new_part->n_trace; r++) {
        const struct trace *old = part_trace(old_part, new_part->trace[r].seed);
        for (size_t i = 0; old && i < old->n_point; i++) {
            double change = change_at(old, &new_part->trace[r], i);
            if (isfinite(change)) {
                y->low = fmin(y->low, change);
                y->high = fmax(y->high, change);
            }
        }
    }
}

static void draw_change_ticks(cairo_t *cr, const struct chart_scale *x, const struct chart_scale *y)
{
    char label[32];
    double step = chart_step(y->high - y->low, 5);
    cairo_set_line_width(cr, 0.6);
    for (double i = ceil(y->low / step); i * step <= y->high; i++) {
        double at = chart_at(y, i * step);
        chart_colour(cr, CHART_GRID, 1);
        chart_line(cr, x->from, at, x->to, at);
        snprintf(label, sizeof label, "%.3g", i == 0 ? 0 : i * step); /* never -0 */
        chart_colour(cr, CHART_INK, 1);
        chart_text(cr, x->from - 6, at, CHART_SMALL, CHART_RIGHT, label);
    }
}

static void draw_changes(cairo_t *cr, const struct part *old_part, const struct part *new_part,
                         const struct chart_scale *x, const struct chart_scale *y)
{
    cairo_set_line_width(cr, LINE);
    chart_colour(cr, NEW, 0.8);
    for (size_t r = 0; new_part && r < new_part->n_trace; r++) {
        const struct trace *old = part_trace(old_part, new_part->trace[r].seed);
        for (size_t i = 0; old && i < old->n_point; i++) {
            double change = change_at(old, &new_part->trace[r], i);
            if (isfinite(change)) {
                cairo_line_to(cr, chart_at(x, (double)trace_step(old, i)), chart_at(y, change));
            } else {
                cairo_new_sub_path(cr);
            }
        }
        cairo_stroke(cr);
    }
}

/* The earliest difference that the verdict tells of a part; -1: none. */
static long first_difference(const struct verdict *verdict, const char *part)
{
    long first = -1;
    for (size_t i = 0; i < verdict->n_difference; i++) {
        const struct difference *d = &verdict->difference[i];
        if (strcmp(d->part, part) == 0 && d->step >= 0 && (first < 0 || d->step < first)) {
            first = d->step;
        }
    }
    return first;
}

static void draw_change_panel(cairo_t *cr, const struct check_figure *figure, size_t p,
                              struct chart_scale *x, struct chart_scale *y)
{
    const struct part *old_part = &figure->old->part[p];
    const struct part *new_part = traces_part(figure->new, old_part->name);
    struct chart_scale unused = *y;
    measure(old_part, CURVE_LOSS, x, &unused);
    measure(new_part, CURVE_LOSS, x, &unused);
    measure_changes(old_part, new_part, y);
    if (!(y->low <= y->high)) {
        return;
    }
    bool same = y->low == 0 && y->high == 0;
    double margin = same ? 1 : 0.1 * (y->high - y->low) + 1e-12;
    y->low = fmin(y->low, 0) - margin;
    y->high = fmax(y->high, 0) + margin;
    if (same) {
        chart_colour(cr, CHART_MUTED, 1);
        chart_text(cr, x->to - 8, y->to + 12, CHART_SMALL, CHART_RIGHT, "every loss is the same");
    } else {
        draw_change_ticks(cr, x, y);
    }
    draw_steps(cr, x, y);
    draw_changes(cr, old_part, new_part, x, y);
    long step = first_difference(figure->verdict, old_part->name);
    if (step >= 0) {
        mark_step(cr, step, "first difference", x, y);
    }
}

/* ---- all of it ---- */

static void draw_panel(cairo_t *cr, const struct check_figure *figure, size_t p, size_t row)
{
    const struct part *old_part = &figure->old->part[p];
    double left = LEFT + (double)p * (PANEL_WIDTH + GAP);
    double top = TOP + (double)row * (PANEL_HEIGHT + GAP / 2);
    struct chart_scale x = {0, 1, left, left + PANEL_WIDTH};
    struct chart_scale y = {INFINITY, -INFINITY, top + PANEL_HEIGHT, top};
    if (row == ROW_CHANGE) {
        draw_change_panel(cr, figure, p, &x, &y);
    } else {
        draw_quantity(cr, figure, p, rows[row], &x, &y);
    }
    chart_frame(cr, left, top, PANEL_WIDTH, PANEL_HEIGHT);
    chart_colour(cr, CHART_INK, 1);
    chart_text_up(cr, left - 50, top + PANEL_HEIGHT / 2, CHART_LABEL, row_names[row]);
    if (row == 0) {
        char name[PART_NAME_SIZE + 16];
        bool compared = tier_covers(figure->verdict->tier, old_part, figure->new);
        snprintf(name, sizeof name, "%s%s", old_part->name, compared ? "" : ", not compared");
        chart_text_bold(cr, left + PANEL_WIDTH / 2, top - 12, CHART_LABEL, CHART_CENTRE, name);
    }
    if (row + 1 == figure->n_row) {
        chart_text(cr, left + PANEL_WIDTH / 2, top + PANEL_HEIGHT + 30, CHART_LABEL, CHART_CENTRE,
                   "training step");
    }
}

static double draw_key(cairo_t *cr, double x, double y, struct rgb colour, double width,
                       const char *text)
{
    cairo_set_line_width(cr, width);
    chart_colour(cr, colour, width > 4 ? 0.45 : 1);
    chart_line(cr, x, y, x + SAMPLE, y);
    chart_colour(cr, CHART_INK, 1);
    chart_text(cr, x + SAMPLE + 6, y, CHART_LABEL, CHART_LEFT, text);
    return x + SAMPLE + 24 + chart_width(CHART_LABEL, text);
}

static void draw(cairo_t *cr, const void *data)
{
    const struct check_figure *figure = data;
    const struct verdict *verdict = figure->verdict;
    char title[160];
    snprintf(title, sizeof title, "%s, tier %s",
             verdict->n_difference > 0 ? "Learning differs" : "No difference in learning",
             verdict->tier->name);
    chart_colour(cr, CHART_INK, 1);
    chart_text_bold(cr, 14, 20, CHART_TITLE, CHART_LEFT, title);
    bool band = verdict->n_band > 0;
    double x = draw_key(cr, 14, 46, OLD, band ? LINE : LINE_BEHIND, "baseline, each seed");
    x = draw_key(cr, x, 46, NEW, LINE, "new, each seed");
    if (band) {
        x = draw_key(cr, x, 46, NEW, LINE_MEAN, "mean of the new");
        draw_key(cr, x, 46, BAND, 10, "99 % range of that mean");
    }
    for (size_t p = 0; p < figure->old->n_part; p++) {
        for (size_t row = 0; row < figure->n_row; row++) {
            draw_panel(cr, figure, p, row);
        }
    }
}

enum status figure_check(const struct traces *old, const struct traces *new,
                         const struct verdict *verdict, const char *path, struct error *err)
{
    struct check_figure figure = {old, new, verdict,
                                  !verdict->tier->same_seeds ? ROW_CHANGE : ROW_CHANGE + 1};
    double width = LEFT + (double)old->n_part * (PANEL_WIDTH + GAP);
    double height = TOP + (double)figure.n_row * (PANEL_HEIGHT + GAP / 2) + BOTTOM;
    return chart_write_png(path, fmax(width, LEGEND_WIDTH), height, draw, &figure, err);
}

/* The scale is logarithmic, as the band is: it is one of means of logarithms. The band is where the
 * mean of the new curves stays in all but 1 % of checks, over all steps and cohorts at once.
 */
#include "check/figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/write/draw_plot.h"

#define LINE 0.8
#define LINE_BEHIND 2.4 /* of an old curve that a new one of the same seed may cover */
#define MOST 1000.0     /* a diverged training may leave the panel */

static const char OLD[] = "baseline, each seed", NEW[] = "new, each seed";
static const struct {
    enum trace_curve curve;
    const char *title;
} panels[] = {{CURVE_LOSS, "training loss"}, {CURVE_GRAD_NORM, "gradient norm"}};
#define N_PANEL (sizeof panels / sizeof *panels)

static void add_panel(struct plot *plot, const char *title, const char *y_title)
{
    struct panel *panel = plot_panel(plot, title, "training step", y_title);
    if (panel) {
        panel->x.low = 0;
        panel->x.whole = true;
    }
}

/* ---- a curve ---- */

/* Returns whether any of the cohort's traces has the curve. */
static bool add_traces(struct plot *plot, const struct cohort *cohort, enum trace_curve c,
                       const char *name, size_t style, double width)
{
    bool any = false;
    for (size_t r = 0; cohort && r < cohort->n_trace; r++) {
        const struct trace *trace = &cohort->trace[r];
        if (!trace->curve[c]) {
            continue;
        }
        any = true;
        struct series *series =
            plot_series(plot, name, style, MARK_LINE, NULL, trace->curve[c], trace->n_point);
        for (size_t i = 0; series && i < trace->n_point; i++) {
            series->x[i] = (double)trace_step(trace, i);
            if (isfinite(series->y[i]) && series->y[i] > MOST) {
                plot->panel[plot->n_panel - 1].y.high = MOST;
            }
        }
        if (series) {
            series->width = width;
        }
    }
    return any;
}

/* The stretches of one curve, up to a divergence. */
static bool is_stretch(const struct band_row *row, size_t cohort, enum trace_curve c)
{
    return row->cohort == cohort && row->curve == c && !row->whole && !row->after_divergence;
}

static void add_band(struct plot *plot, const struct verdict *verdict, size_t cohort,
                     enum trace_curve c)
{
    struct series *series =
        plot_series(plot, "mean of the new", STYLE_ORANGE, MARK_LINE, NULL, NULL, verdict->n_band);
    size_t n = 0;
    for (size_t i = 0; series && i < verdict->n_band; i++) {
        const struct band_row *row = &verdict->band[i];
        if (is_stretch(row, cohort, c)) {
            series->x[n] = (double)(row->first + row->last) / 2;
            series->y[n++] = exp(row->new);
            series->n = n;
        }
    }
    series = plot_series(plot, "99 % range of that mean", STYLE_SKY, MARK_LINE, NULL, NULL, 2 * n);
    plot_band(plot, NULL, NULL);
    for (size_t i = n = 0; series && !plot->failed && i < verdict->n_band; i++) {
        const struct band_row *row = &verdict->band[i];
        for (int end = 0; is_stretch(row, cohort, c) && end < 2; end++, n++) {
            series->x[n] = end ? (double)row->last + 0.5 : (double)row->first - 0.5;
            series->low[n] = exp(row->old - row->half);
            series->high[n] = exp(row->old + row->half);
        }
    }
}

/* Marks the step of a cohort's first difference, of one kind or (NULL) of any: differences are
 * sorted by step. A training that diverged at once is too short to be seen. */
static void mark_first(struct plot *plot, const struct verdict *verdict, const char *cohort,
                       const char *what, const char *why)
{
    for (size_t i = 0; i < verdict->n_difference; i++) {
        const struct difference *d = &verdict->difference[i];
        if (d->step < 0 || strcmp(d->cohort, cohort) != 0 || (what && strcmp(d->what, what) != 0)) {
            continue;
        }
        char title[48];
        snprintf(title, sizeof title, "%s: step %ld", why, d->step);
        struct rule *rule = plot_rule(plot, (double)d->step, true, title);
        if (rule) {
            rule->beside = true;
        }
        return;
    }
}

static void add_curve(struct plot *plot, const struct cohort *old, const struct cohort *new,
                      const struct verdict *verdict, enum trace_curve c)
{
    bool has_old =
        add_traces(plot, old, c, OLD, STYLE_GREY, verdict->tier->same_seeds ? LINE_BEHIND : LINE);
    bool has_new = add_traces(plot, new, c, NEW, STYLE_ORANGE, LINE);
    if (plot && plot->n_panel > 0) {
        plot->panel[plot->n_panel - 1].y.log = true;
    }
    if (new && !(has_old && has_new)) {
        plot_note(plot, has_old   ? "the new curves have none: not compared"
                        : has_new ? "the baseline has none: not compared"
                                  : "neither the baseline nor the new curves have any");
    }
}

/* ---- the difference of the losses, where the seeds are the same ---- */

static void add_changes(struct plot *plot, const struct cohort *old_cohort,
                        const struct cohort *new_cohort)
{
    bool any = false, same = true;
    for (size_t r = 0; new_cohort && r < new_cohort->n_trace; r++) {
        const struct trace *new = &new_cohort->trace[r], *old = cohort_trace(old_cohort, new->seed);
        struct series *series =
            plot_series(plot, NULL, STYLE_ORANGE, MARK_LINE, NULL, NULL, old ? old->n_point : 0);
        for (size_t i = 0; series && i < series->n; i++) {
            series->x[i] = (double)trace_step(old, i);
            if (i < new->n_point && trace_step(old, i) == trace_step(new, i)) {
                series->y[i] = new->curve[CURVE_LOSS][i] - old->curve[CURVE_LOSS][i];
                any |= isfinite(series->y[i]);
                same &= series->y[i] == 0 || !isfinite(series->y[i]);
            }
        }
        if (series) {
            series->width = LINE;
        }
    }
    if (any) {
        plot_rule(plot, 0, false, NULL);
        plot_note(plot, same ? "every loss is the same" : NULL);
    }
}

/* ---- all of it ---- */

static struct plot *make_plot(const struct traces *old, const struct traces *new,
                              const struct verdict *verdict)
{
    char text[COHORT_NAME_SIZE + 64];
    snprintf(text, sizeof text, "%s, tier %s",
             verdict->n_difference > 0 ? "Learning differs" : "No difference in learning",
             verdict->tier->name);
    struct plot *plot = plot_create(text);
    if (plot) {
        plot->n_column = N_PANEL + verdict->tier->same_seeds;
    }
    for (size_t p = 0; plot && p < old->n_cohort; p++) {
        const struct cohort *cohort = &old->cohort[p], *same = traces_cohort(new, cohort->name);
        bool compared = tier_covers(verdict->tier, cohort, new);
        snprintf(text, sizeof text, "%s%s", cohort->name, compared ? "" : ", not compared");
        for (size_t i = 0; i < N_PANEL; i++) {
            add_panel(plot, i == 0 ? text : NULL, panels[i].title);
            add_curve(plot, cohort, same, verdict, panels[i].curve);
            if (verdict->n_band > 0) {
                add_band(plot, verdict, p, panels[i].curve);
            }
            if (panels[i].curve == CURVE_LOSS) {
                mark_first(plot, verdict, cohort->name, "divergence", "diverged");
            }
        }
        if (verdict->tier->same_seeds) {
            add_panel(plot, NULL, "loss, new - old");
            add_changes(plot, cohort, same);
            mark_first(plot, verdict, cohort->name, NULL, "first difference");
        }
    }
    return plot;
}

enum status figure_check(const struct traces *old, const struct traces *new,
                         const struct verdict *verdict, const char *path, struct error *err)
{
    struct plot *plot = make_plot(old, new, verdict);
    enum status status = draw_plot_png(plot, path, err);
    plot_free(plot);
    return status;
}

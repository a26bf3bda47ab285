#include "report/document/plot.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct plot *plot_create(const char *title)
{
    struct plot *plot = calloc(1, sizeof *plot);
    if (plot) {
        plot->n_column = 3;
        plot->title = strdup(title);
        plot->failed = !plot->title;
    }
    return plot;
}

static void free_series(struct series *series)
{
    for (size_t i = 0; i < series->n_single; i++) {
        free(series->single[i]);
    }
    free(series->single);
    free(series->name);
    free(series->x);
    free(series->y);
    free(series->low);
    free(series->high);
}

static void free_panel(struct panel *panel)
{
    for (size_t i = 0; i < panel->n_series; i++) {
        free_series(&panel->series[i]);
    }
    for (size_t i = 0; i < panel->n_rule; i++) {
        free(panel->rule[i].title);
    }
    free(panel->series);
    free(panel->rule);
    free(panel->title);
    free(panel->note);
    free(panel->x.title);
    free(panel->y.title);
}

void plot_free(struct plot *plot)
{
    if (!plot) {
        return;
    }
    for (size_t i = 0; i < plot->n_panel; i++) {
        free_panel(&plot->panel[i]);
    }
    free(plot->panel);
    free(plot->title);
    free(plot->subtitle);
    free(plot->name);
    free(plot->alt);
    free(plot->single_title);
    free(plot->mean_title);
    free(plot);
}

static char *copy_text(struct plot *plot, const char *text)
{
    char *made = text ? strdup(text) : NULL;
    plot->failed |= text && !made;
    return made;
}

static double *copy_values(struct plot *plot, const double *value, size_t n)
{
    double *made = malloc((n ? n : 1) * sizeof *made);
    for (size_t i = 0; made && i < n; i++) {
        made[i] = value ? value[i] : NAN;
    }
    plot->failed |= !made;
    return made;
}

/* Makes room for one more element and returns it zeroed; NULL after a failed allocation. */
static void *grow(struct plot *plot, void **items, size_t *n, size_t size)
{
    char *grown = plot->failed ? NULL : realloc(*items, (*n + 1) * size);
    if (!grown) {
        plot->failed = true;
        return NULL;
    }
    *items = grown;
    return memset(grown + size * (*n)++, 0, size);
}

struct panel *plot_panel(struct plot *plot, const char *title, const char *x_title,
                         const char *y_title)
{
    struct panel *panel =
        plot ? grow(plot, (void **)&plot->panel, &plot->n_panel, sizeof *panel) : NULL;
    if (panel) {
        panel->title = copy_text(plot, title);
        panel->x = (struct axis){.title = copy_text(plot, x_title), .low = NAN, .high = NAN};
        panel->y = (struct axis){.title = copy_text(plot, y_title), .low = NAN, .high = NAN};
    }
    return panel;
}

static struct panel *last_panel(struct plot *plot)
{
    return plot && !plot->failed && plot->n_panel > 0 ? &plot->panel[plot->n_panel - 1] : NULL;
}

void plot_note(struct plot *plot, const char *note)
{
    struct panel *panel = last_panel(plot);
    if (panel) {
        free(panel->note);
        panel->note = copy_text(plot, note);
    }
}

static struct series *last_series(struct plot *plot)
{
    struct panel *panel = last_panel(plot);
    return panel && panel->n_series > 0 ? &panel->series[panel->n_series - 1] : NULL;
}

struct series *plot_series(struct plot *plot, const char *name, size_t style, enum mark mark,
                           const double *x, const double *y, size_t n)
{
    struct panel *panel = last_panel(plot);
    struct series *series =
        panel ? grow(plot, (void **)&panel->series, &panel->n_series, sizeof *series) : NULL;
    if (series) {
        *series = (struct series){.name = copy_text(plot, name),
                                  .style = style,
                                  .mark = mark,
                                  .n = n,
                                  .x = copy_values(plot, x, n),
                                  .y = copy_values(plot, y, n)};
    }
    return plot && !plot->failed ? series : NULL;
}

void plot_band(struct plot *plot, const double *low, const double *high)
{
    struct series *series = last_series(plot);
    if (series) {
        series->low = copy_values(plot, low, series->n);
        series->high = copy_values(plot, high, series->n);
    }
}

void plot_single(struct plot *plot, const double *y)
{
    struct series *series = last_series(plot);
    double **single =
        series ? grow(plot, (void **)&series->single, &series->n_single, sizeof *single) : NULL;
    if (single) {
        *single = copy_values(plot, y, series->n);
    }
}

struct rule *plot_rule(struct plot *plot, double at, bool vertical, const char *title)
{
    struct panel *panel = last_panel(plot);
    struct rule *rule =
        panel ? grow(plot, (void **)&panel->rule, &panel->n_rule, sizeof *rule) : NULL;
    if (rule) {
        *rule = (struct rule){at, vertical, copy_text(plot, title), false};
    }
    return rule;
}

static void set_text(struct plot *plot, char **place, const char *format, va_list list)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, list);
    free(*place);
    *place = copy_text(plot, text);
}

void plot_subtitle(struct plot *plot, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (plot) {
        set_text(plot, &plot->subtitle, format, list);
    }
    va_end(list);
}

void plot_name(struct plot *plot, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (plot) {
        set_text(plot, &plot->name, format, list);
    }
    va_end(list);
}

void plot_titles(struct plot *plot, const char *single_title, const char *mean_title)
{
    if (plot) {
        plot->single_title = copy_text(plot, single_title);
        plot->mean_title = copy_text(plot, mean_title);
    }
}

void plot_alt(struct plot *plot, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (plot) {
        set_text(plot, &plot->alt, format, list);
    }
    va_end(list);
}

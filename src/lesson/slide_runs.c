/* Slides of trained models: maps, curves and seeds, Reverse beside Shift. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lesson/slide.h"

static const char *const TASKS[] = {"reverse", "shift"};
#define N_TASK 2

/* ---- maps ---- */

#define PANEL 93.0
#define PANEL_GAP 10.0

static double panel_x(size_t column)
{
    return SLIDE_EDGE + (double)column * (PANEL + PANEL_GAP);
}

static void draw_needed(cairo_t *cr, const struct slide *slide, const struct run *run, double y)
{
    size_t n = run_config(run)->seq_len;
    float *map = calloc(n * n, sizeof(*map));
    for (size_t t = 0; map && t < n; t++) {
        map[t * n + (size_t)task_needed_key(run_config(run)->task, t, n)] = 1;
    }
    if (map) {
        chart_image(cr, panel_x(0), y, PANEL, map, n);
    }
    chart_frame(cr, panel_x(0), y, PANEL, PANEL);
    chart_colour(cr, CHART_MUTED, 1);
    slide_say(cr, slide, panel_x(0) + PANEL / 2, y + PANEL + 13, SLIDE_SMALL, SLIDE_PLAIN,
              CHART_CENTRE, slide_word(slide, "maps.needed"));
    free(map);
}

static void draw_trained(cairo_t *cr, const struct run *run, size_t column, double y)
{
    float *map = run ? run_attention_map(run) : NULL;
    double x = panel_x(column);
    char text[32];
    if (map) {
        chart_image(cr, x, y, PANEL, map, run_config(run)->seq_len);
    }
    chart_frame(cr, x, y, PANEL, PANEL);
    chart_colour(cr, CHART_INK, 1);
    snprintf(text, sizeof(text), "%.3f", run ? run->measure[MEASURE_TOKEN_ACCURACY] : NAN);
    chart_text(cr, x + PANEL / 2, y + PANEL + 13, SLIDE_SMALL, CHART_CENTRE, run ? text : "-");
    free(map);
}

void slide_maps(cairo_t *cr, const void *data)
{
    const struct slide *slide = data;
    const struct lesson_runs *runs = slide->runs;
    size_t variant[SLIDE_MAX_VARIANT], n = slide_variants(runs, variant, SLIDE_MAX_VARIANT);
    long long seed = runs->seed[0];
    struct lesson_value value[] = {slide_value("n_head", run_config(runs->run)->n_head),
                                   slide_value("n_step", runs->run->n_step),
                                   slide_value("seed", (size_t)seed)};
    slide_frame(cr, slide, "maps", value, 3);
    for (size_t i = 0; i < N_TASK; i++) {
        size_t task = lesson_runs_find_task(runs, TASKS[i]);
        double y = SLIDE_TOP + 52 + (double)i * (PANEL + 74);
        if (task == runs->n_task) {
            continue;
        }
        chart_colour(cr, CHART_INK, 1);
        slide_say(cr, slide, panel_x(0), y - 20, 18, SLIDE_BOLD, CHART_LEFT,
                  run_task_title(runs->task[task]));
        draw_needed(cr, slide, runs->task[task], y);
        for (size_t k = 0; k < n; k++) {
            chart_colour(cr, CHART_INK, 1);
            chart_text_bold(cr, panel_x(k + 1) + PANEL / 2, y - 14, 13, CHART_CENTRE,
                            runs->variant[variant[k]]->variant_name);
            draw_trained(cr, lesson_runs_at(runs, task, variant[k], seed), k + 1, y);
        }
    }
    chart_scale_bar(cr, panel_x(8) + 4, SLIDE_TOP + 52, 2 * PANEL + 74, 1, false, "");
}

/* ---- curves ---- */

#define CURVE_HIGH 2.6
#define PLOT_WIDTH 345.0
#define PLOT_GAP 60.0
#define PLOT_TOP (SLIDE_TOP + 24)
#define PLOT_BOTTOM (SLIDE_BOTTOM - 42)

static double plot_x(size_t i)
{
    return SLIDE_EDGE + 34 + (double)i * (PLOT_WIDTH + PLOT_GAP);
}

static void draw_curve(cairo_t *cr, const struct run *run, size_t variant,
                       const struct chart_scale *x, const struct chart_scale *y)
{
    for (size_t step = 0; step < run->n_curve; step++) {
        cairo_line_to(cr, chart_at(x, (double)step), chart_at(y, fmin(run->curve[step], y->high)));
    }
    chart_line_style(cr, variant, 2.2);
    chart_colour(cr, slide_colour(variant), 1);
    cairo_stroke(cr);
    cairo_set_dash(cr, NULL, 0, 0);
    double escape = run->measure[MEASURE_ESCAPE_STEP];
    if (isfinite(escape) && (size_t)escape < run->n_curve) {
        cairo_arc(cr, chart_at(x, escape), chart_at(y, fmin(run->curve[(size_t)escape], y->high)),
                  4.5, 0, 2 * acos(-1));
        cairo_fill(cr);
    }
}

static void draw_axes(cairo_t *cr, const struct slide *slide, double left, double n_step,
                      const struct chart_scale *x, const struct chart_scale *y)
{
    char text[16];
    for (int i = 0; i <= 5; i++) {
        double at = chart_at(y, i * 0.5);
        chart_colour(cr, CHART_GRID, 1);
        cairo_set_line_width(cr, 1);
        chart_line(cr, left, at, left + PLOT_WIDTH, at);
        chart_colour(cr, CHART_MUTED, 1);
        snprintf(text, sizeof(text), "%.1f", i * 0.5);
        chart_text(cr, left - 6, at, SLIDE_SMALL, CHART_RIGHT, text);
    }
    double size = chart_step(n_step, 5);
    for (double step = 0; step <= n_step; step += size) {
        snprintf(text, sizeof(text), "%.0f", step);
        chart_text(cr, chart_at(x, step), PLOT_BOTTOM + 14, SLIDE_SMALL, CHART_CENTRE, text);
    }
    slide_say(cr, slide, left + PLOT_WIDTH, PLOT_BOTTOM + 32, SLIDE_SMALL, SLIDE_PLAIN, CHART_RIGHT,
              slide_word(slide, "curves.step"));
    chart_text(cr, left + PLOT_WIDTH, chart_at(y, log(10)) - 9, SLIDE_SMALL, CHART_RIGHT, "ln 10");
    cairo_set_dash(cr, (double[]){2, 4}, 2, 0);
    chart_line(cr, left, chart_at(y, log(10)), left + PLOT_WIDTH, chart_at(y, log(10)));
    cairo_set_dash(cr, NULL, 0, 0);
}

static void draw_plot(cairo_t *cr, const struct slide *slide, size_t i, size_t task,
                      const size_t *variant, size_t n)
{
    const struct lesson_runs *runs = slide->runs;
    double left = plot_x(i), n_step = (double)runs->run->n_step;
    struct chart_scale x = {0, n_step, left, left + PLOT_WIDTH};
    struct chart_scale y = {0, CURVE_HIGH, PLOT_BOTTOM, PLOT_TOP};
    chart_colour(cr, CHART_INK, 1);
    slide_say(cr, slide, left, PLOT_TOP - 16, 17, SLIDE_BOLD, CHART_LEFT,
              run_task_title(runs->task[task]));
    draw_axes(cr, slide, left, n_step, &x, &y);
    for (size_t k = 0; k < n; k++) {
        const struct run *run = lesson_runs_at(runs, task, variant[k], runs->seed[0]);
        if (run && run->curve) {
            draw_curve(cr, run, variant[k], &x, &y);
        }
    }
}

static void draw_legend(cairo_t *cr, const struct lesson_runs *runs, const size_t *variant,
                        size_t n)
{
    double x = plot_x(2) - PLOT_GAP + 12;
    for (size_t k = 0; k < n; k++) {
        double y = PLOT_TOP + 8 + 24 * (double)k;
        cairo_move_to(cr, x, y);
        cairo_line_to(cr, x + 28, y);
        chart_line_style(cr, variant[k], 2.6);
        chart_colour(cr, slide_colour(variant[k]), 1);
        cairo_stroke(cr);
        cairo_set_dash(cr, NULL, 0, 0);
        chart_colour(cr, CHART_INK, 1);
        chart_text(cr, x + 33, y, 11, CHART_LEFT, runs->variant[variant[k]]->variant_name);
    }
}

void slide_curves(cairo_t *cr, const void *data)
{
    const struct slide *slide = data;
    const struct lesson_runs *runs = slide->runs;
    size_t variant[SLIDE_MAX_VARIANT], n = slide_variants(runs, variant, SLIDE_MAX_VARIANT);
    struct lesson_value value[] = {slide_value("seed", (size_t)runs->seed[0])};
    slide_frame(cr, slide, "curves", value, 1);
    for (size_t i = 0; i < N_TASK; i++) {
        size_t task = lesson_runs_find_task(runs, TASKS[i]);
        if (task < runs->n_task) {
            draw_plot(cr, slide, i, task, variant, n);
        }
    }
    draw_legend(cr, runs, variant, n);
}

/* ---- seeds ---- */

#define ROW 43.0
#define NAMES 96.0 /* room for the names */
#define SEEDS_WIDTH 340.0

static void draw_seeds(cairo_t *cr, const struct lesson_runs *runs, size_t task, size_t variant,
                       const struct chart_scale *x, double y)
{
    double sum = 0;
    size_t n = 0;
    for (size_t k = 0; k < runs->n_seed; k++) {
        const struct run *run = lesson_runs_at(runs, task, variant, runs->seed[k]);
        double accuracy = run ? run->measure[MEASURE_TOKEN_ACCURACY] : NAN;
        if (isfinite(accuracy)) {
            double shift = ((double)k - ((double)runs->n_seed - 1) / 2) * 3.6;
            chart_colour(cr, slide_colour(variant), 0.6);
            cairo_arc(cr, chart_at(x, accuracy), y + shift, 3.4, 0, 2 * acos(-1));
            cairo_fill(cr);
            sum += accuracy;
            n++;
        }
    }
    if (n > 1) {
        double mean = chart_at(x, sum / (double)n);
        chart_colour(cr, CHART_INK, 1);
        cairo_move_to(cr, mean - 6, y - 25);
        cairo_line_to(cr, mean + 6, y - 25);
        cairo_line_to(cr, mean, y - 16);
        cairo_fill(cr);
    }
}

void slide_seeds(cairo_t *cr, const void *data)
{
    const struct slide *slide = data;
    const struct lesson_runs *runs = slide->runs;
    size_t variant[SLIDE_MAX_VARIANT], n = slide_variants(runs, variant, SLIDE_MAX_VARIANT);
    struct lesson_value value[] = {slide_value("n_step", runs->run->n_step)};
    slide_frame(cr, slide, "seeds", value, 1);
    for (size_t i = 0; i < N_TASK; i++) {
        size_t task = lesson_runs_find_task(runs, TASKS[i]);
        double left = SLIDE_EDGE + NAMES + (double)i * (SEEDS_WIDTH + 68);
        double bottom = SLIDE_TOP + 28 + ROW * (double)n;
        struct chart_scale x = {0, 1, left, left + SEEDS_WIDTH};
        if (task == runs->n_task) {
            continue;
        }
        chart_colour(cr, CHART_INK, 1);
        slide_say(cr, slide, left, SLIDE_TOP + 6, 17, SLIDE_BOLD, CHART_LEFT,
                  run_task_title(runs->task[task]));
        for (int tick = 0; tick <= 5; tick++) {
            char text[16];
            snprintf(text, sizeof(text), "%.1f", tick * 0.2);
            chart_colour(cr, CHART_GRID, 1);
            cairo_set_line_width(cr, 1);
            chart_line(cr, chart_at(&x, tick * 0.2), SLIDE_TOP + 24, chart_at(&x, tick * 0.2),
                       bottom);
            chart_colour(cr, CHART_MUTED, 1);
            chart_text(cr, chart_at(&x, tick * 0.2), bottom + 14, SLIDE_SMALL, CHART_CENTRE, text);
        }
        for (size_t k = 0; k < n; k++) {
            double y = SLIDE_TOP + 28 + ROW * ((double)k + 0.5);
            if (i == 0) {
                chart_colour(cr, CHART_INK, 1);
                chart_text(cr, left - 12, y, 15, CHART_RIGHT,
                           runs->variant[variant[k]]->variant_name);
            }
            draw_seeds(cr, runs, task, variant[k], &x, y);
        }
    }
}

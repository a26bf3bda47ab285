/* Slides of trained models: maps, curves and seeds, Reverse beside Shift. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lesson/slide.h"
#include "report/write/draw_plot.h"

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
    slide_needed_map(cr, run_config(run)->task, run_config(run)->seq_len, panel_x(0), y, PANEL);
    chart_colour(cr, CHART_MUTED, 1);
    slide_say(cr, slide, panel_x(0) + PANEL / 2, y + PANEL + 13, SLIDE_SMALL, SLIDE_PLAIN,
              CHART_CENTRE, slide_word(slide, "maps.needed"));
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
    snprintf(text, sizeof text, "%.3f", run ? run->measure[MEASURE_TOKEN_ACCURACY] : NAN);
    chart_text(cr, x + PANEL / 2, y + PANEL + 13, SLIDE_SMALL, CHART_CENTRE, run ? text : "-");
    free(map);
}

void slide_maps(cairo_t *cr, const void *data)
{
    const struct slide *slide = data;
    const struct lesson_runs *runs = slide->runs;
    size_t variant[SLIDE_MAX_VARIANT], n = slide_variants(runs, variant, SLIDE_MAX_VARIANT);
    long long seed = runs->seed[0];
    struct lesson_value value[] = {lesson_number("n_head", run_config(runs->run)->n_head),
                                   lesson_number("n_step", runs->run->n_step),
                                   lesson_number("seed", (size_t)seed)};
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

/* ---- curves and seeds ---- */

#define TYPE 1.2 /* larger than a report's */

static void draw(cairo_t *cr, const struct slide *slide, struct plot *plot)
{
    struct draw_style style = {.scale = TYPE, .font = slide->font, .colour = slide_colour};
    draw_plot_in(cr, plot, &style, SLIDE_EDGE - 26, SLIDE_TOP - 16, SLIDE_WIDTH - SLIDE_EDGE,
                 SLIDE_BOTTOM - SLIDE_TOP + 16);
    plot_free(plot);
}

/* A line, and a dot at the escape step. */
static void add_curve(struct plot *plot, const struct run *run, size_t variant)
{
    double escape = run->measure[MEASURE_ESCAPE_STEP];
    struct series *line =
        plot_series(plot, run->variant_name, variant, MARK_LINE, NULL, run->curve, run->n_curve);
    for (size_t step = 0; line && step < run->n_curve; step++) {
        line->x[step] = (double)step;
    }
    if (isfinite(escape) && (size_t)escape < run->n_curve) {
        struct series *dot =
            plot_series(plot, NULL, variant, MARK_LINE, &escape, &run->curve[(size_t)escape], 1);
        if (dot) {
            dot->width = 4;
        }
    }
}

static void add_curves(struct plot *plot, const struct slide *slide, size_t task,
                       const size_t *variant, size_t n)
{
    const struct lesson_runs *runs = slide->runs;
    size_t n_answer = run_config(runs->task[task])->task->n_answer;
    char chance[32];
    struct panel *panel = plot_panel(plot, run_config(runs->task[task])->task->title,
                                     slide_word(slide, "curves.step"), NULL);
    if (panel) {
        panel->x.low = panel->y.low = 0;
        panel->x.high = (double)runs->run->n_step;
        panel->y.high = 1.13 * log((double)n_answer);
    }
    for (size_t k = 0; k < n; k++) {
        const struct run *run = lesson_runs_at(runs, task, variant[k], runs->seed[0]);
        if (run && run->curve) {
            add_curve(plot, run, variant[k]);
        }
    }
    snprintf(chance, sizeof chance, "ln %zu", n_answer);
    struct rule *rule = plot_rule(plot, log((double)n_answer), false, chance);
    if (rule) {
        rule->beside = true;
    }
}

void slide_curves(cairo_t *cr, const void *data)
{
    const struct slide *slide = data;
    const struct lesson_runs *runs = slide->runs;
    size_t variant[SLIDE_MAX_VARIANT], n = slide_variants(runs, variant, SLIDE_MAX_VARIANT);
    struct lesson_value value[] = {lesson_number("seed", (size_t)runs->seed[0])};
    struct plot *plot = plot_create("");
    slide_frame(cr, slide, "curves", value, 1);
    for (size_t i = 0; plot && i < N_TASK; i++) {
        size_t task = lesson_runs_find_task(runs, TASKS[i]);
        plot->share_y = true;
        if (task < runs->n_task) {
            add_curves(plot, slide, task, variant, n);
        }
    }
    draw(cr, slide, plot);
}

static void add_seeds(struct plot *plot, const struct lesson_runs *runs, size_t task,
                      size_t variant)
{
    double sum = 0, mean = NAN, first = 0;
    size_t n = 0;
    struct series *row = plot_series(plot, runs->variant[variant]->variant_name, variant,
                                     MARK_STRIP, &first, &mean, 1);
    for (size_t k = 0; row && k < runs->n_seed; k++) {
        const struct run *run = lesson_runs_at(runs, task, variant, runs->seed[k]);
        double accuracy = run ? run->measure[MEASURE_TOKEN_ACCURACY] : NAN;
        plot_single(plot, &accuracy);
        if (isfinite(accuracy)) {
            sum += accuracy;
            row->y[0] = sum / (double)++n;
        }
    }
}

void slide_seeds(cairo_t *cr, const void *data)
{
    const struct slide *slide = data;
    const struct lesson_runs *runs = slide->runs;
    size_t variant[SLIDE_MAX_VARIANT], n = slide_variants(runs, variant, SLIDE_MAX_VARIANT);
    struct lesson_value value[] = {lesson_number("n_step", runs->run->n_step)};
    struct plot *plot = plot_create("");
    slide_frame(cr, slide, "seeds", value, 1);
    for (size_t i = 0; i < N_TASK; i++) {
        size_t task = lesson_runs_find_task(runs, TASKS[i]);
        if (task == runs->n_task) {
            continue;
        }
        struct panel *panel =
            plot_panel(plot, run_config(runs->task[task])->task->title, NULL, NULL);
        if (panel) {
            panel->x.low = 0;
            panel->x.high = 1;
        }
        for (size_t k = 0; k < n; k++) {
            add_seeds(plot, runs, task, variant[k]);
        }
    }
    draw(cr, slide, plot);
}

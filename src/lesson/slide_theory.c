/* Slides that need no run: the maps that tasks need, and why Q = K cannot draw them. */
#include <math.h>
#include <stdio.h>

#include "lesson/slide.h"

/* ---- needed maps ---- */

#define N_TOKEN 8
#define PANEL 178.0
#define GAP 58.0

static bool is_symmetric(const struct task *task)
{
    for (size_t t = 0; t < N_TOKEN; t++) {
        if (task_needed_key(task, (size_t)task_needed_key(task, t, N_TOKEN), N_TOKEN) != (int)t) {
            return false;
        }
    }
    return true;
}

static void draw_needed(cairo_t *cr, const struct slide *slide, const struct task *task, double x)
{
    double y = SLIDE_TOP + 62, side = PANEL / N_TOKEN;
    slide_needed_map(cr, task, N_TOKEN, x, y, PANEL);
    chart_colour(cr, CHART_INK, 1);
    slide_say(cr, slide, x, y - 46, 20, SLIDE_BOLD, CHART_LEFT, task->title);
    chart_text(cr, x, y - 22, SLIDE_SMALL, CHART_LEFT, task->summary);
    for (size_t t = 0; t < N_TOKEN; t++) {
        char number[8];
        snprintf(number, sizeof number, "%zu", t);
        chart_text(cr, x - 10, y + side * ((double)t + 0.5), 10, CHART_CENTRE, number);
        chart_text(cr, x + side * ((double)t + 0.5), y + PANEL + 12, 10, CHART_CENTRE, number);
    }
    slide_say(cr, slide, x, y + PANEL + 42, 17, SLIDE_BOLD, CHART_LEFT,
              slide_word(slide, is_symmetric(task) ? "symmetric" : "asymmetric"));
}

void slide_needed(cairo_t *cr, const void *data)
{
    static const char *const name[] = {"reverse", "swap", "copy", "shift"};
    const struct slide *slide = data;
    slide_frame(cr, slide, "needed", NULL, 0);
    for (size_t i = 0; i < 4; i++) {
        draw_needed(cr, slide, task_find(name[i]), SLIDE_EDGE + 8 + (double)i * (PANEL + GAP - 8));
    }
}

/* ---- the Gram matrix ----
 *
 * Keys that token 1 prefers to its own lie beyond the line through k_1 at a right angle to it. The
 * circle of k_1's length touches that line from inside, so that every such key is longer. */

#define UNIT 98.0 /* points of a unit of the plane */
#define ORIGIN_X 225.0
#define ORIGIN_Y 300.0
#define REGION_X 565.0 /* where the explanations begin */

struct vector {
    double x, y;
};

static double product(struct vector a, struct vector b)
{
    return a.x * b.x + a.y * b.y;
}

static double to_x(double x)
{
    return ORIGIN_X + UNIT * x;
}

static double to_y(double y)
{
    return ORIGIN_Y - UNIT * y;
}

static void draw_arrow(cairo_t *cr, struct vector v, struct rgb colour, const char *name)
{
    double length = hypot(v.x, v.y), x = to_x(v.x), y = to_y(v.y);
    double ux = v.x / length, uy = -v.y / length;
    chart_colour(cr, colour, 1);
    cairo_set_line_width(cr, 4);
    chart_line(cr, to_x(0), to_y(0), x - 9 * ux, y - 9 * uy);
    cairo_move_to(cr, x, y);
    cairo_line_to(cr, x - 15 * ux - 7 * uy, y - 15 * uy + 7 * ux);
    cairo_line_to(cr, x - 15 * ux + 7 * uy, y - 15 * uy - 7 * ux);
    cairo_fill(cr);
    chart_text_bold(cr, x + 16 * ux + 10, y + 16 * uy, 19, CHART_CENTRE, name);
}

static void draw_regions(cairo_t *cr, struct vector k1)
{
    double length = hypot(k1.x, k1.y), ux = k1.x / length, uy = k1.y / length;
    double far = 3;
    cairo_save(cr);
    cairo_rectangle(cr, SLIDE_EDGE, SLIDE_TOP, REGION_X - SLIDE_EDGE - 30,
                    SLIDE_BOTTOM - SLIDE_TOP);
    cairo_clip(cr);
    chart_colour(cr, (struct rgb){0xfb, 0xe7, 0xd3}, 1);
    cairo_move_to(cr, to_x(k1.x - far * uy), to_y(k1.y + far * ux));
    cairo_line_to(cr, to_x(k1.x + far * uy), to_y(k1.y - far * ux));
    cairo_line_to(cr, to_x(k1.x + far * uy + far * ux), to_y(k1.y - far * ux + far * uy));
    cairo_line_to(cr, to_x(k1.x - far * uy + far * ux), to_y(k1.y + far * ux + far * uy));
    cairo_fill(cr);
    chart_colour(cr, CHART_GRID, 1);
    cairo_set_line_width(cr, 1);
    chart_line(cr, to_x(-3), to_y(0), to_x(4), to_y(0));
    chart_line(cr, to_x(0), to_y(-3), to_x(0), to_y(4));
    chart_colour(cr, slide_colour(1), 1);
    cairo_set_line_width(cr, 2.5);
    chart_line(cr, to_x(k1.x - far * uy), to_y(k1.y + far * ux), to_x(k1.x + far * uy),
               to_y(k1.y - far * ux));
    chart_colour(cr, CHART_MUTED, 1);
    cairo_set_line_width(cr, 1.5);
    cairo_set_dash(cr, (double[]){5, 4}, 2, 0);
    cairo_arc(cr, to_x(0), to_y(0), length * UNIT, 0, 2 * acos(-1));
    cairo_stroke(cr);
    cairo_set_dash(cr, NULL, 0, 0);
    cairo_restore(cr);
}

static void draw_products(cairo_t *cr, struct vector k1, struct vector k2)
{
    struct vector k[2] = {k1, k2};
    double x = REGION_X + 34, y = 250, side = 74;
    for (int i = 0; i < 2; i++) {
        char name[16];
        snprintf(name, sizeof name, "k%d", i + 1);
        chart_colour(cr, CHART_INK, 1);
        chart_text_bold(cr, x - 18, y + side * (i + 0.5), 16, CHART_CENTRE, name);
        chart_text_bold(cr, x + side * (i + 0.5), y - 15, 16, CHART_CENTRE, name);
        for (int j = 0; j < 2; j++) {
            char number[16];
            snprintf(number, sizeof number, "%.2f", product(k[i], k[j]));
            chart_colour(cr, i == j ? (struct rgb){0xdd, 0xe8, 0xf5} : (struct rgb){255, 255, 255},
                         1);
            cairo_rectangle(cr, x + side * j, y + side * i, side, side);
            cairo_fill(cr);
            chart_frame(cr, x + side * j, y + side * i, side, side);
            chart_colour(cr, CHART_INK, 1);
            chart_text(cr, x + side * (j + 0.5), y + side * (i + 0.5), 20, CHART_CENTRE, number);
        }
    }
    chart_text(cr, x + 2 * side + 22, y + side * 0.5, 16, CHART_LEFT,
               product(k1, k2) > product(k1, k1) ? "S₁₂ > S₁₁" : "S₁₂ ≤ S₁₁");
    chart_text(cr, x + 2 * side + 22, y + side * 1.5, 16, CHART_LEFT,
               product(k1, k2) > product(k2, k2) ? "S₂₁ > S₂₂" : "S₂₁ ≤ S₂₂");
    chart_text(cr, x + side, y + 2 * side + 22, 14, CHART_CENTRE, "S = K Kᵀ");
}

void slide_gram(cairo_t *cr, const void *data)
{
    const struct slide *slide = data;
    struct vector k1 = {1.1, 0.35}, k2 = {1.5, 1.15};
    slide_frame(cr, slide, "gram", NULL, 0);
    draw_regions(cr, k1);
    draw_arrow(cr, k1, slide_colour(2), "k1");
    draw_arrow(cr, k2, slide_colour(3), "k2");
    chart_colour(cr, slide_colour(1), 1);
    cairo_set_line_width(cr, 3);
    chart_line(cr, REGION_X - 12, SLIDE_TOP + 26, REGION_X + 12, SLIDE_TOP + 26);
    chart_colour(cr, (struct rgb){0xfb, 0xe7, 0xd3}, 1);
    cairo_rectangle(cr, REGION_X - 12, SLIDE_TOP + 50, 24, 18);
    cairo_fill(cr);
    chart_colour(cr, CHART_MUTED, 1);
    cairo_set_line_width(cr, 1.5);
    cairo_arc(cr, REGION_X, SLIDE_TOP + 92, 9, 0, 2 * acos(-1));
    cairo_stroke(cr);
    chart_colour(cr, CHART_INK, 1);
    static const char *const key[] = {"gram.line", "gram.prefers", "gram.longer"};
    for (int i = 0; i < 3; i++) {
        slide_say(cr, slide, REGION_X + 24, SLIDE_TOP + 26 + 33 * i, 13, SLIDE_PLAIN, CHART_LEFT,
                  slide_word(slide, key[i]));
    }
    draw_products(cr, k1, k2);
}

/* Plots as data, and what is at known places of their pictures. A panel of lines is 286 x 200
 * points at (68, 64), of dots 190 x 132 there; a picture has two pixels a point. */
#include "base/file.h"
#include "report/write/draw_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "testing.h"

enum { LEFT = 68, TOP = 64, WIDTH = 286, HEIGHT = 200, DOTS_WIDTH = 190, DOTS_HEIGHT = 132 };

static struct plot *plot;
static struct error err;
static struct picture image;

static void set_up(void)
{
    scratch_make();
    plot = plot_create("Plot");
    plot_name(plot, "plot");
    image = (struct picture){0};
}

static void tear_down(void)
{
    cairo_surface_destroy(image.surface);
    plot_free(plot);
    scratch_remove();
}

/* A panel whose axes go from 0 to 10 and from 0 to 1. */
static struct panel *add_panel(const char *title)
{
    struct panel *panel = plot_panel(plot, title, NULL, NULL);
    panel->x.low = panel->y.low = 0;
    panel->x.high = 10;
    panel->y.high = 1;
    return panel;
}

static const char *path_of(const char *ending)
{
    static char path[PATH_SIZE];
    path_format(path, NULL, "%s/plot.%s", scratch, ending);
    return path;
}

static void draw(void)
{
    ck_assert_msg(draw_plot_write(plot, scratch, &err) == STATUS_OK, "%s", err.text);
    cairo_surface_destroy(image.surface);
    image = read_picture(path_of("png"));
}

/* How many pixels of a rectangle are not white; in points. */
static size_t ink(double x, double y, double width, double height)
{
    size_t n = 0;
    for (size_t row = (size_t)(2 * y); row < (size_t)(2 * (y + height)); row++) {
        for (size_t column = (size_t)(2 * x); column < (size_t)(2 * (x + width)); column++) {
            ck_assert(row < image.height && column < image.width);
            n += !same_colour(pixel_at(&image, column, row), (struct rgb){255, 255, 255});
        }
    }
    return n;
}

/* Ink around a value of a panel of lines. */
static size_t ink_at(double x, double y)
{
    return ink(LEFT + WIDTH * x / 10 - 2, TOP + HEIGHT * (1 - y) - 2, 4, 4);
}

static bool has_colour(double x, double y, struct rgb colour)
{
    struct rgb found = pixel_at(&image, (size_t)(2 * x), (size_t)(2 * y));
    return abs(found.r - colour.r) < 8 && abs(found.g - colour.g) < 8 &&
           abs(found.b - colour.b) < 8;
}

static size_t n_legend(void)
{
    size_t n = 0;
    while (TOP + 8 + 22 * (double)n + 8 < image.height / 2.0 &&
           ink(LEFT + WIDTH + 22, TOP + 22 * (double)n, 40, 16) > 0) {
        n++;
    }
    return n;
}

static const double ten[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

static void add_level(const char *name, size_t style, double level)
{
    double y[11];
    for (size_t i = 0; i < 11; i++) {
        y[i] = level;
    }
    plot_series(plot, name, style, MARK_LINE, ten, y, 11);
}

/* ---- data ---- */

FIXTURE(set_up, tear_down)

TEST(texts_and_values_are_copies)
{
    char name[] = "name";
    double x[] = {1, 2}, y[] = {3, 4};
    plot_panel(plot, name, name, NULL);
    struct series *series = plot_series(plot, name, 7, MARK_DOTS, x, y, 2);
    plot_single(plot, y);
    plot_band(plot, y, NULL);
    plot_rule(plot, 0.5, true, name);
    plot_note(plot, name);
    name[0] = 'f';
    x[0] = y[1] = 9;
    const struct panel *panel = &plot->panel[0];
    ck_assert_str_eq(panel->title, "name");
    ck_assert_str_eq(panel->note, "name");
    ck_assert_str_eq(panel->rule[0].title, "name");
    ck_assert_ptr_null(panel->y.title);
    ck_assert(isnan(panel->x.low) && isnan(panel->y.high));
    ck_assert(series->x[0] == 1 && series->y[1] == 4 && series->single[0][1] == 4);
    ck_assert(series->low[0] == 3 && isnan(series->high[0]));
    ck_assert_str_eq(series->name, "name");
    ck_assert(!plot->failed);
}

TEST(what_failed_is_kept_and_told)
{
    ck_assert_ptr_null(plot_panel(NULL, "a", NULL, NULL));
    ck_assert_ptr_null(plot_series(plot, "no panel", 0, MARK_LINE, ten, ten, 2));
    plot_single(plot, ten);
    plot_band(plot, ten, ten);
    ck_assert_ptr_null(plot_rule(plot, 1, false, NULL));
    plot_note(plot, "no panel");
    plot_subtitle(NULL, "%d", 1);
    plot_free(NULL);
    plot->failed = true;
    ck_assert_ptr_null(plot_panel(plot, "a", NULL, NULL));
    ck_assert_int_eq(draw_plot_write(plot, scratch, &err), STATUS_MEMORY);
    ck_assert_int_eq(draw_plot_write(NULL, scratch, &err), STATUS_MEMORY);
    ck_assert_int_eq(draw_plot_png(NULL, path_of("png"), &err), STATUS_MEMORY);
    ck_assert(!file_exists(path_of("png")));
}

TEST(no_panel_is_no_file)
{
    ck_assert_int_eq(draw_plot_write(plot, scratch, &err), STATUS_OK);
    ck_assert(!file_exists(path_of("png")) && !file_exists(path_of("svg")));
}

TEST(a_folder_that_is_not_there_is_an_error)
{
    add_panel(NULL);
    ck_assert_int_eq(draw_plot_write(plot, "/nowhere", &err), STATUS_WRITE);
    ck_assert_ptr_nonnull(strstr(err.text, "/nowhere/plot.png"));
}

/* ---- lines ---- */

TEST(a_line_is_where_its_values_are)
{
    add_panel(NULL);
    add_level("a", 0, 0.5);
    draw();
    ck_assert(has_colour(LEFT + WIDTH * 0.45, TOP + HEIGHT * 0.5, (struct rgb){0, 0, 0}));
    ck_assert_uint_gt(ink_at(9, 0.5), 0);
    ck_assert_uint_eq(ink_at(5, 0.7), 0);
    ck_assert_uint_eq(n_legend(), 1);
}

TEST(missing_values_are_gaps)
{
    double y[] = {0.5, 0.5, 0.5, 0.5, NAN, INFINITY, -INFINITY, 0.5, 0.5, 0.5, 0.5};
    add_panel(NULL);
    plot_series(plot, "a", 0, MARK_LINE, ten, y, 11);
    draw();
    ck_assert_uint_gt(ink_at(2.5, 0.5), 0);
    ck_assert_uint_eq(ink_at(5, 0.5), 0);
    ck_assert_uint_gt(ink_at(7.5, 0.5), 0);
}

TEST(a_value_alone_is_a_dot)
{
    double five = 5, half = 0.5;
    add_panel(NULL);
    plot_series(plot, "a", 0, MARK_LINE, &five, &half, 1);
    draw();
    ck_assert(has_colour(LEFT + WIDTH * 0.5, TOP + HEIGHT * 0.5, (struct rgb){0, 0, 0}));
    ck_assert_uint_eq(ink_at(4.5, 0.5), 0);
}

/* A single curve may leave the axis for a moment, and be huge. */
TEST(what_leaves_the_axis_is_clipped)
{
    double y[] = {0.5, 0.5, 1e30, 0.5, 0.5, 0.5, -1e30, 0.5, 0.5, 0.5, 0.5};
    add_panel(NULL);
    add_level("a", 0, 0.5);
    plot_single(plot, y);
    draw();
    ck_assert_uint_eq(ink(LEFT, TOP - 20, WIDTH, 19), 0);
    ck_assert_uint_gt(ink_at(1, 0.75), 0); /* the way up, steep, */
    ck_assert_uint_eq(ink_at(1.5, 0.75), 0);
    ck_assert_uint_gt(ink_at(5, 0.25), 0); /* and down */
}

TEST(values_beyond_all_measure_are_drawn_or_left_out)
{
    double y[] = {1e308, -1e308, 5e-324, INFINITY, NAN, 0, -0.0, 1e300, -1e300, 1, 2};
    plot_panel(plot, NULL, NULL, NULL);
    plot_series(plot, "a", 0, MARK_LINE, ten, y, 11);
    plot_panel(plot, NULL, NULL, NULL)->y.log = true;
    plot_series(plot, "a", 0, MARK_LINE, y, y, 11);
    plot_panel(plot, NULL, NULL, NULL);
    plot_series(plot, "a", 0, MARK_LINE, y, ten, 1);
    plot_panel(plot, NULL, NULL, NULL)->x.discrete = true;
    plot_series(plot, "a", 0, MARK_DOTS, y, y, 11);
    double large[] = {1e20, 1e20 + 20000};
    plot_panel(plot, NULL, NULL, NULL);
    plot_series(plot, "a", 0, MARK_LINE, large, large, 2);
    plot->panel[4].y.low = plot->panel[4].y.high = 3;
    draw();
    plot->share_y = true;
    draw();
}

TEST(a_band_stands_where_there_are_no_single_values)
{
    double low[11], high[11];
    for (size_t i = 0; i < 11; i++) {
        low[i] = i == 5 ? NAN : 0.62;
        high[i] = 0.78;
    }
    add_panel(NULL);
    plot_series(plot, "range", STYLE_SKY, MARK_LINE, ten, NULL, 11);
    plot_band(plot, low, high);
    draw();
    ck_assert_uint_eq(ink_at(1, 0.7), 64); /* all of it */
    ck_assert_uint_eq(ink_at(5, 0.7), 0);
    ck_assert_uint_eq(n_legend(), 1);
    plot_single(plot, low);
    draw();
    ck_assert_uint_eq(ink_at(1, 0.7), 0);
}

TEST(a_logarithmic_axis_has_decades)
{
    double y[] = {10, 10, 10, 0, -1, 10, 10, 10, 10, 10, 10};
    struct panel *panel = add_panel(NULL);
    panel->y.log = true;
    panel->y.low = 1;
    panel->y.high = 100;
    plot_series(plot, "a", STYLE_ORANGE, MARK_LINE, ten, y, 11);
    draw();
    ck_assert(has_colour(LEFT + WIDTH * 0.65, TOP + HEIGHT * 0.5, (struct rgb){0xd5, 0x5e, 0}));
    ck_assert(!has_colour(LEFT + WIDTH * 0.35, TOP + HEIGHT * 0.5, (struct rgb){0xd5, 0x5e, 0}));
    for (size_t i = 0; i < 7; i++) { /* 1, 2, 5, ... 100 have labels */
        static const double tick[] = {1, 2, 5, 10, 20, 50, 100};
        ck_assert_uint_gt(ink(LEFT - 30, TOP + HEIGHT * (1 - log10(tick[i]) / 2) - 4, 26, 8), 0);
    }
}

/* ---- panels, legend, rules ---- */

TEST(series_of_one_name_and_rules_of_one_title_share_an_entry)
{
    for (size_t i = 0; i < 3; i++) {
        add_panel("panel");
        add_level("b", 3, 0.3);
        add_level(i == 0 ? "a" : "b", i == 0 ? 1 : 3, 0.5);
        add_level(NULL, 4, 0.9);
        plot_rule(plot, 0.1, false, "rule");
        plot_rule(plot, 0, false, NULL);
        plot_rule(plot, 5, true, "beside")->beside = true;
    }
    plot->n_column = 1;
    draw();
    ck_assert_uint_eq(n_legend(), 3);
    /* by style, not by the order in which they were met: a before b */
    ck_assert(has_colour(LEFT + WIDTH + 24, TOP + 8, colormap_line(1)));
    ck_assert(has_colour(LEFT + WIDTH + 24, TOP + 30, colormap_line(3)));
}

TEST(a_rule_beside_has_its_words_in_the_panel)
{
    size_t without;
    add_panel(NULL);
    plot_rule(plot, 3, true, NULL);
    draw();
    without = ink(LEFT + 92, TOP + 4, 40, 16);
    plot->panel[0].rule[0].beside = true;
    plot->panel[0].rule[0].title = strdup("here");
    draw();
    ck_assert_uint_gt(ink(LEFT + 92, TOP + 4, 40, 16), without);
    plot->panel[0].rule[0].at = 9; /* there is more room to the left */
    draw();
    ck_assert_uint_gt(ink(LEFT + 220, TOP + 4, 30, 16), 0);
    plot->panel[0].rule[0].at = NAN;
    draw();
}

TEST(panels_stand_in_rows_and_one_scale_is_labelled_once)
{
    for (size_t i = 0; i < 3; i++) {
        add_panel(NULL)->note = strdup("nothing here");
    }
    plot->n_column = 2;
    plot->share_y = true;
    draw();
    ck_assert_uint_gt(ink(LEFT - 24, TOP, 22, HEIGHT), 0);
    ck_assert_uint_eq(ink(LEFT + WIDTH + 3, TOP + 6, 18, HEIGHT - 12), 0);
    ck_assert_uint_gt(ink(LEFT + WIDTH + 100, TOP + 4, 180, 16), 0); /* the note */
    ck_assert_uint_gt(ink(LEFT, TOP + HEIGHT + 46, 10, HEIGHT), 0);  /* the second row */
    ck_assert_uint_eq(ink(LEFT + WIDTH + 24, TOP + HEIGHT + 50, WIDTH - 4, HEIGHT), 0);
    plot->share_y = false;
    draw();
    ck_assert_uint_gt(ink(LEFT + WIDTH + 44, TOP, 22, HEIGHT), 0);
}

TEST(a_title_that_a_row_has_once_is_the_rows)
{
    add_panel("row");
    add_panel(NULL);
    draw();
    ck_assert_uint_gt(ink(LEFT, TOP - 18, 20, 14), 0);
    plot->panel[1].title = strdup("panel");
    draw();
    ck_assert_uint_eq(ink(LEFT, TOP - 18, 20, 14), 0);
    ck_assert_uint_gt(ink(LEFT + WIDTH / 2 - 10, TOP - 18, 20, 14), 0);
}

/* The same title below would say the same again. */
TEST(an_axis_of_a_column_is_named_once)
{
    for (size_t i = 0; i < 2; i++) {
        add_panel(NULL)->x.title = strdup("training step");
    }
    plot->n_column = 1;
    draw();
    ck_assert_uint_eq(ink(LEFT + 100, TOP + HEIGHT + 24, 80, 10), 0);
    ck_assert_uint_gt(ink(LEFT + 100, TOP + 2 * HEIGHT + 46 + 24, 80, 10), 0);
}

TEST(long_and_hostile_names_are_drawn)
{
    char name[6000];
    memset(name, 'W', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    add_panel("<&>\"'\n\t\\ K=V ✓");
    plot->panel[0].x.title = strdup("</svg><script>");
    add_level(name, 0, 0.5);
    plot_subtitle(plot, "%s\n%s", "%s%n", "");
    draw();
    ck_assert_uint_le(image.width, 30000);
    free(plot->title);
    plot->title = strdup(name);
    for (size_t i = 0; i < 150; i++) {
        snprintf(name, sizeof name, "series %zu", i);
        add_level(name, i, 0.1);
    }
    draw();
    char *svg;
    size_t size;
    ck_assert_int_eq(file_read(path_of("svg"), 1 << 26, &svg, &size, &err), STATUS_OK);
    ck_assert_ptr_null(strstr(svg, "<script>"));
    free(svg);
}

TEST(so_many_panels_are_still_one_picture)
{
    for (size_t i = 0; i < 150; i++) {
        add_panel("panel");
        add_level("a", 0, 0.5);
    }
    plot->n_column = 1;
    draw();
    ck_assert_uint_le(image.height, 30000);
    ck_assert_uint_gt(image.height, 29000);
}

/* ---- dots ---- */

static void add_dots(const char *name, size_t style, const double *x, double y, size_t n)
{
    double values[] = {y, y, y};
    plot_series(plot, name, style, MARK_DOTS, x, values, n);
    plot_single(plot, values);
}

static double dots_y(double value)
{
    return TOP + DOTS_HEIGHT * (1 - value);
}

TEST(discrete_values_stand_at_equal_distances)
{
    static const double sizes[] = {8, 64, 512};
    struct panel *panel = add_panel(NULL);
    panel->x.discrete = true;
    add_dots("a", 2, sizes, 0.5, 3);
    plot_panel(plot, NULL, NULL, NULL)->x.discrete = true; /* below, without the value between */
    plot->panel[1].y.low = 0;
    plot->panel[1].y.high = 1;
    double ends[] = {8, 512};
    add_dots("a", 2, ends, 0.5, 2);
    plot->n_column = 1;
    draw();
    for (size_t i = 0; i < 3; i++) {
        double x = LEFT + DOTS_WIDTH * (2 * (double)i + 1) / 6;
        ck_assert_uint_gt(ink(x - 1, dots_y(0.5) - 1, 2, 2), 0);
        ck_assert_uint_gt(ink(x - 10, TOP + DOTS_HEIGHT + 8, 20, 10), 0); /* its label */
        ck_assert_uint_gt(ink(x - 10, TOP + 2 * DOTS_HEIGHT + 62 + 8, 20, 10), 0);
    }
    ck_assert_uint_eq(ink(LEFT + 2, dots_y(0.5) - 2, DOTS_WIDTH / 6 - 8, 4), 0);
}

/* Series of one value would cover each other. */
TEST(dots_stand_beside_each_other)
{
    static const double sizes[] = {8};
    add_panel(NULL)->x.discrete = true;
    for (size_t style = 3; style < 6; style++) {
        char name[] = {(char)('a' + style), '\0'};
        add_dots(name, style, sizes, 0.5, 1);
    }
    draw();
    double middle = LEFT + DOTS_WIDTH / 2.0;
    for (size_t i = 0; i < 3; i++) {
        ck_assert(has_colour(middle + 5 * ((double)i - 1), dots_y(0.5), colormap_line(3 + i)));
    }
    ck_assert_uint_eq(ink(middle + 9, dots_y(0.5) - 3, 8, 6), 0);
}

/* ---- strips ---- */

static void add_row(const char *name, size_t style, const double *single, size_t n)
{
    double zero = 0, sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += single[i];
    }
    double mean = n > 0 ? sum / (double)n : NAN;
    plot_series(plot, name, style, MARK_STRIP, &zero, &mean, 1);
    for (size_t i = 0; i < n; i++) {
        plot_single(plot, &single[i]);
    }
}

TEST(a_strip_has_rings_a_bar_and_dashes_for_nothing)
{
    static const double some[] = {0.1, 0.9}, one[] = {0.3}, missing[] = {NAN};
    double left = 26 + chart_width(12, "name"), row = 28;
    plot_panel(plot, "panel", "accuracy", NULL);
    plot->panel[0].x.low = 0;
    plot->panel[0].x.high = 1;
    add_row("name", 1, some, 2);
    add_row("b", 2, one, 1);
    add_row("c", 3, NULL, 0);
    add_row("d", 4, missing, 1);
    draw();
    double at[] = {left + 6 + 124 * 0.1, left + 6 + 124 * 0.9, left + 6 + 124 * 0.5};
    ck_assert(has_colour(at[0] - 3.2, TOP + row / 2 - 2.5, colormap_line(1)));
    ck_assert(has_colour(at[1] - 3.2, TOP + row / 2 + 2.5, colormap_line(1)));
    ck_assert(has_colour(at[2], TOP + row / 2 + 10, colormap_line(1))); /* the mean */
    double single = left + 6 + 124 * 0.3;
    ck_assert(has_colour(single - 3.2, TOP + row * 1.5, colormap_line(2)));
    ck_assert_uint_eq(ink(single - 1, TOP + row * 1.5 - 11, 2, 6), 0); /* one value has no mean */
    ck_assert_uint_gt(ink(left + 64, TOP + row * 2.5 - 3, 8, 6), 0);
    ck_assert_uint_gt(ink(left + 64, TOP + row * 3.5 - 3, 8, 6), 0);
    ck_assert_uint_gt(ink(10, TOP, left - 20, row), 0); /* its name */
}

TEST(the_legend_of_strips_is_below_them)
{
    static const double some[] = {0.1, 0.9};
    double left = 26 + chart_width(12, "a"), y = TOP + 28 + 62;
    plot_panel(plot, "panel", "accuracy", NULL);
    add_row("a", 1, some, 2);
    draw();
    size_t height = image.height;
    ck_assert_uint_lt(height / 2, y);
    plot_titles(plot, "one seed", "mean");
    plot_rule(plot, 0.5, true, "chance");
    draw();
    ck_assert_uint_gt(image.height, height);
    for (size_t i = 0; i < 3; i++) {
        static const char *const title[] = {"one seed", "mean", "chance"};
        ck_assert_uint_gt(ink(left, y - 8, 8, 16), 0);
        left += 40 + chart_width(10, title[i]);
    }
}

/* ---- files ---- */

static char *read(const char *ending, size_t *size)
{
    char *bytes;
    ck_assert_int_eq(file_read(path_of(ending), 1 << 26, &bytes, size, &err), STATUS_OK);
    return bytes;
}

TEST(the_same_plot_is_the_same_bytes)
{
    static const char *const ending[] = {"png", "svg"};
    add_panel("panel");
    add_level("a", 0, 0.5);
    plot_single(plot, ten);
    plot_rule(plot, 0.2, false, "rule");
    for (size_t i = 0; i < 2; i++) {
        size_t size, again;
        draw();
        char *first = read(ending[i], &size);
        draw();
        char *second = read(ending[i], &again);
        ck_assert_uint_eq(size, again);
        ck_assert_mem_eq(first, second, size);
        free(first);
        free(second);
    }
}

/* Sheets: their scale, their further dimensions, and any of them drawn: colours with hard edges,
 * frames, labels, nothing cut off. */
#include "report/document/sheet.h"

#include <math.h>

#include "fixture.h"
#include "picture.h"
#include "report/write/draw_sheet.h"
#include "testing.h"

static struct error err;

/* A sheet of one panel, a grid of one row. */
static struct sheet *sheet_of_row(const float *value, size_t n)
{
    struct sheet *sheet = sheet_create("Title", 1, 1);
    float *to = sheet_grid(sheet, &sheet->panel[0], 1, n);
    memcpy(to, value, n * sizeof *to);
    sheet_text(sheet, &sheet->name, "sheet");
    return sheet;
}

/* ---- the scale ---- */

static void expect_scale(const float *value, size_t n, double top, bool clipped)
{
    struct sheet *sheet = sheet_of_row(value, n);
    sheet_scale(&sheet, 1);
    ck_assert_msg(sheet->top == top && sheet->clipped == clipped, "top %g of %zu values",
                  sheet->top, n);
    sheet_free(sheet);
}

TEST(the_scale_is_round_and_says_what_is_above)
{
    const float flat[] = {1, 1, 1, 1}, two[] = {0.5f, 2, 1}, more[] = {0, 2.4f};
    const float missing[] = {NAN, 2.4f, NAN, 2.4f};
    float many[200];
    for (size_t i = 0; i < 200; i++) {
        many[i] = 2.4f;
    }
    many[7] = 40; /* one of 200 is above the bar, and said to be */
    expect_scale(flat, 4, 2, false);
    expect_scale(two, 3, 2, false);
    expect_scale(many, 200, 3, true);
    expect_scale(more, 2, 2, true);
    expect_scale(missing, 4, 3, false);
    struct sheet *empty = sheet_create("Nothing", 2, 2);
    sheet_scale(&empty, 1);
    ck_assert(empty->top == 2 && !empty->clipped);
    sheet_free(empty);
}

TEST(sheets_may_share_a_scale)
{
    const float small[] = {1, 1.2f}, large[] = {1, 4.5f, 4.5f, 4.5f};
    struct sheet *const both[] = {sheet_of_row(small, 2), sheet_of_row(large, 4)};
    sheet_scale(both, 2);
    ck_assert(both[0]->top == 5 && both[1]->top == 5);
    sheet_free(both[0]);
    sheet_free(both[1]);
}

/* ---- further dimensions ---- */

TEST(the_last_place_or_the_mean_is_seen_at_first)
{
    struct sheet *sheet = sheet_create("Title", 1, 1);
    struct sheet_panel *panel = &sheet->panel[0];
    sheet_dimension(sheet, "step", 3);
    sheet_dimension(sheet, "head", 2)->can_mean = true;
    ck_assert_uint_eq(sheet_n_plane(sheet), 6);
    float *value = sheet_grid(sheet, panel, 1, 2);
    for (size_t i = 0; i < 12; i++) {
        value[i] = (float)i; /* step 2: planes 4 and 5, which hold 8, 9 and 10, 11 */
    }
    value[0] = NAN; /* of step 0, so that it is not seen */
    ck_assert_double_eq(sheet_value(sheet, panel, 0, 0), 9);
    ck_assert_double_eq(sheet_value(sheet, panel, 0, 1), 10);
    sheet_free(sheet);
}

/* ---- drawing ---- */

static struct picture draw(const struct sheet *sheet)
{
    char path[PATH_SIZE];
    ck_assert_msg(draw_sheet_write(sheet, scratch, &err) == STATUS_OK, "%s", err.text);
    path_format(path, NULL, "%s/%s.png", scratch, sheet->name);
    return read_picture(path);
}

/* The first pixel of a colour, row by row. */
static void find_colour(const struct picture *picture, struct rgb colour, size_t *x, size_t *y)
{
    for (*y = 0; *y < picture->height; ++*y) {
        for (*x = 0; *x < picture->width; ++*x) {
            if (same_colour(pixel_at(picture, *x, *y), colour)) {
                return;
            }
        }
    }
    ck_abort_msg("no pixel is %d %d %d", colour.r, colour.g, colour.b);
}

static void assert_block(const struct picture *picture, size_t x, size_t y, size_t width,
                         size_t height, struct rgb colour)
{
    size_t i = 0;
    while (i < width * height &&
           same_colour(pixel_at(picture, x + i % width, y + i / width), colour)) {
        i++;
    }
    if (i < width * height) {
        assert_pixel(picture, x + i % width, y + i / width, colour);
    }
}

static uint8_t covered(uint8_t colour, double grey)
{
    return (uint8_t)(0.66 * colour + 0.34 * grey + 0.5);
}

#define N_PIXEL 4

/* A picture of 4 x 4 grey pixels; with a grid of 2 x 2 over it, or without. */
static struct sheet *sheet_of_picture(bool with_grid)
{
    const float value[] = {0, 2, 4, 9};
    struct sheet *sheet = sheet_create("Title", 1, 1);
    struct sheet_panel *panel = &sheet->panel[0];
    unsigned char *rgb = sheet_picture(sheet, panel, N_PIXEL, N_PIXEL);
    for (size_t i = 0; i < 3 * N_PIXEL * N_PIXEL; i++) {
        rgb[i] = (unsigned char)(10 + 12 * (i / 3) + (with_grid ? 0 : i % 3));
    }
    if (with_grid) {
        memcpy(sheet_grid(sheet, panel, 2, 2), value, sizeof value);
        panel->square = 2;
        sheet->top = 4;
        sheet->clipped = true;
    }
    sheet->side = 42; /* 84 pixels: 21 each */
    sheet_text(sheet, &sheet->name, "sheet");
    return sheet;
}

FIXTURE(scratch_make, scratch_remove)

TEST(squares_colour_a_picture_with_hard_edges)
{
    const double expected[] = {0, 0.5, 1, 1};
    struct sheet *sheet = sheet_of_picture(true);
    struct picture picture = draw(sheet);
    size_t left = 0, top = 0;
    for (size_t i = 0; i < N_PIXEL * N_PIXEL; i++) {
        size_t row = i / N_PIXEL, column = i % N_PIXEL;
        struct rgb over = colormap_viridis(expected[row / 2 * 2 + column / 2]);
        double grey = 10 + 12 * (double)i;
        struct rgb colour = {covered(over.r, grey), covered(over.g, grey), covered(over.b, grey)};
        if (i == 0) {
            find_colour(&picture, colour, &left, &top);
        }
        assert_block(&picture, left + 21 * column, top + 21 * row, 21, 21, colour);
    }
    cairo_surface_destroy(picture.surface);
    sheet_free(sheet);
}

TEST(a_picture_alone_is_as_it_is)
{
    struct sheet *sheet = sheet_of_picture(false);
    struct picture picture = draw(sheet);
    size_t left, top;
    find_colour(&picture, (struct rgb){10, 11, 12}, &left, &top);
    for (size_t i = 0; i < N_PIXEL * N_PIXEL; i++) {
        uint8_t tone = (uint8_t)(10 + 12 * i);
        assert_block(&picture, left + 21 * (i % N_PIXEL), top + 21 * (i / N_PIXEL), 21, 21,
                     (struct rgb){tone, (uint8_t)(tone + 1), (uint8_t)(tone + 2)});
    }
    cairo_surface_destroy(picture.surface);
    sheet_free(sheet);
}

/* Whole pixels of the PNG for each of a picture's, as near to the side as they get. */
TEST(pictures_keep_whole_pixels)
{
    const double side[] = {84, 80, 1}, expected[] = {6 * 28, 6 * 28, 28};
    for (size_t i = 0; i < 3; i++) {
        struct sheet *sheet = sheet_create("", 1, 1);
        memset(sheet_picture(sheet, &sheet->panel[0], 28, 28), 7, 3 * 28 * 28);
        sheet->side = side[i];
        sheet_text(sheet, &sheet->name, "sheet");
        struct picture picture = draw(sheet);
        ck_assert_uint_eq(count_colour(&picture, (struct rgb){7, 7, 7}),
                          (size_t)(expected[i] * expected[i]));
        cairo_surface_destroy(picture.surface);
        sheet_free(sheet);
    }
}

/* Squares that reach beyond a picture at the right and below are cut, not the picture. */
TEST(a_grid_may_reach_beyond_its_picture)
{
    struct sheet *sheet = sheet_of_picture(false);
    struct sheet_panel *panel = &sheet->panel[0];
    const float value[] = {0, 1, 1, 0};
    memset(panel->rgb, 0, 3 * N_PIXEL * N_PIXEL);
    memcpy(sheet_grid(sheet, panel, 2, 2), value, sizeof value);
    panel->square = 3;
    struct picture picture = draw(sheet);
    struct rgb dark = colormap_viridis(0);
    size_t left, top;
    dark = (struct rgb){covered(dark.r, 0), covered(dark.g, 0), covered(dark.b, 0)};
    find_colour(&picture, dark, &left, &top);
    assert_block(&picture, left, top, 63, 63, dark);
    assert_block(&picture, left + 63, top + 63, 21, 21, dark);
    assert_pixel(&picture, left + 84, top + 83, (struct rgb){255, 255, 255});
    cairo_surface_destroy(picture.surface);
    sheet_free(sheet);
}

TEST(one_scale_for_all_panels)
{
    struct sheet *sheet = sheet_create("Title", 1, 3);
    sheet->side = 100;
    sheet->top = 10;
    for (size_t i = 0; i < 2; i++) {
        float *value = sheet_grid(sheet, sheet_panel_at(sheet, 0, i), 1, 2);
        value[0] = i ? 100 : 7.3f; /* the other panel's largest number changes nothing */
        value[1] = 3.1f;
    }
    sheet_text(sheet, &sheet->name, "sheet");
    struct picture picture = draw(sheet);
    size_t half = 100 * 200; /* pixels, of which the frame takes some */
    size_t n = count_colour(&picture, colormap_viridis(0.31));
    ck_assert_msg(n > 2 * half * 9 / 10 && n < 2 * half * 11 / 10, "%zu", n);
    n = count_colour(&picture, colormap_viridis(0.73));
    ck_assert_msg(n > half * 9 / 10 && n < half * 11 / 10, "%zu", n);
    cairo_surface_destroy(picture.surface);
    sheet_free(sheet);
}

TEST(a_panel_without_anything_is_a_dash)
{
    const float value[] = {0.5f};
    struct sheet *sheet = sheet_create("Title", 1, 2);
    memcpy(sheet_grid(sheet, &sheet->panel[0], 1, 1), value, sizeof value);
    sheet_text(sheet, &sheet->name, "sheet");
    struct picture picture = draw(sheet);
    size_t left, top, n_ink = 0;
    find_colour(&picture, colormap_viridis(0.5), &left, &top);
    for (size_t i = 0; i < 100 * 100; i++) { /* in the middle of the second panel of 232 x 232 */
        struct rgb colour = pixel_at(&picture, left + 264 + 66 + i % 100, top + 66 + i / 100);
        n_ink += colour.r < 128;
    }
    ck_assert(n_ink > 5 && n_ink < 200);
    cairo_surface_destroy(picture.surface);
    sheet_free(sheet);
}

TEST(numbers_and_frames_are_seen_on_every_colour)
{
    const struct rgb white = {255, 255, 255}, ink = {0x22, 0x22, 0x22};
    const float value[] = {0, 1};
    struct sheet *sheet = sheet_of_row(value, 2);
    struct sheet_panel *panel = &sheet->panel[0];
    panel->number = calloc(2, sizeof *panel->number);
    panel->number[0] = 888;
    panel->number[1] = 888;
    sheet->label = calloc(2, sizeof *sheet->label);
    sheet->n_label = 2;
    sheet_text(sheet, &sheet->label[0], "first");
    sheet_text(sheet, &sheet->label[1], "second");
    struct picture picture = draw(sheet);
    size_t left, top, n_white = 0, n_ink = 0;
    find_colour(&picture, colormap_viridis(0), &left, &top);
    for (size_t i = 0; i < 100 * 200; i++) {
        size_t x = left + 6 + i % 100, y = top + 10 + i / 100;
        n_white += same_colour(pixel_at(&picture, x, y), white);
        n_ink += same_colour(pixel_at(&picture, x + 116, y), ink);
    }
    ck_assert(n_white > 20 && n_ink > 20);
    cairo_surface_destroy(picture.surface);
    panel->frame = (struct sheet_frame){0, 1, 1, 1};
    picture = draw(sheet);
    find_colour(&picture, colormap_viridis(0), &left, &top);
    size_t n_frame = 0;
    for (size_t y = top + 10; y < top + 200; y++) {
        for (size_t x = left + 112; x < left + 120; x++) {
            n_frame += same_colour(pixel_at(&picture, x, y), white);
        }
    }
    ck_assert(n_frame >= 190);
    cairo_surface_destroy(picture.surface);
    sheet_free(sheet);
}

/* ---- nothing is cut off ---- */

#define MARGIN 6 /* pixels that stay white around everything */

static void expect_margin(const struct sheet *sheet, const char *what)
{
    struct picture picture = draw(sheet);
    size_t n_ink = 0;
    for (size_t y = 0; y < picture.height; y++) {
        for (size_t x = 0; x < picture.width; x++) {
            bool inside = x >= MARGIN && x < picture.width - MARGIN && y >= MARGIN &&
                          y < picture.height - MARGIN;
            n_ink += !inside && pixel_at(&picture, x, y).g != 255;
        }
    }
    ck_assert_msg(n_ink == 0, "%s: %zu pixels of ink in the margin", what, n_ink);
    cairo_surface_destroy(picture.surface);
}

#define LONG                                                                                       \
    "a name that is much longer than everything else on this sheet and than its panels are wide"

static struct sheet *plain_sheet(void)
{
    struct sheet *sheet = sheet_create("T", 2, 2);
    for (size_t i = 0; i < 4; i++) {
        sheet_grid(sheet, &sheet->panel[i], 3, 3);
    }
    sheet->side = 40;
    sheet_text(sheet, &sheet->name, "sheet");
    return sheet;
}

TEST(long_texts_make_room_for_themselves)
{
    for (size_t i = 0; i < 11; i++) {
        struct sheet *sheet = plain_sheet();
        char **const place[] = {&sheet->title,           &sheet->subtitle,
                                &sheet->scale_title,     &sheet->down,
                                &sheet->right,           &sheet->row_title[1],
                                &sheet->panel[0].note,   &sheet->panel[3].note,
                                &sheet->column_title[0], &sheet->column_title[1],
                                &sheet->column_title[1]};
        sheet_text(sheet, place[i], i < 10 ? "%s" : "x\n%s", LONG);
        char what[24];
        snprintf(what, sizeof what, "place %zu", i);
        expect_margin(sheet, what);
        sheet_free(sheet);
    }
    struct sheet *sheet = plain_sheet();
    sheet_text(sheet, &sheet->subtitle, "x\n%s %s", LONG, LONG);
    expect_margin(sheet, "the second line");
    sheet->side = 100;
    sheet->label = calloc(3, sizeof *sheet->label);
    sheet->n_label = 3;
    for (size_t i = 0; i < 3; i++) {
        sheet_text(sheet, &sheet->label[i], "%s", LONG);
    }
    expect_margin(sheet, "labels");
    sheet_free(sheet);
}

/* Rows go on at the right: 5 of them in 2 blocks are 3 high. */
TEST(blocks_stand_side_by_side)
{
    size_t top[2], left[2];
    struct sheet *sheet = sheet_create("Title", 5, 1);
    for (size_t i = 0; i < 5; i++) {
        unsigned char *rgb = sheet_picture(sheet, &sheet->panel[i], 1, 1);
        rgb[0] = (unsigned char)(100 + i);
        sheet_text(sheet, &sheet->row_title[i], "row %zu", i);
    }
    sheet->n_block = 2;
    sheet_text(sheet, &sheet->name, "sheet");
    expect_margin(sheet, "blocks");
    struct picture picture = draw(sheet);
    find_colour(&picture, (struct rgb){100, 0, 0}, &left[0], &top[0]);
    find_colour(&picture, (struct rgb){103, 0, 0}, &left[1], &top[1]);
    ck_assert(top[0] == top[1] && left[1] > left[0] + 232);
    cairo_surface_destroy(picture.surface);
    sheet_free(sheet);
}

/* ---- errors ---- */

TEST(the_same_sheet_gives_the_same_bytes)
{
    struct sheet *sheet = sheet_of_picture(true);
    char path[PATH_SIZE], *bytes[2];
    size_t size[2];
    path_format(path, NULL, "%s/sheet.png", scratch);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_int_eq(draw_sheet_write(sheet, scratch, &err), STATUS_OK);
        ck_assert_int_eq(file_read(path, 1 << 24, &bytes[i], &size[i], NULL), STATUS_OK);
    }
    ck_assert(size[0] > 1000 && size[0] == size[1]);
    ck_assert_mem_eq(bytes[0], bytes[1], size[0]);
    free(bytes[0]);
    free(bytes[1]);
    sheet_free(sheet);
}

TEST(what_cannot_be_drawn_is_an_error)
{
    struct sheet *sheet = sheet_of_picture(true);
    ck_assert_int_eq(draw_sheet_write(sheet, "/nonexistent", &err), STATUS_WRITE);
    ck_assert_ptr_nonnull(strstr(err.text, "/nonexistent/sheet.png"));
    sheet->failed = true;
    ck_assert_int_eq(draw_sheet_write(sheet, scratch, &err), STATUS_MEMORY);
    ck_assert_int_eq(draw_sheet_write(NULL, scratch, &err), STATUS_MEMORY);
    sheet_free(sheet);
}

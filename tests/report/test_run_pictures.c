/* Colours, and the pictures of a run's maps: size and colours of single pixels. */
#include "base/file.h"

#include "fixture.h"
#include "picture.h"
#include "report/run_pictures.h"
#include "report/write/draw_sheet.h"
#include "testing.h"
#include <math.h>

TEST(viridis_ends_and_middle)
{
    struct rgb low = colormap_viridis(0), high = colormap_viridis(1),
               middle = colormap_viridis(0.5);
    ck_assert_int_eq(low.r << 16 | low.g << 8 | low.b, 0x440154);
    ck_assert_int_eq(high.r << 16 | high.g << 8 | high.b, 0xfde725);
    /* the published table has 0x21918c (128 of 256) in the middle */
    ck_assert_int_le(abs(middle.r - 0x21), 4);
    ck_assert_int_le(abs(middle.g - 0x91), 4);
    ck_assert_int_le(abs(middle.b - 0x8c), 4);
}

TEST(viridis_clamps_and_greys)
{
    ck_assert_int_eq(colormap_viridis(-1).b, 0x54);
    ck_assert_int_eq(colormap_viridis(2).b, 0x25);
    struct rgb grey = colormap_viridis(NAN);
    ck_assert(grey.r == grey.g && grey.g == grey.b);
}

TEST(viridis_gets_lighter)
{
    double before = -1;
    for (int i = 0; i <= 100; i++) {
        struct rgb colour = colormap_viridis(i / 100.0);
        double light = 0.2126 * colour.r + 0.7152 * colour.g + 0.0722 * colour.b;
        ck_assert_msg(light >= before - 0.5, "at %d%% the colour gets darker", i);
        before = light;
    }
}

TEST(line_colours_differ)
{
    for (size_t i = 0; i < COLORMAP_N_LINE; i++) {
        for (size_t j = i + 1; j < COLORMAP_N_LINE; j++) {
            struct rgb a = colormap_line(i), b = colormap_line(j);
            ck_assert_int_gt(abs(a.r - b.r) + abs(a.g - b.g) + abs(a.b - b.b), 60);
        }
    }
}

TEST(squares_are_about_256_pixels_wide)
{
    ck_assert_uint_eq(draw_map_square(16), 16);
    ck_assert_uint_eq(draw_map_square(128), 2);
    ck_assert_uint_eq(draw_map_square(1), 256);
    ck_assert_uint_eq(draw_map_square(2000), 1);
}

FIXTURE(scratch_make, scratch_remove)

TEST(pixels_show_queries_down_and_keys_across)
{
    const float map[4] = {0, 1, 0.25f, NAN};
    char path[PATH_SIZE];
    path_format(path, NULL, "%s/map.png", scratch);
    ck_assert_int_eq(draw_map_write(path, map, 2, NULL), STATUS_OK);
    char *bytes = scratch_read("map.png");
    ck_assert_int_eq(memcmp(bytes, "\x89PNG\r\n\x1a\n", 8), 0);
    free(bytes);
    struct picture picture = read_picture(path);
    ck_assert_uint_eq(picture.width, 256);
    ck_assert_uint_eq(picture.height, 256);
    assert_pixel(&picture, 0, 0, colormap_viridis(0));
    assert_pixel(&picture, 127, 127, colormap_viridis(0));
    assert_pixel(&picture, 128, 0, colormap_viridis(1));
    assert_pixel(&picture, 0, 128, colormap_viridis(0.25));
    assert_pixel(&picture, 255, 255, colormap_viridis(NAN));
    cairo_surface_destroy(picture.surface);
}

TEST(a_folder_that_is_not_there)
{
    const float map[1] = {0};
    struct error err;
    ck_assert_int_eq(draw_map_write("/nonexistent/map.png", map, 1, &err), STATUS_WRITE);
    ck_assert_ptr_nonnull(strstr(err.text, "/nonexistent/map.png"));
}

static struct run load(const struct fake_run *fake)
{
    char folder[PATH_SIZE];
    struct run run;
    fake_write(scratch, fake);
    fake_folder(scratch, fake, folder);
    ck_assert_int_eq(run_load(folder, &run, NULL), STATUS_OK);
    return run;
}

TEST(pictures_of_a_run)
{
    struct fake_run fake = {.task = "copy", .variant = "qkv"};
    struct run run = load(&fake);
    char path[PATH_SIZE];
    size_t n_picture;
    ck_assert_int_eq(run_pictures_write_maps(&run, &n_picture, NULL), STATUS_OK);
    ck_assert_uint_eq(n_picture, 2 * (FAKE_HEADS + 1) + 1);
    path_format(path, NULL, "%s/attention/overview.png", run.folder);
    struct picture overview = read_picture(path);
    ck_assert_uint_gt(overview.width, 3 * 116);
    cairo_surface_destroy(overview.surface);
    static const struct {
        const char *name;
        double value;
    } expected[] = {{"layer0_head0", 0},         {"layer0_head1", 1},
                    {"layer0_mean", 0.5},        {"sample0_layer0_head0", 0},
                    {"sample0_layer0_head1", 1}, {"sample0_layer0_mean", 0.5}};
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        path_format(path, NULL, "%s/attention/step000030/%s.png", run.folder, expected[i].name);
        struct picture picture = read_picture(path);
        assert_pixel(&picture, 10, 10, colormap_viridis(expected[i].value));
        cairo_surface_destroy(picture.surface);
    }
    run_free(&run);
}

TEST(a_run_without_maps)
{
    struct error err;
    size_t n_picture;
    ck_assert_int_eq(run_pictures_write_maps(&(struct run){.folder = scratch}, &n_picture, &err),
                     STATUS_DATA);
    ck_assert_ptr_nonnull(strstr(err.text, "attention=final"));
}

TEST(an_array_of_another_shape)
{
    struct fake_run fake = {.task = "copy", .variant = "qkv"};
    struct run run = load(&fake);
    char path[PATH_SIZE];
    const float data[6] = {0};
    size_t dim[] = {1, 2, 3}, n_picture;
    struct error err;
    path_format(path, NULL, "%s/attention/step000030/layer0.npy", run.folder);
    ck_assert_int_eq(npy_write(path, data, dim, 3, NULL), STATUS_OK);
    ck_assert_int_eq(run_pictures_write_maps(&run, &n_picture, &err), STATUS_DATA);
    ck_assert_ptr_nonnull(strstr(err.text, "[heads, T, T]"));
    run_free(&run);
}

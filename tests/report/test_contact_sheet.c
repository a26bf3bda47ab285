/* Where the samples of a contact sheet are, and that their pixels are the data set's. */
#include "base/file.h"
#include "picture.h"
#include "report/content/image_sheets.h"
#include "report/write/draw_sheet.h"

#include <unistd.h>

#include "testing.h"

enum { SIZE = 28, N_CLASS = 2, N_IMAGE = 5 };

/* Five images of one tone each, of classes 0 1 1 0 1. */
static void make_data(struct image_data *data, size_t n_channel)
{
    static const struct dataset dataset = {.task = {.name = "tones", .title = "Tones"}};
    static const char *const names[] = {"dark", "bright"};
    static const uint16_t labels[N_IMAGE] = {0, 1, 1, 0, 1};
    size_t size = n_channel * SIZE * SIZE;
    uint8_t *pixels = malloc(N_IMAGE * size);
    *data = (struct image_data){.dataset = &dataset};
    ck_assert_int_eq(image_set_create(&data->train, N_IMAGE, n_channel, SIZE, N_CLASS, NULL), 0);
    for (size_t i = 0; i < N_IMAGE; i++) {
        for (size_t c = 0; c < n_channel; c++) {
            memset(pixels + i * size + c * SIZE * SIZE, (int)(40 * (i + 1) + c), SIZE * SIZE);
        }
        data->train.image[i] = pixels + i * size;
        data->train.label[i] = labels[i];
    }
    image_data_keep(data, (struct data_bytes){.data = pixels, .size = N_IMAGE * size});
    ck_assert_int_eq(image_data_name_classes(data, names, N_CLASS, NULL), STATUS_OK);
}

static enum status write_sheet(const char *to, size_t n_channel, struct error *err)
{
    struct image_data data;
    make_data(&data, n_channel);
    struct sheet *sheet = contact_sheet(&data);
    enum status status = draw_sheet_write(sheet, to, err);
    sheet_free(sheet);
    image_data_free(&data);
    return status;
}

static struct picture draw(size_t n_channel)
{
    struct error err;
    char path[PATH_SIZE];
    ck_assert_msg(write_sheet(scratch, n_channel, &err) == STATUS_OK, "%s", err.text);
    path_format(path, NULL, "%s/tones.png", scratch);
    return read_picture(path);
}

FIXTURE(scratch_make, scratch_remove)

/* Each image is 28 squares of 3 pixels a side; text adds a few pixels of any grey. */
TEST(every_image_is_there_with_its_own_colour)
{
    const size_t area = (size_t)SIZE * 3 * SIZE * 3;
    struct picture picture = draw(3);
    for (int i = 0; i < N_IMAGE; i++) {
        uint8_t tone = (uint8_t)(40 * (i + 1));
        struct rgb colour = {tone, (uint8_t)(tone + 1), (uint8_t)(tone + 2)};
        ck_assert_uint_eq(count_colour(&picture, colour), area);
    }
    cairo_surface_destroy(picture.surface);
    picture = draw(1);
    for (int i = 0; i < N_IMAGE; i++) {
        uint8_t tone = (uint8_t)(40 * (i + 1));
        size_t n = count_colour(&picture, (struct rgb){tone, tone, tone});
        ck_assert_msg(n >= area && n < area + 400, "tone %d on %zu pixels", tone, n);
    }
    cairo_surface_destroy(picture.surface);
}

static size_t first_row(const struct picture *picture, int tone)
{
    struct rgb colour = {(uint8_t)tone, (uint8_t)(tone + 1), (uint8_t)(tone + 2)};
    for (size_t i = 0; i < picture->width * picture->height; i++) {
        if (same_colour(pixel_at(picture, i % picture->width, i / picture->width), colour)) {
            return i / picture->width;
        }
    }
    return 0;
}

TEST(a_class_is_a_row)
{
    struct picture picture = draw(3);
    ck_assert_uint_eq(first_row(&picture, 40), first_row(&picture, 160));
    ck_assert_uint_eq(first_row(&picture, 80), first_row(&picture, 120));
    ck_assert_uint_eq(first_row(&picture, 80), first_row(&picture, 200));
    ck_assert_uint_lt(first_row(&picture, 40), first_row(&picture, 80));
    cairo_surface_destroy(picture.surface);
}

TEST(a_folder_that_is_not_there)
{
    struct error err;
    ck_assert_int_eq(write_sheet("/nonexistent", 1, &err), STATUS_WRITE);
    ck_assert_ptr_nonnull(strstr(err.text, "/nonexistent/tones.png"));
}

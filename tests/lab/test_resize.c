/* Resizing against the same filters in double precision, written from their definition. */
#include "testing.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/rng.h"
#include "config_fixture.h"
#include "data_fixture.h"
#include "lab/data/resize.h"
#include "lab/kind/images/images.h"
#include "lab/training/source.h"

/* How much of pixel i of a row lies between two places. */
static double overlap(double i, double left, double right)
{
    return fmax(0, fmin(i + 1, right) - fmax(i, left));
}

/* How much the straight line between pixels' middles takes from pixel i at a place. */
static double tent(double i, double at, double n)
{
    at = fmin(fmax(at, 0.5), n - 0.5);
    return fmax(0, 1 - fabs(at - (i + 0.5)));
}

static double weight(size_t i, size_t at, size_t from, size_t to)
{
    double scale = (double)from / (double)to, place = (double)at;
    return to < from ? overlap((double)i, place * scale, (place + 1) * scale) / scale
                     : tent((double)i, (place + 0.5) * scale, (double)from);
}

static double expected(const uint8_t *image, size_t from, size_t to, size_t y, size_t x)
{
    double sum = 0;
    for (size_t i = 0; i < from; i++) {
        for (size_t k = 0; k < from; k++) {
            sum += weight(i, y, from, to) * weight(k, x, from, to) * image[i * from + k];
        }
    }
    return sum;
}

static void fill(uint8_t *image, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        image[i] = (uint8_t)rng_below(rng_make(seed, "test"), i, 256);
    }
}

TEST(pixels_are_those_of_the_definition)
{
    static const size_t size[][2] = {{28, 14}, {28, 7},  {28, 10}, {32, 31}, {7, 1},  {28, 28},
                                     {28, 32}, {28, 56}, {5, 13},  {1, 4},   {13, 14}};
    for (size_t s = 0; s < sizeof size / sizeof size[0]; s++) {
        size_t from = size[s][0], to = size[s][1];
        uint8_t *image = malloc(3 * from * from), *out = malloc(3 * to * to);
        fill(image, 3 * from * from, s);
        image_resize(image, 3, from, to, out);
        for (size_t i = 0; i < 3 * to * to; i++) {
            size_t channel = i / (to * to), y = i / to % to, x = i % to;
            double value = expected(image + channel * from * from, from, to, y, x);
            ck_assert_msg(fabs(out[i] - value) <= 0.5 + 1e-9,
                          "%zu to %zu, channel %zu (%zu, %zu): %d, expected %.9f", from, to,
                          channel, y, x, out[i], value);
        }
        free(image);
        free(out);
    }
}

TEST(small_cases_by_hand)
{
    static const uint8_t two[4] = {0, 10, 20, 33}, three[9] = {9, 0, 0, 0, 0, 0, 0, 0, 255};
    uint8_t out[16];
    image_resize(two, 1, 2, 1, out);
    ck_assert_uint_eq(out[0], 16); /* 15.75 */
    image_resize(two, 1, 2, 4, out);
    ck_assert_uint_eq(out[0], 0);
    ck_assert_uint_eq(out[1], 3); /* 2.5, a half goes up */
    ck_assert_uint_eq(out[2], 8); /* 7.5 */
    ck_assert_uint_eq(out[3], 10);
    ck_assert_uint_eq(out[15], 33);
    image_resize(three, 1, 3, 2, out); /* a pixel covers 1.5 x 1.5 */
    ck_assert_uint_eq(out[0], 4);
    ck_assert_uint_eq(out[3], 113); /* 113.33 */
    image_resize(three, 1, 3, 3, out);
    ck_assert_mem_eq(out, three, 9);
}

TEST(an_even_image_stays_even)
{
    uint8_t image[49], out[121];
    memset(image, 255, sizeof image);
    for (size_t to = 1; to <= 11; to++) {
        image_resize(image, 1, 7, to, out);
        for (size_t i = 0; i < to * to; i++) {
            ck_assert_uint_eq(out[i], 255);
        }
    }
}

/* ---- at load ---- */

static struct config make_config(size_t size)
{
    char setting[32];
    snprintf(setting, sizeof setting, "image_size=%zu", size);
    return config_of("task=glyphs n_train=9 n_test=5 patch=2", setting);
}

static struct source *make_source(const struct config *config)
{
    struct source *source;
    FINE(source_create(&source, config, NULL, 2, &err));
    return source;
}

TEST(images_are_resized_when_they_are_loaded)
{
    static const size_t size[] = {14, 36};
    struct config own = make_config(0);
    struct source *original = make_source(&own);
    for (size_t s = 0; s < 2; s++) {
        struct config config = make_config(size[s]);
        struct source *source = make_source(&config);
        size_t side = size[s];
        uint8_t out[36 * 36];
        const struct image_data *data = source_image_data(source);
        const struct image_set *sets[] = {&data->train, &data->test};
        const struct image_set *from[] = {&source_image_data(original)->train,
                                          &source_image_data(original)->test};
        for (size_t k = 0; k < 2; k++) {
            ck_assert(sets[k]->height == side && sets[k]->width == side);
            for (size_t i = 0; i < sets[k]->n_image; i++) {
                image_resize(from[k]->image[i], 1, 28, side, out);
                ck_assert_mem_eq(sets[k]->image[i], out, side * side);
                ck_assert_uint_eq(sets[k]->label[i], from[k]->label[i]);
            }
        }
        ck_assert_str_eq(image_data_hash(source_image_data(source)),
                         image_data_hash(source_image_data(original)));
        source_begin_epoch(source, 0);
        struct batch batch = source_test_slice(source, 0);
        ck_assert_uint_eq(batch.n_token, 1 + side * side / 4);
        ck_assert_uint_gt(source_memory_to_create(&config, 2), source_memory(&config, 2));
        source_free(source);
    }
    ck_assert_uint_eq(source_memory_to_create(&own, 2), source_memory(&own, 2));
    source_free(original);
}

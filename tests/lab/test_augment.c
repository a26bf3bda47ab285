#include "lab/data/augment.h"

#include <string.h>

#include "nn/patch.h"
#include "testing.h"

TEST(moves_depend_on_epoch_and_image_alone)
{
    size_t n_other = 0;
    for (size_t image = 0; image < 64; image++) {
        struct augment_move a = augment_draw(augment_stream(3, 2), AUGMENT_CROP_FLIP, image);
        struct augment_move b = augment_draw(augment_stream(3, 2), AUGMENT_CROP_FLIP, image);
        struct augment_move c = augment_draw(augment_stream(3, 3), AUGMENT_CROP_FLIP, image);
        ck_assert(a.dx == b.dx && a.dy == b.dy && a.flip == b.flip);
        n_other += a.dx != c.dx || a.dy != c.dy || a.flip != c.flip;
    }
    ck_assert_uint_gt(n_other, 50);
}

TEST(moves_are_uniform)
{
    enum { N = 81000, N_SIDE = 2 * AUGMENT_MARGIN + 1 };
    size_t count[N_SIDE][N_SIDE] = {{0}}, n_flip = 0;
    struct rng stream = augment_stream(0, 0);
    for (size_t i = 0; i < N; i++) {
        struct augment_move move = augment_draw(stream, AUGMENT_CROP_FLIP, i);
        ck_assert(move.dy >= -AUGMENT_MARGIN && move.dy <= AUGMENT_MARGIN);
        ck_assert(move.dx >= -AUGMENT_MARGIN && move.dx <= AUGMENT_MARGIN);
        count[move.dy + AUGMENT_MARGIN][move.dx + AUGMENT_MARGIN]++;
        n_flip += move.flip;
    }
    for (size_t i = 0; i < (size_t)N_SIDE * N_SIDE; i++) {
        /* five standard deviations of a binomial count */
        ck_assert_double_eq_tol((double)count[i / N_SIDE][i % N_SIDE], 1000, 157);
    }
    ck_assert_double_eq_tol((double)n_flip, N / 2.0, 712);
}

TEST(what_is_off_stays_off)
{
    size_t n_flip = 0;
    for (size_t i = 0; i < 100; i++) {
        struct augment_move none = augment_draw(augment_stream(0, 0), AUGMENT_NONE, i);
        struct augment_move flip = augment_draw(augment_stream(0, 0), AUGMENT_FLIP, i);
        ck_assert(none.dx == 0 && none.dy == 0 && !none.flip);
        ck_assert(flip.dx == 0 && flip.dy == 0);
        n_flip += flip.flip;
    }
    ck_assert(n_flip > 20 && n_flip < 80);
}

/* Pads, cuts and mirrors in three steps, as the procedure is written down. */
static void crop_and_flip(struct augment_move move, const uint8_t *image, size_t n_channel,
                          size_t height, size_t width, uint8_t *out)
{
    enum { M = AUGMENT_MARGIN };
    size_t padded_width = width + 2 * M;
    uint8_t *padded = calloc((height + 2 * M) * padded_width, 1);
    for (size_t c = 0; c < n_channel; c++) {
        for (size_t y = 0; y < height; y++) {
            memcpy(padded + (y + M) * padded_width + M, image + (c * height + y) * width, width);
        }
        for (size_t y = 0; y < height; y++) {
            for (size_t x = 0; x < width; x++) {
                size_t from_y = (size_t)((int)y + M + move.dy);
                size_t from_x = (size_t)((int)(move.flip ? width - 1 - x : x) + M + move.dx);
                out[(c * height + y) * width + x] = padded[from_y * padded_width + from_x];
            }
        }
    }
    free(padded);
}

TEST(apply_is_pad_crop_flip)
{
    enum { C = 3, H = 7, W = 9 };
    uint8_t image[C * H * W], out[C * H * W], expected[C * H * W];
    for (size_t i = 0; i < sizeof image; i++) {
        image[i] = (uint8_t)(i + 1);
    }
    for (int dy = -AUGMENT_MARGIN; dy <= AUGMENT_MARGIN; dy++) {
        for (int dx = -AUGMENT_MARGIN; dx <= AUGMENT_MARGIN; dx++) {
            for (int flip = 0; flip < 2; flip++) {
                struct augment_move move = {.dy = dy, .dx = dx, .flip = flip};
                augment_apply(move, image, C, H, W, out);
                crop_and_flip(move, image, C, H, W, expected);
                ck_assert_mem_eq(out, expected, sizeof out);
            }
        }
    }
    augment_apply((struct augment_move){0}, image, C, H, W, out);
    ck_assert_mem_eq(out, image, sizeof out);
}

TEST(normalisation_is_that_of_bytes_over_255)
{
    static const float mean[] = {0.4914f, 0.4822f, 0.4465f}, std[] = {0.2470f, 0.2435f, 0.2616f};
    struct normalisation normalisation;
    normalisation_make(&normalisation, mean, std, 3);
    for (size_t c = 0; c < 3; c++) {
        for (int x = 0; x < 256; x++) {
            double exact = ((double)x / 255 - mean[c]) / std[c];
            ck_assert_double_eq_tol((double)normalisation.value[c][x], exact, 1e-6);
        }
    }
}

/* The same numbers as the cut of the normalised image, whose padding is zero, not black. */
TEST(patches_are_those_of_the_normalised_image)
{
    enum { C = 2, H = 10, W = 7 };
    static const float mean[] = {0.2f, 0.7f}, std[] = {0.5f, 0.3f};
    uint8_t image[C * H * W];
    float numbers[C * H * W], expected[1024], rows[1024];
    struct normalisation normalisation;
    normalisation_make(&normalisation, mean, std, C);
    for (size_t i = 0; i < sizeof image; i++) {
        image[i] = (uint8_t)(37 * i);
        numbers[i] = normalisation.value[i / (H * W)][image[i]];
    }
    for (size_t patch = 1; patch <= 11; patch++) {
        size_t n = patches_count(H, W, patch) * C * patch * patch;
        memset(rows, 0x7f, sizeof rows);
        image_to_patches(&normalisation, image, C, H, W, patch, rows);
        patches_from_image(numbers, C, H, W, patch, expected);
        ck_assert_mem_eq(rows, expected, n * sizeof *rows);
        ck_assert_msg(((unsigned char *)(rows + n))[0] == 0x7f, "patch %zu writes too far", patch);
    }
}

/* Worked by hand: 1 channel, 3 x 3, patch 2. */
TEST(patches_of_a_small_image)
{
    static const float mean[] = {0}, std[] = {1.0f / 255};
    const uint8_t image[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const float expected[16] = {1, 2, 4, 5, 3, 0, 6, 0, 7, 8, 0, 0, 9, 0, 0, 0};
    float rows[16];
    struct normalisation normalisation;
    normalisation_make(&normalisation, mean, std, 1);
    image_to_patches(&normalisation, image, 1, 3, 3, 2, rows);
    for (size_t i = 0; i < 16; i++) {
        ck_assert_float_eq_tol(rows[i], expected[i], 1e-5f);
    }
}

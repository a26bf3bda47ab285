/* One block of random numbers an image and epoch: two words place the crop, one decides the flip. A
 * crop of an image with a black margin is the image moved by at most the margin.
 */
#include "lab/data/augment.h"

#include <assert.h>
#include <string.h>

#include "nn/patch.h"

struct rng augment_stream(uint64_t seed, size_t epoch)
{
    return rng_make(seed, "augment/%zu", epoch);
}

/* An integer in -AUGMENT_MARGIN..AUGMENT_MARGIN. */
static int draw_shift(uint32_t word)
{
    return (int)((uint64_t)word * (2 * AUGMENT_MARGIN + 1) >> 32) - AUGMENT_MARGIN;
}

struct augment_move augment_draw(struct rng stream, enum augmentation augmentation, size_t image)
{
    uint32_t word[4];
    struct augment_move move = {0};
    rng_block(stream, image, word);
    if (augmentation == AUGMENT_CROP_FLIP) {
        move.dy = draw_shift(word[0]);
        move.dx = draw_shift(word[1]);
    }
    move.flip = augmentation != AUGMENT_NONE && word[2] >> 31;
    return move;
}

static void move_row(struct augment_move move, const uint8_t *row, size_t width, uint8_t *out)
{
    for (size_t x = 0; x < width; x++) {
        long from = (long)(move.flip ? width - 1 - x : x) + move.dx;
        out[x] = from >= 0 && from < (long)width ? row[from] : 0;
    }
}

void augment_apply(struct augment_move move, const uint8_t *image, size_t n_channel, size_t height,
                   size_t width, uint8_t *out)
{
    for (size_t c = 0; c < n_channel; c++) {
        for (size_t y = 0; y < height; y++) {
            long from = (long)y + move.dy;
            uint8_t *out_row = out + (c * height + y) * width;
            if (from >= 0 && from < (long)height) {
                move_row(move, image + (c * height + (size_t)from) * width, width, out_row);
            } else {
                memset(out_row, 0, width);
            }
        }
    }
}

void normalisation_make(struct normalisation *normalisation, const float *mean, const float *std,
                        size_t n_channel)
{
    assert(n_channel <= IMAGE_MAX_CHANNEL);
    for (size_t c = 0; c < n_channel; c++) {
        for (int x = 0; x < 256; x++) {
            normalisation->value[c][x] = ((float)x / 255.0f - mean[c]) / std[c];
        }
    }
}

void image_to_patches(const struct normalisation *normalisation, const uint8_t *image,
                      size_t n_channel, size_t height, size_t width, size_t patch, float *rows)
{
    if (height % patch || width % patch) {
        size_t n = patches_count(height, width, patch) * n_channel * patch * patch;
        memset(rows, 0, n * sizeof *rows);
    }
    for (size_t c = 0; c < n_channel; c++) {
        const float *value = normalisation->value[c];
        for (size_t y = 0; y < height; y++) {
            const uint8_t *pixels = image + (c * height + y) * width;
            for (size_t x = 0; x < width; x += patch) {
                size_t n = width - x < patch ? width - x : patch;
                float *row = rows + patches_offset(n_channel, width, patch, c, y, x);
                for (size_t i = 0; i < n; i++) {
                    row[i] = value[pixels[x + i]];
                }
            }
        }
    }
}

/* Both filters are separable, with weights that are fractions of one denominator. So a pixel is a
 * sum of whole numbers, which is divided once.
 */
#include "lab/data/resize.h"

#include <assert.h>
#include <stdbool.h>

/* What an output coordinate is made of: n input coordinates from first on, and their weights in
 * units of 1 / sum. */
struct taps {
    size_t from, to;
    size_t at; /* the output coordinate */
    size_t first, n;
};

static bool shrinks(const struct taps *taps)
{
    return taps->to < taps->from;
}

/* The sum of the weights. In area averaging an input pixel is `to` units long and an output pixel
 * `from` units; in bilinear interpolation they are counted in halves of an input pixel's share. */
static uint64_t sum_of_weights(const struct taps *taps)
{
    return shrinks(taps) ? taps->from : 2 * taps->to;
}

/* Place of an output pixel's middle from the middle of input pixel 0 on, in units of 1 / sum. */
static long middle_of(const struct taps *taps)
{
    return (long)((2 * taps->at + 1) * taps->from) - (long)taps->to;
}

static struct taps taps_of(size_t from, size_t to, size_t at)
{
    struct taps taps = {.from = from, .to = to, .at = at, .n = 1};
    if (shrinks(&taps)) {
        taps.first = at * from / to;
        taps.n = ((at + 1) * from + to - 1) / to - taps.first;
        return taps;
    }
    long middle = middle_of(&taps);
    taps.first = middle < 0 ? 0 : (size_t)middle / (2 * to);
    taps.n = middle >= 0 && taps.first + 1 < from ? 2 : 1;
    return taps;
}

static uint64_t weight_of(const struct taps *taps, size_t i)
{
    if (shrinks(taps)) {
        size_t pixel = taps->first + i;
        size_t begin = pixel * taps->to, end = begin + taps->to;
        size_t left = taps->at * taps->from, right = left + taps->from;
        return (end < right ? end : right) - (begin > left ? begin : left);
    }
    uint64_t sum = sum_of_weights(taps);
    if (taps->n == 1) {
        return sum;
    }
    uint64_t second = (uint64_t)middle_of(taps) % sum;
    return i == 0 ? sum - second : second;
}

static uint8_t pixel_at(const uint8_t *image, const struct taps *down, const struct taps *across)
{
    uint64_t total = 0, sum = sum_of_weights(down) * sum_of_weights(across);
    for (size_t y = 0; y < down->n; y++) {
        const uint8_t *row = image + (down->first + y) * down->from + across->first;
        uint64_t of_row = 0;
        for (size_t x = 0; x < across->n; x++) {
            of_row += weight_of(across, x) * row[x];
        }
        total += weight_of(down, y) * of_row;
    }
    return (uint8_t)((2 * total + sum) / (2 * sum));
}

void image_resize(const uint8_t *image, size_t n_channel, size_t from, size_t to, uint8_t *out)
{
    assert(from > 0 && to > 0 && from <= RESIZE_MAX && to <= RESIZE_MAX);
    for (size_t c = 0; c < n_channel; c++) {
        for (size_t y = 0; y < to; y++) {
            struct taps down = taps_of(from, to, y);
            for (size_t x = 0; x < to; x++) {
                struct taps across = taps_of(from, to, x);
                out[(c * to + y) * to + x] = pixel_at(image + c * from * from, &down, &across);
            }
        }
    }
}

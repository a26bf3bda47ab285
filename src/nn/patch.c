#include "nn/patch.h"

#include <string.h>

static size_t divide_up(size_t n, size_t by)
{
    return (n + by - 1) / by;
}

size_t patches_count(size_t height, size_t width, size_t patch)
{
    return divide_up(height, patch) * divide_up(width, patch);
}

size_t patches_offset(size_t n_channel, size_t width, size_t patch, size_t channel, size_t y,
                      size_t x)
{
    size_t number = y / patch * divide_up(width, patch) + x / patch;
    return ((number * n_channel + channel) * patch + y % patch) * patch + x % patch;
}

void patches_from_image(const float *image, size_t n_channel, size_t height, size_t width,
                        size_t patch, float *patches)
{
    if (height % patch != 0 || width % patch != 0) {
        size_t n = patches_count(height, width, patch) * n_channel * patch * patch;
        memset(patches, 0, n * sizeof *patches);
    }
    for (size_t c = 0; c < n_channel; c++) {
        for (size_t y = 0; y < height; y++) {
            const float *row = image + (c * height + y) * width;
            for (size_t x = 0; x < width; x += patch) {
                size_t n = width - x < patch ? width - x : patch;
                memcpy(patches + patches_offset(n_channel, width, patch, c, y, x), row + x,
                       n * sizeof *row);
            }
        }
    }
}

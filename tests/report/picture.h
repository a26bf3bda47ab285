/* picture: a PNG read back, pixel by pixel. */
#ifndef QKVLAB_TESTS_REPORT_PICTURE_H
#define QKVLAB_TESTS_REPORT_PICTURE_H

#include <cairo.h>
#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "report/write/colormap.h"

struct picture {
    cairo_surface_t *surface; /* the test destroys it */
    size_t width, height;
};

static inline struct picture read_picture(const char *path)
{
    cairo_surface_t *surface = cairo_image_surface_create_from_png(path);
    cairo_status_t status = cairo_surface_status(surface);
    ck_assert_msg(status == CAIRO_STATUS_SUCCESS, "%s: %s", path, cairo_status_to_string(status));
    ck_assert(cairo_image_surface_get_format(surface) == CAIRO_FORMAT_RGB24);
    return (struct picture){surface, (size_t)cairo_image_surface_get_width(surface),
                            (size_t)cairo_image_surface_get_height(surface)};
}

static inline struct rgb pixel_at(const struct picture *picture, size_t x, size_t y)
{
    uint32_t pixel;
    size_t stride = (size_t)cairo_image_surface_get_stride(picture->surface);
    const unsigned char *bytes = cairo_image_surface_get_data(picture->surface);
    memcpy(&pixel, bytes + y * stride + x * sizeof pixel, sizeof pixel);
    return (struct rgb){(uint8_t)(pixel >> 16), (uint8_t)(pixel >> 8), (uint8_t)pixel};
}

static inline bool same_colour(struct rgb a, struct rgb b)
{
    return a.r == b.r && a.g == b.g && a.b == b.b;
}

static inline void assert_pixel(const struct picture *picture, size_t x, size_t y,
                                struct rgb colour)
{
    struct rgb found = pixel_at(picture, x, y);
    ck_assert_msg(same_colour(found, colour), "pixel %zu,%zu is %d %d %d, expected %d %d %d", x, y,
                  found.r, found.g, found.b, colour.r, colour.g, colour.b);
}

static inline size_t count_colour(const struct picture *picture, struct rgb colour)
{
    size_t n = 0;
    for (size_t i = 0; i < picture->width * picture->height; i++) {
        n += same_colour(pixel_at(picture, i % picture->width, i / picture->width), colour);
    }
    return n;
}

#endif

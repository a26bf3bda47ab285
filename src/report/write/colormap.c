/* colormap: viridis (van der Walt and Smith, CC0) from 20 equidistant colours of its table, linear
 * in between, which stays within 4 of 255 of the full table half-way between them; and the palette
 * of Okabe and Ito without its yellow, which is too pale for lines.
 */
#include "report/write/colormap.h"

#include <math.h>

#define N_ANCHOR 20
static const struct rgb viridis[N_ANCHOR] = {
    {0x44, 0x01, 0x54}, {0x48, 0x15, 0x68}, {0x48, 0x26, 0x77}, {0x45, 0x37, 0x81},
    {0x3f, 0x47, 0x88}, {0x39, 0x55, 0x8c}, {0x32, 0x64, 0x8e}, {0x2d, 0x71, 0x8e},
    {0x28, 0x7d, 0x8e}, {0x23, 0x8a, 0x8d}, {0x1f, 0x96, 0x8b}, {0x20, 0xa3, 0x86},
    {0x29, 0xaf, 0x7f}, {0x3c, 0xbc, 0x75}, {0x56, 0xc6, 0x67}, {0x74, 0xd0, 0x55},
    {0x94, 0xd8, 0x40}, {0xb8, 0xde, 0x29}, {0xdc, 0xe3, 0x18}, {0xfd, 0xe7, 0x25},
};
static const struct rgb not_a_number = {0x99, 0x99, 0x99};

static uint8_t mix(uint8_t low, uint8_t high, double share)
{
    return (uint8_t)(low + (high - low) * share + 0.5);
}

struct rgb colormap_viridis(double value)
{
    if (isnan(value)) {
        return not_a_number;
    }
    double position = fmin(fmax(value, 0), 1) * (N_ANCHOR - 1);
    size_t below = position < N_ANCHOR - 2 ? (size_t)position : N_ANCHOR - 2;
    const struct rgb *low = &viridis[below];
    double share = position - (double)below;
    return (struct rgb){mix(low[0].r, low[1].r, share), mix(low[0].g, low[1].g, share),
                        mix(low[0].b, low[1].b, share)};
}

struct rgb colormap_line(size_t i)
{
    static const struct rgb line[COLORMAP_N_LINE] = {
        {0x00, 0x00, 0x00}, {0xd5, 0x5e, 0x00}, {0x00, 0x72, 0xb2}, {0x00, 0x9e, 0x73},
        {0xcc, 0x79, 0xa7}, {0xe6, 0x9f, 0x00}, {0x56, 0xb4, 0xe9},
    };
    return line[i % COLORMAP_N_LINE];
}

/* colormap: the colours of maps and lines. */
#ifndef QKVLAB_REPORT_COLORMAP_H
#define QKVLAB_REPORT_COLORMAP_H

#include <stddef.h>
#include <stdint.h>

struct rgb {
    uint8_t r, g, b;
};

/* colormap_viridis maps 0..1 to viridis; values outside are clamped, NaN is grey. */
struct rgb colormap_viridis(double value);

/* colormap_line returns a colour of the Okabe-Ito palette, which colour-blind readers can tell
 * apart; it repeats after COLORMAP_N_LINE. */
#define COLORMAP_N_LINE 7
struct rgb colormap_line(size_t i);

#endif

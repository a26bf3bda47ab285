/* resize: square images of bytes in another size. */
#ifndef QKVLAB_LAB_RESIZE_H
#define QKVLAB_LAB_RESIZE_H

#include <stddef.h>
#include <stdint.h>

#define RESIZE_MAX 4096 /* largest side, of either image */

/* image_resize writes image [C, from, from] as out [C, to, to]; they must not overlap.
 *
 * To a smaller size by area averaging: a pixel is the mean of the square it covers in the original,
 * parts of pixels counted by their area. To a larger size bilinearly: the original's values stand
 * at the middles of its pixels and are continued constantly beyond the outermost ones. Both are
 * what PyTorch calls interpolate, mode "area" (where the sizes divide) and "bilinear" with
 * align_corners=False. Computed in whole numbers and rounded to the nearest one, halves up, so that
 * it is the same on every machine. */
void image_resize(const uint8_t *image, size_t n_channel, size_t from, size_t to, uint8_t *out);

#endif

/* patch: how an image [C,H,W] is cut into patches, the rule that models, data sets and bundles
 * share.
 *
 * Patches are numbered row by row; a patch is one row of numbers in the order channel, row, column,
 * as a convolution's weight [d,C,p,p] reads them. An image that the patch does not divide continues
 * with zeros right and bottom. C n_channel, H height, W width, p patch.
 */
#ifndef QKVLAB_NN_PATCH_H
#define QKVLAB_NN_PATCH_H

#include <stddef.h>

/* patches_count returns ceil(H/p) ceil(W/p). */
size_t patches_count(size_t height, size_t width, size_t patch);

/* patches_offset returns where pixel (channel, y, x) of an image of this width lies in its patches.
 * The pixels right of it follow one by one up to the edge of its patch. */
size_t patches_offset(size_t n_channel, size_t width, size_t patch, size_t channel, size_t y,
                      size_t x);

/* patches_from_image writes patches [patches_count, C p p]. */
void patches_from_image(const float *image, size_t n_channel, size_t height, size_t width,
                        size_t patch, float *patches);

#endif

/* augment: what happens to an image between its file and the model: crop and flip, normalisation,
 * and the cut into patches. Pure functions; images are bytes [C,H,W].
 */
#ifndef QKVLAB_LAB_AUGMENT_H
#define QKVLAB_LAB_AUGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"

#define AUGMENT_MARGIN 4 /* black pixels around an image before it is cropped */
#define IMAGE_MAX_CHANNEL 3

enum augmentation { AUGMENT_NONE, AUGMENT_FLIP, AUGMENT_CROP_FLIP };

/* Where the picture goes: the output's pixel (y, x) is the input's (y + dy, x + dx), black outside
 * of it; then left and right are exchanged if flip is set. */
struct augment_move {
    int dy, dx; /* -AUGMENT_MARGIN..AUGMENT_MARGIN */
    bool flip;
};

/* augment_stream returns the numbers of an epoch, augment_draw the move of one image (by its index
 * in the data set). They depend on nothing else, so every variant and thread count sees the same.
 */
struct rng augment_stream(uint64_t seed, size_t epoch);
struct augment_move augment_draw(struct rng stream, enum augmentation augmentation, size_t image);

/* augment_apply writes the moved image [C,H,W] to out, which must not overlap image. */
void augment_apply(struct augment_move move, const uint8_t *image, size_t n_channel, size_t height,
                   size_t width, uint8_t *out);

/* (x/255 - mean) / std for every byte x, in float as PyTorch computes it. */
struct normalisation {
    float value[IMAGE_MAX_CHANNEL][256];
};
void normalisation_make(struct normalisation *normalisation, const float *mean, const float *std,
                        size_t n_channel);

/* image_to_patches writes rows [patches_count, C p p] as nn/patch.h lays them out, normalised; the
 * zeros right and bottom of an image that the patch does not divide are those of the normalised
 * image. */
void image_to_patches(const struct normalisation *normalisation, const uint8_t *image,
                      size_t n_channel, size_t height, size_t width, size_t patch, float *rows);

#endif

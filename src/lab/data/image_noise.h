/* image_noise: images of random bytes in the shape of a data set, to measure speed where its files
 * are not at hand. Nothing can be learned from them.
 */
#ifndef QKVLAB_LAB_IMAGE_NOISE_H
#define QKVLAB_LAB_IMAGE_NOISE_H

#include "lab/data/dataset.h"

/* image_noise_make fills data, which is empty but for its data set, with as many images as are
 * asked for (0: as many as were published). They repeat, so that they take little memory. Caller
 * frees with image_data_free, also on failure. STATUS_MEMORY. */
enum status image_noise_make(const struct dataset_options *options, struct image_data *data,
                             struct error *err);

#endif

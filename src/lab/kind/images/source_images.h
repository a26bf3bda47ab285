/* source_images: where the batches of a data set come from. Private to its kind. */
#ifndef QKVLAB_LAB_SOURCE_IMAGES_H
#define QKVLAB_LAB_SOURCE_IMAGES_H

#include "lab/training/source_kind.h"

extern const struct source_kind source_images;

/* source_image_data returns the images of a source of this kind; borrowed from it. */
struct image_data *source_image_data(struct source *source);

#endif

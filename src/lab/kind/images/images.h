/* images: image data sets, classified by a vision transformer. A data set is one file in datasets/,
 * see dataset.h; this is what configurations and runs of images have of their own.
 */
#ifndef QKVLAB_LAB_IMAGES_H
#define QKVLAB_LAB_IMAGES_H

#include <stddef.h>

#include "lab/config/config.h"
#include "lab/data/dataset.h"

extern const struct kind kind_images;
extern const struct source_kind source_images; /* where its batches come from */

struct source;
/* source_image_data returns the images of a source of this kind; borrowed from it. */
struct image_data *source_image_data(struct source *source);

/* dataset_of returns the data set that a task is; NULL for a task of another kind. */
const struct dataset *dataset_of(const struct task *task);

/* images_size and images_augmentation are what the keys image_size and augment come to. */
size_t images_size(const struct config *config);
enum augmentation images_augmentation(const struct config *config);

#endif

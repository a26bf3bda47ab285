/* image_cache: a folder of JPEGs as decoded bytes, made once and kept in one file.
 *
 * The file holds labels, class names, pixels, a checksum for each image, and the manifest it was
 * made from. It is made again when a file of the data set was added, removed or changed, or when
 * the cache itself is damaged. Builders take turns, so that the second one finds it done.
 */
#ifndef QKVLAB_LAB_IMAGE_CACHE_H
#define QKVLAB_LAB_IMAGE_CACHE_H

#include "base/status.h"
#include "lab/data/dataset.h"
#include "lab/data/image_folder.h"

/* image_cache_load fills data from place's folder of JPEGs, listed by image_folder_list, through a
 * cache in options->cache (in memory where that is NULL). Errors: STATUS_DATA with the path of the
 * image, and no cache is left; STATUS_WRITE; STATUS_INTERRUPTED. */
enum status image_cache_load(const struct dataset_place *place,
                             const struct dataset_options *options,
                             const struct image_folder *images, struct image_data *data,
                             struct error *err);

/* image_cache_attach points data at a cache in memory after checking all of it, and takes its
 * hash. manifest NULL: any will do. False: it is not valid, and data is as before. */
bool image_cache_attach(struct image_data *data, const struct data_bytes *cache,
                        const char *manifest);

#endif

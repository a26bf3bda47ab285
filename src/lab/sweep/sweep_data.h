/* sweep_data: are the images still those that earlier runs in the folder were trained on? The id of
 * a run does not name its data, and a report would put both into one cell.
 */
#ifndef QKVLAB_LAB_SWEEP_DATA_H
#define QKVLAB_LAB_SWEEP_DATA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "lab/config/config.h"
#include "lab/data/dataset.h"

/* sweep_data_check compares the hash of the images that those of configs [n_config] that are not
 * done would read (see image_data_hash) with the one that finished runs in out keep, of the same
 * data set and numbers of images. It reads images only where there are runs of both kinds. Drawn
 * images are named by their version and seed. Errors: STATUS_DATA names a run, the folder of the
 * images, and both hashes; those of dataset_load. */
enum status sweep_data_check(const char *out, const struct config *configs, const bool *done,
                             size_t n_config, const struct dataset_options *data, int threads,
                             struct error *err);

#endif

/* idx: the IDX files of MNIST and its relatives: two zero bytes, a type, the number of dimensions,
 * the dimensions as big-endian 32-bit numbers, the values. Only bytes as values, as they publish.
 */
#ifndef QKVLAB_LAB_IDX_H
#define QKVLAB_LAB_IDX_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "lab/data/dataset.h"

#define IDX_MAX_DIM 3

struct idx {
    size_t dim[IDX_MAX_DIM];
    const uint8_t *value; /* [dim[0], ...], inside memory */
    struct data_bytes memory;
};

/* idx_read reads a plain or packed file of n_dim dimensions. Size and dimensions are checked before
 * anything is allocated. Caller frees with data_bytes_free(&idx->memory), or keeps it. Errors:
 * STATUS_DATA with field and offset. */
enum status idx_read(const char *path, size_t n_dim, struct idx *idx, struct error *err);

/* idx_load is the loader of data sets of four files: train images, train labels, test images, test
 * labels. */
enum status idx_load(const struct dataset_place *place, const struct dataset_options *options,
                     struct image_data *data, struct error *err);

#endif

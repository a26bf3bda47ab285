/* npy: arrays in NumPy's file format, version 1.0, little-endian float32, C order. */
#ifndef QKVLAB_BASE_NPY_H
#define QKVLAB_BASE_NPY_H

#include <stddef.h>

#include "base/status.h"

#define NPY_MAX_DIM 8

/* npy_write writes data [dim[0], ..., dim[n_dim-1]] atomically. */
enum status npy_write(const char *path, const float *data, const size_t *dim, size_t n_dim,
                      struct error *err);

/* npy_read reads an array; header and size are checked before anything is allocated. Caller frees
 * *data with free. Errors: STATUS_DATA. */
enum status npy_read(const char *path, float **data, size_t dim[NPY_MAX_DIM], size_t *n_dim,
                     struct error *err);

#endif

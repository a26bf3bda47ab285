/* npy: arrays in NumPy's file format, version 1.0, C order, of little-endian float32 or of bytes.
 */
#ifndef QKVLAB_BASE_NPY_H
#define QKVLAB_BASE_NPY_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define NPY_MAX_DIM 8

/* npy_write writes data [dim[0], ..., dim[n_dim-1]] atomically. */
enum status npy_write(const char *path, const float *data, const size_t *dim, size_t n_dim,
                      struct error *err);

/* npy_read reads an array; header and size are checked before anything is allocated. Caller frees
 * *data with free. Errors: STATUS_DATA. */
enum status npy_read(const char *path, float **data, size_t dim[NPY_MAX_DIM], size_t *n_dim,
                     struct error *err);

/* The same of bytes (uint8). */
enum status npy_write_bytes(const char *path, const uint8_t *data, const size_t *dim, size_t n_dim,
                            struct error *err);
enum status npy_read_bytes(const char *path, uint8_t **data, size_t dim[NPY_MAX_DIM], size_t *n_dim,
                           struct error *err);

#endif

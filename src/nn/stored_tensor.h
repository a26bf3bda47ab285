/* stored_tensor: is the tensor of a file the one a model needs? For the readers of checkpoints and
 * crosscheck bundles.
 */
#ifndef QKVLAB_NN_STORED_TENSOR_H
#define QKVLAB_NN_STORED_TENSOR_H

#include <stddef.h>

#include "base/safetensors.h"
#include "base/status.h"

/* stored_tensor_check looks for a name and compares type and shape [dim[0], ..., dim[n_dim-1]].
 * STATUS_DATA with what was expected and found. */
enum status stored_tensor_check(const struct safetensors *file, const char *name,
                                enum safetensors_type type, const size_t *dim, size_t n_dim,
                                struct error *err);

#endif

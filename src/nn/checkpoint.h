/* checkpoint: a training in progress as one safetensors file, from which it goes on in the same
 * bits.
 *
 * Tensors: NAME (weights, under the names of the layout), adam_m/NAME, adam_v/NAME. Metadata:
 * format, step (updates done), and whatever notes the caller wants to keep, such as the
 * configuration. Python reads it with safetensors.torch.load_file(path).
 */
#ifndef QKVLAB_NN_CHECKPOINT_H
#define QKVLAB_NN_CHECKPOINT_H

#include <stddef.h>

#include "base/safetensors.h"
#include "base/status.h"
#include "nn/engine.h"

/* checkpoint_save writes weights, Adam state and notes (borrowed) atomically. The keys "format" and
 * "step" are taken: STATUS_USAGE. */
enum status checkpoint_save(const char *path, struct engine *engine,
                            const struct safetensors_metadata *notes, size_t n_note,
                            struct error *err);

/* checkpoint_load restores an engine of the same model. A file whose tensors or shapes differ is
 * refused (STATUS_DATA, naming the first) and leaves the engine as it was. *file, unless NULL, is
 * the file, whose metadata hold the notes; caller frees it with safetensors_free. */
enum status checkpoint_load(const char *path, struct engine *engine, struct safetensors *file,
                            struct error *err);

#endif

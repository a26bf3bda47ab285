/* snapshot: the steps after which a run with attention=snapshots keeps its attention maps. */
#ifndef QKVLAB_LAB_SNAPSHOT_H
#define QKVLAB_LAB_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>

#define SNAPSHOT_MAX 15

/* snapshot_steps writes the steps of a training of n_step steps, ascending, and returns how many
 * there are. The i-th is the whole number next to n_step (i/14)^3, but at least one more than the
 * one before; 0 is the model before training, n_step the trained one. A training of 158 steps has
 * 0, 1, 2, 3, 4, 7, 12, 20, 29, 42, 58, 77, 99, 127, 158. */
size_t snapshot_steps(size_t n_step, size_t step[SNAPSHOT_MAX]);

/* snapshot_is_due: step is one of them. */
bool snapshot_is_due(size_t n_step, size_t step);

#endif

/* metrics: numbers read off curves and attention maps.
 */
#ifndef QKVLAB_LAB_METRICS_H
#define QKVLAB_LAB_METRICS_H

#include <stddef.h>

#include "lab/kind/kind.h"
#include "lab/record/run_record.h"

#define STEP_NEVER (-1L)

/* metrics_first_below returns the first step whose loss is below the level, STEP_NEVER if none. */
long metrics_first_below(const double *loss, size_t n_step, double level);

/* metrics_escape_step returns the step at which training leaves its plateau, STEP_NEVER if it never
 * does; chance_loss: of a predictor that knows nothing, see task_chance_loss. The definition is
 * stated in metrics.c and in `qkvlab help statistics`. */
long metrics_escape_step(const double *loss, size_t n_step, double chance_loss);

/* metrics_attention reads one head's maps, each [T,T], query rows by key columns. */
struct attention_numbers metrics_attention(const struct task *task, size_t n_token,
                                           const float *attention, const float *product,
                                           const float *scores);

#endif

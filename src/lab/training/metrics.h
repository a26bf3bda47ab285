/* metrics: numbers read off curves and attention maps.
 */
#ifndef QKVLAB_LAB_METRICS_H
#define QKVLAB_LAB_METRICS_H

#include <stddef.h>

#include "lab/data/task.h"

#define STEP_NEVER (-1L)

/* metrics_first_below returns the first step whose loss is below the level, STEP_NEVER if none. */
long metrics_first_below(const double *loss, size_t n_step, double level);

/* metrics_escape_step returns the step at which training leaves its plateau, STEP_NEVER if it never
 * does. The definition is stated in metrics.c and in the README. */
long metrics_escape_step(const double *loss, size_t n_step);

struct attention_numbers {
    double needed;   /* share of attention on the key the task needs; NaN if it names none */
    double diagonal; /* share of attention on the position itself */
    double asymmetry_product; /* mean |S - S^T| / mean |S| of Q K^T */
    double asymmetry_scores;  /* the same of the scores as they enter the softmax */
};

/* metrics_attention reads one head's maps, each [T,T], query rows by key columns. task NULL:
 * images, which need no key in particular. */
struct attention_numbers metrics_attention(const struct task *task, size_t n_token,
                                           const float *attention, const float *product,
                                           const float *scores);

#endif

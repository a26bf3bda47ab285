/* schedule: the learning rate of every step. */
#ifndef QKVLAB_LAB_SCHEDULE_H
#define QKVLAB_LAB_SCHEDULE_H

#include <stddef.h>

#include "lab/config/config.h"

/* schedule_rate is a linear warm-up over w = max(1, floor(warmup n_step)) steps,
 * lr (s+1)/w for s < w. Then schedule=cosine: lr/2 (1 + cos(pi (s-w)/(n_step-w))); schedule=step:
 * lr, a tenth of it from step floor(n_step/2) and a hundredth from floor(3 n_step/4), where a
 * milestone at 0 is ignored. */
double schedule_rate(const struct config *config, size_t step, size_t n_step);

#endif

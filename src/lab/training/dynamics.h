/* dynamics: how a run learned, read off the curve of its training batches.
 *
 * Accuracy after a fixed number of steps mostly measures when a variant leaves its plateau; these
 * numbers say when and how. All are pure functions of the curve, computed when a report is made.
 * The length of the plateau is the escape step itself (metrics.h), since the plateau of a fresh
 * model begins at step 0.
 */
#ifndef QKVLAB_LAB_DYNAMICS_H
#define QKVLAB_LAB_DYNAMICS_H

#include <stddef.h>

/* A batch's accuracy is smoothed by the median of this many steps, like the loss of the escape
 * step. */
#define DYNAMICS_WINDOW 5

/* The steps at which the smoothed accuracy of the training batches reaches each share. */
#define DYNAMICS_N_LEVEL 3
extern const double dynamics_level[DYNAMICS_N_LEVEL]; /* 0.5, 0.9, 0.99 */

/* A value that is not there, and a step that never came, is NaN. */
struct dynamics {
    double mean_loss;                 /* area under the loss curve over its length */
    double reaches[DYNAMICS_N_LEVEL]; /* first step at which the median of the accuracy of the
                                         last DYNAMICS_WINDOW steps is at least the level */
};

/* dynamics_of reads a curve of n_step steps. accuracy may be NULL: older runs did not keep it. Of a
 * run shorter than DYNAMICS_WINDOW nothing is reached. */
struct dynamics dynamics_of(const double *loss, const double *accuracy, size_t n_step);

#endif

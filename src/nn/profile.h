/* profile: where a training step spends its time, per thread, for `qkvlab bench`.
 *
 * A thread is always in one part; profile_enter switches and returns the part left, so that it can
 * be restored. Off (the default), a switch is one branch.
 */
#ifndef QKVLAB_NN_PROFILE_H
#define QKVLAB_NN_PROFILE_H

#include <stdbool.h>

enum profile_part {
    PROFILE_OTHER,     /* norms, activations, residual stream, embedding, loss */
    PROFILE_MATMUL,    /* products with weights, and their gradients */
    PROFILE_ATTENTION, /* scores, softmax, mixing, and their gradients */
    PROFILE_OPTIMIZER, /* sum of lanes, norm, Adam, packing of weights */
    PROFILE_WAIT,      /* for the other threads */
    PROFILE_COUNT
};

struct profile {
    double seconds[PROFILE_COUNT];
};

/* profile_start switches the calling thread's clock on, or off, in PROFILE_OTHER with zero sums. */
void profile_start(bool on);

/* profile_enter books the time since the last switch to the part that is left, and returns that
 * part. */
enum profile_part profile_enter(enum profile_part part);

/* profile_collect adds the calling thread's sums to *profile and sets them to zero. */
void profile_collect(struct profile *profile);

#endif

/* train: one run, from a resolved configuration to a finished run folder.
 */
#ifndef QKVLAB_LAB_TRAIN_H
#define QKVLAB_LAB_TRAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "lab/config/config.h"
#include "lab/record/record.h"
#include "lab/training/evaluate.h"

/* What a training is at before its first step (n_done 0), behind every step, and at its end. */
struct train_moment {
    struct engine *engine;            /* with the weights, and the gradient of the last step */
    size_t n_done, n_step;            /* steps done, the one that diverged included, and planned */
    double loss, grad_norm, accuracy; /* of the last step, see train_result; NaN before it */
    bool diverged;
    const struct evaluation *evaluation; /* of the weights as they are, where there is one */
};

/* What a caller may watch and stop. All members may be NULL. */
struct train_hooks {
    void *context;
    /* called at every moment, by train_watched alone */
    void (*watch)(void *context, const struct train_moment *moment);
    /* called after every step, from the calling thread */
    void (*step)(void *context, size_t step, size_t n_step, double loss);
    /* asked now and then; a non-zero signal number ends the run: STATUS_INTERRUPTED */
    int (*stop)(void *context);
};

struct run_outcome {
    bool diverged;
    double loss, accuracy; /* of the test split; NaN if diverged */
    long escape_step;
    char set_aside[1024]; /* see record_set_aside; filled by sweep_run */
    char note[512];       /* a warning about the data, "" mostly */
};

/* A loss above this has logits a million apart; no run has come back from there. */
#define TRAIN_DIVERGED_LOSS 1e6

/* train_run trains, evaluates and finishes the record (which it consumes, also on failure). data
 * says where data sets are (see source_create); NULL: nowhere. A loss or gradient norm that is not
 * finite, or a loss above TRAIN_DIVERGED_LOSS, ends the run as diverged, which is an outcome and
 * returns STATUS_OK. The stop hook is asked after every step and between slices of the evaluation.
 */
enum status train_run(const struct config *config, const struct dataset_options *data, int threads,
                      struct record *record, const struct train_hooks *hooks,
                      struct run_outcome *outcome, struct error *err);

/* train_watched trains exactly as train_run does, but leaves nothing behind: the watch hook sees
 * everything. The test split is evaluated before the first step and after the last (a moment of its
 * own), not in between; a diverged training is not evaluated. The configuration's attention must be
 * none. */
enum status train_watched(const struct config *config, const struct dataset_options *data,
                          int threads, const struct train_hooks *hooks, struct error *err);

#endif

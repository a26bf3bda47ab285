/* result: what train.c found out about a run, and how it is written into the run folder. */
#ifndef QKVLAB_LAB_RESULT_H
#define QKVLAB_LAB_RESULT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "base/sha256.h"
#include "base/status.h"
#include "lab/config.h"

struct run_result {
    const struct config *config; /* borrowed, resolved */
    int threads;
    size_t n_param;
    size_t n_step;                       /* steps done, the diverging one included */
    const double *step_loss, *grad_norm; /* [n_step], borrowed */
    bool diverged;
    double loss, token_accuracy, sequence_accuracy; /* on the test split; NaN if diverged */
    json_t *attention;                              /* borrowed; NULL if diverged */
    char weights_sha256[SHA256_HEX_SIZE];
    double train_seconds, evaluate_seconds, wall_seconds;
};

/* result_json returns run.json as record.h describes it (new reference). */
json_t *result_json(const struct run_result *result);

/* result_write_curve writes curve.csv into folder: step,loss,learning_rate,grad_norm. */
enum status result_write_curve(const struct run_result *result, const char *folder,
                               struct error *err);

#endif

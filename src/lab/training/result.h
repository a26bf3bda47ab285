/* result: what train.c found out about a run, and how it is written into the run folder. */
#ifndef QKVLAB_LAB_RESULT_H
#define QKVLAB_LAB_RESULT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/sha256.h"
#include "base/status.h"
#include "lab/config/config.h"
#include "lab/record/record.h"
#include "lab/training/evaluate.h"

/* A row of epochs.csv: means over the training steps of an epoch, and the test split after it. */
struct epoch_result {
    double train_loss, train_top1, test_loss, top1, top5;
};

struct run_result {
    const struct config *config; /* borrowed, resolved */
    int threads;
    size_t n_step;                       /* steps done, the diverging one included */
    const double *rate;                  /* [n_step], learning rate, borrowed */
    const double *step_loss, *grad_norm; /* [n_step], borrowed */
    const double *accuracy;              /* [n_step], borrowed */
    const struct epoch_result *epoch;    /* [n_epoch], borrowed */
    size_t n_epoch;
    bool diverged;
    const struct evaluation *evaluation; /* borrowed; of NaN if diverged */
    double train_accuracy;               /* see evaluation_of_training; NaN if diverged */
    bool has_data;                       /* see source_describe */
    struct run_data data;                /* borrowed */
    struct run_attention attention;      /* borrowed; of no meaning if diverged */
    char weights_sha256[SHA256_HEX_SIZE];
    double train_seconds, evaluate_seconds, wall_seconds;
    double batch_seconds; /* of train_seconds, spent on making batches */
};

/* result_finish writes run.json and finishes the record, which it consumes, also on failure. */
enum status result_finish(const struct run_result *result, struct record *record,
                          struct error *err);

/* result_write_files writes curve.csv into folder; of a kind that is evaluated behind every epoch
 * also epochs.csv, of one with an accuracy by class and unless the run diverged confusion.csv; see
 * record.h. */
enum status result_write_files(const struct run_result *result, const char *folder,
                               struct error *err);

#endif

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

struct run_result {
    const struct config *config; /* borrowed, resolved */
    int threads;
    size_t n_step;                              /* steps done, the diverging one included */
    double *rate, *loss, *grad_norm, *accuracy; /* [n_step], of the training batches */
    double (*epoch)[EPOCH_COUNT];               /* [n_epoch], see record.h */
    size_t n_epoch;                             /* evaluated */
    bool diverged;
    struct evaluation evaluation;   /* of NaN if diverged */
    double train_accuracy;          /* see evaluation_of_training; NaN if diverged */
    bool has_data;                  /* see source_describe */
    struct run_data data;           /* borrowed */
    struct run_attention attention; /* borrowed; of no meaning if diverged */
    char weights_sha256[SHA256_HEX_SIZE];
    double train_seconds, evaluate_seconds, wall_seconds;
    double batch_seconds; /* of train_seconds, spent on making batches */
};

/* result_create makes room for n_step steps and all epochs; the evaluation is the caller's to
 * create. Caller frees with result_free, the evaluation too, also on failure. STATUS_MEMORY. */
enum status result_create(struct run_result *result, const struct config *config, size_t n_step,
                          struct error *err);
void result_free(struct run_result *result);

/* result_finish writes run.json and finishes the record, which it consumes, also on failure. */
enum status result_finish(const struct run_result *result, struct record *record,
                          struct error *err);

/* result_write_files writes curve.csv into folder; of a kind that is evaluated behind every epoch
 * also epochs.csv, of one with an accuracy by class and unless the run diverged confusion.csv; see
 * record.h. */
enum status result_write_files(const struct run_result *result, const char *folder,
                               struct error *err);

#endif

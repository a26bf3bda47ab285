/* run: one finished run folder, read back. */
#ifndef QKVLAB_REPORT_RUN_H
#define QKVLAB_REPORT_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "base/status.h"
#include "lab/data/dataset.h"
#include "lab/kind/kind.h"
#include "nn/variant.h"

#define RUN_FORMAT "qkvlab-run-1"

/* Everything a run is measured by: run.json section ("curve": computed from curve.csv, see
 * dynamics.h; "": from the other measures), key, title. A step that never came is NaN, like every
 * other value that is not there. A share is 1 or 0 of one run, so that its mean is a share of runs:
 * solved and at chance are defined below; escaped: there is an escape step. */
#define MEASURE_TABLE(X)                                                                           \
    X(TOKEN_ACCURACY, "results", "token_accuracy", "token accuracy")                               \
    X(ABOVE_FLOOR, "", "accuracy_above_floor", "token accuracy above the position-only floor")     \
    X(SEQUENCE_ACCURACY, "results", "sequence_accuracy", "sequence accuracy")                      \
    X(SOLVED, "", "solved", "share of runs solved")                                                \
    X(AT_CHANCE, "", "at_chance", "share of runs at chance")                                       \
    X(ESCAPED, "", "escaped", "share of runs that left the plateau")                               \
    X(LOSS, "results", "loss", "test loss")                                                        \
    X(FINAL_TRAIN_LOSS, "results", "final_train_loss", "final training loss")                      \
    X(MEAN_TRAIN_LOSS, "curve", "mean_train_loss", "training loss, mean over all steps")           \
    X(ESCAPE_STEP, "results", "escape_step", "escape step")                                        \
    X(BELOW_2_2, "results", "step_below_2.2", "first step with a training loss below 2.2")         \
    X(BELOW_0_1, "results", "step_below_0.1", "first step with a training loss below 0.1")         \
    X(REACHES_50, "curve", "step_accuracy_50", "first step with half of a batch right")            \
    X(REACHES_90, "curve", "step_accuracy_90", "first step with 90 % of a batch right")            \
    X(REACHES_99, "curve", "step_accuracy_99", "first step with 99 % of a batch right")            \
    X(NEEDED, "attention", "needed", "share of attention on the needed key")                       \
    X(DIAGONAL, "attention", "diagonal", "share of attention on the own position")                 \
    X(ASYMMETRY_PRODUCT, "attention", "asymmetry_product", "asymmetry of Q K^T")                   \
    X(ASYMMETRY_SCORES, "attention", "asymmetry_scores", "asymmetry of the scores")                \
    X(TOP1, "results", "top1", "top-1 accuracy")                                                   \
    X(TOP5, "results", "top5", "top-5 accuracy")

enum measure {
#define MEASURE_ENUM(name, section, key, title) MEASURE_##name,
    MEASURE_TABLE(MEASURE_ENUM)
#undef MEASURE_ENUM
        MEASURE_COUNT
};

/* A run has solved its task from this token accuracy on: at most one token in a hundred is wrong.
 * It is at chance when its accuracy above the position-only floor, (accuracy - floor) / (1 -
 * floor), is below the other. What lies between was on its way when training ended. */
#define RUN_SOLVED 0.99
#define RUN_AT_CHANCE 0.05

const char *measure_key(enum measure measure);
const char *measure_title(enum measure measure);
bool measure_is_step(enum measure measure);
bool measure_is_share(enum measure measure);

struct run {
    char *folder;                  /* path of the run folder */
    json_t *root;                  /* run.json */
    const char *id;                /* borrows from root */
    const char *status;            /* "ok", "diverged" or "failed"; only "ok" is averaged */
    const struct task *task;       /* NULL for images */
    const struct dataset *dataset; /* NULL for a task */
    struct variant variant;
    char variant_id[VARIANT_TEXT_SIZE], variant_name[VARIANT_TEXT_SIZE];
    size_t variant_rank; /* place among the named rows; behind them for any other */
    long long seed;
    size_t n_embd, n_layer, n_head, n_token, n_step, n_param, n_slot;
    double floor; /* accuracy of the best predictor that knows only the position; NaN for images */
    double measure[MEASURE_COUNT];
    char *setting_key; /* equal where runs may share a table: variant, task and seed aside */
    char *cell_key;    /* equal where runs may be averaged: the seed aside */
    char *config_key;  /* equal where configurations are, whatever the program and the machine */
    double *curve;     /* training loss [n_curve]; NULL where curve.csv is missing or broken */
    double *curve_accuracy; /* accuracy of the training batches [n_curve]; NULL in older runs */
    size_t n_curve;
    struct error curve_problem; /* why there is no curve, "" where there is one */
    struct error maps_problem;  /* why attention maps that were kept cannot be shown, or "" */
    const char *weights; /* hash of the final weights, NULL where none is kept; borrows from root */
    const char *copy_of; /* id of the run whose training this one repeats, see run_copies.h */
};

/* run_load reads folder (whose last component must be the run's id). Caller frees with run_free,
 * also on failure. STATUS_DATA says why the run cannot be used. */
enum status run_load(const char *folder, struct run *run, struct error *err);
void run_free(struct run *run);

bool run_is_ok(const struct run *run);

/* run_task_name and run_task_title name the task or the data set. */
const char *run_task_name(const struct run *run);
const char *run_task_title(const struct run *run);

/* run_key_looks: a key of the configuration that says how a trained model is looked at. It changes
 * no bit of the training, so it is no part of what runs are grouped by. */
bool run_key_looks(const char *key);

/* run_n_snapshot counts the steps whose attention maps the run's folder holds. */
long long run_n_snapshot(const struct run *run);

/* run_head returns {needed, diagonal, ...} of one head of the last layer, NULL past the last. */
const json_t *run_head(const struct run *run, size_t head);

/* run_config and run_build return a value of run.json as text ("-" if missing); borrows from run or
 * from buffer. */
#define RUN_TEXT_SIZE 256
void run_config(const struct run *run, const char *key, char text[RUN_TEXT_SIZE]);

/* run_attention_map reads the last layer's map [T,T], averaged over its heads. Caller frees. NULL
 * where the run kept no maps or they cannot be read. */
float *run_attention_map(const struct run *run);

#endif

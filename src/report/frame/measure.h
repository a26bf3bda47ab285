/* measure: everything a run is measured by, a row each. */
#ifndef QKVLAB_REPORT_MEASURE_H
#define QKVLAB_REPORT_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

/* The kinds of work that a report knows, as bits: which of them has a measure. */
enum measured_kind { OF_SEQUENCES = 1, OF_IMAGES = 2, OF_ALL = OF_SEQUENCES | OF_IMAGES };

enum measure_unit {
    UNIT_NUMBER, /* a loss, an accuracy, a share of attention */
    UNIT_STEP,   /* may never come: NaN */
    UNIT_RUNS    /* 1 or 0 of one run, so that its mean is a share of runs */
};

/* What a row is made of:
 *   section   where run.json has it; "curve": computed from curve.csv (lab/training/dynamics.h);
 *             "": from the other measures, in run.c
 *   decimals  in tables
 *   compared  the kinds in which variants are compared by it (comparisons.h)
 *   kinds     the kinds that have it */
/* clang-format off */
#define MEASURE_TABLE(X)                                                                                                   \
    /* name              section      key                     title                                            unit  decimals compared      kinds */ \
    X(TOKEN_ACCURACY,    "results",   "token_accuracy",       "token accuracy",                                NUMBER, 3, OF_SEQUENCES, OF_SEQUENCES) \
    X(ABOVE_FLOOR,       "",          "accuracy_above_floor", "token accuracy above the position-only floor",  NUMBER, 3, 0,            OF_SEQUENCES) \
    X(SEQUENCE_ACCURACY, "results",   "sequence_accuracy",    "sequence accuracy",                             NUMBER, 3, OF_SEQUENCES, OF_SEQUENCES) \
    X(SOLVED,            "",          "solved",               "share of runs solved",                          RUNS,   3, OF_SEQUENCES, OF_SEQUENCES) \
    X(AT_CHANCE,         "",          "at_chance",            "share of runs at chance",                       RUNS,   3, 0,            OF_SEQUENCES) \
    X(ESCAPED,           "",          "escaped",              "share of runs that left the plateau",           RUNS,   3, OF_SEQUENCES, OF_SEQUENCES) \
    X(LOSS,              "results",   "loss",                 "test loss",                                     NUMBER, 4, OF_ALL,       OF_ALL) \
    X(FINAL_TRAIN_LOSS,  "results",   "final_train_loss",     "final training loss",                           NUMBER, 4, OF_ALL,       OF_ALL) \
    X(MEAN_TRAIN_LOSS,   "curve",     "mean_train_loss",      "training loss, mean over all steps",            NUMBER, 3, OF_ALL,       OF_ALL) \
    X(ESCAPE_STEP,       "results",   "escape_step",          "escape step",                                   STEP,   0, OF_SEQUENCES, OF_SEQUENCES) \
    X(BELOW_2_2,         "results",   "step_below_2.2",       "first step with a training loss below 2.2",     STEP,   0, OF_SEQUENCES, OF_SEQUENCES) \
    X(BELOW_0_1,         "results",   "step_below_0.1",       "first step with a training loss below 0.1",     STEP,   0, OF_SEQUENCES, OF_SEQUENCES) \
    X(REACHES_50,        "curve",     "step_accuracy_50",     "first step with half of a batch right",         STEP,   0, OF_ALL,       OF_ALL) \
    X(REACHES_90,        "curve",     "step_accuracy_90",     "first step with 90 % of a batch right",         STEP,   0, OF_ALL,       OF_ALL) \
    X(REACHES_99,        "curve",     "step_accuracy_99",     "first step with 99 % of a batch right",         STEP,   0, OF_ALL,       OF_ALL) \
    X(NEEDED,            "attention", "needed",               "share of attention on the needed key",          NUMBER, 3, 0,            OF_ALL) \
    X(DIAGONAL,          "attention", "diagonal",             "share of attention on the own position",        NUMBER, 3, 0,            OF_ALL) \
    X(ASYMMETRY_PRODUCT, "attention", "asymmetry_product",    "asymmetry of Q K^T",                            NUMBER, 3, 0,            OF_ALL) \
    X(ASYMMETRY_SCORES,  "attention", "asymmetry_scores",     "asymmetry of the scores",                       NUMBER, 3, 0,            OF_ALL) \
    X(TOP1,              "results",   "top1",                 "top-1 accuracy",                                NUMBER, 4, OF_IMAGES,    OF_IMAGES) \
    X(TOP5,              "results",   "top5",                 "top-5 accuracy",                                NUMBER, 4, OF_IMAGES,    OF_IMAGES)
/* clang-format on */

enum measure {
#define MEASURE_ENUM(name, section, key, title, unit, decimals, compared, kinds) MEASURE_##name,
    MEASURE_TABLE(MEASURE_ENUM)
#undef MEASURE_ENUM
        MEASURE_COUNT
};

struct measure_row {
    const char *section, *key, *title;
    enum measure_unit unit;
    int decimals;
    unsigned compared, kinds;
};

const struct measure_row *measure_row(enum measure measure);

/* A run has solved its task from this token accuracy on: at most one token in a hundred is wrong.
 * It is at chance when its accuracy above the position-only floor, (accuracy - floor) / (1 -
 * floor), is below the other. What lies between was on its way when training ended. */
#define RUN_SOLVED 0.99
#define RUN_AT_CHANCE 0.05

#endif

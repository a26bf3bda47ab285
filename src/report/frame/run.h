/* run: one finished run of a folder, as a report sees it: its record (run.json), its measures, its
 * training curve, and the keys that decide which runs belong together.
 */
#ifndef QKVLAB_REPORT_RUN_H
#define QKVLAB_REPORT_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/text.h"
#include "lab/record/run_record.h"
#include "report/frame/kinds.h"
#include "report/frame/measure.h"

/* What runs are grouped by. Each run has a level of each, numbered in the order in which reports
 * list them; see frame.h for what is equal where levels are. */
enum factor {
    FACTOR_KIND,
    FACTOR_TASK,
    FACTOR_VARIANT,
    FACTOR_SETTING,
    FACTOR_CONFIGURATION,
    FACTOR_CELL,
    FACTOR_SEED,
    FACTOR_COUNT
};
#define FACTOR_BIT(factor) (1u << FACTOR_##factor)

struct run {
    char *folder; /* path of the run folder */
    struct run_record record;
    const struct report_kind *kind;
    char variant_id[VARIANT_TEXT_SIZE], variant_name[VARIANT_TEXT_SIZE];
    size_t variant_rank; /* place among the named rows; behind them for any other */
    size_t n_step;       /* of training that were done */
    double floor; /* accuracy of the best predictor that knows only the position; NaN for images */
    double measure[MEASURE_COUNT];
    size_t level[FACTOR_COUNT];
    char *setting_key; /* equal where runs may share a table: variant, task and seed aside */
    char *cell_key;    /* equal where runs may be averaged: the seed aside */
    char *config_key;  /* equal where configurations are, whatever the program and the machine */
    double *curve;     /* training loss [n_curve]; NULL where curve.csv is missing or broken */
    double *curve_accuracy; /* accuracy of the training batches [n_curve]; NULL in older runs */
    size_t n_curve;
    struct error curve_problem; /* why there is no curve, "" where there is one */
    struct error maps_problem;  /* why attention maps that were kept cannot be shown, or "" */
    const char *weights; /* hash of the final weights, borrows from the record; NULL: none kept */
    const char *copy_of; /* id of the run whose training this one repeats, see copies.h */
};

/* run_load reads folder (whose last component must be the run's id). Caller frees with run_free,
 * also on failure. STATUS_DATA says why the run cannot be used. */
enum status run_load(const char *folder, struct run *run, struct error *err);
void run_free(struct run *run);

bool run_is_ok(const struct run *run);

/* run_is_original: its training repeats that of no other run, see copies.h. */
bool run_is_original(const struct run *run);

const char *run_id(const struct run *run);
const struct config *run_config(const struct run *run);
long long run_seed(const struct run *run);
const char *run_task_name(const struct run *run);
const char *run_task_title(const struct run *run);

/* run_has: the run has the measure. */
bool run_has(const struct run *run, enum measure measure);

/* run_key_looks: a key of the configuration that says how a trained model is looked at. It changes
 * no bit of the training, so it is no part of what runs are grouped by. */
bool run_key_looks(const char *key);

/* A fact of a run by name: section "config", "build", "machine" or "versions", and the key as in
 * run.json; its value as text, "-" if missing. run_fact_key walks the keys of a section, NULL past
 * the last; those of "config" mean something to the run's kind. */
#define RUN_TEXT_SIZE 256
void run_fact(const struct run *run, const char *section, const char *key,
              char text[RUN_TEXT_SIZE]);
const char *run_fact_key(const struct run *run, const char *section, size_t i);

/* run_attention_map reads the last layer's map [T,T], averaged over its heads. Caller frees. NULL
 * where the run kept no maps or they cannot be read. */
float *run_attention_map(const struct run *run);

/* The parts that make a run of others with the same key: each appends "key=value" lines of what the
 * configuration says, without the keys that skip names. */
typedef bool run_skips_key(const char *key);
void run_append_config(const struct run *run, run_skips_key *skip, struct text *text);

#endif

/* run_record: what a run came to, as its run.json says it. This module alone writes that file and
 * reads it; nobody else knows its keys or sees JSON. record.h describes the file.
 */
#ifndef QKVLAB_LAB_RUN_RECORD_H
#define QKVLAB_LAB_RUN_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "base/status.h"
#include "lab/config/config.h"
#include "lab/data/dataset.h"
#include "lab/record/provenance.h"

#define RUN_RECORD_FORMAT "qkvlab-run-1"

/* How a run ended. This program leaves a run that failed unfinished, without a run.json. */
enum run_status { RUN_STATUS_OK, RUN_STATUS_DIVERGED, RUN_STATUS_FAILED };

/* A number of the results, or a list of numbers. NaN is null in the file. */
struct run_value {
    const char *key;
    double value;       /* NaN for a list */
    bool whole;         /* a step or a count: written without a decimal point */
    const double *list; /* [n_list]; NULL for a number */
    size_t n_list;
};

/* What the heads of the last layer look at: means over the probe, of one head or of all. */
struct attention_numbers {
    double needed;   /* share of attention on the key the task needs; NaN if it names none */
    double diagonal; /* share of attention on the position itself */
    double asymmetry_product; /* mean |S - S^T| / mean |S| of Q K^T */
    double asymmetry_scores;  /* the same of the scores as they enter the softmax */
};

/* attention_number_key names the members in order, NULL past the last; attention_number returns the
 * one of a name, NaN if there is none. */
const char *attention_number_key(size_t i);
double attention_number(const struct attention_numbers *numbers, const char *key);

/* An item whose own maps the run keeps: its number in the test split, its class, and the class that
 * the model says. */
struct run_sample {
    long long item, label, prediction;
};

struct run_attention {
    long layer, n_probe;
    const struct attention_numbers *head; /* [n_head] */
    size_t n_head;
    struct attention_numbers mean;   /* of the heads */
    const struct run_sample *sample; /* [n_sample]; NULL where there is no such list */
    size_t n_sample;
};

/* Images that were read or drawn; all empty for a task. */
struct run_data {
    const char *sha256; /* see image_data_hash */
    long n_train, n_test;
    const char *const *class_name; /* [n_class] */
    size_t n_class;
    enum image_origin origin;
    const char *warning; /* a sentence where they are not the published ones, else NULL */
};

/* Numbers that the file does not tell are NaN, or 0 where they are whole; texts are NULL. */
struct run_record {
    char id[CONFIG_ID_SIZE];
    enum run_status status;
    long engine_version, task_version; /* -1: not told. Runs of different ones are never averaged */
    struct config config;              /* resolved; of no use where there is a config_problem */
    struct error config_problem; /* a run of other versions may have keys that are not known here:
                                  * why config is of no use; "" mostly */
    long n_param;
    const struct run_value *result; /* [n_result] */
    size_t n_result;
    bool has_attention; /* false: diverged */
    struct run_attention attention;
    const char *weights_sha256;
    double train_seconds, batch_seconds, evaluate_seconds, wall_seconds;
    struct provenance provenance;
    const char *message; /* one sentence, for a run that is not ok */
    bool has_data;       /* images */
    struct run_data data;
    long process; /* the number of the process that made it; 0: older runs do not tell */
    /* Of a record that was read: what everything above borrows from. */
    json_t *root;
    void *memory[5];
};

/* "ok", "diverged", "failed" */
const char *run_status_name(enum run_status status);

/* run_record_read reads folder/run.json, and checks that it is that of the run whose name the
 * folder has: its format, its id, a configuration that has this id (where the versions are those of
 * this program), a status, and for "ok" the results that every such run has. Keys that older
 * programs did not have get their defaults. Caller frees with run_record_free, also on failure.
 * Errors: STATUS_DATA says what is wrong, beginning with the folder; STATUS_MEMORY. */
enum status run_record_read(const char *folder, struct run_record *run, struct error *err);
void run_record_free(struct run_record *run);

/* run_record_write writes the file; the number of this process stands for run->process. What it
 * does not need is config_problem. Errors: STATUS_WRITE, STATUS_MEMORY. */
enum status run_record_write(const struct run_record *run, const char *path, struct error *err);

/* run_record_number returns a number by the names that it has in the file: section "results",
 * "timing", "attention" (the mean of the heads) or "" and key. NaN where there is none. */
double run_record_number(const struct run_record *run, const char *section, const char *key);

/* run_record_result is run_record_number of the results; run_record_list a list of them (NULL and 0
 * where there is none); run_record_n_step the steps that were done, the diverging one included. */
double run_record_result(const struct run_record *run, const char *key);
const double *run_record_list(const struct run_record *run, const char *key, size_t *n);
size_t run_record_n_step(const struct run_record *run);

#endif

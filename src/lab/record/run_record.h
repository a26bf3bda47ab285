/* run_record: what a run came to, as its run.json says it. This module alone writes that file and
 * reads it; nobody else knows its keys or sees JSON.
 *
 * run.json (numbers that are not finite or not there are null):
 *     format "qkvlab-run-1", id, status "ok" | "diverged"
 *     versions    {engine, task}: runs of different ones are never averaged
 *     config      every key that means something to the task, with its resolved value; variant is
 *                 the canonical id
 *     variant     {id, name, n_slot, product_symmetric, scores_symmetric}
 *     n_param
 *     results     {those of the task's kind (see struct kind_result), final_train_loss, n_step,
 *                 diverged_step}: of sequences token_accuracy, sequence_accuracy, loss,
 *                 position_floor, escape_step, step_below_2.2, step_below_0.1; of images top1,
 * top5, train_top1, loss, class_accuracy: [a class]. Steps count from 0. train_top1 is of training
 * images with the final weights, without dropout and augmentation: all of them, or 10,000 evenly
 * spread ones of more; not there in older runs
 *
 *     data        images only: {sha256 (see image_data_hash), n_train, n_test, class_name: [],
 *                 published: true, false or null where that is not known, warning: a sentence where
 *                 it is false, else null}
 *
 *     attention   {layer, n_probe, heads: [NUMBERS a head], mean: NUMBERS} of the last layer, where
 *                 NUMBERS = {needed, diagonal, asymmetry_product, asymmetry_scores}; needed is null
 *                 where the task names no key. A head's numbers are means over the probe sequences,
 *                 mean is the mean of the heads' numbers. null if the run diverged. Of images also
 *                 samples: [{item, label, prediction}], a row an image of samples.npy: its number
 *                 in the test split, its class and the class that the model says; [] with
 *                 attention=none
 *
 *     weights_sha256
 *     timing      {train_seconds, batch_seconds (of train_seconds, spent on making batches),
 *                 evaluate_seconds, wall_seconds}
 *     machine     {class, cpu, processors, threads}: class decides whether bits must agree
 *     build       {version, commit, compiler, flags, simd}
 *     message     one sentence, for a run that is not ok, else null
 *     process     the number of the process that made it; not there in older runs
 */
#ifndef QKVLAB_LAB_RUN_RECORD_H
#define QKVLAB_LAB_RUN_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "lab/config/config.h"
#include "lab/data/dataset.h"
#include "lab/record/provenance.h"

#define RUN_RECORD_FORMAT "qkvlab-run-1"

/* How a run ended. This program leaves a run that failed unfinished, without a run.json. */
enum run_status { RUN_STATUS_OK, RUN_STATUS_DIVERGED, RUN_STATUS_FAILED };

/* A number of the results, or to write also a list of numbers. NaN is null in the file. */
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
    /* Private, of a record that was read: what everything above borrows from. */
    void *root, *memory[4];
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

/* run_record_section returns a section of the file as it is there, for those who hand it on without
 * reading it; NULL where there is none. Borrowed. */
json_t *run_record_section(const struct run_record *run, const char *section);

/* run_record_number returns a number by the names that it has in the file: section "results",
 * "timing", "attention" (the mean of the heads) or "" and key. NaN where there is none. */
double run_record_number(const struct run_record *run, const char *section, const char *key);

/* run_record_result is run_record_number of the results, run_record_n_step the steps that were
 * done, the diverging one included. */
double run_record_result(const struct run_record *run, const char *key);
size_t run_record_n_step(const struct run_record *run);

#endif

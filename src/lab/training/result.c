/* Seconds go into run.json alone: everything in the tables is the same at any number of threads. */
#include "lab/training/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "lab/training/metrics.h"

enum status result_create(struct run_result *result, const struct config *config, size_t n_step,
                          struct error *err)
{
    *result = (struct run_result){.config = config, .train_accuracy = NAN};
    result->rate = calloc(n_step, sizeof *result->rate);
    result->loss = calloc(n_step, sizeof *result->loss);
    result->grad_norm = calloc(n_step, sizeof *result->grad_norm);
    result->accuracy = calloc(n_step, sizeof *result->accuracy);
    result->epoch = calloc(config->epochs, sizeof *result->epoch);
    return result->rate && result->loss && result->grad_norm && result->accuracy && result->epoch
               ? STATUS_OK
               : error_memory(err, "making room for %zu steps", n_step);
}

void result_free(struct run_result *result)
{
    evaluation_free(&result->evaluation);
    free(result->rate);
    free(result->loss);
    free(result->grad_norm);
    free(result->accuracy);
    free(result->epoch);
}

/* ---- run.json ---- */

#define MAX_RESULT 16

struct results {
    struct run_value value[MAX_RESULT];
    size_t n;
};

/* Steps are whole; STEP_NEVER is no number. */
static void add(struct results *results, const char *key, double value, bool is_step)
{
    results->value[results->n++] =
        (struct run_value){.key = key,
                           .value = is_step && value == STEP_NEVER ? (double)NAN : value,
                           .whole = is_step};
}

static double value_of(const struct kind_result *row, const struct run_result *result)
{
    const struct task *task = result->config->task;
    const struct evaluation *evaluation = &result->evaluation;
    switch (row->what) {
    case RESULT_ACCURACY:
        return evaluation->accuracy;
    case RESULT_ITEM_ACCURACY:
        return evaluation->item_accuracy;
    case RESULT_TOP5:
        return evaluation->top5;
    case RESULT_TRAIN_ACCURACY:
        return result->train_accuracy;
    case RESULT_CLASS_ACCURACY:
        return NAN; /* a list */
    case RESULT_LOSS:
        return evaluation->loss;
    case RESULT_CHANCE:
        return task_chance(task, result->config->seq_len);
    case RESULT_ESCAPE_STEP:
        return (double)metrics_escape_step(result->loss, result->n_step, task_chance_loss(task));
    case RESULT_STEP_BELOW:
        return (double)metrics_first_below(result->loss, result->n_step, row->level);
    }
    return NAN;
}

/* class_accuracy is [n_class], or NULL for a model that diverged. */
static void add_results(struct results *results, const struct run_result *result,
                        const double *class_accuracy)
{
    size_t last = result->n_step - 1;
    for (const struct kind_result *row = result->config->task->kind->result; row->key; row++) {
        add(results, row->key, value_of(row, result), kind_result_is_step(row));
        if (row->what == RESULT_CLASS_ACCURACY) {
            results->value[results->n - 1].list = class_accuracy;
            results->value[results->n - 1].n_list = result->evaluation.n_class;
        }
    }
    add(results, "final_train_loss", result->loss[last], false);
    add(results, "n_step", (double)result->n_step, true);
    add(results, "diverged_step", result->diverged ? (double)last : STEP_NEVER, true);
}

/* printf shows the sign of what is no number, which depends on the processor. */
static double without_sign(double value)
{
    return isnan(value) ? (double)NAN : value;
}

#define MESSAGE_SIZE 256

static void write_message(const struct run_result *result, char text[MESSAGE_SIZE])
{
    snprintf(text, MESSAGE_SIZE,
             "diverged at step %zu: loss %g, gradient norm %g; a learning_rate below %g may help",
             result->n_step - 1, without_sign(result->loss[result->n_step - 1]),
             without_sign(result->grad_norm[result->n_step - 1]), result->config->learning_rate);
}

static enum status finish(struct record *record, const struct run_result *result,
                          const double *class_accuracy, struct error *err)
{
    char message[MESSAGE_SIZE];
    struct results results = {.n = 0};
    struct run_record run = {
        .status = result->diverged ? RUN_STATUS_DIVERGED : RUN_STATUS_OK,
        .engine_version = ENGINE_VERSION,
        .task_version = result->config->task->version,
        .config = *result->config,
        .n_param = (long)result->config->n_param,
        .has_attention = !result->diverged,
        .attention = result->attention,
        .weights_sha256 = result->weights_sha256,
        .train_seconds = result->train_seconds,
        .batch_seconds = result->batch_seconds,
        .evaluate_seconds = result->evaluate_seconds,
        .wall_seconds = result->wall_seconds,
        .provenance = {.machine = provenance_machine(result->threads), .build = provenance_build()},
        .has_data = result->has_data,
        .data = result->data};
    memcpy(run.id, result->config->id, sizeof run.id);
    add_results(&results, result, class_accuracy);
    run.result = results.value;
    run.n_result = results.n;
    if (result->diverged) {
        write_message(result, message);
        run.message = message;
    }
    enum status status = record_finish(record, &run, err);
    json_decref(run.provenance.machine);
    json_decref(run.provenance.build);
    return status;
}

enum status result_finish(const struct run_result *result, struct record *record, struct error *err)
{
    const struct evaluation *evaluation = &result->evaluation;
    double *class_accuracy = NULL;
    if (evaluation->n_class > 0 && !result->diverged) {
        class_accuracy = calloc(evaluation->n_class, sizeof *class_accuracy);
        if (!class_accuracy) {
            enum status status = error_memory(err, "writing run.json");
            record_fail(record, "out of memory while writing run.json");
            return status;
        }
        for (size_t c = 0; c < evaluation->n_class; c++) {
            class_accuracy[c] = evaluation_class_accuracy(evaluation, c);
        }
    }
    enum status status = finish(record, result, class_accuracy, err);
    free(class_accuracy);
    return status;
}

/* ---- tables beside run.json ---- */

static void append_curve(struct text *text, const struct run_result *result)
{
    text_append(text, "step,loss,learning_rate,grad_norm,accuracy\n");
    for (size_t s = 0; s < result->n_step; s++) {
        text_append(text, "%zu,%.9g,%.9g,%.9g,%.9g\n", s, without_sign(result->loss[s]),
                    result->rate[s], without_sign(result->grad_norm[s]), result->accuracy[s]);
    }
}

static void append_epochs(struct text *text, const struct run_result *result)
{
#define COMMA_NAME(id, name) "," name
    text_append(text, "epoch" EPOCH_TABLE(COMMA_NAME) "\n");
#undef COMMA_NAME
    for (size_t e = 0; e < result->n_epoch; e++) {
        text_append(text, "%zu", e);
        for (size_t i = 0; i < EPOCH_COUNT; i++) {
            text_append(text, ",%.9g", result->epoch[e][i]);
        }
        text_append(text, "\n");
    }
}

/* A class's name as a field of a table, quoted where it needs to be. */
static void append_class(struct text *text, const struct run_data *data, size_t class)
{
    const char *name = class < data->n_class ? data->class_name[class] : "";
    if (!strpbrk(name, ",\"\n\r")) {
        text_append(text, "%s", name);
        return;
    }
    text_append(text, "\"");
    for (const char *c = name; *c; c++) {
        text_append(text, *c == '"' ? "\"\"" : "%c", *c);
    }
    text_append(text, "\"");
}

static void append_confusion(struct text *text, const struct run_result *result)
{
    const struct evaluation *evaluation = &result->evaluation;
    size_t n = evaluation->n_class;
    text_append(text, "true class");
    for (size_t c = 0; c < n; c++) {
        text_append(text, ",");
        append_class(text, &result->data, c);
    }
    text_append(text, "\n");
    for (size_t row = 0; row < n; row++) {
        append_class(text, &result->data, row);
        for (size_t c = 0; c < n; c++) {
            text_append(text, ",%zu", evaluation->confusion[row * n + c]);
        }
        text_append(text, "\n");
    }
}

typedef void append_table(struct text *text, const struct run_result *result);

static enum status write_table(append_table *table, const struct run_result *result,
                               const char *folder, const char *name, struct error *err)
{
    char path[PATH_SIZE];
    struct text text = {0};
    TRY(path_format(path, err, "%s/%s", folder, name));
    table(&text, result);
    enum status status = text_write(&text, path, err);
    text_free(&text);
    return status;
}

enum status result_write_files(const struct run_result *result, const char *folder,
                               struct error *err)
{
    TRY(write_table(append_curve, result, folder, "curve.csv", err));
    if (result->config->task->kind->every_epoch) {
        TRY(write_table(append_epochs, result, folder, "epochs.csv", err));
    }
    if (result->evaluation.n_class > 0 && !result->diverged) {
        TRY(write_table(append_confusion, result, folder, "confusion.csv", err));
    }
    return STATUS_OK;
}

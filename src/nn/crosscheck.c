/* The engine repeats what the bundle's author did; every array is compared where it comes up. */
#include "nn/crosscheck.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn/crosscheck_bundle.h"
#include "nn/engine.h"

/* float32 against the truth: what a careful engine keeps on models of this size. */
#define TOLERANCE_OUTPUT 1e-5
#define TOLERANCE_GRADIENT 2e-5
#define TOLERANCE_WEIGHT 1e-4
#define GRADIENT_FLOOR 1e-3 /* of the largest gradient: below it only the absolute error counts */
#define N_ADAM_STEP 3

/* ---- comparing ---- */

static double largest_of(const struct safetensors_entry *entry)
{
    const float *value = entry->data;
    double largest = 0.0;
    for (size_t i = 0; i < entry->n_element; i++) {
        largest = fmax(largest, fabs((double)value[i]));
    }
    return largest;
}

/* Appends the row of one tensor; there is room for every tensor of the bundle. */
static void compare(struct crosscheck_report *report, const struct safetensors_entry *expected,
                    const float *found, double floor, double tolerance)
{
    const float *truth = expected->data;
    double scale = fmax(largest_of(expected), floor), largest = -1.0;
    struct crosscheck_row *row = &report->row[report->n_row++];
    *row = (struct crosscheck_row){.tolerance = tolerance};
    snprintf(row->tensor, sizeof(row->tensor), "%s", expected->name);
    for (size_t i = 0; i < expected->n_element; i++) {
        double difference = fabs((double)found[i] - (double)truth[i]);
        if (isnan(difference)) {
            difference = INFINITY;
        }
        if (difference > largest) {
            largest = difference;
            row->worst = i;
            row->found = found[i];
            row->expected = truth[i];
        }
    }
    row->error = largest > 0.0 ? largest / scale : 0.0;
}

static void compare_expect(struct crosscheck_report *report, const struct crosscheck_bundle *bundle,
                           const char *name, const float *found, double tolerance)
{
    compare(report, crosscheck_bundle_entry(bundle, "expect", name), found, 0.0, tolerance);
}

static void compare_number(struct crosscheck_report *report, const struct crosscheck_bundle *bundle,
                           const char *name, double found, double tolerance)
{
    float value = (float)found;
    compare_expect(report, bundle, name, &value, tolerance);
}

static void compare_layout(struct crosscheck_report *report, const struct crosscheck_bundle *bundle,
                           const char *prefix, const float *found, double floor, double tolerance)
{
    const struct layout *layout = &bundle->model.layout;
    for (size_t i = 0; i < layout->n_tensor; i++) {
        const struct tensor *tensor = &layout->tensor[i];
        compare(report, crosscheck_bundle_entry(bundle, prefix, tensor->name),
                found + tensor->offset, floor, tolerance);
    }
}

/* ---- computing ---- */

static void load_weights(struct engine *engine, const struct crosscheck_bundle *bundle)
{
    const struct layout *layout = &bundle->model.layout;
    engine_initialise(engine, 0);
    for (size_t i = 0; i < layout->n_tensor; i++) {
        const struct tensor *tensor = &layout->tensor[i];
        const struct safetensors_entry *entry =
            crosscheck_bundle_entry(bundle, "param", tensor->name);
        memcpy(engine_param(engine) + tensor->offset, entry->data,
               tensor->n_element * sizeof(float));
    }
    engine_weights_changed(engine);
}

/* Logits and attention of the whole batch, gathered from the micro-batches. */
static enum status compare_outputs(struct crosscheck_report *report, struct engine *engine,
                                   const struct crosscheck_bundle *bundle, struct error *err)
{
    const struct model_shape *shape = &bundle->model.shape;
    const struct batch *batch = &bundle->batch;
    size_t n_logit =
        batch_n_answer(&bundle->model.shape, batch) / batch->n_sequence * shape->n_class;
    size_t n_map = shape->n_head * batch->n_token * batch->n_token;
    float *logits = calloc(batch->n_sequence * n_logit, sizeof(float));
    float *attention = calloc(shape->n_layer * batch->n_sequence * n_map, sizeof(float));
    if (!logits || !attention) {
        free(logits);
        free(attention);
        return error_memory(err, "computing logits and attention");
    }
    size_t n_done = 0;
    while (n_done < batch->n_sequence) {
        struct batch rest =
            batch_part(&engine_model(engine)->shape, batch, n_done, batch->n_sequence - n_done);
        size_t n = 0;
        const struct activations *act = engine_forward(engine, &rest, &n);
        memcpy(logits + n_done * n_logit, activations_logits(act), n * n_logit * sizeof(float));
        for (size_t l = 0; l < shape->n_layer; l++) {
            memcpy(attention + (l * batch->n_sequence + n_done) * n_map,
                   activations_attention(act, l), n * n_map * sizeof(float));
        }
        n_done += n;
    }
    compare_expect(report, bundle, "logits", logits, TOLERANCE_OUTPUT);
    for (size_t l = 0; l < shape->n_layer; l++) {
        char name[48];
        snprintf(name, sizeof(name), "attention.%zu", l);
        compare_expect(report, bundle, name, attention + l * batch->n_sequence * n_map,
                       TOLERANCE_OUTPUT);
    }
    free(logits);
    free(attention);
    return STATUS_OK;
}

static void compare_gradient(struct crosscheck_report *report, struct engine *engine,
                             const struct crosscheck_bundle *bundle)
{
    const struct layout *layout = &bundle->model.layout;
    double largest = 0.0;
    for (size_t i = 0; i < layout->n_tensor; i++) {
        largest = fmax(largest,
                       largest_of(crosscheck_bundle_entry(bundle, "grad", layout->tensor[i].name)));
    }
    struct train_result result = engine_gradient(engine, &bundle->batch);
    compare_number(report, bundle, "loss", result.loss, TOLERANCE_OUTPUT);
    compare_number(report, bundle, "grad_norm", result.grad_norm, TOLERANCE_GRADIENT);
    compare_layout(report, bundle, "grad", engine_grad(engine), GRADIENT_FLOOR * largest,
                   TOLERANCE_GRADIENT);
}

static void compare_training(struct crosscheck_report *report, struct engine *engine,
                             const struct crosscheck_bundle *bundle)
{
    for (int step = 1; step <= N_ADAM_STEP; step++) {
        char name[32];
        engine_train_step(engine, &bundle->batch, &bundle->adam);
        snprintf(name, sizeof(name), "loss_after_%d", step);
        compare_number(report, bundle, name, engine_gradient(engine, &bundle->batch).loss,
                       TOLERANCE_OUTPUT);
    }
    compare_layout(report, bundle, "adam3", engine_param(engine), 0.0, TOLERANCE_WEIGHT);
}

static enum status compare_all(struct crosscheck_report *report,
                               const struct crosscheck_bundle *bundle,
                               const struct crosscheck_options *options, struct error *err)
{
    const struct engine_options engine_options = {.lanes = options->lanes,
                                                  .micro_batch = options->micro_batch,
                                                  .batch_size = bundle->batch.n_sequence,
                                                  .threads = options->threads};
    struct engine *engine;
    TRY(engine_create(&engine, &bundle->model.shape, &engine_options, err));
    load_weights(engine, bundle);
    enum status status = compare_outputs(report, engine, bundle, err);
    compare_gradient(report, engine, bundle);
    compare_training(report, engine, bundle);
    engine_free(engine);
    return status;
}

/* ---- reports ---- */

enum status crosscheck_run(const char *path, const struct crosscheck_options *options,
                           struct crosscheck_report *report, struct error *err)
{
    struct crosscheck_bundle bundle;
    *report = (struct crosscheck_report){0};
    TRY(crosscheck_bundle_read(path, &bundle, err));
    snprintf(report->name, sizeof(report->name), "%s", safetensors_text(&bundle.file, "name", ""));
    variant_id(&bundle.model.shape.variant, report->variant);
    report->row = calloc(bundle.file.n_entry, sizeof(*report->row));
    enum status status = report->row ? compare_all(report, &bundle, options, err)
                                     : error_memory(err, "comparing a bundle");
    crosscheck_bundle_free(&bundle);
    if (status != STATUS_OK) {
        error_prefix(err, "%s", path);
        crosscheck_report_free(report);
    }
    return status;
}

void crosscheck_report_free(struct crosscheck_report *report)
{
    free(report->row);
    *report = (struct crosscheck_report){0};
}

bool crosscheck_row_passed(const struct crosscheck_row *row)
{
    return row->error <= row->tolerance;
}

bool crosscheck_passed(const struct crosscheck_report *report)
{
    for (size_t i = 0; i < report->n_row; i++) {
        if (!crosscheck_row_passed(&report->row[i])) {
            return false;
        }
    }
    return report->n_row > 0;
}

const struct crosscheck_row *crosscheck_worst(const struct crosscheck_report *report)
{
    const struct crosscheck_row *worst = NULL;
    for (size_t i = 0; i < report->n_row; i++) {
        const struct crosscheck_row *row = &report->row[i];
        if (!worst || row->error / row->tolerance > worst->error / worst->tolerance) {
            worst = row;
        }
    }
    return worst;
}

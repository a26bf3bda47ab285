/* Seconds go into run.json alone: everything in the tables is the same at any number of threads. */
#include "lab/training/result.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "base/text.h"
#include "lab/record/provenance.h"
#include "lab/training/metrics.h"
#include "lab/training/train.h"

static json_t *step_or_null(long step)
{
    return step == STEP_NEVER ? json_null() : json_integer(step);
}

static json_t *variant_json(const struct variant *variant)
{
    char id[VARIANT_TEXT_SIZE], name[VARIANT_TEXT_SIZE];
    variant_id(variant, id);
    variant_name(variant, name);
    return json_pack("{s:s, s:s, s:I, s:b, s:b}", "id", id, "name", name, "n_slot",
                     (json_int_t)variant_n_slot(variant), "product_symmetric",
                     variant_product_symmetric(variant), "scores_symmetric",
                     variant_scores_symmetric(variant));
}

static json_t *task_results_json(const struct run_result *result)
{
    const struct config *config = result->config;
    const struct evaluation *evaluation = result->evaluation;
    const double *loss = result->step_loss;
    size_t n = result->n_step;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "token_accuracy",
                     json_number(evaluation->token_accuracy), "sequence_accuracy",
                     json_number(evaluation->sequence_accuracy), "loss",
                     json_number(evaluation->loss), "position_floor",
                     json_number(task_floor(config->task, config->seq_len)), "escape_step",
                     step_or_null(metrics_escape_step(loss, n)), "step_below_2.2",
                     step_or_null(metrics_first_below(loss, n, 2.2)), "step_below_0.1",
                     step_or_null(metrics_first_below(loss, n, 0.1)));
}

static json_t *class_accuracy_json(const struct evaluation *evaluation)
{
    json_t *list = json_array();
    for (size_t c = 0; c < evaluation->n_class; c++) {
        json_array_append_new(list, json_number(evaluation_class_accuracy(evaluation, c)));
    }
    return list;
}

static json_t *image_results_json(const struct run_result *result)
{
    const struct evaluation *evaluation = result->evaluation;
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "top1", json_number(evaluation->top1), "top5",
                     json_number(evaluation->top5), "train_top1", json_number(result->train_top1),
                     "loss", json_number(evaluation->loss), "class_accuracy",
                     result->diverged ? json_null() : class_accuracy_json(evaluation));
}

static json_t *results_json(const struct run_result *result)
{
    size_t n = result->n_step;
    json_t *results = result->images ? image_results_json(result) : task_results_json(result);
    json_object_set_new(results, "final_train_loss", json_number(result->step_loss[n - 1]));
    json_object_set_new(results, "n_step", json_integer((json_int_t)n));
    json_object_set_new(results, "diverged_step",
                        step_or_null(result->diverged ? (long)n - 1 : STEP_NEVER));
    return results;
}

void result_data_warning(const struct image_data *images, char text[RESULT_WARNING_SIZE])
{
    text[0] = '\0';
    if (images && images->origin == IMAGES_OTHER) {
        snprintf(text, RESULT_WARNING_SIZE,
                 "the images found are not the published ones of %s (qkvlab data check %s tells "
                 "which file differs); the accuracy is comparable with no published one",
                 images->dataset->title, images->dataset->name);
    }
}

static json_t *data_json(struct image_data *images)
{
    json_t *names = json_array();
    for (size_t c = 0; c < images->n_class; c++) {
        json_array_append_new(names, json_text(images->class_name[c]));
    }
    json_t *data = json_pack("{s:s, s:I, s:I, s:o}", "sha256", image_data_hash(images), "n_train",
                             (json_int_t)images->train.n_image, "n_test",
                             (json_int_t)images->test.n_image, "class_name", names);
    char warning[RESULT_WARNING_SIZE];
    bool known = images->origin != IMAGES_UNKNOWN;
    result_data_warning(images, warning);
    json_object_set_new(data, "published",
                        known ? json_boolean(images->origin == IMAGES_PUBLISHED) : json_null());
    json_object_set_new(data, "warning", warning[0] ? json_string(warning) : json_null());
    return data;
}

/* printf shows the sign of what is no number, which depends on the processor. */
static double without_sign(double value)
{
    return isnan(value) ? (double)NAN : value;
}

static json_t *message_json(const struct run_result *result)
{
    if (!result->diverged) {
        return json_null();
    }
    char text[256];
    snprintf(text, sizeof text,
             "diverged at step %zu: loss %g, gradient norm %g; a learning_rate below %g may help",
             result->n_step - 1, without_sign(result->step_loss[result->n_step - 1]),
             without_sign(result->grad_norm[result->n_step - 1]), result->config->learning_rate);
    return json_string(text);
}

json_t *result_json(const struct run_result *result)
{
    char id[CONFIG_ID_SIZE];
    config_id(result->config, id);
    json_t *attention = result->attention ? json_incref(result->attention) : json_null();
    json_t *timing = json_pack(
        "{s:o, s:o, s:o, s:o}", "train_seconds", json_number(result->train_seconds),
        "batch_seconds", json_number(result->batch_seconds), "evaluate_seconds",
        json_number(result->evaluate_seconds), "wall_seconds", json_number(result->wall_seconds));
    json_t *versions = json_pack("{s:i, s:i}", "engine", ENGINE_VERSION, "task",
                                 config_task_version(result->config));
    json_t *root = json_pack(
        "{s:s, s:s, s:s, s:o, s:o, s:o, s:I, s:o, s:o, s:s, s:o, s:o, s:o, s:o}", "format",
        "qkvlab-run-1", "id", id, "status", result->diverged ? "diverged" : "ok", "versions",
        versions, "config", config_json(result->config), "variant",
        variant_json(&result->config->variant), "n_param", (json_int_t)result->n_param, "results",
        results_json(result), "attention", attention, "weights_sha256", result->weights_sha256,
        "timing", timing, "machine", provenance_machine(result->threads), "build",
        provenance_build(), "message", message_json(result));
    if (result->images) {
        json_object_set_new(root, "data", data_json(result->images));
    }
    return root;
}

/* ---- tables beside run.json ---- */

static void append_curve(struct text *text, const struct run_result *result)
{
    text_append(text, "step,loss,learning_rate,grad_norm,accuracy\n");
    for (size_t s = 0; s < result->n_step; s++) {
        text_append(text, "%zu,%.9g,%.9g,%.9g,%.9g\n", s, without_sign(result->step_loss[s]),
                    train_learning_rate(result->config, s, result->n_planned),
                    without_sign(result->grad_norm[s]), result->accuracy[s]);
    }
}

static void append_epochs(struct text *text, const struct run_result *result)
{
    text_append(text, "epoch,train_loss,test_loss,top1,top5,train_top1\n");
    for (size_t e = 0; e < result->n_epoch; e++) {
        const struct epoch_result *epoch = &result->epoch[e];
        text_append(text, "%zu,%.9g,%.9g,%.9g,%.9g,%.9g\n", e, epoch->train_loss, epoch->test_loss,
                    epoch->top1, epoch->top5, epoch->train_top1);
    }
}

/* A class's name as a field of a table, quoted where it needs to be. */
static void append_class(struct text *text, const struct image_data *images, size_t class)
{
    const char *name = class < images->n_class ? images->class_name[class] : "";
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
    const struct evaluation *evaluation = result->evaluation;
    size_t n = evaluation->n_class;
    text_append(text, "true class");
    for (size_t c = 0; c < n; c++) {
        text_append(text, ",");
        append_class(text, result->images, c);
    }
    text_append(text, "\n");
    for (size_t row = 0; row < n; row++) {
        append_class(text, result->images, row);
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
    enum status status = path_format(path, err, "%s/%s", folder, name);
    if (status == STATUS_OK) {
        table(&text, result);
        status = text_write(&text, path, err);
    }
    text_free(&text);
    return status;
}

enum status result_write_files(const struct run_result *result, const char *folder,
                               struct error *err)
{
    enum status status = write_table(append_curve, result, folder, "curve.csv", err);
    if (status == STATUS_OK && result->images) {
        status = write_table(append_epochs, result, folder, "epochs.csv", err);
    }
    if (status == STATUS_OK && result->images && !result->diverged) {
        status = write_table(append_confusion, result, folder, "confusion.csv", err);
    }
    return status;
}

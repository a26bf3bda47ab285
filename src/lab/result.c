/* Seconds go into run.json alone: everything in curve.csv is the same at any number of threads. */
#include "lab/result.h"

#include <stdio.h>

#include "lab/metrics.h"
#include "lab/provenance.h"
#include "lab/train.h"

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

static json_t *results_json(const struct run_result *result)
{
    const struct config *config = result->config;
    const double *loss = result->step_loss;
    size_t n = result->n_step;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o}", "token_accuracy",
                     json_number(result->token_accuracy), "sequence_accuracy",
                     json_number(result->sequence_accuracy), "loss", json_number(result->loss),
                     "position_floor", json_number(task_floor(config->task, config->seq_len)),
                     "escape_step", step_or_null(metrics_escape_step(loss, n)), "step_below_2.2",
                     step_or_null(metrics_first_below(loss, n, 2.2)), "step_below_0.1",
                     step_or_null(metrics_first_below(loss, n, 0.1)), "final_train_loss",
                     json_number(loss[n - 1]), "n_step", (json_int_t)n, "diverged_step",
                     step_or_null(result->diverged ? (long)n - 1 : STEP_NEVER));
}

static json_t *message_json(const struct run_result *result)
{
    if (!result->diverged) {
        return json_null();
    }
    char text[256];
    snprintf(text, sizeof text,
             "diverged at step %zu: loss %g, gradient norm %g; a learning_rate below %g may help",
             result->n_step - 1, result->step_loss[result->n_step - 1],
             result->grad_norm[result->n_step - 1], result->config->learning_rate);
    return json_string(text);
}

json_t *result_json(const struct run_result *result)
{
    char id[CONFIG_ID_SIZE];
    config_id(result->config, id);
    json_t *attention = result->attention ? json_incref(result->attention) : json_null();
    json_t *timing = json_pack(
        "{s:o, s:o, s:o}", "train_seconds", json_number(result->train_seconds), "evaluate_seconds",
        json_number(result->evaluate_seconds), "wall_seconds", json_number(result->wall_seconds));
    json_t *versions =
        json_pack("{s:i, s:i}", "engine", ENGINE_VERSION, "task", result->config->task->version);
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:I, s:o, s:o, s:s, s:o, s:o, s:o, s:o}",
                     "format", "qkvlab-run-1", "id", id, "status",
                     result->diverged ? "diverged" : "ok", "versions", versions, "config",
                     config_json(result->config), "variant", variant_json(&result->config->variant),
                     "n_param", (json_int_t)result->n_param, "results", results_json(result),
                     "attention", attention, "weights_sha256", result->weights_sha256, "timing",
                     timing, "machine", provenance_machine(result->threads), "build",
                     provenance_build(), "message", message_json(result));
}

enum status result_write_curve(const struct run_result *result, const char *folder,
                               struct error *err)
{
    char path[PATH_SIZE];
    enum status status = path_format(path, err, "%s/curve.csv", folder);
    if (status != STATUS_OK) {
        return status;
    }
    struct text text = {0};
    size_t n_planned = config_steps(result->config);
    text_append(&text, "step,loss,learning_rate,grad_norm\n");
    for (size_t s = 0; s < result->n_step; s++) {
        text_append(&text, "%zu,%.9g,%.9g,%.9g\n", s, result->step_loss[s],
                    train_learning_rate(result->config, s, n_planned), result->grad_norm[s]);
    }
    status = text_write(&text, path, err);
    text_free(&text);
    return status;
}

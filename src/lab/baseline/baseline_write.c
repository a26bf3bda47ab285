/* A list of numbers is one line: written one number a line, a file of ten seeds would have a
 * hundred thousand of them. Numbers have as few digits as read back as the same double; those of
 * fingerprints are no more than an estimate, and have nine.
 */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "lab/baseline/baseline.h"
#include "lab/baseline/baseline_tolerance.h"
#include "lab/training/metrics.h"

static void append_number(struct text *text, double value)
{
    char digits[32];
    for (int n = 6; n <= 17; n++) {
        snprintf(digits, sizeof digits, "%.*g", n, value);
        if (strtod(digits, NULL) == value) {
            break;
        }
    }
    text_append(text, "%s", isfinite(value) ? digits : "null");
}

static void append_numbers(struct text *text, const double *value, size_t n)
{
    text_append(text, value ? "[" : "null");
    for (size_t i = 0; value && i < n; i++) {
        text_append(text, i > 0 ? "," : "");
        append_number(text, value[i]);
    }
    text_append(text, value ? "]" : "");
}

/* An envelope is measured on a few runs: three digits say all there is. */
static void append_envelope(struct text *text, const double *value, size_t n)
{
    text_append(text, "[");
    for (size_t i = 0; i < n; i++) {
        text_append(text, "%s%.3g", i > 0 ? "," : "", value[i]);
    }
    text_append(text, "]");
}

static void append_string(struct text *text, const char *string)
{
    json_t *value = json_text(string);
    if (value) {
        json_append(text, value);
    }
    text->failed = text->failed || !value;
    json_decref(value);
}

/* A whole value of another format on one line, or null. */
static void append_compact(struct text *text, const json_t *value)
{
    char *line = value ? json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    text->failed = text->failed || (value && !line);
    text_append(text, "%s", line ? line : "null");
    free(line);
}

static void append_fingerprints(struct text *text, const struct fingerprint *tensor, size_t n)
{
    text_append(text, "[");
    for (size_t i = 0; i < n; i++) {
        text_append(text, "%s[\"%s\",%.9g", i > 0 ? "," : "", tensor[i].hash, tensor[i].norm);
        for (size_t k = 0; k < BASELINE_N_PROJECTION; k++) {
            text_append(text, ",%.9g", tensor[i].projection[k]);
        }
        text_append(text, "]");
    }
    text_append(text, "]");
}

static void append_step(struct text *text, double step)
{
    if (isfinite(step) && step >= 0) {
        text_append(text, "%.0f", step);
    } else {
        text_append(text, "null");
    }
}

static void append_summary(struct text *text, const struct baseline_run *run)
{
    text_append(text, "        {\"seed\": %llu, \"diverged\": %s, \"escape_step\": ",
                (unsigned long long)run->seed, run->diverged ? "true" : "false");
    append_step(text, (double)run->escape_step);
    text_append(text, ", \"reaches\": {");
    for (size_t i = 0; i < DYNAMICS_N_LEVEL; i++) {
        text_append(text, "%s\"%g\": ", i > 0 ? ", " : "", dynamics_level[i]);
        append_step(text, run->reaches[i]);
    }
    text_append(text, "},\n         \"evaluations\": [");
    for (size_t i = 0; i < run->n_evaluation; i++) {
        const struct baseline_evaluation *evaluation = &run->evaluation[i];
        text_append(text, "%s[%zu,", i > 0 ? "," : "", evaluation->n_done);
        append_number(text, evaluation->loss);
        text_append(text, ",");
        append_number(text, evaluation->accuracy);
        text_append(text, "]");
    }
    text_append(text, "]");
}

static void append_run(struct text *text, const struct baseline_part *part,
                       const struct baseline_run *run)
{
    static const char gap[] = ",\n         ";
    append_summary(text, run);
    text_append(text, "%s\"step\": %s", gap, run->step ? "[" : "null");
    for (size_t i = 0; run->step && i < run->n_point; i++) {
        text_append(text, "%s%zu", i > 0 ? "," : "", run->step[i]);
    }
    text_append(text, "%s%s\"loss\": ", run->step ? "]" : "", gap);
    append_numbers(text, run->loss, run->n_point);
    text_append(text, "%s\"grad_norm\": ", gap);
    append_numbers(text, run->grad_norm, run->n_point);
    text_append(text, "%s\"accuracy\": ", gap);
    append_numbers(text, run->accuracy, run->n_point);
    if (run->gradient) {
        text_append(text, "%s\"gradient\": ", gap);
        append_fingerprints(text, run->gradient, part->n_tensor);
    }
    text_append(text, "%s\"weights\": [", gap);
    for (size_t i = 0; i < run->n_weights; i++) {
        text_append(text, "%s\n          {\"n_done\": %zu, \"tensors\": ", i > 0 ? "," : "",
                    run->weights[i].n_done);
        append_fingerprints(text, run->weights[i].tensor, part->n_tensor);
        text_append(text, "}");
    }
    text_append(text, "]}");
}

static void append_tolerance(struct text *text, const struct tolerance *tolerance)
{
    if (!tolerance) {
        text_append(text, "      \"tolerance\": null,\n");
        return;
    }
    text_append(text, "      \"tolerance\": {\n        \"changes\": [");
    for (size_t i = 0; i < tolerance->n_change; i++) {
        text_append(text, i > 0 ? ", " : "");
        append_string(text, tolerance->change[i]);
    }
    text_append(text, "]");
    for (size_t kind = 0; kind < TOLERANCE_COUNT; kind++) {
        text_append(text, ",\n        \"%s\": {\"factor\": %.4g, \"envelope\": ",
                    tolerance_key((enum tolerance_kind)kind), tolerance->factor[kind]);
        append_envelope(text, tolerance->envelope[kind], tolerance->n_value[kind]);
        text_append(text, "}");
    }
    text_append(text, "\n      },\n");
}

/* The keys without the seed, which is that of a run. */
static void append_config(struct text *text, const struct baseline_part *part)
{
    json_t *config = part->trained_here ? config_json(&part->config) : NULL;
    json_object_del(config, "seed");
    text_append(text, "      \"config\": ");
    append_compact(text, config);
    text_append(text, ",\n");
    json_decref(config);
}

static void append_part(struct text *text, const struct baseline_part *part)
{
    text_append(text, "    {\n      \"name\": ");
    append_string(text, part->name);
    text_append(text, ",\n");
    append_config(text, part);
    text_append(text, "      \"task_version\": %d,\n      \"n_step\": %zu,\n      \"tensors\": [",
                part->task_version, part->n_step);
    for (size_t i = 0; i < part->n_tensor; i++) {
        text_append(text, i > 0 ? ", " : "");
        append_string(text, part->tensor[i]);
    }
    text_append(text, "],\n");
    append_tolerance(text, part->tolerance);
    text_append(text, "      \"runs\": [\n");
    for (size_t i = 0; i < part->n_run; i++) {
        append_run(text, part, &part->run[i]);
        text_append(text, i + 1 < part->n_run ? ",\n" : "\n");
    }
    text_append(text, "      ]\n    }");
}

enum status baseline_write(const struct baseline *baseline, const char *path, struct error *err)
{
    struct text text = {0};
    text_append(&text, "{\n  \"format\": \"%s\",\n  \"engine\": ", BASELINE_FORMAT);
    if (baseline->engine > 0) {
        text_append(&text, "%d", baseline->engine);
    } else {
        text_append(&text, "null");
    }
    text_append(&text, ",\n  \"machine\": ");
    append_compact(&text, baseline->machine);
    text_append(&text, ",\n  \"build\": ");
    append_compact(&text, baseline->build);
    text_append(&text, ",\n  \"parts\": [\n");
    for (size_t i = 0; i < baseline->n_part; i++) {
        append_part(&text, &baseline->part[i]);
        text_append(&text, i + 1 < baseline->n_part ? ",\n" : "\n");
    }
    text_append(&text, "  ]\n}\n");
    enum status status = text_write(&text, path, err);
    text_free(&text);
    return status;
}

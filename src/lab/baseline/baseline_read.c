/* A baseline decides whether a build passes, so a file that is not whole is refused: every list
 * must have the length that others say it has.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/baseline/baseline.h"
#include "lab/baseline/baseline_tolerance.h"
#include "lab/config/config.h"
#include "lab/training/metrics.h"

#define MAX_LENGTH ((size_t)10000000)

static enum status wrong(struct error *err, const char *what)
{
    return error_set(err, STATUS_DATA, "%s", what);
}

static enum status out_of_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "out of memory");
}

static double number_or_nan(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* A list of n numbers under a key, null being one that is not finite. A missing list or null gives
 * NULL where that is allowed. */
static enum status read_numbers(const json_t *object, const char *key, size_t n, bool needed,
                                double **numbers, struct error *err)
{
    const json_t *list = json_object_get(object, key);
    *numbers = NULL;
    if (!needed && (!list || json_is_null(list))) {
        return STATUS_OK;
    }
    if (!json_is_array(list) || json_array_size(list) != n) {
        return error_set(err, STATUS_DATA, "%s: expected a list of %zu numbers", key, n);
    }
    *numbers = malloc((n + 1) * sizeof **numbers);
    if (!*numbers) {
        return out_of_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_array_get(list, i);
        if (!json_is_number(value) && !json_is_null(value)) {
            return error_set(err, STATUS_DATA, "%s: value %zu is no number", key, i);
        }
        (*numbers)[i] = number_or_nan(value);
    }
    return STATUS_OK;
}

static enum status read_steps(const json_t *object, struct baseline_run *run, struct error *err)
{
    const json_t *list = json_object_get(object, "step");
    if (!list || json_is_null(list)) {
        return STATUS_OK;
    }
    if (!json_is_array(list) || json_array_size(list) != run->n_point) {
        return error_set(err, STATUS_DATA, "step: expected a list of %zu numbers", run->n_point);
    }
    run->step = malloc((run->n_point + 1) * sizeof *run->step);
    if (!run->step) {
        return out_of_memory(err);
    }
    for (size_t i = 0; i < run->n_point; i++) {
        const json_t *value = json_array_get(list, i);
        long long step = json_is_integer(value) ? json_integer_value(value) : -1;
        if (step < 0 || (i > 0 && (size_t)step <= run->step[i - 1])) {
            return error_set(err, STATUS_DATA, "step: value %zu is no step, or not ascending", i);
        }
        run->step[i] = (size_t)step;
    }
    return STATUS_OK;
}

static enum status read_fingerprints(const json_t *list, size_t n_tensor,
                                     struct fingerprint **tensor, struct error *err)
{
    if (!json_is_array(list) || json_array_size(list) != n_tensor) {
        return error_set(err, STATUS_DATA, "expected the fingerprints of %zu tensors", n_tensor);
    }
    *tensor = calloc(n_tensor + 1, sizeof **tensor);
    if (!*tensor) {
        return out_of_memory(err);
    }
    for (size_t i = 0; i < n_tensor; i++) {
        const json_t *entry = json_array_get(list, i);
        const char *hash = json_string_value(json_array_get(entry, 0));
        if (json_array_size(entry) != 2 + BASELINE_N_PROJECTION || !hash) {
            return error_set(err, STATUS_DATA, "fingerprint %zu is none", i);
        }
        struct fingerprint *print = &(*tensor)[i];
        snprintf(print->hash, sizeof print->hash, "%s", hash);
        print->norm = number_or_nan(json_array_get(entry, 1));
        for (size_t k = 0; k < BASELINE_N_PROJECTION; k++) {
            print->projection[k] = number_or_nan(json_array_get(entry, 2 + k));
        }
    }
    return STATUS_OK;
}

static enum status read_weights(const json_t *object, const struct baseline_part *part,
                                struct baseline_run *run, struct error *err)
{
    const json_t *gradient = json_object_get(object, "gradient");
    const json_t *list = json_object_get(object, "weights");
    size_t n = json_array_size(list);
    enum status status = STATUS_OK;
    if (gradient && !json_is_null(gradient)) {
        status = read_fingerprints(gradient, part->n_tensor, &run->gradient, err);
    }
    run->weights = calloc(n + 1, sizeof *run->weights);
    if (status == STATUS_OK && !run->weights) {
        status = out_of_memory(err);
    }
    for (size_t i = 0; i < n && status == STATUS_OK; i++) {
        const json_t *entry = json_array_get(list, i);
        run->weights[i].n_done = (size_t)json_get_integer(entry, "n_done", 0);
        run->n_weights = i + 1;
        status = read_fingerprints(json_object_get(entry, "tensors"), part->n_tensor,
                                   &run->weights[i].tensor, err);
    }
    if (status != STATUS_OK) {
        error_prefix(err, "weights");
    }
    return status;
}

static enum status read_evaluations(const json_t *object, struct baseline_run *run,
                                    struct error *err)
{
    const json_t *list = json_object_get(object, "evaluations");
    size_t n = json_array_size(list);
    if (n > BASELINE_MAX_EVALUATION) {
        return error_set(err, STATUS_DATA, "evaluations: expected at most %d",
                         BASELINE_MAX_EVALUATION);
    }
    for (size_t i = 0; i < n; i++) {
        const json_t *entry = json_array_get(list, i);
        if (json_array_size(entry) != 3 || !json_is_integer(json_array_get(entry, 0))) {
            return wrong(err, "evaluations: expected [n_done, loss, accuracy]");
        }
        run->evaluation[i] = (struct baseline_evaluation){
            .n_done = (size_t)json_integer_value(json_array_get(entry, 0)),
            .loss = number_or_nan(json_array_get(entry, 1)),
            .accuracy = number_or_nan(json_array_get(entry, 2))};
    }
    run->n_evaluation = n;
    return STATUS_OK;
}

static enum status check_losses(const struct baseline_run *run, struct error *err)
{
    size_t n = run->diverged ? run->n_point - 1 : run->n_point;
    for (size_t i = 0; i < n; i++) {
        if (!(run->loss[i] >= 0)) {
            return error_set(err, STATUS_DATA,
                             "loss: value %zu: expected a number of at least 0; null is the last "
                             "one of a run that diverged",
                             i);
        }
    }
    return STATUS_OK;
}

static enum status read_run(const json_t *object, const struct baseline_part *part,
                            struct baseline_run *run, struct error *err)
{
    const json_t *seed = json_object_get(object, "seed");
    if (!json_is_integer(seed) || json_integer_value(seed) < 0) {
        return wrong(err, "seed: expected a whole number");
    }
    run->seed = (uint64_t)json_integer_value(seed);
    run->diverged = json_is_true(json_object_get(object, "diverged"));
    run->n_point = json_array_size(json_object_get(object, "loss"));
    enum status status = run->n_point == 0 || run->n_point > MAX_LENGTH
                             ? wrong(err, "loss: expected a list of numbers")
                             : read_numbers(object, "loss", run->n_point, true, &run->loss, err);
    if (status == STATUS_OK) {
        status = check_losses(run, err);
    }
    if (status == STATUS_OK) {
        status = read_numbers(object, "grad_norm", run->n_point, false, &run->grad_norm, err);
    }
    if (status == STATUS_OK) {
        status = read_numbers(object, "accuracy", run->n_point, false, &run->accuracy, err);
    }
    if (status == STATUS_OK) {
        status = read_steps(object, run, err);
    }
    if (status == STATUS_OK) {
        status = read_evaluations(object, run, err);
    }
    if (status == STATUS_OK) {
        status = read_weights(object, part, run, err);
    }
    if (status == STATUS_OK) {
        baseline_settle(run);
    }
    return status;
}

static enum status read_tolerance(const json_t *object, struct baseline_part *part,
                                  struct error *err)
{
    if (!json_is_object(object)) {
        return STATUS_OK;
    }
    struct tolerance *tolerance = part->tolerance = calloc(1, sizeof *tolerance);
    enum status status = tolerance ? STATUS_OK : out_of_memory(err);
    const json_t *changes = json_object_get(object, "changes");
    for (size_t i = 0; status == STATUS_OK && i < json_array_size(changes); i++) {
        const char *change = json_string_value(json_array_get(changes, i));
        if (i < TOLERANCE_MAX_CHANGE && change) {
            snprintf(tolerance->change[i], TOLERANCE_CHANGE_SIZE, "%s", change);
            tolerance->n_change = i + 1;
        }
    }
    for (size_t k = 0; k < TOLERANCE_COUNT && status == STATUS_OK; k++) {
        const char *key = tolerance_key((enum tolerance_kind)k);
        const json_t *entry = json_object_get(object, key);
        tolerance->factor[k] = json_get_number(entry, "factor", NAN);
        tolerance->n_value[k] = json_array_size(json_object_get(entry, "envelope"));
        status = read_numbers(entry, "envelope", tolerance->n_value[k], true,
                              &tolerance->envelope[k], err);
        if (status == STATUS_OK && !(tolerance->factor[k] > 0)) {
            status = wrong(err, "factor: expected a number above 0");
        }
        if (status != STATUS_OK) {
            error_prefix(err, "tolerance, %s", key);
        }
    }
    return status;
}

static enum status read_tensors(const json_t *object, struct baseline_part *part, struct error *err)
{
    const json_t *list = json_object_get(object, "tensors");
    size_t n = json_array_size(list);
    part->tensor = calloc(n + 1, sizeof *part->tensor);
    if (!part->tensor) {
        return out_of_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        if (!name) {
            return wrong(err, "tensors: expected a list of names");
        }
        snprintf(part->tensor[i], sizeof part->tensor[i], "%s", name);
    }
    part->n_tensor = n;
    return STATUS_OK;
}

static enum status read_config(const json_t *object, struct baseline_part *part, struct error *err)
{
    const json_t *config = json_object_get(object, "config");
    if (!json_is_object(config)) {
        return STATUS_OK;
    }
    if (config_from_json(config, &part->config, err) != STATUS_OK ||
        config_resolve(&part->config, err) != STATUS_OK) {
        error_prefix(err, "config");
        return STATUS_DATA;
    }
    part->trained_here = true;
    return STATUS_OK;
}

static enum status read_runs(const json_t *object, struct baseline_part *part, struct error *err)
{
    const json_t *list = json_object_get(object, "runs");
    size_t n = json_array_size(list);
    part->run = calloc(n + 1, sizeof *part->run);
    enum status status = part->run ? STATUS_OK : out_of_memory(err);
    for (size_t i = 0; i < n && status == STATUS_OK; i++) {
        part->n_run = i + 1;
        status = read_run(json_array_get(list, i), part, &part->run[i], err);
        if (status == STATUS_OK && baseline_find_run(part, part->run[i].seed) != &part->run[i]) {
            status = error_set(err, STATUS_DATA, "seed %llu is there twice",
                               (unsigned long long)part->run[i].seed);
        }
        if (status != STATUS_OK) {
            error_prefix(err, "run %zu", i);
        }
    }
    return status == STATUS_OK && n == 0 ? wrong(err, "runs: there are none") : status;
}

static enum status read_part(const json_t *object, struct baseline_part *part, struct error *err)
{
    const char *name = json_get_text(object, "name", "");
    if (name[0] == '\0') {
        return wrong(err, "part without a name");
    }
    snprintf(part->name, sizeof part->name, "%s", name);
    part->task_version = (int)json_get_integer(object, "task_version", 0);
    part->n_step = (size_t)json_get_integer(object, "n_step", 0);
    enum status status = read_config(object, part, err);
    if (status == STATUS_OK) {
        status = read_tensors(object, part, err);
    }
    if (status == STATUS_OK) {
        status = read_tolerance(json_object_get(object, "tolerance"), part, err);
    }
    if (status == STATUS_OK) {
        status = read_runs(object, part, err);
    }
    if (status != STATUS_OK) {
        error_prefix(err, "part '%s'", part->name);
    }
    return status;
}

static enum status read_all(const json_t *root, struct baseline *baseline, struct error *err)
{
    const char *format = json_get_text(root, "format", "");
    if (strcmp(format, BASELINE_FORMAT) != 0) {
        return error_set(err, STATUS_DATA,
                         "no baseline that this program knows: expected format %s, found '%.60s'; "
                         "`qkvlab baseline record` makes one",
                         BASELINE_FORMAT, format);
    }
    const json_t *list = json_object_get(root, "parts");
    size_t n = json_array_size(list);
    baseline->engine = (int)json_get_integer(root, "engine", 0);
    const json_t *machine = json_object_get(root, "machine");
    const json_t *build = json_object_get(root, "build");
    baseline->machine = json_is_object(machine) ? json_incref((json_t *)machine) : NULL;
    baseline->build = json_is_object(build) ? json_incref((json_t *)build) : NULL;
    baseline->part = calloc(n + 1, sizeof *baseline->part);
    enum status status = baseline->part ? STATUS_OK : out_of_memory(err);
    for (size_t i = 0; i < n && status == STATUS_OK; i++) {
        baseline->n_part = i + 1;
        status = read_part(json_array_get(list, i), &baseline->part[i], err);
        if (status == STATUS_OK &&
            baseline_find_part(baseline, baseline->part[i].name) != &baseline->part[i]) {
            status =
                error_set(err, STATUS_DATA, "part '%s' is there twice", baseline->part[i].name);
        }
    }
    return status == STATUS_OK && n == 0 ? wrong(err, "parts: there are none") : status;
}

enum status baseline_read(const char *path, struct baseline *baseline, struct error *err)
{
    *baseline = (struct baseline){0};
    json_t *root;
    enum status status = json_read(path, &root, err);
    if (status != STATUS_OK) {
        return status;
    }
    status = read_all(root, baseline, err);
    if (status != STATUS_OK) {
        error_prefix(err, "%s", path);
    }
    json_decref(root);
    return status;
}

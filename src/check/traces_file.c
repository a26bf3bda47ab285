/* A baseline decides whether a build passes, so a file that is not whole is refused: every list
 * must have the length that others say it has.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/traces.h"
#include "lab/config/config.h"
#include "lab/record/provenance.h"
#include "lab/training/metrics.h"

#define MAX_LENGTH ((size_t)10000000)
#define EXACT 17          /* digits */
#define PRINT_DIGITS 9    /* of a fingerprint's numbers, which are no more than an estimate */
#define ENVELOPE_DIGITS 3 /* an envelope is measured on a few trainings */
#define FACTOR_DIGITS 4

/* ---- reading ---- */

static bool is_there(const json_t *value)
{
    return value && !json_is_null(value);
}

static double number_or_nan(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* A list of n numbers, null being one that is not finite. */
static enum status read_numbers(const json_t *list, const char *key, size_t n, double **numbers,
                                struct error *err)
{
    if (!json_is_array(list) || json_array_size(list) != n) {
        return error_set(err, STATUS_DATA, "%s: expected a list of %zu numbers", key, n);
    }
    TRY_CALLOC(err, *numbers, n, "reading a baseline");
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_array_get(list, i);
        if (!json_is_number(value) && !json_is_null(value)) {
            return error_set(err, STATUS_DATA, "%s: value %zu is no number", key, i);
        }
        (*numbers)[i] = number_or_nan(value);
    }
    return STATUS_OK;
}

static enum status check_points(const struct trace *trace, struct error *err)
{
    for (size_t i = 0; i < trace->n_point; i++) {
        bool ends = trace->diverged && i + 1 == trace->n_point;
        if (!ends && !(trace->curve[CURVE_LOSS][i] >= 0)) {
            return error_set(err, STATUS_DATA,
                             "loss: value %zu: expected a number of at least 0; null is the last "
                             "one of a run that diverged",
                             i);
        }
        double step = trace->step ? trace->step[i] : (double)i;
        if (!(step >= 0 && step <= TRACE_MAX_STEP && step == floor(step)) ||
            (trace->step && i > 0 && step <= trace->step[i - 1])) {
            return error_set(err, STATUS_DATA, "step: value %zu is no step, or not ascending", i);
        }
    }
    return STATUS_OK;
}

static enum status read_points(const json_t *object, struct trace *trace, struct error *err)
{
    const char *key[] = {"step", curve_keys[CURVE_LOSS], curve_keys[CURVE_GRAD_NORM],
                         curve_keys[CURVE_ACCURACY]};
    double **numbers[] = {&trace->step, &trace->curve[CURVE_LOSS], &trace->curve[CURVE_GRAD_NORM],
                          &trace->curve[CURVE_ACCURACY]};
    trace->n_point = json_array_size(json_object_get(object, curve_keys[CURVE_LOSS]));
    if (trace->n_point == 0 || trace->n_point > MAX_LENGTH) {
        return error_set(err, STATUS_DATA, "loss: expected a list of numbers");
    }
    for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
        const json_t *list = json_object_get(object, key[i]);
        if (is_there(list)) {
            TRY(read_numbers(list, key[i], trace->n_point, numbers[i], err));
        }
    }
    return check_points(trace, err);
}

static enum status read_evaluations(const json_t *object, struct trace *trace, struct error *err)
{
    const json_t *list = json_object_get(object, "evaluations");
    size_t n = json_array_size(list);
    if (n > TRACE_MAX_EVALUATION) {
        return error_set(err, STATUS_DATA, "evaluations: expected at most %d",
                         TRACE_MAX_EVALUATION);
    }
    for (; trace->n_evaluation < n; trace->n_evaluation++) {
        json_t *loss, *accuracy;
        json_int_t n_done;
        if (json_unpack(json_array_get(list, trace->n_evaluation), "[I, o, o!]", &n_done, &loss,
                        &accuracy) != 0) {
            return error_set(err, STATUS_DATA, "evaluations: expected [n_done, loss, accuracy]");
        }
        trace->evaluation[trace->n_evaluation] =
            (struct trace_evaluation){(size_t)n_done, number_or_nan(loss), number_or_nan(accuracy)};
    }
    return STATUS_OK;
}

static enum status read_fingerprints(const json_t *list, size_t n_tensor,
                                     struct fingerprint **tensor, struct error *err)
{
    if (!json_is_array(list) || json_array_size(list) != n_tensor) {
        return error_set(err, STATUS_DATA, "expected the fingerprints of %zu tensors", n_tensor);
    }
    TRY_CALLOC(err, *tensor, n_tensor, "reading a baseline");
    for (size_t i = 0; i < n_tensor; i++) {
        const json_t *entry = json_array_get(list, i);
        const char *hash = json_string_value(json_array_get(entry, 0));
        if (json_array_size(entry) != 2 + FINGERPRINT_N_PROJECTION || !hash) {
            return error_set(err, STATUS_DATA, "fingerprint %zu is none", i);
        }
        struct fingerprint *print = &(*tensor)[i];
        snprintf(print->hash, sizeof print->hash, "%s", hash);
        print->norm = number_or_nan(json_array_get(entry, 1));
        for (size_t k = 0; k < FINGERPRINT_N_PROJECTION; k++) {
            print->projection[k] = number_or_nan(json_array_get(entry, 2 + k));
        }
    }
    return STATUS_OK;
}

static enum status read_tensors(const json_t *object, struct trace *trace, struct error *err)
{
    const json_t *gradient = json_object_get(object, "gradient");
    const json_t *list = json_object_get(object, "weights");
    size_t n = json_array_size(list);
    if (is_there(gradient)) {
        TRY(read_fingerprints(gradient, trace->n_tensor, &trace->gradient, err));
    }
    TRY_CALLOC(err, trace->weights, n, "reading a baseline");
    for (; trace->n_weights < n; trace->n_weights++) {
        const json_t *entry = json_array_get(list, trace->n_weights);
        struct trace_weights *weights = &trace->weights[trace->n_weights];
        weights->n_done = (size_t)json_get_integer(entry, "n_done", 0);
        TRY(read_fingerprints(json_object_get(entry, "tensors"), trace->n_tensor, &weights->tensor,
                              err));
    }
    return STATUS_OK;
}

static enum status read_trace(const json_t *object, struct cohort *cohort, struct trace *trace,
                              struct error *err)
{
    const json_t *seed = json_object_get(object, "seed");
    if (!json_is_integer(seed) || json_integer_value(seed) < 0) {
        return error_set(err, STATUS_DATA, "seed: expected a whole number");
    }
    trace->seed = (uint64_t)json_integer_value(seed);
    trace->diverged = json_is_true(json_object_get(object, "diverged"));
    TRY(read_points(object, trace, err));
    TRY(read_evaluations(object, trace, err));
    TRY_AT(err, read_tensors(object, trace, err), "weights");
    trace_settle(trace);
    return cohort_trace(cohort, trace->seed) == trace
               ? STATUS_OK
               : error_set(err, STATUS_DATA, "seed %llu is there twice",
                           (unsigned long long)trace->seed);
}

static enum status read_limits(const json_t *entry, struct tolerance *tolerance, enum quantity q,
                               struct error *err)
{
    const json_t *envelope = json_object_get(entry, "envelope");
    tolerance->factor[q] = json_get_number(entry, "factor", NAN);
    tolerance->n_value[q] = json_array_size(envelope);
    TRY(read_numbers(envelope, "envelope", tolerance->n_value[q], &tolerance->envelope[q], err));
    return tolerance->factor[q] > 0
               ? STATUS_OK
               : error_set(err, STATUS_DATA, "factor: expected a number above 0");
}

static enum status read_tolerance(const json_t *object, struct cohort *cohort, struct error *err)
{
    if (!json_is_object(object)) {
        return STATUS_OK;
    }
    TRY_CALLOC(err, cohort->tolerance, 1, "reading a baseline");
    struct tolerance *tolerance = cohort->tolerance;
    const json_t *changes = json_object_get(object, "changes");
    for (size_t i = 0; i < json_array_size(changes) && i < TOLERANCE_MAX_CHANGE; i++) {
        const char *change = json_string_value(json_array_get(changes, i));
        snprintf(tolerance->change[i], TOLERANCE_CHANGE_SIZE, "%s", change ? change : "");
        tolerance->n_change = i + 1;
    }
    for (size_t q = 0; q < QUANTITY_COUNT; q++) {
        const char *key = quantities[q].key;
        if (key) {
            TRY_AT(err, read_limits(json_object_get(object, key), tolerance, (enum quantity)q, err),
                   "tolerance, %s", key);
        }
    }
    return STATUS_OK;
}

static enum status read_tensor_names(const json_t *list, struct cohort *cohort, struct error *err)
{
    size_t n = json_array_size(list);
    TRY_CALLOC(err, cohort->tensor, n, "reading a baseline");
    for (; cohort->n_tensor < n; cohort->n_tensor++) {
        const char *name = json_string_value(json_array_get(list, cohort->n_tensor));
        if (!name) {
            return error_set(err, STATUS_DATA, "tensors: expected a list of names");
        }
        snprintf(cohort->tensor[cohort->n_tensor], sizeof *cohort->tensor, "%s", name);
    }
    return STATUS_OK;
}

static enum status read_config(const json_t *object, struct cohort *cohort, struct error *err)
{
    if (!json_is_object(object)) {
        return STATUS_OK;
    }
    if (config_from_json(object, &cohort->config, err) != STATUS_OK ||
        config_resolve(&cohort->config, err) != STATUS_OK) {
        error_prefix(err, "config");
        return STATUS_DATA;
    }
    cohort->trained_here = true;
    return STATUS_OK;
}

static enum status read_cohort(const json_t *object, struct cohort *cohort, struct error *err)
{
    const json_t *list = json_object_get(object, "runs");
    size_t n = json_array_size(list);
    cohort->task_version = (int)json_get_integer(object, "task_version", 0);
    cohort->n_step = (size_t)json_get_integer(object, "n_step", 0);
    TRY(read_config(json_object_get(object, "config"), cohort, err));
    TRY(read_tensor_names(json_object_get(object, "tensors"), cohort, err));
    TRY(read_tolerance(json_object_get(object, "tolerance"), cohort, err));
    if (n == 0) {
        return error_set(err, STATUS_DATA, "runs: there are none");
    }
    TRY_CALLOC(err, cohort->trace, n, "reading a baseline");
    for (size_t i = 0; i < n; i++) {
        struct trace *trace = &cohort->trace[cohort->n_trace++];
        trace->n_tensor = cohort->n_tensor;
        TRY_AT(err, read_trace(json_array_get(list, i), cohort, trace, err), "run %zu", i);
    }
    return STATUS_OK;
}

static enum status read_cohorts(const json_t *list, struct traces *traces, struct error *err)
{
    size_t n = json_array_size(list);
    if (n == 0) {
        return error_set(err, STATUS_DATA, "parts: there are none");
    }
    TRY_CALLOC(err, traces->cohort, n, "reading a baseline");
    for (size_t i = 0; i < n; i++) {
        const json_t *object = json_array_get(list, i);
        struct cohort *cohort = &traces->cohort[traces->n_cohort++];
        snprintf(cohort->name, sizeof cohort->name, "%s", json_get_text(object, "name", ""));
        if (cohort->name[0] == '\0') {
            return error_set(err, STATUS_DATA, "part without a name");
        }
        TRY_AT(err, read_cohort(object, cohort, err), "part '%s'", cohort->name);
        if (traces_cohort(traces, cohort->name) != cohort) {
            return error_set(err, STATUS_DATA, "part '%s' is there twice", cohort->name);
        }
    }
    return STATUS_OK;
}

static json_t *object_or_null(const json_t *root, const char *key)
{
    json_t *value = json_object_get(root, key);
    return json_is_object(value) ? json_incref(value) : NULL;
}

static enum status read_all(const json_t *root, struct traces *traces, struct error *err)
{
    const char *format = json_get_text(root, "format", "");
    if (strcmp(format, TRACES_FORMAT) != 0) {
        return error_set(err, STATUS_DATA,
                         "no baseline that this program knows: expected format %s, found '%.60s'; "
                         "`qkvlab baseline record` makes one",
                         TRACES_FORMAT, format);
    }
    traces->engine = (int)json_get_integer(root, "engine", 0);
    traces->machine = object_or_null(root, "machine");
    traces->build = object_or_null(root, "build");
    return read_cohorts(json_object_get(root, "parts"), traces, err);
}

enum status traces_read(const char *path, struct traces *traces, struct error *err)
{
    *traces = (struct traces){0};
    json_t *root;
    TRY(json_read(path, &root, err));
    provenance_forget_blas(root);
    enum status status = read_all(root, traces, err);
    json_decref(root);
    TRY_AT(err, status, "%s", path);
    return STATUS_OK;
}

/* ---- writing: NULL when out of memory, and so is all that would hold it ---- */

static void push(json_t **list, json_t *value)
{
    if (json_array_append_new(*list, value) != 0) {
        json_decref(*list);
        *list = NULL;
    }
}

static void put(json_t **object, const char *key, json_t *value)
{
    if (json_object_set_new(*object, key, value) != 0) {
        json_decref(*object);
        *object = NULL;
    }
}

/* A number with so many digits; null where it is not finite, whole ones without a decimal point. */
static json_t *number_json(double value, int digits)
{
    char text[32];
    snprintf(text, sizeof text, "%.*g", digits, value);
    double rounded = strtod(text, NULL);
    bool whole = rounded >= 0 && rounded <= TRACE_MAX_STEP && rounded == floor(rounded);
    return whole ? json_integer((json_int_t)rounded) : json_number(rounded);
}

static json_t *numbers_json(const double *value, size_t n, int digits)
{
    json_t *list = value ? json_array() : json_null();
    for (size_t i = 0; value && i < n; i++) {
        push(&list, number_json(value[i], digits));
    }
    return list;
}

static json_t *fingerprints_json(const struct fingerprint *tensor, size_t n)
{
    json_t *list = tensor ? json_array() : json_null();
    for (size_t i = 0; tensor && i < n; i++) {
        json_t *print =
            json_pack("[s, o]", tensor[i].hash, number_json(tensor[i].norm, PRINT_DIGITS));
        for (size_t k = 0; k < FINGERPRINT_N_PROJECTION; k++) {
            push(&print, number_json(tensor[i].projection[k], PRINT_DIGITS));
        }
        push(&list, print);
    }
    return list;
}

static json_t *weights_json(const struct trace *trace)
{
    json_t *list = json_array();
    for (size_t i = 0; i < trace->n_weights; i++) {
        push(&list,
             json_pack("{s:I, s:o}", "n_done", (json_int_t)trace->weights[i].n_done, "tensors",
                       fingerprints_json(trace->weights[i].tensor, trace->n_tensor)));
    }
    return list;
}

static json_t *evaluations_json(const struct trace *trace)
{
    json_t *list = json_array();
    for (size_t i = 0; i < trace->n_evaluation; i++) {
        const struct trace_evaluation *evaluation = &trace->evaluation[i];
        push(&list, json_pack("[I, o, o]", (json_int_t)evaluation->n_done,
                              number_json(evaluation->loss, EXACT),
                              number_json(evaluation->accuracy, EXACT)));
    }
    return list;
}

static json_t *reaches_json(const struct trace *trace)
{
    json_t *object = json_object();
    for (size_t i = 0; i < DYNAMICS_N_LEVEL; i++) {
        char level[16];
        snprintf(level, sizeof level, "%g", dynamics_level[i]);
        put(&object, level, number_json(trace->reaches[i], EXACT));
    }
    return object;
}

static json_t *trace_json(const struct trace *trace)
{
    json_t *run =
        json_pack("{s:I, s:b, s:o, s:o, s:o, s:o}", "seed", (json_int_t)trace->seed, "diverged",
                  trace->diverged, "escape_step",
                  trace->escape_step == STEP_NEVER ? json_null() : json_integer(trace->escape_step),
                  "reaches", reaches_json(trace), "evaluations", evaluations_json(trace), "step",
                  numbers_json(trace->step, trace->n_point, EXACT));
    for (size_t c = 0; c < CURVE_COUNT; c++) {
        put(&run, curve_keys[c], numbers_json(trace->curve[c], trace->n_point, EXACT));
    }
    put(&run, "gradient", fingerprints_json(trace->gradient, trace->n_tensor));
    put(&run, "weights", weights_json(trace));
    return run;
}

static json_t *tolerance_json(const struct tolerance *tolerance)
{
    if (!tolerance) {
        return json_null();
    }
    json_t *object = json_object(), *changes = json_array();
    for (size_t i = 0; i < tolerance->n_change; i++) {
        push(&changes, json_string(tolerance->change[i]));
    }
    put(&object, "changes", changes);
    for (size_t q = 0; q < QUANTITY_COUNT; q++) {
        if (quantities[q].key) {
            put(&object, quantities[q].key,
                json_pack(
                    "{s:o, s:o}", "factor", number_json(tolerance->factor[q], FACTOR_DIGITS),
                    "envelope",
                    numbers_json(tolerance->envelope[q], tolerance->n_value[q], ENVELOPE_DIGITS)));
        }
    }
    return object;
}

/* Its keys without the seed, which is that of a trace. */
static json_t *cohort_config_json(const struct cohort *cohort)
{
    json_t *config = cohort->trained_here ? config_json(&cohort->config) : json_null();
    json_object_del(config, "seed");
    return config;
}

static json_t *cohort_json(const struct cohort *cohort)
{
    json_t *tensors = json_array(), *runs = json_array();
    for (size_t i = 0; i < cohort->n_tensor; i++) {
        push(&tensors, json_string(cohort->tensor[i]));
    }
    for (size_t i = 0; i < cohort->n_trace; i++) {
        push(&runs, trace_json(&cohort->trace[i]));
    }
    return json_pack("{s:o, s:o, s:i, s:I, s:o, s:o, s:o}", "name", json_text(cohort->name),
                     "config", cohort_config_json(cohort), "task_version", cohort->task_version,
                     "n_step", (json_int_t)cohort->n_step, "tensors", tensors, "tolerance",
                     tolerance_json(cohort->tolerance), "runs", runs);
}

enum status traces_write(const struct traces *traces, const char *path, struct error *err)
{
    json_t *parts = json_array();
    for (size_t i = 0; i < traces->n_cohort; i++) {
        push(&parts, cohort_json(&traces->cohort[i]));
    }
    json_t *engine = traces->engine > 0 ? json_integer(traces->engine) : json_null();
    json_t *root =
        json_pack("{s:s, s:o, s:O?, s:O?, s:o}", "format", TRACES_FORMAT, "engine", engine,
                  "machine", traces->machine, "build", traces->build, "parts", parts);
    enum status status =
        root ? json_write_dense(path, root, err) : error_memory(err, "writing %s", path);
    json_decref(root);
    return status;
}

/* run: reads run.json defensively, since a folder may come from anywhere, and derives the keys that
 * decide which runs belong together.
 */
#include "report/runs/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/sha256.h"
#include "base/text.h"
#include "lab/config/config.h"
#include "lab/kind/images/images.h"
#include "lab/record/provenance.h"
#include "lab/training/dynamics.h"
#include "report/runs/run_files.h"

struct measure_row {
    const char *section, *key, *title;
};

static const struct measure_row measures[] = {
#define MEASURE_ROW(name, section, key, title) {section, key, title},
    MEASURE_TABLE(MEASURE_ROW)
#undef MEASURE_ROW
};

const char *measure_key(enum measure measure)
{
    return measures[measure].key;
}

const char *measure_title(enum measure measure)
{
    return measures[measure].title;
}

bool measure_is_step(enum measure measure)
{
    return measure == MEASURE_ESCAPE_STEP || measure == MEASURE_BELOW_2_2 ||
           measure == MEASURE_BELOW_0_1 || measure == MEASURE_REACHES_50 ||
           measure == MEASURE_REACHES_90 || measure == MEASURE_REACHES_99;
}

bool measure_is_share(enum measure measure)
{
    return measure == MEASURE_SOLVED || measure == MEASURE_AT_CHANCE || measure == MEASURE_ESCAPED;
}

bool run_is_ok(const struct run *run)
{
    return strcmp(run->status, "ok") == 0;
}

const char *run_task_name(const struct run *run)
{
    return run->dataset ? run->dataset->task.name : run->task->name;
}

const char *run_task_title(const struct run *run)
{
    return run->dataset ? run->dataset->task.title : run->task->title;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static enum status read_identity(struct run *run, struct error *err)
{
    const char *format = json_get_text(run->root, "format", "");
    if (strcmp(format, RUN_FORMAT) != 0) {
        return error_set(err, STATUS_DATA,
                         "run.json has format \"%s\", this program reads \"%s\"; report it with "
                         "the version that wrote it",
                         format, RUN_FORMAT);
    }
    run->id = json_get_text(run->root, "id", "");
    if (strcmp(run->id, base_name(run->folder)) != 0) {
        return error_set(err, STATUS_DATA,
                         "run.json names the run \"%s\", but its folder is \"%s\"; a renamed or "
                         "copied folder is not counted twice",
                         run->id, base_name(run->folder));
    }
    run->status = json_get_text(run->root, "status", "");
    if (!run_is_ok(run) && strcmp(run->status, "diverged") != 0 &&
        strcmp(run->status, "failed") != 0) {
        return error_set(err, STATUS_DATA,
                         "run.json has status \"%s\", expected ok, diverged or failed",
                         run->status);
    }
    return STATUS_OK;
}

static size_t rank_of_variant(const char *id)
{
    size_t i = 0;
    for (const struct variant *row; (row = variant_named(i)) != NULL; i++) {
        char named[VARIANT_TEXT_SIZE];
        variant_id(row, named);
        if (strcmp(named, id) == 0) {
            break;
        }
    }
    return i;
}

static enum status read_variant(struct run *run, const json_t *config, struct error *err)
{
    enum status status = variant_parse(json_get_text(config, "variant", ""), &run->variant, err);
    if (status != STATUS_OK) {
        return status;
    }
    variant_id(&run->variant, run->variant_id);
    variant_name(&run->variant, run->variant_name);
    run->variant_rank = rank_of_variant(run->variant_id);
    run->n_slot = variant_n_slot(&run->variant);
    return STATUS_OK;
}

static enum status read_count(const json_t *object, const char *key, size_t *count,
                              struct error *err)
{
    long long value = json_get_integer(object, key, 0);
    if (value < 1 || value > 1000000000) {
        return error_set(err, STATUS_DATA, "run.json has no usable config.%s", key);
    }
    *count = (size_t)value;
    return STATUS_OK;
}

static enum status read_config(struct run *run, struct error *err)
{
    const json_t *config = json_object_get(run->root, "config");
    const char *task = json_get_text(config, "task", "");
    run->dataset = dataset_find_name(task);
    run->task = run->dataset ? NULL : task_find(task);
    if (!run->task && !run->dataset) {
        return error_set(err, STATUS_DATA,
                         "run.json has task \"%s\", which this program does not know", task);
    }
    run->seed = json_get_integer(config, "seed", -1);
    if (run->seed < 0) {
        return error_set(err, STATUS_DATA, "run.json has no usable config.seed");
    }
    enum status status = read_variant(run, config, err);
    if (status == STATUS_OK) {
        status = read_count(config, "n_embd", &run->n_embd, err);
    }
    if (status == STATUS_OK) {
        status = read_count(config, "n_layer", &run->n_layer, err);
    }
    if (status == STATUS_OK) {
        status = read_count(config, "n_head", &run->n_head, err);
    }
    if (status == STATUS_OK) {
        status = read_count(config, "seq_len", &run->n_token, err);
    }
    return status;
}

/* The id is a hash of the configuration: a run.json that was changed by hand shows. Runs of other
 * versions have ids that cannot be made here. */
static enum status check_id(const struct run *run, struct error *err)
{
    const json_t *versions = json_object_get(run->root, "versions");
    struct config config;
    int task_version = run->dataset ? run->dataset->task.version : run->task->version;
    if (json_get_integer(versions, "engine", -1) != ENGINE_VERSION ||
        json_get_integer(versions, "task", -1) != task_version) {
        return STATUS_OK;
    }
    TRY(config_from_json(json_object_get(run->root, "config"), &config, err));
    TRY(config_resolve(&config, err));
    if (strcmp(config.id, run->id) != 0) {
        return error_set(err, STATUS_DATA,
                         "the configuration in run.json is that of the run %s, not of this folder: "
                         "it was changed after the run",
                         config.id);
    }
    return STATUS_OK;
}

static double read_measure(const struct run *run, enum measure measure)
{
    const json_t *section = json_object_get(run->root, measures[measure].section);
    if (strcmp(measures[measure].section, "attention") == 0) {
        section = json_object_get(section, "mean");
    }
    double value = json_get_number(section, measures[measure].key, NAN);
    return measure_is_step(measure) && value < 0 ? NAN : value;
}

/* What follows from other measures of a run on a task. */
static void derive_measures(struct run *run)
{
    double accuracy = run->measure[MEASURE_TOKEN_ACCURACY];
    if (!run->task || !isfinite(accuracy)) {
        return;
    }
    double above = (accuracy - run->floor) / (1 - run->floor);
    run->measure[MEASURE_ABOVE_FLOOR] = above;
    run->measure[MEASURE_SOLVED] = accuracy >= RUN_SOLVED;
    run->measure[MEASURE_AT_CHANCE] = above < RUN_AT_CHANCE;
    run->measure[MEASURE_ESCAPED] = isfinite(run->measure[MEASURE_ESCAPE_STEP]);
}

/* What record_read wants of a finished run as well: what it takes for damaged is in no table. */
static enum status check_losses(const struct run *run, struct error *err)
{
    static const enum measure loss[] = {MEASURE_LOSS, MEASURE_FINAL_TRAIN_LOSS};
    for (size_t i = 0; i < sizeof(loss) / sizeof(loss[0]); i++) {
        if (!isfinite(run->measure[loss[i]])) {
            return error_set(err, STATUS_DATA, "run.json says ok, but results.%s is no number",
                             measure_key(loss[i]));
        }
    }
    return STATUS_OK;
}

static enum status read_results(struct run *run, struct error *err)
{
    const json_t *results = json_object_get(run->root, "results");
    for (int i = 0; i < MEASURE_COUNT; i++) {
        run->measure[i] = read_measure(run, (enum measure)i);
    }
    run->floor =
        run->task ? json_get_number(results, "position_floor", task_chance(run->task, run->n_token))
                  : NAN;
    derive_measures(run);
    long long n_step = json_get_integer(results, "n_step", 0);
    long long n_param = json_get_integer(run->root, "n_param", 0);
    run->n_step = n_step > 0 ? (size_t)n_step : 0;
    run->n_param = n_param > 0 ? (size_t)n_param : 0;
    enum measure accuracy = run->task ? MEASURE_TOKEN_ACCURACY : MEASURE_TOP1;
    double value = run->measure[accuracy];
    if (run_is_ok(run) && !(value >= 0 && value <= 1)) {
        return error_set(err, STATUS_DATA, "run.json says ok, but results.%s is no number in 0..1",
                         measure_key(accuracy));
    }
    return run_is_ok(run) ? check_losses(run, err) : STATUS_OK;
}

/* What must agree before two numbers may stand in one mean, whatever the configuration says: the
 * program that made them, the version of its engine and the class of machine. */
static json_t *provenance(const struct run *run)
{
    json_t *build = json_object_get(run->root, "build");
    const json_t *machine = json_object_get(run->root, "machine");
    json_t *object = json_object();
    if (build) {
        json_object_set(object, "build", build);
    }
    json_object_set_new(object, "class", json_string(json_get_text(machine, "class", "")));
    const json_t *versions = json_object_get(run->root, "versions");
    json_object_set_new(object, "engine", json_integer(json_get_integer(versions, "engine", -1)));
    return object;
}

/* Which images a run saw. Drawn ones are others for every seed, and follow from it. */
static json_t *data_identity(const struct run *run)
{
    const json_t *data = json_object_get(run->root, "data");
    const char *hash = dataset_n_file(run->dataset) > 0 ? json_get_text(data, "sha256", "") : "";
    return json_pack("{s:s, s:s}", "name", run->dataset->task.name, "sha256", hash);
}

static char *dump(const json_t *object)
{
    return json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS);
}

bool run_key_looks(const char *key)
{
    return strcmp(key, "n_probe") == 0 || strcmp(key, "attention") == 0;
}

static void remove_looks(json_t *config)
{
    void *member;
    const char *key;
    json_t *value;
    json_object_foreach_safe(config, member, key, value)
    {
        if (run_key_looks(key)) {
            json_object_del(config, key);
        }
    }
}

/* The setting leaves out what tables spread over rows, columns and seeds; lanes and micro-batch
 * too, whose defaults follow from a variant's size (run_set puts them back where they tell runs
 * apart).
 */
static void remove_table_axes(json_t *config)
{
    static const char *const axis[] = {"task", "variant", "seed", "lanes", "micro_batch"};
    for (size_t i = 0; i < sizeof(axis) / sizeof(axis[0]); i++) {
        json_object_del(config, axis[i]);
    }
    for (size_t i = 0; variant_axis_key(i); i++) {
        json_object_del(config, variant_axis_key(i));
    }
}

/* Numbers first and padded, so that sorting keys sorts settings by size. */
static char *setting_text(const struct run *run, const json_t *key)
{
    struct text text = {0};
    char *content = dump(key);
    text_append(&text, "%010zu %010zu %010zu %010zu %s", run->n_embd, run->n_layer, run->n_head,
                run->n_token, content ? content : "");
    free(content);
    return text.data;
}

static enum status make_keys(struct run *run, struct error *err)
{
    json_t *config = json_deep_copy(json_object_get(run->root, "config"));
    json_t *key = provenance(run);
    json_object_set(key, "config", config);
    if (run->dataset) {
        json_object_set_new(key, "data", data_identity(run));
    }
    json_object_set(key, "versions", json_object_get(run->root, "versions"));
    json_object_del(config, "seed");
    remove_looks(config);
    run->cell_key = setting_text(run, key);
    json_object_del(key, "versions");
    remove_table_axes(config);
    run->setting_key = setting_text(run, key);
    run->config_key = setting_text(run, config);
    json_decref(config);
    json_decref(key);
    if (!run->cell_key || !run->setting_key || !run->config_key) {
        return error_memory(err, "reading runs");
    }
    return STATUS_OK;
}

/* The curve of a run that ended well has a finite loss for each of its steps. */
static enum status check_curve(const struct run *run, const struct curve *curve, struct error *err)
{
    size_t n_finite = 0;
    while (n_finite < curve->n_step && isfinite(curve->loss[n_finite])) {
        n_finite++;
    }
    if (n_finite < curve->n_step) {
        return error_set(err, STATUS_DATA, "curve.csv has no finite loss at step %zu", n_finite);
    }
    if (curve->n_step != run->n_step) {
        return error_set(err, STATUS_DATA, "curve.csv has %zu steps, but results.n_step is %zu",
                         curve->n_step, run->n_step);
    }
    return STATUS_OK;
}

/* Anything else than a whole hash could make runs equal that are not. */
static const char *read_weights(const struct run *run)
{
    const char *hash = json_get_text(run->root, "weights_sha256", "");
    bool whole = strlen(hash) == SHA256_HEX_SIZE - 1 &&
                 strspn(hash, "0123456789abcdef") == SHA256_HEX_SIZE - 1;
    return whole ? hash : NULL;
}

static void measure_dynamics(struct run *run)
{
    struct dynamics dynamics = dynamics_of(run->curve, run->curve_accuracy, run->n_curve);
    run->measure[MEASURE_MEAN_TRAIN_LOSS] = dynamics.mean_loss;
    for (int i = 0; i < DYNAMICS_N_LEVEL; i++) {
        run->measure[MEASURE_REACHES_50 + i] = dynamics.reaches[i];
    }
}

static void read_curve(struct run *run)
{
    struct curve curve;
    enum status status = run_files_curve(run->folder, &curve, &run->curve_problem);
    if (status == STATUS_OK && run_is_ok(run)) {
        status = check_curve(run, &curve, &run->curve_problem);
    }
    if (status != STATUS_OK) {
        curve_free(&curve);
        return;
    }
    run->curve = curve.loss;
    run->curve_accuracy = curve.accuracy;
    run->n_curve = curve.n_step;
    measure_dynamics(run);
}

static void check_maps(struct run *run)
{
    char attention[RUN_TEXT_SIZE];
    run_config(run, "attention", attention);
    bool kept = strcmp(attention, "final") == 0 || strcmp(attention, "snapshots") == 0;
    if (run_is_ok(run) && kept) {
        run_files_check_maps(run->folder, run->n_layer, run->n_head, run->n_token,
                             &run->maps_problem);
    }
}

enum status run_load(const char *folder, struct run *run, struct error *err)
{
    *run = (struct run){.folder = strdup(folder)};
    if (!run->folder) {
        return error_memory(err, "reading runs");
    }
    char path[PATH_SIZE];
    enum status status = path_format(path, err, "%s/run.json", folder);
    if (status == STATUS_OK) {
        status = json_read(path, &run->root, err);
    }
    provenance_forget_blas(run->root);
    if (status == STATUS_OK) {
        status = read_identity(run, err);
    }
    if (status == STATUS_OK) {
        status = read_config(run, err);
    }
    if (status == STATUS_OK) {
        status = check_id(run, err);
    }
    if (status == STATUS_OK) {
        status = read_results(run, err);
    }
    if (status == STATUS_OK) {
        status = make_keys(run, err);
    }
    if (status == STATUS_OK) {
        run->weights = read_weights(run);
        read_curve(run);
        check_maps(run);
    }
    return status == STATUS_USAGE ? STATUS_DATA : status;
}

void run_free(struct run *run)
{
    free(run->folder);
    free(run->setting_key);
    free(run->cell_key);
    free(run->config_key);
    free(run->curve);
    free(run->curve_accuracy);
    json_decref(run->root);
    *run = (struct run){0};
}

const json_t *run_head(const struct run *run, size_t head)
{
    const json_t *attention = json_object_get(run->root, "attention");
    return json_array_get(json_object_get(attention, "heads"), head);
}

void run_config(const struct run *run, const char *key, char text[RUN_TEXT_SIZE])
{
    const json_t *value = json_object_get(json_object_get(run->root, "config"), key);
    if (json_is_string(value)) {
        snprintf(text, RUN_TEXT_SIZE, "%s", json_string_value(value));
    } else if (json_is_number(value)) {
        snprintf(text, RUN_TEXT_SIZE, "%.10g", json_number_value(value));
    } else if (json_is_boolean(value)) {
        snprintf(text, RUN_TEXT_SIZE, "%s", json_is_true(value) ? "true" : "false");
    } else {
        snprintf(text, RUN_TEXT_SIZE, "-");
    }
}

long long run_n_snapshot(const struct run *run)
{
    return run_files_n_snapshot(run->folder);
}

float *run_attention_map(const struct run *run)
{
    const json_t *attention = json_object_get(run->root, "attention");
    long long layer = json_get_integer(attention, "layer", (long long)run->n_layer - 1);
    return run_files_attention(run->folder, layer, run->n_token);
}

/* run: what a report needs of a run folder, and the keys that decide which runs belong together. */
#include "report/frame/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "base/text.h"
#include "lab/config/config_keys.h"
#include "lab/kind/images/images.h"
#include "lab/training/dynamics.h"
#include "report/frame/run_files.h"

#define MAX_KEY 128 /* of a configuration */

bool run_is_ok(const struct run *run)
{
    return run->record.status == RUN_STATUS_OK;
}

bool run_is_original(const struct run *run)
{
    return !run->copy_of;
}

const char *run_id(const struct run *run)
{
    return run->record.id;
}

const struct config *run_config(const struct run *run)
{
    return &run->record.config;
}

long long run_seed(const struct run *run)
{
    return (long long)run->record.config.seed;
}

const char *run_task_name(const struct run *run)
{
    return run_config(run)->task->name;
}

const char *run_task_title(const struct run *run)
{
    return run_config(run)->task->title;
}

bool run_has(const struct run *run, enum measure measure)
{
    return isfinite(run->measure[measure]);
}

/* ---- measures ---- */

static double read_measure(const struct run *run, enum measure measure)
{
    const struct measure_row *row = measure_row(measure);
    double value = run_record_number(&run->record, row->section, row->key);
    return row->unit == UNIT_STEP && value < 0 ? NAN : value;
}

/* What follows from other measures of a run on a task with a floor. */
static void derive_measures(struct run *run)
{
    double accuracy = run->measure[run->kind->accuracy];
    if (!isfinite(run->floor) || !isfinite(accuracy)) {
        return;
    }
    double above = (accuracy - run->floor) / (1 - run->floor);
    run->measure[MEASURE_ABOVE_FLOOR] = above;
    run->measure[MEASURE_SOLVED] = accuracy >= RUN_SOLVED;
    run->measure[MEASURE_AT_CHANCE] = above < RUN_AT_CHANCE;
    run->measure[MEASURE_ESCAPED] = isfinite(run->measure[MEASURE_ESCAPE_STEP]);
}

/* What knowing the position alone gives. Newer programs keep it with the results. */
static double floor_of(const struct run *run)
{
    const struct config *config = run_config(run);
    double floor = run_record_result(&run->record, "position_floor");
    if (!run->kind->has_floor || isfinite(floor)) {
        return run->kind->has_floor ? floor : NAN;
    }
    return task_chance(config->task, config->seq_len);
}

static void read_measures(struct run *run)
{
    for (int i = 0; i < MEASURE_COUNT; i++) {
        run->measure[i] = read_measure(run, (enum measure)i);
    }
    run->n_step = run_record_n_step(&run->record);
    run->floor = floor_of(run);
    derive_measures(run);
}

static void measure_dynamics(struct run *run)
{
    struct dynamics dynamics = dynamics_of(run->curve, run->curve_accuracy, run->n_curve);
    run->measure[MEASURE_MEAN_TRAIN_LOSS] = dynamics.mean_loss;
    for (int i = 0; i < DYNAMICS_N_LEVEL; i++) {
        run->measure[MEASURE_REACHES_50 + i] = dynamics.reaches[i];
    }
}

/* ---- files beside run.json ---- */

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
    const struct config *config = run_config(run);
    if (run_is_ok(run) && config->attention != ATTENTION_NONE) {
        run_files_check_maps(run->folder, config->n_layer, config->n_head, config->seq_len,
                             &run->maps_problem);
    }
}

/* Anything else than a whole hash could make runs equal that are not. */
static const char *whole_hash(const char *hash)
{
    bool whole = hash && strlen(hash) == SHA256_HEX_SIZE - 1 &&
                 strspn(hash, "0123456789abcdef") == SHA256_HEX_SIZE - 1;
    return whole ? hash : NULL;
}

/* ---- facts ---- */

static bool means_something(const struct run *run, const struct config_key *key)
{
    return config_preset(run_config(run)->task, key) != NULL;
}

static bool find_provenance(const struct run *run, const char *section, size_t i,
                            struct provenance_fact *fact)
{
    for (size_t at = 0; provenance_fact(&run->record.provenance, at, fact); at++) {
        if (strcmp(fact->section, section) == 0 && i-- == 0) {
            return true;
        }
    }
    return false;
}

const char *run_fact_key(const struct run *run, const char *section, size_t i)
{
    if (strcmp(section, "config") == 0) {
        const struct config_key *key;
        for (size_t at = 0; (key = config_key_at(at)) != NULL; at++) {
            if (means_something(run, key) && i-- == 0) {
                return key->name;
            }
        }
        return NULL;
    }
    if (strcmp(section, "versions") == 0) {
        static const char *const key[] = {"engine", "task", NULL};
        return i < 2 ? key[i] : NULL;
    }
    struct provenance_fact fact;
    return find_provenance(run, section, i, &fact) ? fact.key : NULL;
}

void run_fact(const struct run *run, const char *section, const char *key, char text[RUN_TEXT_SIZE])
{
    snprintf(text, RUN_TEXT_SIZE, "-");
    if (strcmp(section, "config") == 0) {
        char value[RUN_TEXT_SIZE];
        if (config_value(run_config(run), key, value, sizeof value, NULL) == STATUS_OK) {
            char *end;
            double number = strtod(value, &end);
            bool is_number = end > value && *end == '\0';
            if (is_number) { /* as people write it: 100, not 1e+02 */
                snprintf(text, RUN_TEXT_SIZE, "%.10g", number);
            } else {
                snprintf(text, RUN_TEXT_SIZE, "%s", value);
            }
        }
    } else if (strcmp(section, "versions") == 0) {
        snprintf(text, RUN_TEXT_SIZE, "%ld",
                 key[0] == 'e' ? run->record.engine_version : run->record.task_version);
    } else {
        struct provenance_fact fact;
        for (size_t i = 0; find_provenance(run, section, i, &fact); i++) {
            if (strcmp(fact.key, key) == 0) {
                snprintf(text, RUN_TEXT_SIZE, "%.*s", RUN_TEXT_SIZE - 1, fact.text);
            }
        }
    }
}

/* ---- keys ---- */

bool run_key_looks(const char *key)
{
    return strcmp(key, "n_probe") == 0 || strcmp(key, "attention") == 0;
}

static bool is_seed_or_look(const char *key)
{
    return strcmp(key, "seed") == 0 || run_key_looks(key);
}

/* What tables spread over rows, columns and seeds; lanes and micro-batch too, whose defaults follow
 * from a variant's size (frame.c puts them back where they tell runs apart). */
static bool is_table_axis(const char *key)
{
    return config_is_in_id(key) || run_key_looks(key) || strcmp(key, "lanes") == 0 ||
           strcmp(key, "micro_batch") == 0;
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* In alphabetical order, so that the settings of a report have theirs whatever the key table's. */
void run_append_config(const struct run *run, run_skips_key *skip, struct text *text)
{
    const char *key[MAX_KEY];
    size_t n = 0;
    while (n < MAX_KEY && (key[n] = run_fact_key(run, "config", n)) != NULL) {
        n++;
    }
    qsort(key, n, sizeof *key, compare_keys);
    for (size_t i = 0; i < n; i++) {
        char value[RUN_TEXT_SIZE];
        if (!skip(key[i])) {
            run_fact(run, "config", key[i], value);
            text_append(text, "%s=%s\n", key[i], value);
        }
    }
}

/* What must agree before two numbers may stand in one mean, whatever the configuration says: the
 * program that made them, the version of its engine and the class of machine. */
static void append_provenance(const struct run *run, struct text *text)
{
    struct provenance_fact fact;
    for (size_t i = 0; provenance_fact(&run->record.provenance, i, &fact); i++) {
        bool counts = strcmp(fact.section, "build") == 0 || strcmp(fact.key, "class") == 0;
        if (counts) {
            text_append(text, "%s=%s\n", fact.key, fact.text);
        }
    }
    text_append(text, "engine=%ld\n", run->record.engine_version);
}

/* Which images a run saw. Drawn ones are others for every seed, and follow from it. */
static void append_data(const struct run *run, struct text *text)
{
    const struct dataset *dataset = dataset_of(run_config(run)->task);
    if (dataset) {
        const char *hash = dataset_n_file(dataset) > 0 ? run->record.data.sha256 : NULL;
        text_append(text, "data=%s %s\n", run_task_name(run), hash ? hash : "");
    }
}

/* Numbers first and padded, so that sorting keys sorts settings by size. */
static struct text key_of(const struct run *run, run_skips_key *skip, bool with_provenance)
{
    const struct config *config = run_config(run);
    struct text text = {0};
    text_append(&text, "%010zu %010zu %010zu %010zu\n", config->n_embd, config->n_layer,
                config->n_head, config->seq_len);
    if (with_provenance) {
        append_provenance(run, &text);
    }
    run_append_config(run, skip, &text);
    if (with_provenance) {
        append_data(run, &text);
    }
    return text;
}

static enum status make_keys(struct run *run, struct error *err)
{
    struct text cell = key_of(run, is_seed_or_look, true);
    struct text setting = key_of(run, is_table_axis, true);
    struct text config = key_of(run, is_table_axis, false);
    text_append(&cell, "task version=%ld\n", run->record.task_version);
    run->cell_key = cell.data;
    run->setting_key = setting.data;
    run->config_key = config.data;
    return cell.failed || setting.failed || config.failed ? error_memory(err, "reading runs")
                                                          : STATUS_OK;
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

enum status run_load(const char *folder, struct run *run, struct error *err)
{
    *run = (struct run){.folder = strdup(folder)};
    if (!run->folder) {
        return error_memory(err, "reading runs");
    }
    TRY(run_record_read(folder, &run->record, err));
    const struct config *config = run_config(run);
    if (run->record.config_problem.text[0]) {
        return error_set(err, STATUS_DATA, "%s", run->record.config_problem.text);
    }
    run->kind = report_kind_of(config);
    if (!run->kind) {
        return error_set(err, STATUS_DATA, "reports know nothing of tasks of the kind %s",
                         config->task->kind->name);
    }
    variant_id(&config->variant, run->variant_id);
    variant_name(&config->variant, run->variant_name);
    run->variant_rank = rank_of_variant(run->variant_id);
    run->weights = whole_hash(run->record.weights_sha256);
    read_measures(run);
    read_curve(run);
    check_maps(run);
    return make_keys(run, err);
}

void run_free(struct run *run)
{
    free(run->folder);
    free(run->setting_key);
    free(run->cell_key);
    free(run->config_key);
    free(run->curve);
    free(run->curve_accuracy);
    run_record_free(&run->record);
    *run = (struct run){0};
}

float *run_attention_map(const struct run *run)
{
    const struct config *config = run_config(run);
    long long layer =
        run->record.has_attention ? run->record.attention.layer : (long long)config->n_layer - 1;
    return run_files_attention(run->folder, layer, config->seq_len);
}

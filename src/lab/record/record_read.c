/* A run that a full disk, a broken copy or a hand has damaged must not pass for a finished one: it
 * would be skipped for ever. What is checked here is what everything later relies on, at the cost
 * of reading run.json and the end of curve.csv: thousands of runs are looked at before a sweep.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/path.h"
#include "lab/config/config_read.h"
#include "lab/record/record.h"

static enum status refuse(const char *folder, const char *key, const char *found,
                          const char *expected, struct error *err)
{
    return error_set(err, STATUS_DATA, "%s/run.json: %s is \"%s\", expected %s", folder, key, found,
                     expected);
}

/* A share is a number in 0..1; every other result any finite number. */
static enum status check_number(const char *folder, const json_t *results, const char *key,
                                bool is_share, struct error *err)
{
    double value = json_get_number(results, key, NAN);
    if (isfinite(value) && (!is_share || (value >= 0 && value <= 1))) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_DATA, "%s/run.json: status is ok, but results.%s is no number%s",
                     folder, key, is_share ? " in 0..1" : "");
}

static enum status check_results(const char *folder, const json_t *run, struct error *err)
{
    const json_t *results = json_object_get(run, "results");
    const char *accuracy = json_object_get(results, "top1") ? "top1" : "token_accuracy";
    enum status status = check_number(folder, results, accuracy, true, err);
    if (status == STATUS_OK) {
        status = check_number(folder, results, "loss", false, err);
    }
    if (status == STATUS_OK) {
        status = check_number(folder, results, "final_train_loss", false, err);
    }
    return status;
}

/* The id is a hash of the configuration: one that was changed by hand shows. Runs of other versions
 * have ids that cannot be made here. */
static enum status check_config(const char *folder, const char *id, const json_t *run,
                                struct error *err)
{
    const json_t *versions = json_object_get(run, "versions");
    struct config config;
    struct error problem = {0};
    char expected[CONFIG_ID_SIZE];
    if (json_get_integer(versions, "engine", -1) != ENGINE_VERSION) {
        return STATUS_OK;
    }
    if (config_read(json_object_get(run, "config"), &config, &problem) != STATUS_OK) {
        return error_set(err, STATUS_DATA, "%s/run.json: config: %s", folder, problem.text);
    }
    if (json_get_integer(versions, "task", -1) != config_task_version(&config)) {
        return STATUS_OK;
    }
    config_id(&config, expected);
    if (strcmp(expected, id) == 0) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_DATA,
                     "%s/run.json: its config is that of the run %s: it was changed after the run",
                     folder, expected);
}

/* Longer than any line of curve.csv. */
#define TAIL_SIZE 512

/* read_last_line returns what begins the last whole line; NULL where the file does not end with
 * one. */
static const char *read_last_line(const char *path, char tail[TAIL_SIZE])
{
    FILE *file = fopen(path, "rbe");
    size_t size = 0;
    if (!file) {
        return NULL;
    }
    if (fseek(file, -(TAIL_SIZE - 1), SEEK_END) == 0 || fseek(file, 0, SEEK_SET) == 0) {
        size = fread(tail, 1, TAIL_SIZE - 1, file);
    }
    fclose(file);
    if (size == 0 || tail[size - 1] != '\n') {
        return NULL;
    }
    tail[size - 1] = '\0';
    const char *before = strrchr(tail, '\n');
    return before ? before + 1 : NULL;
}

/* The last line of curve.csv is that of the last step. */
static enum status check_curve(const char *folder, const json_t *run, struct error *err)
{
    long long n_step = json_get_integer(json_object_get(run, "results"), "n_step", -1);
    char path[PATH_SIZE], tail[TAIL_SIZE], *end;
    if (n_step < 1) {
        return STATUS_OK;
    }
    enum status status = path_format(path, err, "%s/curve.csv", folder);
    if (status != STATUS_OK) {
        return status;
    }
    if (!file_exists(path)) {
        return error_set(err, STATUS_DATA, "%s is missing", path);
    }
    const char *line = read_last_line(path, tail);
    if (line && strtoll(line, &end, 10) == n_step - 1 && end != line && *end == ',') {
        return STATUS_OK;
    }
    return error_set(err, STATUS_DATA, "%s is cut short: it does not end with step %lld", path,
                     n_step - 1);
}

static enum status check_outcome(const char *folder, const json_t *run, struct error *err)
{
    const char *state = json_get_text(run, "status", "");
    if (strcmp(state, "diverged") == 0) {
        return STATUS_OK;
    }
    if (strcmp(state, "ok") != 0) {
        return refuse(folder, "status", state, "ok or diverged", err);
    }
    return check_results(folder, run, err);
}

static enum status check(const char *folder, const char *id, const json_t *run, struct error *err)
{
    const char *format = json_get_text(run, "format", "");
    const char *named = json_get_text(run, "id", "");
    if (strcmp(format, RECORD_FORMAT) != 0) {
        return refuse(folder, "format", format, "\"" RECORD_FORMAT "\"", err);
    }
    if (strcmp(named, id) != 0) {
        return refuse(folder, "id", named, "the name of its folder", err);
    }
    enum status status = check_outcome(folder, run, err);
    if (status == STATUS_OK) {
        status = check_config(folder, id, run, err);
    }
    return status == STATUS_OK ? check_curve(folder, run, err) : status;
}

enum status record_read(const char *folder, const char *id, json_t **run, struct error *err)
{
    *run = NULL;
    char path[PATH_SIZE];
    json_t *root = NULL;
    enum status status = path_format(path, err, "%s/run.json", folder);
    if (status == STATUS_OK && !file_exists(path)) {
        return error_set(err, STATUS_DATA, "%s has no run.json", folder);
    }
    if (status == STATUS_OK) {
        status = json_read(path, &root, err);
    }
    if (status == STATUS_OK) {
        status = check(folder, id, root, err);
    }
    if (status != STATUS_OK) {
        json_decref(root);
        return status;
    }
    *run = root;
    return STATUS_OK;
}

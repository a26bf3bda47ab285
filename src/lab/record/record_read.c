/* A run.json that a full disk, a broken copy or a hand has damaged must not pass for a finished
 * run: it would be skipped for ever. What is checked here is what everything later relies on.
 */
#include <math.h>
#include <string.h>

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

static enum status check(const char *folder, const char *id, const json_t *run, struct error *err)
{
    const char *format = json_get_text(run, "format", "");
    const char *named = json_get_text(run, "id", "");
    const char *state = json_get_text(run, "status", "");
    if (strcmp(format, RECORD_FORMAT) != 0) {
        return refuse(folder, "format", format, "\"" RECORD_FORMAT "\"", err);
    }
    if (strcmp(named, id) != 0) {
        return refuse(folder, "id", named, "the name of its folder", err);
    }
    if (strcmp(state, "diverged") == 0) {
        return STATUS_OK;
    }
    if (strcmp(state, "ok") != 0) {
        return refuse(folder, "status", state, "ok or diverged", err);
    }
    return check_results(folder, run, err);
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

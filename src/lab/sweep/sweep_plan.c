/* Plans are read and written under the lock of the folder's claims, so that shards that start at
 * the same moment find each other's.
 */
#include "lab/sweep/sweep_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/claim.h"
#include "base/folder.h"
#include "base/json.h"
#include "base/path.h"
#include "base/sha256.h"
#include "base/shell.h"
#include "base/text.h"

#define NAME_DIGITS 12

static enum status out_of_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "out of memory for the list of planned runs");
}

static int compare_ids(const void *a, const void *b)
{
    const char *const *left = a, *const *right = b;
    return strcmp(*left, *right);
}

/* ---- reading ---- */

static char *command_of(const json_t *root)
{
    struct text text = {0};
    size_t i;
    json_t *word;
    json_array_foreach(json_object_get(root, "command"), i, word)
    {
        text_append(&text, i > 0 ? " " : "");
        shell_append_word(&text, json_is_string(word) ? json_string_value(word) : "");
    }
    return text.failed ? NULL : text.data;
}

/* An id becomes part of paths. */
static bool is_id(const json_t *value)
{
    const char *id = json_string_value(value);
    return id && id[0] && id[0] != '.' && !strchr(id, '/') && strlen(id) < CONFIG_ID_SIZE;
}

static enum status take_ids(struct sweep_plan *plan, const json_t *runs, const char *path,
                            struct error *err)
{
    plan->id = calloc(json_array_size(runs) + 1, sizeof *plan->id);
    plan->listed = calloc(json_array_size(runs) + 1, sizeof *plan->listed);
    if (!plan->id || !plan->listed) {
        return out_of_memory(err);
    }
    for (size_t i = 0; i < json_array_size(runs); i++) {
        json_t *value = json_array_get(runs, i);
        if (!is_id(value)) {
            return error_set(err, STATUS_DATA, "%s: runs[%zu] is no id of a run", path, i);
        }
        plan->id[i] = plan->listed[i] = json_string_value(value);
    }
    plan->n_id = json_array_size(runs);
    qsort(plan->id, plan->n_id, sizeof *plan->id, compare_ids);
    return STATUS_OK;
}

static enum status read_plan(const char *folder, struct sweep_plan *plan, struct error *err)
{
    char path[PATH_SIZE];
    json_t *root = NULL;
    enum status status = path_format(path, err, "%s/%s", folder, plan->name);
    if (status == STATUS_OK) {
        status = json_read(path, &root, err);
    }
    plan->root = root;
    if (status == STATUS_OK && strcmp(json_get_text(root, "format", ""), SWEEP_PLAN_FORMAT) != 0) {
        status = error_set(err, STATUS_DATA, "%s: format is \"%s\", expected \"%s\"", path,
                           json_get_text(root, "format", ""), SWEEP_PLAN_FORMAT);
    }
    if (status == STATUS_OK) {
        plan->command = command_of(root);
        status = take_ids(plan, json_object_get(root, "runs"), path, err);
    }
    return status;
}

/* Temporary files and those of others end otherwise. */
static bool is_plan(const char *name)
{
    size_t n = strlen(name), n_ending = strlen(".json");
    return name[0] != '.' && n > n_ending && strcmp(name + n - n_ending, ".json") == 0;
}

enum status sweep_plans_read(const char *out, struct sweep_plans *plans, struct error *err)
{
    char folder[PATH_SIZE], **names;
    size_t n_name;
    *plans = (struct sweep_plans){0};
    enum status status = path_format(folder, err, "%s/plans", out);
    if (status != STATUS_OK || !folder_exists(folder)) {
        return status;
    }
    status = folder_list(folder, &names, &n_name, err);
    if (status != STATUS_OK) {
        return status;
    }
    plans->plan = calloc(n_name + 1, sizeof *plans->plan);
    if (!plans->plan) {
        status = out_of_memory(err);
    }
    for (size_t i = 0; i < n_name && status == STATUS_OK; i++) {
        if (!is_plan(names[i])) {
            continue;
        }
        struct sweep_plan *plan = &plans->plan[plans->n_plan++];
        plan->name = strdup(names[i]);
        enum status read = plan->name ? read_plan(folder, plan, &plan->damage) : STATUS_MEMORY;
        status = read == STATUS_MEMORY ? out_of_memory(err) : STATUS_OK;
    }
    folder_list_free(names, n_name);
    return status;
}

void sweep_plans_free(struct sweep_plans *plans)
{
    for (size_t i = 0; i < plans->n_plan; i++) {
        free(plans->plan[i].name);
        free(plans->plan[i].command);
        free(plans->plan[i].id);
        free(plans->plan[i].listed);
        json_decref(plans->plan[i].root);
    }
    free(plans->plan);
    *plans = (struct sweep_plans){0};
}

bool sweep_plans_have(const struct sweep_plans *plans, const char *id)
{
    for (size_t i = 0; i < plans->n_plan; i++) {
        const struct sweep_plan *plan = &plans->plan[i];
        if (plan->n_id > 0 &&
            bsearch(&id, plan->id, plan->n_id, sizeof *plan->id, compare_ids) != NULL) {
            return true;
        }
    }
    return false;
}

/* ---- writing ---- */

struct ids {
    char (*text)[CONFIG_ID_SIZE];  /* [n] */
    const char **listed, **sorted; /* [n] of them, as they are made, and for the name */
    size_t n;
};

static bool ids_make(struct ids *ids, const struct config *configs, size_t n_config)
{
    *ids = (struct ids){.text = calloc(n_config + 1, sizeof *ids->text),
                        .listed = calloc(n_config + 1, sizeof *ids->listed),
                        .sorted = calloc(n_config + 1, sizeof *ids->sorted),
                        .n = n_config};
    if (!ids->text || !ids->listed || !ids->sorted) {
        return false;
    }
    for (size_t i = 0; i < n_config; i++) {
        memcpy(ids->text[i], configs[i].id, sizeof ids->text[i]);
        ids->listed[i] = ids->sorted[i] = ids->text[i];
    }
    qsort(ids->sorted, n_config, sizeof *ids->sorted, compare_ids);
    return true;
}

static void ids_free(struct ids *ids)
{
    free(ids->text);
    free(ids->listed);
    free(ids->sorted);
}

static json_t *array_of(const char *const *text, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++) {
        json_array_append_new(array, json_text(text[i]));
    }
    return array;
}

static enum status write_plan(const char *folder, const struct ids *ids, const char *const *words,
                              size_t n_word, struct error *err)
{
    char path[PATH_SIZE], hash[SHA256_HEX_SIZE];
    struct sha256 sha256;
    sha256_begin(&sha256);
    for (size_t i = 0; i < ids->n; i++) {
        sha256_add(&sha256, ids->sorted[i], strlen(ids->sorted[i]) + 1);
    }
    sha256_end(&sha256, hash);
    json_t *root = json_pack("{s:s, s:o, s:o}", "format", SWEEP_PLAN_FORMAT, "command",
                             array_of(words, n_word), "runs", array_of(ids->listed, ids->n));
    enum status status = root ? path_format(path, err, "%s/%.*s.json", folder, NAME_DIGITS, hash)
                              : out_of_memory(err);
    if (status == STATUS_OK) {
        status = json_write(path, root, err);
    }
    json_decref(root);
    return status;
}

static enum status keep_under_lock(const char *out, const struct ids *ids, const char *const *words,
                                   size_t n_word, struct error *err)
{
    struct sweep_plans plans;
    char folder[PATH_SIZE];
    size_t n_planned = 0;
    enum status status = sweep_plans_read(out, &plans, err);
    for (size_t i = 0; i < ids->n && status == STATUS_OK; i++) {
        n_planned += sweep_plans_have(&plans, ids->sorted[i]);
    }
    sweep_plans_free(&plans);
    if (status != STATUS_OK || n_planned == ids->n) {
        return status;
    }
    status = path_format(folder, err, "%s/plans", out);
    if (status == STATUS_OK) {
        status = folder_create(folder, err);
    }
    return status == STATUS_OK ? write_plan(folder, ids, words, n_word, err) : status;
}

enum status sweep_plan_keep(const char *out, const struct config *configs, size_t n_config,
                            const char *const *words, size_t n_word, struct error *err)
{
    struct ids ids;
    int lock;
    struct timespec now;
    char path[PATH_SIZE];
    enum status status = ids_make(&ids, configs, n_config) ? STATUS_OK : out_of_memory(err);
    if (status == STATUS_OK) {
        status = path_format(path, err, "%s/.lock", out);
    }
    if (status == STATUS_OK) {
        status = folder_create(out, err);
    }
    if (status == STATUS_OK) {
        status = lock_take(path, &lock, &now, err);
    }
    if (status == STATUS_OK) {
        status = keep_under_lock(out, &ids, words, n_word, err);
        lock_give(lock);
    }
    ids_free(&ids);
    return status;
}

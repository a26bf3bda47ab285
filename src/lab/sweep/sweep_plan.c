/* Plans are read and written under the lock of the folder's claims, so that shards that start at
 * the same moment find each other's.
 */
#include "lab/sweep/sweep_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/claim.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/json.h"
#include "base/sha256.h"
#include "base/shell.h"
#include "base/text.h"

#define NAME_DIGITS 12

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
        return error_memory(err, "listing planned runs");
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
    TRY(path_format(path, err, "%s/%s", folder, plan->name));
    TRY(json_read(path, &root, err));
    plan->root = root;
    if (strcmp(json_get_text(root, "format", ""), SWEEP_PLAN_FORMAT) != 0) {
        return error_set(err, STATUS_DATA, "%s: format is \"%s\", expected \"%s\"", path,
                         json_get_text(root, "format", ""), SWEEP_PLAN_FORMAT);
    }
    plan->command = command_of(root);
    return take_ids(plan, json_object_get(root, "runs"), path, err);
}

/* Temporary files and those of others end otherwise. */
static bool is_plan(const char *name)
{
    size_t n = strlen(name), n_ending = strlen(".json");
    return name[0] != '.' && n > n_ending && strcmp(name + n - n_ending, ".json") == 0;
}

static enum status read_plans(const char *folder, char *const *names, size_t n_name,
                              struct sweep_plans *plans, struct error *err)
{
    plans->plan = calloc(n_name + 1, sizeof *plans->plan);
    for (size_t i = 0; plans->plan && i < n_name; i++) {
        if (!is_plan(names[i])) {
            continue;
        }
        struct sweep_plan *plan = &plans->plan[plans->n_plan++];
        plan->name = strdup(names[i]);
        if (!plan->name || read_plan(folder, plan, &plan->damage) == STATUS_MEMORY) {
            return error_memory(err, "reading %s/%s", folder, names[i]);
        }
    }
    return plans->plan ? STATUS_OK : error_memory(err, "reading %s", folder);
}

enum status sweep_plans_read(const char *out, struct sweep_plans *plans, struct error *err)
{
    char folder[PATH_SIZE], **names;
    size_t n_name;
    *plans = (struct sweep_plans){0};
    TRY(path_format(folder, err, "%s/plans", out));
    if (!folder_exists(folder)) {
        return STATUS_OK;
    }
    TRY(folder_list(folder, &names, &n_name, err));
    enum status status = read_plans(folder, names, n_name, plans, err);
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

static json_t *array_of(const char *const *text, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++) {
        json_array_append_new(array, json_text(text[i]));
    }
    return array;
}

/* The name of a plan's file: the hash of its ids in sorted order. */
static bool hash_ids(const char *const *ids, size_t n_id, char hash[SHA256_HEX_SIZE])
{
    const char **sorted = calloc(n_id + 1, sizeof *sorted);
    if (!sorted) {
        return false;
    }
    memcpy(sorted, ids, n_id * sizeof *sorted);
    qsort(sorted, n_id, sizeof *sorted, compare_ids);
    struct sha256 sha256;
    sha256_begin(&sha256);
    for (size_t i = 0; i < n_id; i++) {
        sha256_add(&sha256, sorted[i], strlen(sorted[i]) + 1);
    }
    sha256_end(&sha256, hash);
    free(sorted);
    return true;
}

struct sweep {
    const char *out;
    const char **ids; /* [n_id], as they are made */
    size_t n_id;
    const char *const *words; /* [n_word] */
    size_t n_word;
};

static enum status write_plan(const struct sweep *sweep, struct error *err)
{
    char folder[PATH_SIZE], path[PATH_SIZE], hash[SHA256_HEX_SIZE];
    TRY(path_format(folder, err, "%s/plans", sweep->out));
    TRY(folder_create(folder, err));
    if (!hash_ids(sweep->ids, sweep->n_id, hash)) {
        return error_memory(err, "keeping the list of planned runs");
    }
    TRY(path_format(path, err, "%s/%.*s.json", folder, NAME_DIGITS, hash));
    json_t *root =
        json_pack("{s:s, s:o, s:o}", "format", SWEEP_PLAN_FORMAT, "command",
                  array_of(sweep->words, sweep->n_word), "runs", array_of(sweep->ids, sweep->n_id));
    enum status status =
        root ? json_write(path, root, err) : error_memory(err, "keeping the list of planned runs");
    json_decref(root);
    return status;
}

static enum status keep_under_lock(const struct sweep *sweep, struct error *err)
{
    struct sweep_plans plans;
    size_t n_planned = 0;
    enum status status = sweep_plans_read(sweep->out, &plans, err);
    for (size_t i = 0; i < sweep->n_id && status == STATUS_OK; i++) {
        n_planned += sweep_plans_have(&plans, sweep->ids[i]);
    }
    sweep_plans_free(&plans);
    TRY(status);
    return n_planned == sweep->n_id ? STATUS_OK : write_plan(sweep, err);
}

static enum status keep(const struct sweep *sweep, struct error *err)
{
    int lock;
    struct timespec now;
    char path[PATH_SIZE];
    TRY(path_format(path, err, "%s/.lock", sweep->out));
    TRY(folder_create(sweep->out, err));
    TRY(lock_take(path, &lock, &now, err));
    enum status status = keep_under_lock(sweep, err);
    lock_give(lock);
    return status;
}

enum status sweep_plan_keep(const char *out, const struct config *configs, size_t n_config,
                            const char *const *words, size_t n_word, struct error *err)
{
    struct sweep sweep = {.out = out,
                          .ids = calloc(n_config + 1, sizeof *sweep.ids),
                          .n_id = n_config,
                          .words = words,
                          .n_word = n_word};
    if (!sweep.ids) {
        return error_memory(err, "keeping the list of planned runs");
    }
    for (size_t i = 0; i < n_config; i++) {
        sweep.ids[i] = configs[i].id;
    }
    enum status status = keep(&sweep, err);
    free(sweep.ids);
    return status;
}

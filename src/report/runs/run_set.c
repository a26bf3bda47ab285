/* run_set: load, sort, then cut the sorted array into settings and cells. */
#include "report/runs/run_set.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/path.h"
#include "base/shell.h"
#include "base/text.h"
#include "lab/record/record.h"
#include "report/runs/run_copies.h"
#include "report/runs/run_plans.h"

static enum status no_memory(struct error *err)
{
    return error_memory(err, "reading runs");
}

/* ---- loading ---- */

static enum status leave_out(struct run_set *set, const char *name, const char *reason,
                             struct error *err)
{
    struct left_out *entry = &set->left_out[set->n_left_out++];
    entry->name = strdup(name);
    entry->reason = strdup(reason);
    return entry->name && entry->reason ? STATUS_OK : no_memory(err);
}

static enum status load_one(struct run_set *set, const char *out, const char *name,
                            struct error *err)
{
    char folder[PATH_SIZE];
    enum status status = record_path(out, name, folder, err);
    if (status != STATUS_OK || !record_is_folder(out, name)) {
        return status;
    }
    if (record_is_partial(name)) {
        set->n_partial++;
        return STATUS_OK;
    }
    struct error reason = {0};
    struct run *run = &set->run[set->n_run];
    status = run_load(folder, run, &reason);
    if (status == STATUS_OK && run->dataset) {
        set->image_run[set->n_image_run++] = *run;
        *run = (struct run){0};
        return STATUS_OK;
    }
    if (status == STATUS_OK) {
        set->n_run++;
        return STATUS_OK;
    }
    run_free(run);
    if (status != STATUS_DATA) {
        return error_set(err, status, "%s", reason.text);
    }
    return leave_out(set, name, reason.text, err);
}

static enum status load_all(struct run_set *set, const char *out, struct error *err)
{
    char parent[PATH_SIZE];
    enum status status = path_format(parent, err, "%s/runs", out);
    if (status != STATUS_OK) {
        return status;
    }
    if (!folder_exists(parent)) {
        char *word = shell_path(out);
        status = error_set(err, STATUS_DATA,
                           "%s: no runs are kept there (no runs/ in it); train some with qkvlab "
                           "run --out %s",
                           out, word ? word : out);
        free(word);
        return status;
    }
    char **names;
    size_t n_name;
    status = folder_list(parent, &names, &n_name, err);
    if (status != STATUS_OK) {
        return status;
    }
    set->run = calloc(n_name + 1, sizeof(*set->run));
    set->image_run = calloc(n_name + 1, sizeof(*set->image_run));
    set->copy = calloc(n_name + 1, sizeof(*set->copy));
    set->left_out = calloc(n_name + 1, sizeof(*set->left_out));
    if (!set->run || !set->image_run || !set->copy || !set->left_out) {
        status = no_memory(err);
    }
    for (size_t i = 0; status == STATUS_OK && i < n_name; i++) {
        status = load_one(set, out, names[i], err);
    }
    folder_list_free(names, n_name);
    return status;
}

/* ---- order ---- */

static int compare_table_place(const struct run *a, const struct run *b)
{
    int order = strcmp(a->setting_key, b->setting_key);
    if (order == 0 && a->variant_rank != b->variant_rank) {
        order = a->variant_rank < b->variant_rank ? -1 : 1;
    }
    if (order == 0) {
        order = strcmp(a->variant_id, b->variant_id);
    }
    return order ? order : strcmp(run_task_name(a), run_task_name(b));
}

static int compare_runs(const void *left, const void *right)
{
    const struct run *a = left, *b = right;
    int order = compare_table_place(a, b);
    if (order == 0) {
        order = strcmp(a->cell_key, b->cell_key);
    }
    if (order == 0 && a->seed != b->seed) {
        order = a->seed < b->seed ? -1 : 1;
    }
    return order ? order : strcmp(a->id, b->id);
}

static int compare_image_runs(const void *left, const void *right)
{
    const struct run *a = left, *b = right;
    int order = strcmp(a->dataset->task.name, b->dataset->task.name);
    return order ? order : compare_runs(a, b);
}

/* Appends to a run's setting key what the setting left out of the configuration. */
static enum status narrow_setting_key(struct run *run, struct error *err)
{
    struct text key = {0};
    char lanes[RUN_TEXT_SIZE], micro_batch[RUN_TEXT_SIZE];
    run_config(run, "lanes", lanes);
    run_config(run, "micro_batch", micro_batch);
    char *versions = json_dumps(json_object_get(run->root, "versions"),
                                JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
    text_append(&key, "%s lanes %s micro_batch %s versions %s", run->setting_key, lanes,
                micro_batch, versions ? versions : "");
    free(versions);
    if (key.failed) {
        text_free(&key);
        return no_memory(err);
    }
    free(run->setting_key);
    run->setting_key = key.data;
    return STATUS_OK;
}

/* Two cells for one place of a table (other lanes, another version of the task): the setting is
 * then split by the whole configuration, so that neither hides the other. */
static enum status split_ambiguous_settings(struct run_set *set, struct error *err)
{
    enum status status = STATUS_OK;
    for (size_t first = 0, end; first < set->n_run; first = end) {
        bool ambiguous = false;
        for (end = first + 1; end < set->n_run; end++) {
            const struct run *a = &set->run[end - 1], *b = &set->run[end];
            if (strcmp(set->run[first].setting_key, b->setting_key) != 0) {
                break;
            }
            ambiguous |= compare_table_place(a, b) == 0 && strcmp(a->cell_key, b->cell_key) != 0;
        }
        for (size_t i = first; status == STATUS_OK && ambiguous && i < end; i++) {
            status = narrow_setting_key(&set->run[i], err);
        }
    }
    qsort(set->run, set->n_run, sizeof(*set->run), compare_runs);
    return status;
}

/* ---- cells ---- */

static bool same_cell(const struct run *a, const struct run *b)
{
    return compare_table_place(a, b) == 0 && strcmp(a->cell_key, b->cell_key) == 0;
}

/* make_cells cuts sorted runs; *n_ok counts the finished ones. */
static enum status make_cells(const struct run *run, size_t n_run, struct cell **cells,
                              size_t *n_cell, size_t *n_ok, struct error *err)
{
    *cells = calloc(n_run + 1, sizeof(**cells));
    if (!*cells) {
        return no_memory(err);
    }
    for (size_t i = 0; i < n_run; i++) {
        if (i == 0 || !same_cell(&run[i - 1], &run[i])) {
            (*cells)[(*n_cell)++].run = &run[i];
        }
        struct cell *cell = &(*cells)[*n_cell - 1];
        cell->n_run++;
        cell->n_ok += run_is_ok(&run[i]);
        *n_ok += run_is_ok(&run[i]);
    }
    return STATUS_OK;
}

/* ---- settings ---- */

static int compare_tasks(const void *left, const void *right)
{
    const struct task *const *a = left, *const *b = right;
    return strcmp((*a)->name, (*b)->name);
}

static int compare_seeds(const void *left, const void *right)
{
    long long a = *(const long long *)left, b = *(const long long *)right;
    return (a > b) - (a < b);
}

static void add_axes(struct setting *setting, const struct run *run)
{
    size_t last = setting->n_variant;
    if (last == 0 || strcmp(setting->variant[last - 1]->variant_id, run->variant_id) != 0) {
        setting->variant[setting->n_variant++] = run;
    }
    bool known = false;
    for (size_t i = 0; i < setting->n_task; i++) {
        known |= setting->task[i] == run->task;
    }
    if (!known) {
        setting->task[setting->n_task++] = run->task;
    }
    known = false;
    for (size_t i = 0; i < setting->n_seed; i++) {
        known |= setting->seed[i] == run->seed;
    }
    if (!known) {
        setting->seed[setting->n_seed++] = run->seed;
    }
}

static enum status fill_setting(struct setting *setting, const struct run_set *set,
                                struct error *err)
{
    size_t n = setting->n_run;
    setting->variant = calloc(n, sizeof(*setting->variant));
    setting->task = calloc(n, sizeof(*setting->task));
    setting->seed = calloc(n, sizeof(*setting->seed));
    if (!setting->variant || !setting->task || !setting->seed) {
        return no_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        add_axes(setting, &setting->run[i]);
        if (setting->run[i].n_step > setting->n_step) {
            setting->n_step = setting->run[i].n_step;
        }
    }
    qsort(setting->task, setting->n_task, sizeof(*setting->task), compare_tasks);
    qsort(setting->seed, setting->n_seed, sizeof(*setting->seed), compare_seeds);
    setting->cell = calloc(setting->n_variant * setting->n_task, sizeof(*setting->cell));
    if (!setting->cell) {
        return no_memory(err);
    }
    for (size_t i = 0; i < set->n_cell; i++) {
        const struct run *run = set->cell[i].run;
        if (run < setting->run || run >= setting->run + n) {
            continue;
        }
        size_t row = setting_find_variant(setting, run->variant_id), column = 0;
        while (setting->task[column] != run->task) {
            column++;
        }
        setting->cell[row * setting->n_task + column] = &set->cell[i];
    }
    return STATUS_OK;
}

static enum status make_settings(struct run_set *set, struct error *err)
{
    set->setting = calloc(set->n_run + 1, sizeof(*set->setting));
    if (!set->setting) {
        return no_memory(err);
    }
    for (size_t i = 0; i < set->n_run; i++) {
        const struct run *run = &set->run[i];
        if (i == 0 || strcmp(run[-1].setting_key, run->setting_key) != 0) {
            set->setting[set->n_setting++].run = run;
        }
        set->setting[set->n_setting - 1].n_run++;
    }
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < set->n_setting; i++) {
        status = fill_setting(&set->setting[i], set, err);
    }
    return status;
}

static enum status mark_copies(struct run_set *set, struct error *err)
{
    set->n_repeat = set->n_copy;
    enum status status = run_copies_mark(set->run, set->n_run, &set->n_repeat, err);
    return status == STATUS_OK
               ? run_copies_mark(set->image_run, set->n_image_run, &set->n_repeat, err)
               : status;
}

enum status run_set_load(const char *out, struct run_set *set, struct error *err)
{
    *set = (struct run_set){0};
    enum status status = load_all(set, out, err);
    if (status != STATUS_OK) {
        return status;
    }
    qsort(set->run, set->n_run, sizeof(*set->run), compare_runs);
    qsort(set->image_run, set->n_image_run, sizeof(*set->image_run), compare_image_runs);
    run_copies_merge(set->run, &set->n_run, set->copy, &set->n_copy);
    run_copies_merge(set->image_run, &set->n_image_run, set->copy, &set->n_copy);
    status = split_ambiguous_settings(set, err);
    if (status == STATUS_OK) {
        status = mark_copies(set, err);
    }
    if (status == STATUS_OK) {
        status = make_cells(set->run, set->n_run, &set->cell, &set->n_cell, &set->n_ok, err);
    }
    if (status == STATUS_OK) {
        status = make_cells(set->image_run, set->n_image_run, &set->image_cell, &set->n_image_cell,
                            &set->n_image_ok, err);
    }
    if (status == STATUS_OK && set->n_ok + set->n_image_ok == 0) {
        return error_set(err, STATUS_DATA,
                         "%s/runs holds no finished run to report (%zu unfinished, %zu failed, "
                         "diverged or unreadable%s%s)",
                         out, set->n_partial, set->n_run + set->n_image_run + set->n_left_out,
                         set->n_left_out ? "; the first: " : "",
                         set->n_left_out ? set->left_out[0].reason : "");
    }
    if (status == STATUS_OK) {
        status = make_settings(set, err);
    }
    if (status == STATUS_OK) {
        status = run_plans_count(out, set, err);
    }
    return status;
}

static void setting_free(struct setting *setting)
{
    free(setting->variant);
    free(setting->task);
    free(setting->seed);
    free(setting->cell);
}

void run_set_free(struct run_set *set)
{
    for (size_t i = 0; i < set->n_run; i++) {
        run_free(&set->run[i]);
    }
    for (size_t i = 0; i < set->n_image_run; i++) {
        run_free(&set->image_run[i]);
    }
    for (size_t i = 0; i < set->n_copy; i++) {
        run_free(&set->copy[i]);
    }
    for (size_t i = 0; i < set->n_setting; i++) {
        setting_free(&set->setting[i]);
    }
    for (size_t i = 0; i < set->n_left_out; i++) {
        free(set->left_out[i].name);
        free(set->left_out[i].reason);
    }
    free(set->run);
    free(set->cell);
    free(set->image_run);
    free(set->image_cell);
    free(set->copy);
    free(set->setting);
    free(set->left_out);
    *set = (struct run_set){0};
}

/* ---- questions ---- */

const struct cell *setting_cell(const struct setting *setting, size_t variant, size_t task)
{
    return setting->cell[variant * setting->n_task + task];
}

size_t setting_find_variant(const struct setting *setting, const char *variant_id)
{
    size_t i = 0;
    while (i < setting->n_variant && strcmp(setting->variant[i]->variant_id, variant_id) != 0) {
        i++;
    }
    return i;
}

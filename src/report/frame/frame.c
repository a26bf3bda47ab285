/* frame: load, sort, number the levels. */
#include "report/frame/frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/shell.h"
#include "base/text.h"
#include "lab/record/record.h"
#include "report/frame/copies.h"
#include "report/frame/plans.h"

/* ---- loading ---- */

static enum status leave_out(struct frame *frame, const char *name, const char *reason,
                             struct error *err)
{
    struct left_out *entry = &frame->left_out[frame->n_left_out++];
    entry->name = strdup(name);
    entry->reason = strdup(reason);
    return entry->name && entry->reason ? STATUS_OK : error_memory(err, "reading runs");
}

static enum status load_one(struct frame *frame, const char *out, const char *name,
                            struct error *err)
{
    char folder[PATH_SIZE];
    TRY(record_path(out, name, folder, err));
    if (!record_is_folder(out, name)) {
        return STATUS_OK;
    }
    if (record_is_partial(name)) {
        frame->n_partial++;
        return STATUS_OK;
    }
    struct error reason = {0};
    struct run *run = &frame->run[frame->n_run];
    enum status status = run_load(folder, run, &reason);
    if (status == STATUS_OK) {
        frame->n_run++;
        return STATUS_OK;
    }
    run_free(run);
    if (status == STATUS_MEMORY) {
        return error_set(err, status, "%s", reason.text);
    }
    return leave_out(frame, name, reason.text, err);
}

static enum status load_names(struct frame *frame, const char *out, char *const *names,
                              size_t n_name, struct error *err)
{
    frame->run = calloc(2 * n_name + 1, sizeof *frame->run);
    frame->left_out = calloc(n_name + 1, sizeof *frame->left_out);
    if (!frame->run || !frame->left_out) {
        return error_memory(err, "reading runs");
    }
    for (size_t i = 0; i < n_name; i++) {
        TRY(load_one(frame, out, names[i], err));
    }
    return STATUS_OK;
}

static enum status load_all(struct frame *frame, const char *out, struct error *err)
{
    char parent[PATH_SIZE];
    TRY(path_format(parent, err, "%s/runs", out));
    if (!folder_exists(parent)) {
        char *word = shell_path(out);
        error_set(
            err, STATUS_DATA,
            "%s: no runs are kept there (no runs/ in it); train some with qkvlab run --out %s", out,
            word ? word : out);
        free(word);
        return STATUS_DATA;
    }
    char **names;
    size_t n_name;
    TRY(folder_list(parent, &names, &n_name, err));
    enum status status = load_names(frame, out, names, n_name, err);
    folder_list_free(names, n_name);
    return status;
}

/* ---- what is equal, and what comes first ---- */

typedef int compare_runs(const struct run *a, const struct run *b);

static int compare_numbers(long long a, long long b)
{
    return (a > b) - (a < b);
}

static int compare_kinds(const struct run *a, const struct run *b)
{
    return compare_numbers(a->kind - report_kinds, b->kind - report_kinds);
}

static int compare_tasks(const struct run *a, const struct run *b)
{
    int order = compare_kinds(a, b);
    return order ? order : strcmp(run_task_name(a), run_task_name(b));
}

static int compare_variants(const struct run *a, const struct run *b)
{
    int order = compare_numbers((long long)a->variant_rank, (long long)b->variant_rank);
    return order ? order : strcmp(a->variant_id, b->variant_id);
}

static int compare_settings(const struct run *a, const struct run *b)
{
    int order = a->kind->has_settings ? compare_kinds(a, b) : compare_tasks(a, b);
    return order ? order : strcmp(a->setting_key, b->setting_key);
}

static int compare_configurations(const struct run *a, const struct run *b)
{
    return strcmp(a->config_key, b->config_key);
}

/* Where a run stands in the tables, its seed aside. */
static int compare_places(const struct run *a, const struct run *b)
{
    int order = compare_settings(a, b);
    order = order ? order : compare_variants(a, b);
    return order ? order : compare_tasks(a, b);
}

static int compare_cells(const struct run *a, const struct run *b)
{
    int order = compare_places(a, b);
    return order ? order : strcmp(a->cell_key, b->cell_key);
}

static int compare_seeds(const struct run *a, const struct run *b)
{
    return compare_numbers(run_seed(a), run_seed(b));
}

static int compare_all(const void *left, const void *right)
{
    const struct run *a = left, *b = right;
    int order = compare_cells(a, b);
    order = order ? order : compare_seeds(a, b);
    return order ? order : strcmp(run_id(a), run_id(b));
}

static bool looks_at_lanes(const char *key)
{
    return strcmp(key, "lanes") != 0 && strcmp(key, "micro_batch") != 0;
}

/* Appends to a run's setting key what the setting left out of the configuration. */
static enum status narrow_setting_key(struct run *run, struct error *err)
{
    struct text key = {0};
    text_append(&key, "%s", run->setting_key);
    run_append_config(run, looks_at_lanes, &key);
    text_append(&key, "task version=%ld\n", run->record.task_version);
    if (key.failed) {
        text_free(&key);
        return error_memory(err, "reading runs");
    }
    free(run->setting_key);
    run->setting_key = key.data;
    return STATUS_OK;
}

/* Two cells for one place of a table (other lanes, another version of the task): the setting is
 * then split by the whole configuration, so that neither hides the other. Tables of data sets have
 * a row a cell. */
static enum status split_ambiguous_settings(struct frame *frame, struct error *err)
{
    struct run *run = frame->run;
    for (size_t first = 0, end; first < frame->n_run; first = end) {
        bool ambiguous = false;
        for (end = first + 1; end < frame->n_run && compare_settings(&run[first], &run[end]) == 0;
             end++) {
            ambiguous |= compare_places(&run[end - 1], &run[end]) == 0 &&
                         compare_cells(&run[end - 1], &run[end]) != 0;
        }
        for (size_t i = first; ambiguous && run[first].kind->has_settings && i < end; i++) {
            TRY(narrow_setting_key(&run[i], err));
        }
    }
    qsort(run, frame->n_run, sizeof *run, compare_all);
    return STATUS_OK;
}

/* ---- levels ---- */

static compare_runs *const compare_factor[FACTOR_COUNT] = {
    [FACTOR_KIND] = compare_kinds,
    [FACTOR_TASK] = compare_tasks,
    [FACTOR_VARIANT] = compare_variants,
    [FACTOR_SETTING] = compare_settings,
    [FACTOR_CONFIGURATION] = compare_configurations,
    [FACTOR_CELL] = compare_cells,
    [FACTOR_SEED] = compare_seeds,
};

/* qsort has no argument for the factor. */
struct sorted_run {
    struct run *run;
    compare_runs *compare;
};

static int compare_sorted(const void *left, const void *right)
{
    const struct sorted_run *a = left, *b = right;
    int order = a->compare(a->run, b->run);
    return order ? order : (a->run > b->run) - (a->run < b->run);
}

static enum status number_levels(struct frame *frame, enum factor factor, struct sorted_run *sorted,
                                 struct error *err)
{
    compare_runs *compare = compare_factor[factor];
    TRY_CALLOC(err, frame->sample[factor], frame->n_run, "reading runs");
    for (size_t i = 0; i < frame->n_run; i++) {
        sorted[i] = (struct sorted_run){&frame->run[i], compare};
    }
    qsort(sorted, frame->n_run, sizeof *sorted, compare_sorted);
    for (size_t i = 0; i < frame->n_run; i++) {
        if (i == 0 || compare(sorted[i - 1].run, sorted[i].run) != 0) {
            frame->sample[factor][frame->n_level[factor]++] = sorted[i].run;
        }
        sorted[i].run->level[factor] = frame->n_level[factor] - 1;
    }
    return STATUS_OK;
}

static enum status number_all(struct frame *frame, struct error *err)
{
    struct sorted_run *sorted = calloc(frame->n_run + 1, sizeof *sorted);
    enum status status = sorted ? STATUS_OK : error_memory(err, "reading runs");
    for (int i = 0; status == STATUS_OK && i < FACTOR_COUNT; i++) {
        status = number_levels(frame, (enum factor)i, sorted, err);
    }
    free(sorted);
    return status;
}

static enum status make_groups(struct frame *frame, struct error *err)
{
    frame->list = calloc(frame->n_run + 1, sizeof *frame->list);
    frame->cuts = cuts_create();
    if (!frame->list || !frame->cuts) {
        return error_memory(err, "reading runs");
    }
    frame->all = (struct group){.cuts = frame->cuts, .run = frame->list, .n_run = frame->n_run};
    for (size_t i = 0; i < frame->n_run; i++) {
        frame->list[i] = &frame->run[i];
        frame->all.n_ok += run_is_ok(&frame->run[i]);
    }
    for (int i = 0; i < FACTOR_COUNT; i++) {
        frame->all.level[i] = LEVEL_ANY;
    }
    frame->kind = groups_by(&frame->all, FACTOR_BIT(KIND));
    frame->setting = groups_by(&frame->all, FACTOR_BIT(KIND) | FACTOR_BIT(SETTING));
    return cuts_failed(frame->cuts) ? error_memory(err, "reading runs") : STATUS_OK;
}

enum status frame_load(const char *out, struct frame *frame, struct error *err)
{
    *frame = (struct frame){0};
    TRY(load_all(frame, out, err));
    qsort(frame->run, frame->n_run, sizeof *frame->run, compare_all);
    TRY(split_ambiguous_settings(frame, err));
    size_t n_all = frame->n_run;
    frame->n_run = copies_merge(frame->run, n_all);
    frame->n_repeat = frame->n_copy = n_all - frame->n_run;
    TRY(copies_mark(frame->run, frame->n_run, &frame->n_repeat, err));
    TRY(number_all(frame, err));
    TRY(make_groups(frame, err));
    if (frame->all.n_ok == 0) {
        return error_set(err, STATUS_DATA,
                         "%s/runs holds no finished run to report (%zu unfinished, %zu failed, "
                         "diverged or unreadable%s%s)",
                         out, frame->n_partial, frame->n_run + frame->n_left_out,
                         frame->n_left_out ? "; the first: " : "",
                         frame->n_left_out ? frame->left_out[0].reason : "");
    }
    return plans_count(out, frame, err);
}

void frame_free(struct frame *frame)
{
    for (size_t i = 0; i < frame->n_run + frame->n_copy; i++) {
        run_free(&frame->run[i]);
    }
    for (size_t i = 0; i < frame->n_left_out; i++) {
        free(frame->left_out[i].name);
        free(frame->left_out[i].reason);
    }
    for (int i = 0; i < FACTOR_COUNT; i++) {
        free(frame->sample[i]);
    }
    cuts_free(frame->cuts);
    free(frame->list);
    free(frame->run);
    free(frame->left_out);
    *frame = (struct frame){0};
}

/* ---- questions ---- */

const struct group *frame_kind(const struct frame *frame, enum measured_kind kind)
{
    for (size_t i = 0; i < frame->kind.n_group; i++) {
        if (frame->kind.group[i].run[0]->kind->bit == kind) {
            return &frame->kind.group[i];
        }
    }
    return NULL;
}

void setting_title(const struct run *run, char title[SETTING_TITLE_SIZE])
{
    const struct config *config = run_config(run);
    size_t n = 0;
    if (!run->kind->has_settings) {
        n = (size_t)snprintf(title, SETTING_TITLE_SIZE, "%s: ", run_task_title(run));
    }
    n += (size_t)snprintf(title + n, SETTING_TITLE_SIZE - n, "d %zu, %zu layer%s, %zu head%s",
                          config->n_embd, config->n_layer, plural(config->n_layer), config->n_head,
                          plural(config->n_head));
    if (!run->kind->has_settings) {
        n += (size_t)snprintf(title + n, SETTING_TITLE_SIZE - n, ", patch %zu", config->patch);
    }
    snprintf(title + n, SETTING_TITLE_SIZE - n, ", T %zu", config->seq_len);
}

void setting_name(const struct frame *frame, const struct group *setting,
                  char name[SETTING_NAME_SIZE])
{
    char title[SETTING_TITLE_SIZE];
    setting_title(setting->run[0], title);
    if (frame->setting.n_group > 1) {
        snprintf(name, SETTING_NAME_SIZE, "Setting %zu: %s", setting->level[FACTOR_SETTING] + 1,
                 title);
    } else {
        snprintf(name, SETTING_NAME_SIZE, "%s", title);
    }
}

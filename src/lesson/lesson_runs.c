#include "lesson/lesson_runs.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "lab/record/record.h"

static bool same_task(const struct run *a, const struct run *b)
{
    return run_config(a)->task == run_config(b)->task;
}

static bool same_variant(const struct run *a, const struct run *b)
{
    return strcmp(a->variant_id, b->variant_id) == 0;
}

/* Lists the first run of every group that is the same in one respect. */
static size_t list_groups(const struct lesson_runs *runs,
                          bool same(const struct run *, const struct run *),
                          const struct run **group)
{
    size_t n = 0;
    for (size_t i = 0; i < runs->n_run; i++) {
        size_t k = 0;
        while (k < n && !same(group[k], &runs->run[i])) {
            k++;
        }
        if (k == n) {
            group[n++] = &runs->run[i];
        }
    }
    return n;
}

static int compare_seeds(const void *left, const void *right)
{
    long long a = *(const long long *)left, b = *(const long long *)right;
    return (a > b) - (a < b);
}

static void list_seeds(struct lesson_runs *runs)
{
    for (size_t i = 0; i < runs->n_run; i++) {
        size_t k = 0;
        while (k < runs->n_seed && runs->seed[k] != run_seed(&runs->run[i])) {
            k++;
        }
        if (k == runs->n_seed) {
            runs->seed[runs->n_seed++] = run_seed(&runs->run[i]);
        }
    }
    qsort(runs->seed, runs->n_seed, sizeof(*runs->seed), compare_seeds);
}

/* Two grids may name a task, variant and seed, with maps and without: the first is enough. */
static bool is_there(const struct lesson_runs *runs, const struct run *run)
{
    for (size_t i = 0; i < runs->n_run; i++) {
        if (run_seed(&runs->run[i]) == run_seed(run) && same_task(&runs->run[i], run) &&
            same_variant(&runs->run[i], run)) {
            return true;
        }
    }
    return false;
}

static void load_run(const char *out, const struct config *config, struct lesson_runs *runs)
{
    char folder[PATH_SIZE];
    struct run *run = &runs->run[runs->n_run];
    *run = (struct run){0};
    bool finished = record_path(out, config->id, folder, NULL) == STATUS_OK &&
                    run_load(folder, run, NULL) == STATUS_OK && run_is_ok(run) &&
                    run_config(run)->task;
    runs->n_missing += !finished;
    if (finished && !is_there(runs, run)) {
        runs->n_run++;
    } else {
        run_free(run);
    }
}

enum status lesson_runs_load(const char *out, const struct config *config, size_t n_config,
                             struct lesson_runs *runs, struct error *err)
{
    *runs = (struct lesson_runs){0};
    runs->run = calloc(n_config + 1, sizeof(*runs->run));
    runs->task = calloc(n_config + 1, sizeof(*runs->task));
    runs->variant = calloc(n_config + 1, sizeof(*runs->variant));
    runs->seed = calloc(n_config + 1, sizeof(*runs->seed));
    if (!runs->run || !runs->task || !runs->variant || !runs->seed) {
        return error_set(err, STATUS_MEMORY, "out of memory for the runs of the lesson");
    }
    for (size_t i = 0; i < n_config; i++) {
        load_run(out, &config[i], runs);
    }
    if (runs->n_run == 0) {
        return error_set(err, STATUS_DATA, "%s/runs holds none of the %zu runs of the lesson", out,
                         n_config);
    }
    runs->n_task = list_groups(runs, same_task, runs->task);
    runs->n_variant = list_groups(runs, same_variant, runs->variant);
    list_seeds(runs);
    return STATUS_OK;
}

void lesson_runs_free(struct lesson_runs *runs)
{
    for (size_t i = 0; i < runs->n_run; i++) {
        run_free(&runs->run[i]);
    }
    free(runs->run);
    free(runs->task);
    free(runs->variant);
    free(runs->seed);
    *runs = (struct lesson_runs){0};
}

size_t lesson_runs_task(const struct lesson_runs *runs, const struct run *run)
{
    return lesson_runs_find_task(runs, run_config(run)->task->name);
}

size_t lesson_runs_variant(const struct lesson_runs *runs, const struct run *run)
{
    return lesson_runs_find_variant(runs, run->variant_id);
}

size_t lesson_runs_find_task(const struct lesson_runs *runs, const char *name)
{
    size_t i = 0;
    while (i < runs->n_task && strcmp(run_task_name(runs->task[i]), name) != 0) {
        i++;
    }
    return i;
}

size_t lesson_runs_find_variant(const struct lesson_runs *runs, const char *id)
{
    size_t i = 0;
    while (i < runs->n_variant && strcmp(runs->variant[i]->variant_id, id) != 0) {
        i++;
    }
    return i;
}

const struct run *lesson_runs_at(const struct lesson_runs *runs, size_t task, size_t variant,
                                 long long seed)
{
    for (size_t i = 0; i < runs->n_run; i++) {
        const struct run *run = &runs->run[i];
        if (run_seed(run) == seed && same_task(run, runs->task[task]) &&
            same_variant(run, runs->variant[variant])) {
            return run;
        }
    }
    return NULL;
}

bool lesson_is_sharing(const struct run *run)
{
    char id[VARIANT_TEXT_SIZE];
    for (size_t i = 0; variant_sharing_row(i); i++) {
        variant_id(variant_sharing_row(i), id);
        if (strcmp(id, run->variant_id) == 0) {
            return true;
        }
    }
    return false;
}

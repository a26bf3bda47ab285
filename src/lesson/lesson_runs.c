#include "lesson/lesson_runs.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "lab/record/record.h"

static const struct run *find(const struct lesson_runs *runs, const struct task *task,
                              const char *variant, long long seed)
{
    for (size_t i = 0; i < runs->n_run; i++) {
        const struct run *run = &runs->run[i];
        if (run_seed(run) == seed && run_config(run)->task == task &&
            strcmp(run->variant_id, variant) == 0) {
            return run;
        }
    }
    return NULL;
}

static void list_seed(struct lesson_runs *runs, long long seed)
{
    size_t k = runs->n_seed;
    while (k > 0 && runs->seed[k - 1] > seed) {
        k--;
    }
    if (k == 0 || runs->seed[k - 1] != seed) {
        memmove(runs->seed + k + 1, runs->seed + k, (runs->n_seed - k) * sizeof *runs->seed);
        runs->seed[k] = seed;
        runs->n_seed++;
    }
}

/* Two grids may name a task, variant and seed, with maps and without: the first is enough. */
static void load_run(const char *out, const struct config *config, struct lesson_runs *runs)
{
    char folder[PATH_SIZE];
    struct run *run = &runs->run[runs->n_run];
    *run = (struct run){0};
    bool finished = record_path(out, config->id, folder, NULL) == STATUS_OK &&
                    run_load(folder, run, NULL) == STATUS_OK && run_is_ok(run) &&
                    run_config(run)->task;
    runs->n_missing += !finished;
    if (!finished || find(runs, run_config(run)->task, run->variant_id, run_seed(run))) {
        run_free(run);
        return;
    }
    runs->n_run++;
    if (lesson_runs_task(runs, run) == runs->n_task) {
        runs->task[runs->n_task++] = run;
    }
    if (lesson_runs_variant(runs, run) == runs->n_variant) {
        runs->variant[runs->n_variant++] = run;
    }
    list_seed(runs, run_seed(run));
}

enum status lesson_runs_load(const char *out, const struct config *config, size_t n_config,
                             struct lesson_runs *runs, struct error *err)
{
    *runs = (struct lesson_runs){0};
    TRY_CALLOC(err, runs->run, n_config, "reading the runs of the lesson");
    TRY_CALLOC(err, runs->task, n_config, "reading the runs of the lesson");
    TRY_CALLOC(err, runs->variant, n_config, "reading the runs of the lesson");
    TRY_CALLOC(err, runs->seed, n_config, "reading the runs of the lesson");
    for (size_t i = 0; i < n_config; i++) {
        load_run(out, &config[i], runs);
    }
    return runs->n_run > 0
               ? STATUS_OK
               : error_set(err, STATUS_DATA, "%s/runs holds none of the %zu runs of the lesson",
                           out, n_config);
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
    return find(runs, run_config(runs->task[task])->task, runs->variant[variant]->variant_id, seed);
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

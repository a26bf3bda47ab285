/* lesson_runs: the finished runs of the lesson, by task, variant and seed. */
#ifndef QKVLAB_LESSON_LESSON_RUNS_H
#define QKVLAB_LESSON_LESSON_RUNS_H

#include "lab/config/config.h"
#include "report/frame/run.h"

struct lesson_runs {
    struct run *run; /* [n_run], finished, in the order of the plan */
    size_t n_run, n_missing;
    const struct run **task, **variant; /* [n_task], [n_variant]: one run for each */
    size_t n_task, n_variant;
    long long *seed; /* [n_seed], ascending */
    size_t n_seed;
};

/* lesson_runs_load reads <out>/runs/<id> of every configuration on a task. Caller frees with
 * lesson_runs_free, also on failure. Errors: STATUS_DATA where none of them is finished,
 * STATUS_MEMORY. */
enum status lesson_runs_load(const char *out, const struct config *config, size_t n_config,
                             struct lesson_runs *runs, struct error *err);
void lesson_runs_free(struct lesson_runs *runs);

/* Places of a run's task and variant; lesson_runs_find_task and _variant return n_task and
 * n_variant for a name that is not there. */
size_t lesson_runs_task(const struct lesson_runs *runs, const struct run *run);
size_t lesson_runs_variant(const struct lesson_runs *runs, const struct run *run);
size_t lesson_runs_find_task(const struct lesson_runs *runs, const char *name);
size_t lesson_runs_find_variant(const struct lesson_runs *runs, const char *id);

/* lesson_runs_at returns the run of a task, variant and seed, or NULL. */
const struct run *lesson_runs_at(const struct lesson_runs *runs, size_t task, size_t variant,
                                 long long seed);

/* lesson_is_sharing: the variant varies nothing but which projections are shared, with or without
 * the +. */
bool lesson_is_sharing(const struct run *run);

#endif

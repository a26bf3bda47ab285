/* plans: a shard or a stopped sweep leaves a folder that looks complete; only the plan knows
 * what else was asked for. Ids are compared, so that runs of other sweeps do not fill its gaps.
 */
#include "report/frame/plans.h"

#include <stdlib.h>
#include <string.h>

#include "lab/sweep/sweep_plan.h"

struct ids {
    const char **id;
    size_t n;
};

static int compare_ids(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Every folder that is there, also those that cannot be read: they are told of elsewhere. */
static bool collect_present(const struct frame *frame, struct ids *ids)
{
    size_t n_run = frame->n_run + frame->n_copy, n = n_run + frame->n_left_out;
    *ids = (struct ids){.id = calloc(n + 1, sizeof *ids->id)};
    if (!ids->id) {
        return false;
    }
    for (size_t i = 0; i < n_run; i++) {
        ids->id[ids->n++] = run_id(&frame->run[i]);
    }
    for (size_t i = 0; i < frame->n_left_out; i++) {
        ids->id[ids->n++] = frame->left_out[i].name;
    }
    qsort(ids->id, ids->n, sizeof *ids->id, compare_ids);
    return true;
}

static bool collect_planned(const struct sweep_plans *plans, struct ids *ids)
{
    size_t n = 0;
    for (size_t i = 0; i < plans->n_plan; i++) {
        n += plans->plan[i].n_id;
    }
    *ids = (struct ids){.id = calloc(n + 1, sizeof *ids->id)};
    for (size_t i = 0; ids->id && i < plans->n_plan; i++) {
        for (size_t k = 0; k < plans->plan[i].n_id; k++) {
            ids->id[ids->n++] = plans->plan[i].id[k];
        }
    }
    if (ids->id) {
        qsort(ids->id, ids->n, sizeof *ids->id, compare_ids);
    }
    return ids->id != NULL;
}

/* Plans may overlap. */
static void count(struct frame *frame, const struct ids *planned, const struct ids *present)
{
    for (size_t i = 0; i < planned->n; i++) {
        if (i > 0 && strcmp(planned->id[i], planned->id[i - 1]) == 0) {
            continue;
        }
        frame->n_planned++;
        frame->n_missing += bsearch(&planned->id[i], present->id, present->n, sizeof *present->id,
                                    compare_ids) == NULL;
    }
}

enum status plans_count(const char *out, struct frame *frame, struct error *err)
{
    struct sweep_plans plans;
    struct ids planned = {0}, present = {0};
    enum status status = sweep_plans_read(out, &plans, &frame->plan_problem);
    bool fine = status != STATUS_MEMORY;
    for (size_t i = 0; i < plans.n_plan && !frame->plan_problem.text[0]; i++) {
        frame->plan_problem = plans.plan[i].damage;
    }
    fine = fine && collect_present(frame, &present) && collect_planned(&plans, &planned);
    if (fine) {
        count(frame, &planned, &present);
    }
    free(planned.id);
    free(present.id);
    sweep_plans_free(&plans);
    return fine ? STATUS_OK : error_memory(err, "reading plans");
}

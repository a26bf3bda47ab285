/* sweep_plan: what a sweep is going to make, kept beside its runs, so that `status` knows what is
 * missing. The numbers of reports are made from run folders alone; of a plan they only say how many
 * of its runs are not there.
 *
 *     <out>/plans/<12 hex>.json
 *         format     "qkvlab-plan-1"
 *         command    the words that list the runs
 *         runs       the ids of all of them, in all shards, in the order of the grid
 *
 * The file's name is of the ids: shards and repetitions of a sweep keep one plan. Who no longer
 * wants a sweep removes the file.
 */
#ifndef QKVLAB_LAB_SWEEP_PLAN_H
#define QKVLAB_LAB_SWEEP_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "lab/config/config.h"

#define SWEEP_PLAN_FORMAT "qkvlab-plan-1"

/* sweep_plan_keep writes the plan of configs [n_config] in one step, unless all of its runs are
 * planned there already. words [n_word] are the command line without what differs between shards
 * and machines. Errors: STATUS_WRITE, STATUS_MEMORY. */
enum status sweep_plan_keep(const char *out, const struct config *configs, size_t n_config,
                            const char *const *words, size_t n_word, struct error *err);

struct sweep_plan {
    char *name;          /* of the file in plans/ */
    char *command;       /* as one would type it */
    const char **id;     /* [n_id], sorted bytewise */
    const char **listed; /* [n_id], in the order of the file */
    size_t n_id;         /* 0: not readable, because: */
    struct error damage; /* a sentence */
    void *root;          /* what the ids are borrowed from */
};

struct sweep_plans {
    struct sweep_plan *plan; /* [n_plan], by name */
    size_t n_plan;
};

/* sweep_plans_read reads all plans in a folder; no plans/ means none. Caller frees with
 * sweep_plans_free, also on failure. Errors: STATUS_DATA for a folder that cannot be listed,
 * STATUS_MEMORY. */
enum status sweep_plans_read(const char *out, struct sweep_plans *plans, struct error *err);
void sweep_plans_free(struct sweep_plans *plans);

/* sweep_plans_have: some plan names this run. */
bool sweep_plans_have(const struct sweep_plans *plans, const char *id);

#endif

/* plan: the runs that a command line asks for, and their execution, alone or in several processes.
 * Used by `run`, `quick` and `lesson`.
 */
#ifndef QKVLAB_CLI_PLAN_H
#define QKVLAB_CLI_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "cli/grids.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "lab/config/config.h"
#include "lab/sweep/sweep.h"

struct plan {
    const struct arguments *arguments; /* borrowed */
    struct grids grids;                /* all runs of the command line */
    struct config *config;             /* [n_run], this shard's part of them */
    bool *done;                        /* [n_run], what was finished before */
    size_t n_run, n_done, n_diverged;  /* n_diverged of the finished ones */
    size_t jobs;                       /* runs at a time, no more than there are to make */
    int threads;                       /* of each */
};

/* plan_command carries out a command that trains: it lists the runs of a configuration file or
 * preset (NULL: none) and the --set options, see grids.h, and previews them with --dry-run.
 * Otherwise it makes those that are not done yet, and the pictures of their attention maps, and
 * then calls tell, also where some runs failed. First it keeps the list of all runs, see
 * lab/sweep/sweep_plan.h. Progress and a closing line go to stderr. STATUS_USAGE; STATUS_FAILED:
 * some run failed or diverged, which was said. STATUS_DATA before anything is trained where data
 * are missing, or are not those of earlier runs, see lab/sweep/sweep_data.h. STATUS_WRITE: it
 * stopped there. */
typedef enum status plan_tell(const struct plan *plan, struct error *err);
enum status plan_command(const struct arguments *arguments, const char *name, plan_tell *tell,
                         struct error *err);

/* plan_preview prints the list of runs with their size and the time they will take. */
enum status plan_preview(const struct plan *plan, struct error *err);

/* plan_results prints a table of the runs as their folders tell them. */
enum status plan_results(const struct plan *plan, struct error *err);

/* jobs_run makes the runs of a plan in processes of their own, several at a time, like sweep_run. A
 * child that crashes costs its own run only. */
enum status jobs_run(const struct plan *plan, struct progress *progress,
                     struct sweep_totals *totals, struct error *err);

#endif

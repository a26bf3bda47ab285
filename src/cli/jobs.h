/* jobs: the runs of a plan in processes of their own, several at a time. */
#ifndef QKVLAB_CLI_JOBS_H
#define QKVLAB_CLI_JOBS_H

#include "cli/plan.h"
#include "cli/progress.h"

/* jobs_run makes the runs of a plan like sweep_run. A child that crashes costs its own run only. */
enum status jobs_run(const struct plan *plan, struct progress *progress,
                     struct sweep_totals *totals, struct error *err);

#endif

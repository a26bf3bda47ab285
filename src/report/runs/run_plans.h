/* run_plans: which of the runs that sweeps planned (sweep_plan.h) are not there. */
#ifndef QKVLAB_REPORT_RUN_PLANS_H
#define QKVLAB_REPORT_RUN_PLANS_H

#include "report/runs/run_set.h"

/* run_plans_count sets n_planned and n_missing of a loaded set. A plan that cannot be read is no
 * error: plan_problem says why. Errors: STATUS_MEMORY. */
enum status run_plans_count(const char *out, struct run_set *set, struct error *err);

#endif

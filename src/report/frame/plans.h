/* plans: which of the runs that sweeps planned (sweep_plan.h) are not there. */
#ifndef QKVLAB_REPORT_PLANS_H
#define QKVLAB_REPORT_PLANS_H

#include "report/frame/frame.h"

/* plans_count sets n_planned and n_missing of a loaded set. A plan that cannot be read is no
 * error: plan_problem says why. Errors: STATUS_MEMORY. */
enum status plans_count(const char *out, struct frame *frame, struct error *err);

#endif

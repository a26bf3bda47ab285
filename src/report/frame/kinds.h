/* kinds: what a report has to say of a kind of work beside what lab says of it, a row each. */
#ifndef QKVLAB_REPORT_KINDS_H
#define QKVLAB_REPORT_KINDS_H

#include <stdbool.h>
#include <stddef.h>

#include "lab/config/config.h"
#include "report/frame/measure.h"

struct report_kind {
    const char *name;      /* of the kind in lab/kind */
    unsigned bit;          /* in the sets of measure.h */
    enum measure accuracy; /* by which its runs are judged first */
    bool has_floor;        /* a predictor that knows only the position reaches something */
    bool has_settings; /* its tasks share settings: tables have a column a task. Otherwise each task
                          (a data set) is a world of its own, with settings of its own */
};

#define N_REPORT_KIND 2
extern const struct report_kind report_kinds[N_REPORT_KIND];

/* report_kind_of returns the row of a run's kind, NULL where reports know nothing of it. */
const struct report_kind *report_kind_of(const struct config *config);
#endif

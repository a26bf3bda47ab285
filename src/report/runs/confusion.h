/* confusion: which class a run's model took for which, as a labelled figure. */
#ifndef QKVLAB_REPORT_CONFUSION_H
#define QKVLAB_REPORT_CONFUSION_H

#include "report/runs/run.h"

/* confusion_read reads the run's confusion.csv: counts [n,n], true class down, predicted across.
 * Caller frees. NULL where there is none or it is not what a run writes. */
double *confusion_read(const struct run *run, size_t *n_class);

/* figure_confusion writes a PNG of it: each row as shares of its true class, with the counts where
 * they fit. *drawn false: the run has no confusions. Errors: STATUS_WRITE, STATUS_MEMORY. */
enum status figure_confusion(const struct run *run, const char *path, bool *drawn,
                             struct error *err);

#endif

/* figure: old and new curves of a check, a row a cohort: loss, and gradient norm beside it; with
 * the simultaneous band of the band tier. Where the seeds are the same, old and new curves cover
 * each other, so a third panel has the difference of the losses.
 */
#ifndef QKVLAB_CHECK_FIGURE_H
#define QKVLAB_CHECK_FIGURE_H

#include "check/tier.h"

/* figure_check writes a PNG. Errors: STATUS_WRITE, STATUS_MEMORY. */
enum status figure_check(const struct traces *old, const struct traces *new,
                         const struct verdict *verdict, const char *path, struct error *err);

#endif

/* figure_check: old and new curves of a comparison, a column a part: loss above, gradient norm
 * below; with the simultaneous band where the comparison has one. Where the seeds are the same, old
 * and new curves cover each other, so a third row has the difference of the losses.
 */
#ifndef QKVLAB_REPORT_FIGURE_CHECK_H
#define QKVLAB_REPORT_FIGURE_CHECK_H

#include "report/check/compare.h"

/* figure_check writes a PNG. Errors: STATUS_WRITE, STATUS_MEMORY. */
enum status figure_check(const struct baseline *baseline, const struct baseline *fresh,
                         const struct comparison *comparison, const char *path, struct error *err);

#endif

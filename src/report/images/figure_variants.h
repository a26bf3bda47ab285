/* figure_variants: the same images seen by the models of several runs, a column a run.
 */
#ifndef QKVLAB_REPORT_FIGURE_VARIANTS_H
#define QKVLAB_REPORT_FIGURE_VARIANTS_H

#include "report/frame/run.h"

/* figure_variants writes two pictures on one scale: <stem>rollout.png, the class token's rollout
 * through all layers, and <stem>last-layer.png, its attention in the last layer, averaged over
 * heads. Runs whose samples cannot be read or are other images than those of the first one that has
 * some are columns without pictures; past FIGURE_MAX_VARIANT runs, the others are left out and
 * counted in the subtitle. *drawn false: no run has samples, and nothing was written. Errors:
 * STATUS_WRITE, STATUS_MEMORY. */
#define FIGURE_MAX_VARIANT 16
enum status figure_variants(const struct run *const *run, size_t n_run, const char *folder,
                            const char *stem, bool *drawn, struct error *err);

#endif

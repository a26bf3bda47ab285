/* figure_patches: which patch of one image looks at which.
 */
#ifndef QKVLAB_REPORT_FIGURE_PATCHES_H
#define QKVLAB_REPORT_FIGURE_PATCHES_H

#include "report/images/samples.h"

/* figure_patches writes patch-to-patch.png into folder, of the first sample: the image with its
 * grid, and for each of the last FIGURE_MAX_LAYER layers, averaged over heads, what one patch looks
 * at, and the whole map of all tokens. The one patch is that from which the class token's rollout
 * takes most. */
#define FIGURE_MAX_LAYER 4
enum status figure_patches(const struct samples *samples, const char *folder, size_t *n_picture,
                           struct error *err);

#endif

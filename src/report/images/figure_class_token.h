/* figure_class_token: what the class token of one run's model looks at, over the sample images.
 */
#ifndef QKVLAB_REPORT_FIGURE_CLASS_TOKEN_H
#define QKVLAB_REPORT_FIGURE_CLASS_TOKEN_H

#include "report/images/samples.h"

/* figure_class_token writes class-token-layer<l>.png into folder for every layer: its heads (the
 * first FIGURE_MAX_HEAD), their mean, and the rollout up to this layer. *n_picture counts them. */
#define FIGURE_MAX_HEAD 16
enum status figure_class_token(const struct samples *samples, const char *folder, size_t *n_picture,
                               struct error *err);

#endif

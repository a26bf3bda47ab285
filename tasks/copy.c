/* copy: the sequence itself. The residual stream already carries the answer, so it says only that
 * training works at all. */
#include <string.h>

#include "lab/data/task.h"

static int needed_key(size_t t, size_t n_token)
{
    (void)n_token;
    return (int)t;
}

static void target(const int32_t *x, size_t n_token, int32_t *y)
{
    memcpy(y, x, n_token * sizeof *y);
}

const struct task task_copy = {
    .name = "copy",
    .title = "Copy",
    .formula = "y_t = x_t",
    .example = "3 1 4 1 -> 3 1 4 1",
    .version = 1,
    .target = target,
    .needed_key = needed_key,
};

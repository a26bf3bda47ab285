/* copy: the sequence itself. The residual stream already carries the answer, so it says only that
 * training works at all. */
#include <string.h>

#include "lab/kind/sequences/sequences.h"

static int needed_key(size_t t, size_t n_token)
{
    (void)n_token;
    return (int)t;
}

static void target(const int32_t *x, size_t n_token, int32_t *y)
{
    memcpy(y, x, n_token * sizeof *y);
}

const struct sequence_task task_copy = {
    .task.name = "copy",
    .task.title = "Copy",
    .task.summary = "y_t = x_t",
    .task.example = "3 1 4 1 -> 3 1 4 1",
    .task.kind = &kind_sequences,
    .task.version = 1,
    .task.n_answer = 10,
    .reproduced = true,
    .target = target,
    .needed_key = needed_key,
};

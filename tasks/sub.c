/* sub: each digit's complement to nine. A map of symbols, which the MLP learns without any
 * attention: the control for what a task needs attention for. */
#include "lab/kind/sequences/sequences.h"

static int needed_key(size_t t, size_t n_token)
{
    (void)n_token;
    return (int)t;
}

static void target(const int32_t *x, size_t n_token, int32_t *y)
{
    for (size_t t = 0; t < n_token; t++) {
        y[t] = 9 - x[t];
    }
}

const struct sequence_task task_sub = {
    .task.name = "sub",
    .task.title = "Sub",
    .task.summary = "y_t = 9 - x_t",
    .task.example = "3 1 4 1 -> 6 8 5 8",
    .task.kind = &kind_sequences,
    .task.version = 1,
    .task.n_answer = 10,
    .reproduced = true,
    .target = target,
    .needed_key = needed_key,
};

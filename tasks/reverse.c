/* reverse: the sequence backwards. Solved by one anti-diagonal attention map; its own inverse, so a
 * symmetric map can come close to it. */
#include "lab/kind/sequences/sequences.h"

static int needed_key(size_t t, size_t n_token)
{
    return (int)(n_token - 1 - t);
}

static void target(const int32_t *x, size_t n_token, int32_t *y)
{
    for (size_t t = 0; t < n_token; t++) {
        y[t] = x[n_token - 1 - t];
    }
}

const struct sequence_task task_reverse = {
    .task.name = "reverse",
    .task.title = "Reverse",
    .task.summary = "y_t = x_(T-1-t)",
    .task.example = "3 1 4 5 -> 5 4 1 3",
    .task.kind = &kind_sequences,
    .task.version = 1,
    .task.n_answer = 10,
    .reproduced = true,
    .target = target,
    .needed_key = needed_key,
};

/* shift: the cyclic shift by one. Unlike reverse, swap and copy it is not its own inverse, so a
 * symmetric score map cannot draw it: the task that shows what Q = K costs. */
#include "lab/kind/sequences/sequences.h"

static int needed_key(size_t t, size_t n_token)
{
    return (int)((t + 1) % n_token);
}

static void target(const int32_t *x, size_t n_token, int32_t *y)
{
    for (size_t t = 0; t < n_token; t++) {
        y[t] = x[(t + 1) % n_token];
    }
}

const struct sequence_task task_shift = {
    .task.name = "shift",
    .task.title = "Shift",
    .task.summary = "y_t = x_((t+1) mod T)",
    .task.example = "3 1 4 5 -> 1 4 5 3",
    .task.kind = &kind_sequences,
    .task.version = 1,
    .task.n_answer = 10,
    .target = target,
    .needed_key = needed_key,
};

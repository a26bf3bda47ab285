/* swap: second half, then first half. Like reverse its own inverse, with a map of two shifted
 * diagonals. */
#include "lab/kind/sequences/sequences.h"

static int needed_key(size_t t, size_t n_token)
{
    return (int)((t + n_token / 2) % n_token);
}

static void target(const int32_t *x, size_t n_token, int32_t *y)
{
    for (size_t t = 0; t < n_token; t++) {
        y[t] = x[(t + n_token / 2) % n_token];
    }
}

static enum status check(size_t n_token, struct error *err)
{
    if (n_token % 2 == 0) {
        return STATUS_OK;
    }
    if (n_token == 1) {
        return error_set(err, STATUS_USAGE,
                         "swap needs two halves of equal length, and seq_len is 1; 2 would work");
    }
    return error_set(err, STATUS_USAGE,
                     "swap needs two halves of equal length, and seq_len %zu is odd; %zu or %zu "
                     "would work",
                     n_token, n_token - 1, n_token + 1);
}

const struct sequence_task task_swap = {
    .task.name = "swap",
    .task.title = "Swap",
    .task.summary = "y_t = x_((t+T/2) mod T)",
    .task.example = "3 1 4 1 5 9 -> 1 5 9 3 1 4",
    .task.kind = &kind_sequences,
    .task.version = 1,
    .task.n_answer = 10,
    .check = check,
    .reproduced = true,
    .target = target,
    .needed_key = needed_key,
};

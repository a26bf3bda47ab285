/* A cube spreads the steps from dense to wide: in the second half of the list each is less than
 * half as far again as the one before it, so that an escape from the plateau falls between two near
 * ones wherever it comes. Whole numbers alone, for the same list on every machine.
 */
#include "lab/training/snapshot.h"

#include <stdint.h>

#define N_INTERVAL ((uint64_t)SNAPSHOT_MAX - 1)

size_t snapshot_steps(size_t n_step, size_t step[SNAPSHOT_MAX])
{
    const uint64_t cube = N_INTERVAL * N_INTERVAL * N_INTERVAL;
    size_t n = 0;
    for (uint64_t i = 0; i < SNAPSHOT_MAX; i++) {
        size_t next = (size_t)((n_step * i * i * i + cube / 2) / cube);
        if (n > 0 && next <= step[n - 1]) {
            next = step[n - 1] + 1;
        }
        if (next > n_step) {
            break;
        }
        step[n++] = next;
    }
    return n;
}

bool snapshot_is_due(size_t n_step, size_t step)
{
    size_t due[SNAPSHOT_MAX], n = snapshot_steps(n_step, due);
    for (size_t i = 0; i < n; i++) {
        if (due[i] == step) {
            return true;
        }
    }
    return false;
}

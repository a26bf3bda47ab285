/* sweep: a list of configurations, each made once, whatever else works on the same folder.
 */
#ifndef QKVLAB_LAB_SWEEP_H
#define QKVLAB_LAB_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "lab/config/config.h"
#include "lab/training/train.h"

enum run_state { RUN_DONE, RUN_SKIPPED, RUN_BUSY, RUN_DIVERGED, RUN_FAILED };

struct sweep_options {
    const char *out;
    const struct dataset_options *data; /* where data sets are, see source_create; NULL: nowhere */
    int threads;
};

struct sweep_hooks {
    struct train_hooks train;
    /* called before and after each configuration, with train.context and its place in the list; err
     * is empty unless the run failed */
    void (*begin)(void *context, size_t index);
    void (*end)(void *context, size_t index, enum run_state state,
                const struct run_outcome *outcome, const struct error *err);
};

struct sweep_totals {
    size_t done, skipped, busy, diverged, failed;
    size_t diverged_before; /* of the skipped ones */
};

/* sweep_run makes every configuration that is not done yet. A run that fails or
 * diverges does not stop the others: the first failure's status is returned at the end, or
 * STATUS_FAILED if some diverged, now or before. But STATUS_WRITE at once where a run cannot be
 * written, as on a full disk: neither could the others. STATUS_INTERRUPTED, without a call of end,
 * when a hook asked to stop. */
enum status sweep_run(const struct config *configs, size_t n_config,
                      const struct sweep_options *options, const struct sweep_hooks *hooks,
                      struct sweep_totals *totals, struct error *err);

#endif

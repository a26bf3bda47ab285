/* baseline_train: trains the runs of a baseline, and measures what harmless changes do to them.
 */
#ifndef QKVLAB_LAB_BASELINE_TRAIN_H
#define QKVLAB_LAB_BASELINE_TRAIN_H

#include "base/status.h"
#include "lab/baseline/baseline.h"
#include "lab/data/dataset.h"

struct baseline_options {
    const struct dataset_options *data; /* see source_create; may be NULL */
    int threads;                        /* 0: all processors; results do not depend on it */
    /* may be NULL */
    void *context;
    int (*stop)(void *context); /* non-zero: a signal ends the work */
    void (*progress)(void *context, size_t n_done, size_t n_run); /* never twice at a time */
};

/* baseline_plan makes a baseline with nothing trained yet: a part for all configurations that
 * differ in their seed alone, a run for each seed. They are resolved, and keep no attention maps.
 * Caller frees with baseline_free, also on failure. STATUS_MEMORY, STATUS_USAGE. */
enum status baseline_plan(const struct config *configs, size_t n_config, struct baseline *baseline,
                          struct error *err);

/* baseline_plan_again plans the runs of another baseline anew, with those seeds, or its own where
 * seed is NULL. Parts that another program trained are STATUS_DATA. */
enum status baseline_plan_again(const struct baseline *like, const uint64_t *seed, size_t n_seed,
                                struct baseline *baseline, struct error *err);

/* baseline_train trains every run of a plan, several at a time. A run that diverges is one. Errors:
 * those of train_watched, STATUS_INTERRUPTED. */
enum status baseline_train(struct baseline *baseline, const struct baseline_options *options,
                           struct error *err);

/* baseline_calibrate trains every run again under each harmless change, and gives every part its
 * tolerance. */
enum status baseline_calibrate(struct baseline *baseline, const struct baseline_options *options,
                               struct error *err);

/* baseline_n_change is the number of changes, and so of trainings a run, that this takes. */
size_t baseline_n_change(void);

#endif

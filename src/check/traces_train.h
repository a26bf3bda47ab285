/* traces_train: trains the traces of a baseline or of a check, and measures what harmless changes
 * do to them.
 */
#ifndef QKVLAB_CHECK_TRACES_TRAIN_H
#define QKVLAB_CHECK_TRACES_TRAIN_H

#include "base/status.h"
#include "check/traces.h"
#include "lab/data/dataset.h"

struct traces_options {
    const struct dataset_options *data; /* see source_create; may be NULL */
    int threads;                        /* 0: all processors; results do not depend on it */
    /* may be NULL */
    void *context;
    int (*stop)(void *context); /* non-zero: a signal ends the work */
    void (*progress)(void *context, size_t n_done, size_t n_training); /* never twice at a time */
};

/* traces_plan makes traces of which nothing is trained yet: a cohort for all configurations that
 * differ in their seed alone, a trace for each seed. They are resolved, and keep no attention maps.
 * Caller frees with traces_free, also on failure. STATUS_MEMORY, STATUS_USAGE. */
enum status traces_plan(const struct config *configs, size_t n_config, struct traces *traces,
                        struct error *err);

/* traces_plan_again plans other traces anew, with those seeds, or their own where seed is NULL.
 * Parts that another program trained are STATUS_DATA. */
enum status traces_plan_again(const struct traces *like, const uint64_t *seed, size_t n_seed,
                              struct traces *traces, struct error *err);

/* traces_train trains every trace of a plan, several at a time. One that diverges is kept. Errors:
 * those of train_watched, STATUS_INTERRUPTED. */
enum status traces_train(struct traces *traces, const struct traces_options *options,
                         struct error *err);

/* traces_calibrate trains every trace again under each harmless change, and gives every cohort its
 * tolerance. Needs what traces_train does. */
enum status traces_calibrate(struct traces *traces, const struct traces_options *options,
                             struct error *err);

/* traces_n_change is the number of changes, and so of trainings a trace, that this takes. */
size_t traces_n_change(void);

#endif

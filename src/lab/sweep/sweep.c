/* Whoever shares the folder, the claim of a run decides who makes it; a sweep only walks its list.
 */
#include "lab/sweep/sweep.h"

#include <stdio.h>
#include <string.h>

#include "lab/record/record.h"
#include "lab/training/metrics.h"

static void count(struct sweep_totals *totals, enum run_state state, bool diverged)
{
    totals->done += state == RUN_DONE;
    totals->skipped += state == RUN_SKIPPED;
    totals->busy += state == RUN_BUSY;
    totals->diverged += state == RUN_DIVERGED;
    totals->failed += state == RUN_FAILED;
    totals->diverged_before += state == RUN_SKIPPED && diverged;
}

/* A claim of a finished run only tidies up what a kill may have left beside it. */
static enum status make_run(const struct config *config, const struct sweep_options *options,
                            const struct train_hooks *hooks, struct run_outcome *outcome,
                            enum run_state *state, struct error *err)
{
    struct record *record;
    struct record_outcome before;
    bool claimed;
    *state = RUN_FAILED;
    TRY(record_claim(options->out, config->id, &record, &claimed, err));
    if (!claimed) {
        bool done = record_outcome(options->out, config->id, &before);
        *state = done ? RUN_SKIPPED : RUN_BUSY;
        outcome->diverged = done && before.diverged;
        return STATUS_OK;
    }
    char set_aside[sizeof outcome->set_aside];
    snprintf(set_aside, sizeof set_aside, "%s", record_set_aside(record));
    enum status status =
        train_run(config, options->data, options->threads, record, hooks, outcome, err);
    memcpy(outcome->set_aside, set_aside, sizeof set_aside);
    TRY(status);
    *state = outcome->diverged ? RUN_DIVERGED : RUN_DONE;
    return STATUS_OK;
}

enum status sweep_run(const struct config *configs, size_t n_config,
                      const struct sweep_options *options, const struct sweep_hooks *hooks,
                      struct sweep_totals *totals, struct error *err)
{
    static const struct sweep_hooks no_hooks;
    hooks = hooks ? hooks : &no_hooks;
    *totals = (struct sweep_totals){0};
    enum status worst = STATUS_OK;
    for (size_t i = 0; i < n_config; i++) {
        struct run_outcome outcome = {.escape_step = STEP_NEVER};
        struct error failure = {0};
        enum run_state state;
        if (hooks->begin) {
            hooks->begin(hooks->train.context, i);
        }
        enum status status =
            make_run(&configs[i], options, &hooks->train, &outcome, &state, &failure);
        if (status == STATUS_INTERRUPTED) {
            return error_set(err, status, "%s", failure.text);
        }
        count(totals, state, outcome.diverged);
        if (hooks->end) {
            hooks->end(hooks->train.context, i, state, &outcome, &failure);
        }
        if (state == RUN_FAILED && (worst == STATUS_OK || status == STATUS_WRITE)) {
            worst = error_set(err, status, "%s: %s", configs[i].id, failure.text);
        }
        if (status == STATUS_WRITE) {
            return status;
        }
    }
    size_t n_diverged = totals->diverged + totals->diverged_before;
    if (worst == STATUS_OK && n_diverged > 0) {
        worst = error_set(err, STATUS_FAILED, "%zu of %zu runs diverged", n_diverged, n_config);
    }
    return worst;
}

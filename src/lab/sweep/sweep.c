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
    enum status status = record_claim(options->out, config->id, &record, &claimed, err);
    if (status == STATUS_OK && !claimed) {
        bool done = record_outcome(options->out, config->id, &before);
        *state = done ? RUN_SKIPPED : RUN_BUSY;
        outcome->diverged = done && before.diverged;
        return STATUS_OK;
    }
    if (status == STATUS_OK) {
        char set_aside[sizeof outcome->set_aside];
        snprintf(set_aside, sizeof set_aside, "%s", record_set_aside(record));
        status = train_run(config, options->data, options->threads, record, hooks, outcome, err);
        memcpy(outcome->set_aside, set_aside, sizeof set_aside);
    }
    if (status == STATUS_OK) {
        *state = outcome->diverged ? RUN_DIVERGED : RUN_DONE;
    }
    return status;
}

static enum status check_shard(const struct sweep_options *options, struct error *err)
{
    if (options->n_shard == 0 || options->shard < options->n_shard) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_USAGE,
                     "shard %zu/%zu: the number before the slash runs from 0 to %zu",
                     options->shard, options->n_shard, options->n_shard - 1);
}

enum status sweep_run(const struct config *configs, size_t n_config,
                      const struct sweep_options *options, const struct sweep_hooks *hooks,
                      struct sweep_totals *totals, struct error *err)
{
    static const struct sweep_hooks no_hooks;
    hooks = hooks ? hooks : &no_hooks;
    *totals = (struct sweep_totals){0};
    enum status worst = check_shard(options, err);
    if (worst != STATUS_OK) {
        return worst;
    }
    size_t stride = options->n_shard > 0 ? options->n_shard : 1;
    size_t first = options->n_shard > 0 ? options->shard : 0;
    size_t n_run = first < n_config ? (n_config - first + stride - 1) / stride : 0;
    for (size_t index = 0; index < n_run; index++) {
        const struct config *config = &configs[first + index * stride];
        struct run_outcome outcome = {.escape_step = STEP_NEVER};
        struct error failure = {0};
        enum run_state state;
        if (hooks->begin) {
            hooks->begin(hooks->train.context, index, n_run, config);
        }
        enum status status = make_run(config, options, &hooks->train, &outcome, &state, &failure);
        if (status == STATUS_INTERRUPTED) {
            return error_set(err, status, "%s", failure.text);
        }
        count(totals, state, outcome.diverged);
        if (hooks->end) {
            hooks->end(hooks->train.context, index, n_run, config, state, &outcome, &failure);
        }
        if (state == RUN_FAILED && worst == STATUS_OK) {
            worst = error_set(err, status, "%s: %s", config->id, failure.text);
        }
        if (state == RUN_FAILED && status == STATUS_WRITE) {
            return error_set(err, status, "%s: %s", config->id, failure.text);
        }
    }
    size_t n_diverged = totals->diverged + totals->diverged_before;
    if (worst == STATUS_OK && n_diverged > 0) {
        worst = error_set(err, STATUS_FAILED, "%zu of %zu runs diverged", n_diverged, n_run);
    }
    return worst;
}

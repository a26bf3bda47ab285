/* A run draws or reads all its data first and then allocates nothing until training is over. What a
 * run computes depends on its configuration and data alone: initial weights and the order of an
 * epoch are keyed by seed and purpose, and the engine's sums do not depend on threads.
 */
#include "lab/training/train.h"

#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/threads.h"
#include "lab/training/evaluate.h"
#include "lab/training/metrics.h"
#include "lab/training/probe.h"
#include "lab/training/result.h"
#include "lab/training/schedule.h"
#include "lab/training/snapshot.h"
#include "lab/training/source.h"

struct training {
    const struct config *config;
    struct record *record; /* NULL: the run leaves nothing behind */
    const struct train_hooks *hooks;
    struct source *source;
    struct engine *engine;
    struct probe *probe;
    size_t n_step; /* planned */
    struct run_result result;
};

/* ---- set-up ---- */

static enum status set_up(struct training *t, const struct dataset_options *data, int threads,
                          struct error *err)
{
    const struct config *config = t->config;
    TRY(source_create(&t->source, config, data, threads, err));
    t->n_step = config->epochs * source_n_step(t->source);
    TRY(result_create(&t->result, config, t->n_step, err));
    struct model_shape shape = config_shape(config);
    struct engine_options options = config_engine(config, threads);
    TRY(engine_create(&t->engine, &shape, &options, err));
    engine_initialise(t->engine, config->seed);
    TRY(evaluation_create(&t->result.evaluation, config, t->source, err));
    return probe_create(&t->probe, t->engine, config, t->source, err);
}

static void tear_down(struct training *t)
{
    probe_free(t->probe);
    engine_free(t->engine);
    source_free(t->source);
    result_free(&t->result);
}

/* ---- training ---- */

/* keep_going renews the heartbeat and asks whether anybody wants the run to end. */
static enum status keep_going(struct training *t, struct error *err)
{
    if (t->record) {
        record_heartbeat(t->record);
    }
    if (t->record && record_is_lost(t->record)) {
        return error_set(err, STATUS_FAILED,
                         "another process has taken this run over, because this one showed no sign "
                         "of life for %d seconds",
                         RECORD_STALE_SECONDS);
    }
    int signal_number = t->hooks && t->hooks->stop ? t->hooks->stop(t->hooks->context) : 0;
    if (signal_number != 0) {
        return error_set(err, STATUS_INTERRUPTED,
                         "stopped by signal %d after step %zu of %zu; the same command starts this "
                         "run again",
                         signal_number, t->result.n_step, t->n_step);
    }
    return STATUS_OK;
}

static void watch(struct training *t, const struct train_result *result,
                  const struct evaluation *evaluation)
{
    if (!t->record && t->hooks && t->hooks->watch) {
        struct train_moment moment = {.engine = t->engine,
                                      .n_done = t->result.n_step,
                                      .n_step = t->n_step,
                                      .loss = result ? result->loss : NAN,
                                      .grad_norm = result ? result->grad_norm : NAN,
                                      .accuracy = result ? result->accuracy : NAN,
                                      .diverged = t->result.diverged,
                                      .evaluation = evaluation};
        t->hooks->watch(t->hooks->context, &moment);
    }
}

static enum status train_step(struct training *t, const struct batch *batch, struct error *err)
{
    const struct config *config = t->config;
    struct run_result *done = &t->result;
    size_t step = done->n_step++;
    double rate = schedule_rate(config, step, t->n_step);
    struct adam_options adam = {.learning_rate = rate,
                                .beta1 = config->beta1,
                                .beta2 = config->beta2,
                                .epsilon = config->epsilon,
                                .clip = config->clip,
                                .weight_decay = config->weight_decay};
    struct train_result result = engine_train_step(t->engine, batch, &adam);
    done->rate[step] = rate;
    done->loss[step] = result.loss;
    done->grad_norm[step] = result.grad_norm;
    done->accuracy[step] = result.accuracy;
    done->diverged = !result.finite || !(result.loss <= TRAIN_DIVERGED_LOSS);
    watch(t, &result, NULL);
    if (t->hooks && t->hooks->step) {
        t->hooks->step(t->hooks->context, step, t->n_step, result.loss);
    }
    return keep_going(t, err);
}

static enum status pause_evaluation(void *context, struct error *err)
{
    return keep_going(context, err);
}

static enum status evaluate(struct training *t, struct error *err)
{
    return evaluation_run(&t->result.evaluation, t->engine, t->source, pause_evaluation, t, err);
}

/* finish_epoch keeps what the test split says after every epoch, of kinds that are evaluated so
 * often. Nothing is chosen by it. */
static enum status finish_epoch(struct training *t, struct error *err)
{
    struct run_result *result = &t->result;
    if (!t->record || !t->config->task->kind->every_epoch) {
        return STATUS_OK;
    }
    double start = clock_seconds();
    TRY(evaluate(t, err));
    result->evaluate_seconds += clock_seconds() - start;
    size_t n_step = source_n_step(t->source);
    double loss = 0, accuracy = 0;
    for (size_t s = result->n_step - n_step; s < result->n_step; s++) {
        loss += result->loss[s];
        accuracy += result->accuracy[s];
    }
    double *epoch = result->epoch[result->n_epoch++];
    epoch[EPOCH_TRAIN_LOSS] = loss / (double)n_step;
    epoch[EPOCH_TRAIN_TOP1] = accuracy / (double)n_step;
    epoch[EPOCH_TEST_LOSS] = result->evaluation.loss;
    epoch[EPOCH_TEST_TOP1] = result->evaluation.accuracy;
    epoch[EPOCH_TEST_TOP5] = result->evaluation.top5;
    return STATUS_OK;
}

/* keep_snapshot keeps the maps on the way, where they are asked for; those of the trained model are
 * the probe's last. */
static enum status keep_snapshot(struct training *t, struct error *err)
{
    if (t->config->attention != ATTENTION_SNAPSHOTS || t->result.n_step == t->n_step ||
        !snapshot_is_due(t->n_step, t->result.n_step)) {
        return STATUS_OK;
    }
    double start = clock_seconds();
    TRY(probe_snapshot(t->probe, t->result.n_step, record_folder(t->record), err));
    t->result.evaluate_seconds += clock_seconds() - start;
    return STATUS_OK;
}

static enum status train_epoch(struct training *t, size_t epoch, struct error *err)
{
    size_t n_step = source_n_step(t->source);
    source_begin_epoch(t->source, epoch);
    for (size_t step = 0; step < n_step; step++) {
        double start = clock_seconds();
        struct batch batch = source_train_batch(t->source, step);
        t->result.batch_seconds += clock_seconds() - start;
        TRY(train_step(t, &batch, err));
        if (t->result.diverged) {
            return STATUS_OK;
        }
        TRY(keep_snapshot(t, err));
    }
    return finish_epoch(t, err);
}

static enum status train_epochs(struct training *t, struct error *err)
{
    TRY(keep_snapshot(t, err));
    for (size_t epoch = 0; epoch < t->config->epochs && !t->result.diverged; epoch++) {
        TRY(train_epoch(t, epoch, err));
    }
    return STATUS_OK;
}

/* ---- afterwards ---- */

/* measure fills what a trained model shows; a diverged one shows nothing. Where every epoch is
 * evaluated, the last one is already. */
static enum status measure(struct training *t, struct error *err)
{
    const struct kind *kind = t->config->task->kind;
    struct run_result *result = &t->result;
    if (result->diverged) {
        evaluation_forget(&result->evaluation);
        return STATUS_OK;
    }
    TRY(kind->every_epoch ? STATUS_OK : evaluate(t, err));
    if (kind_has_result(kind, RESULT_TRAIN_ACCURACY)) {
        TRY(evaluation_of_training(&result->evaluation, t->engine, t->source, pause_evaluation, t,
                                   &result->train_accuracy, err));
    }
    return probe_measure(t->probe, result->n_step, record_folder(t->record), &result->attention,
                         err);
}

static enum status train_and_measure(struct training *t, struct error *err)
{
    struct run_result *result = &t->result;
    double start = clock_seconds();
    TRY(train_epochs(t, err));
    double trained = clock_seconds();
    result->train_seconds = trained - start - result->evaluate_seconds;
    TRY(measure(t, err));
    result->evaluate_seconds += clock_seconds() - trained;
    sha256_hex(engine_param(t->engine), t->config->n_param * sizeof(float), result->weights_sha256);
    result->has_data = source_describe(t->source, &result->data);
    return result_write_files(result, record_folder(t->record), err);
}

static void fill_outcome(const struct run_result *result, struct run_outcome *outcome)
{
    outcome->diverged = result->diverged;
    outcome->loss = result->evaluation.loss;
    outcome->accuracy = result->evaluation.accuracy;
    outcome->escape_step =
        metrics_escape_step(result->loss, result->n_step, task_chance_loss(result->config->task));
    if (result->data.warning) {
        snprintf(outcome->note, sizeof outcome->note, "%s", result->data.warning);
    }
}

enum status train_run(const struct config *config, const struct dataset_options *data, int threads,
                      struct record *record, const struct train_hooks *hooks,
                      struct run_outcome *outcome, struct error *err)
{
    double start = clock_seconds();
    struct training training = {.config = config, .record = record, .hooks = hooks};
    *outcome = (struct run_outcome){.escape_step = STEP_NEVER};
    enum status status = set_up(&training, data, threads, err);
    if (status == STATUS_OK) {
        status = train_and_measure(&training, err);
    }
    if (status == STATUS_OK) {
        training.result.threads = threads > 0 ? threads : threads_available();
        training.result.wall_seconds = clock_seconds() - start;
        fill_outcome(&training.result, outcome);
        status = result_finish(&training.result, record, err);
    } else if (status == STATUS_INTERRUPTED) {
        record_abandon(record);
    } else {
        record_fail(record, err ? err->text : status_name(status));
    }
    tear_down(&training);
    return status;
}

/* Tells the watcher what the test split says of the weights as they are. */
static enum status evaluate_and_watch(struct training *t, struct error *err)
{
    TRY(evaluate(t, err));
    watch(t, NULL, &t->result.evaluation);
    return STATUS_OK;
}

static enum status watch_training(struct training *t, struct error *err)
{
    TRY(evaluate_and_watch(t, err));
    TRY(train_epochs(t, err));
    return t->result.diverged ? STATUS_OK : evaluate_and_watch(t, err);
}

enum status train_watched(const struct config *config, const struct dataset_options *data,
                          int threads, const struct train_hooks *hooks, struct error *err)
{
    struct training training = {.config = config, .hooks = hooks};
    enum status status = set_up(&training, data, threads, err);
    if (status == STATUS_OK) {
        status = watch_training(&training, err);
    }
    tear_down(&training);
    return status;
}

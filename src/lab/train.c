/* A run draws all its data first and then allocates nothing until training is over. What a run
 * computes depends on its configuration alone: data, initial weights and the order of an epoch are
 * keyed by seed and purpose, and the engine's sums do not depend on threads.
 */
#include "lab/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/rng.h"
#include "base/threads.h"
#include "lab/metrics.h"
#include "lab/probe.h"
#include "lab/result.h"

/* Sequences evaluated between two looks at the stop hook. Fixed, because sums follow the slices. */
#define EVALUATION_SLICE 1024

struct split {
    int32_t *x, *y; /* [n,T] */
    size_t n;
};

struct training {
    const struct config *config;
    struct record *record;
    const struct train_hooks *hooks;
    struct engine *engine;
    struct split train, test, probe, batch;
    uint32_t *order;          /* [n_train], the epoch's order */
    double *loss, *grad_norm; /* [n_step] */
    size_t n_step;            /* planned */
    size_t n_done;            /* with the one that diverged */
    bool diverged;
};

double train_learning_rate(const struct config *config, size_t step, size_t n_step)
{
    double warm = fmax(1, floor(config->warmup * (double)n_step));
    double s = (double)step, n = (double)n_step;
    if (s < warm) {
        return config->learning_rate * (s + 1) / warm;
    }
    return config->learning_rate / 2 * (1 + cos(acos(-1) * (s - warm) / (n - warm)));
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- set-up
 * --------------------------------------------------------------------------------------
 */

static bool split_allocate(struct split *split, size_t n, size_t n_token)
{
    split->n = n;
    split->x = malloc(n * n_token * sizeof *split->x);
    split->y = malloc(n * n_token * sizeof *split->y);
    return split->x && split->y;
}

static void split_free(struct split *split)
{
    free(split->x);
    free(split->y);
}

static void split_generate(const struct config *config, const char *name, struct split *split)
{
    task_generate(config->task, config->seed, name, 0, split->n, config->seq_len, split->x,
                  split->y);
}

static enum status set_up(struct training *t, int threads, struct error *err)
{
    const struct config *config = t->config;
    size_t n_token = config->seq_len;
    t->n_step = config_steps(config);
    t->order = malloc(config->n_train * sizeof *t->order);
    t->loss = calloc(t->n_step, sizeof *t->loss);
    t->grad_norm = calloc(t->n_step, sizeof *t->grad_norm);
    if (!t->order || !t->loss || !t->grad_norm ||
        !split_allocate(&t->train, config->n_train, n_token) ||
        !split_allocate(&t->test, config->n_test, n_token) ||
        !split_allocate(&t->probe, config->n_probe, n_token) ||
        !split_allocate(&t->batch, config->batch_size, n_token)) {
        return error_set(err, STATUS_MEMORY,
                         "out of memory for %zu + %zu sequences of %zu tokens and %zu steps",
                         config->n_train, config->n_test, n_token, t->n_step);
    }
    struct model_shape shape = config_shape(config);
    struct engine_options options = {.lanes = config->lanes,
                                     .micro_batch = config->micro_batch,
                                     .batch_size = config->batch_size,
                                     .threads = threads};
    enum status status = engine_create(&t->engine, &shape, &options, err);
    if (status == STATUS_OK) {
        split_generate(config, "train", &t->train);
        split_generate(config, "test", &t->test);
        split_generate(config, "probe", &t->probe);
        engine_initialise(t->engine, config->seed);
    }
    return status;
}

static void tear_down(struct training *t)
{
    engine_free(t->engine);
    split_free(&t->train);
    split_free(&t->test);
    split_free(&t->probe);
    split_free(&t->batch);
    free(t->order);
    free(t->loss);
    free(t->grad_norm);
}

/* ---- training ---- */

/* gather_batch copies the sequences order[first..] of the training split into the batch. */
static struct batch gather_batch(struct training *t, size_t first)
{
    size_t n_token = t->config->seq_len, left = t->config->n_train - first;
    size_t n = left < t->config->batch_size ? left : t->config->batch_size;
    for (size_t i = 0; i < n; i++) {
        size_t from = (size_t)t->order[first + i] * n_token;
        memcpy(t->batch.x + i * n_token, t->train.x + from, n_token * sizeof *t->batch.x);
        memcpy(t->batch.y + i * n_token, t->train.y + from, n_token * sizeof *t->batch.y);
    }
    return (struct batch){
        .n_sequence = n, .n_token = n_token, .ids = t->batch.x, .targets = t->batch.y};
}

/* keep_going renews the heartbeat and asks whether anybody wants the run to end. */
static enum status keep_going(struct training *t, struct error *err)
{
    record_heartbeat(t->record);
    if (record_is_lost(t->record)) {
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
                         signal_number, t->n_done, t->n_step);
    }
    return STATUS_OK;
}

static enum status train_step(struct training *t, const struct batch *batch, struct error *err)
{
    const struct config *config = t->config;
    size_t step = t->n_done;
    struct adam_options adam = {.learning_rate = train_learning_rate(config, step, t->n_step),
                                .beta1 = config->beta1,
                                .beta2 = config->beta2,
                                .epsilon = config->epsilon,
                                .clip = config->clip,
                                .weight_decay = config->weight_decay};
    struct train_result result = engine_train_step(t->engine, batch, &adam);
    t->loss[step] = result.loss;
    t->grad_norm[step] = result.grad_norm;
    t->diverged = !result.finite || !(result.loss <= TRAIN_DIVERGED_LOSS);
    t->n_done++;
    if (t->hooks && t->hooks->step) {
        t->hooks->step(t->hooks->context, step, t->n_step, result.loss);
    }
    return keep_going(t, err);
}

static enum status train_epochs(struct training *t, struct error *err)
{
    const struct config *config = t->config;
    enum status status = STATUS_OK;
    for (size_t epoch = 0; epoch < config->epochs; epoch++) {
        rng_permutation(rng_make(config->seed, "shuffle/%zu", epoch), config->n_train, t->order);
        for (size_t first = 0; first < config->n_train; first += config->batch_size) {
            struct batch batch = gather_batch(t, first);
            status = train_step(t, &batch, err);
            if (status != STATUS_OK || t->diverged) {
                return status;
            }
        }
    }
    return status;
}

/* ---- afterwards ---- */

static enum status evaluate(struct training *t, struct run_result *result, struct error *err)
{
    size_t n_token = t->config->seq_len, n_test = t->test.n;
    struct loss_sums total = {0};
    for (size_t first = 0; first < n_test; first += EVALUATION_SLICE) {
        size_t left = n_test - first;
        struct batch slice = {.n_sequence = left < EVALUATION_SLICE ? left : EVALUATION_SLICE,
                              .n_token = n_token,
                              .ids = t->test.x + first * n_token,
                              .targets = t->test.y + first * n_token};
        struct loss_sums sums = engine_evaluate(t->engine, &slice);
        total.loss += sums.loss;
        total.n_correct_token += sums.n_correct_token;
        total.n_correct_sequence += sums.n_correct_sequence;
        enum status status = keep_going(t, err);
        if (status != STATUS_OK) {
            return status;
        }
    }
    double n_row = (double)n_test * (double)n_token;
    result->loss = total.loss / n_row;
    result->token_accuracy = (double)total.n_correct_token / n_row;
    result->sequence_accuracy = (double)total.n_correct_sequence / (double)n_test;
    return STATUS_OK;
}

/* measure fills what a trained model shows; a diverged one shows nothing. */
static enum status measure(struct training *t, struct run_result *result, struct error *err)
{
    double start = seconds_now();
    enum status status = STATUS_OK;
    if (!t->diverged) {
        status = evaluate(t, result, err);
        if (status == STATUS_OK) {
            status = probe_measure(t->engine, t->config, t->probe.x, t->probe.y, t->n_done,
                                   record_folder(t->record), &result->attention, err);
        }
    }
    result->n_param = engine_model(t->engine)->layout.n_param;
    sha256_hex(engine_param(t->engine), result->n_param * sizeof(float), result->weights_sha256);
    result->evaluate_seconds = seconds_now() - start;
    return status;
}

static enum status train_and_measure(struct training *t, struct run_result *result,
                                     struct error *err)
{
    double start = seconds_now();
    enum status status = train_epochs(t, err);
    result->train_seconds = seconds_now() - start;
    result->n_step = t->n_done;
    result->step_loss = t->loss;
    result->grad_norm = t->grad_norm;
    result->diverged = t->diverged;
    if (status == STATUS_OK) {
        status = measure(t, result, err);
    }
    return status == STATUS_OK ? result_write_curve(result, record_folder(t->record), err) : status;
}

static void fill_outcome(const struct run_result *result, struct run_outcome *outcome)
{
    outcome->diverged = result->diverged;
    outcome->token_accuracy = result->token_accuracy;
    outcome->sequence_accuracy = result->sequence_accuracy;
    outcome->loss = result->loss;
    outcome->escape_step = metrics_escape_step(result->step_loss, result->n_step);
    outcome->wall_seconds = result->wall_seconds;
}

static enum status finish(struct record *record, const struct run_result *result, struct error *err)
{
    json_t *run = result_json(result);
    if (!run) {
        record_abandon(record);
        return error_set(err, STATUS_MEMORY, "out of memory while writing run.json");
    }
    enum status status = record_finish(record, run, err);
    json_decref(run);
    return status;
}

enum status train_run(const struct config *config, int threads, struct record *record,
                      const struct train_hooks *hooks, struct run_outcome *outcome,
                      struct error *err)
{
    double start = seconds_now();
    struct training training = {.config = config, .record = record, .hooks = hooks};
    struct run_result result = {.config = config,
                                .threads = threads > 0 ? threads : threads_available(),
                                .loss = NAN,
                                .token_accuracy = NAN,
                                .sequence_accuracy = NAN};
    *outcome = (struct run_outcome){.escape_step = STEP_NEVER};
    config_id(config, outcome->id);
    enum status status = set_up(&training, threads, err);
    if (status == STATUS_OK) {
        status = train_and_measure(&training, &result, err);
    }
    result.wall_seconds = seconds_now() - start;
    if (status == STATUS_OK) {
        fill_outcome(&result, outcome);
        status = finish(record, &result, err);
    } else {
        record_abandon(record);
    }
    json_decref(result.attention);
    tear_down(&training);
    return status;
}

#include "lab/sweep/estimate.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/threads.h"
#include "lab/bench/bench.h"
#include "lab/kind/kind.h"
#include "lab/training/source.h"

/* What a run takes besides training and evaluation: drawing its data and writing its folder took
 * 0.003 s on the disk of a virtual machine and 0.05 s on that of a laptop (synced), the pictures of
 * attention maps 0.007 to 0.015 s a head on an EPYC core. */
#define RUN_SECONDS 0.02
#define HEAD_SECONDS 0.01
/* Evaluation is a forward pass, a third of the FLOP of a training step. */
#define EVALUATE_SHARE (1.0 / 3)
/* Of 24 small sweeps, 8 of them beside two busy programs, 23 took 0.78 to 1.17 times as long as was
 * said; the one that did not met more of others' work than the timing had. */
#define LOW_FACTOR 0.75
#define HIGH_FACTOR 1.5
/* What is taken for known before anything was timed, to keep steps short: FLOP a second of one
 * thread, a cautious number (an EPYC with AVX-512 reaches 1.3e11), and bytes a second of buffers
 * that are filled. */
#define GUESSED_RATE 2e10
#define GUESSED_BYTES 5e8
/* A step that takes longer at these rates, or whose buffers take longer to be filled, is not made.
 */
#define MOST_STEP_SECONDS 1.0
/* Seconds for a group: a few steps of a large model, hundreds of a small one. */
#define LEAST_SLICE 0.08
#define MOST_SLICE 1.0

struct estimate_group {
    struct config config; /* the smallest of the group */
    double flop;          /* of a sequence of that */
    double work;          /* FLOP of the runs that are asked for now */
    double rate;          /* FLOP a second of one run; 0: not timed */
};

/* ---- work ---- */

double estimate_run_flop(const struct config *config)
{
    const struct kind *kind = config->task->kind;
    size_t n_train = config_n_train(config);
    size_t batch = config->batch_size < n_train ? config->batch_size : n_train;
    double trained = (double)config_steps(config) * (double)batch;
    double evaluated =
        (double)config_n_test(config) * (kind->every_epoch ? (double)config->epochs : 1);
    if (kind_has_result(kind, RESULT_TRAIN_ACCURACY)) {
        evaluated += fmin((double)n_train, SOURCE_SAMPLE);
    }
    return bench_flop(config, 1) * (trained + EVALUATE_SHARE * evaluated);
}

/* 0: of one group. */
static double distance(const struct config *a, const struct config *b)
{
    return fabs(log((double)a->n_embd / (double)b->n_embd)) +
           fabs(log((double)a->seq_len / (double)b->seq_len)) +
           0.5 * fabs(log((double)a->n_head / (double)b->n_head)) +
           (a->variant.score_term != b->variant.score_term) + (a->task->kind != b->task->kind) +
           0.1 * ((a->variant.query != b->variant.query) +
                  (a->variant.qk_norm != b->variant.qk_norm) +
                  ((a->dropout > 0) != (b->dropout > 0)));
}

/* The nearest of the groups that were timed, or the one that config is of; NULL: there is none. */
static struct estimate_group *find_group(const struct estimator *estimator,
                                         const struct config *config, bool timed)
{
    struct estimate_group *nearest = NULL;
    double least = timed ? INFINITY : DBL_MIN;
    for (size_t i = 0; i < estimator->n_group; i++) {
        struct estimate_group *group = &estimator->group[i];
        double far = distance(&group->config, config);
        if (far < least && (group->rate > 0 || !timed)) {
            least = far;
            nearest = group;
        }
    }
    return nearest;
}

static enum status add_work(struct estimator *estimator, const struct config *config,
                            struct error *err)
{
    double flop = bench_flop(config, 1);
    struct estimate_group *group = find_group(estimator, config, false);
    if (!group) {
        struct estimate_group *grown =
            realloc(estimator->group, (estimator->n_group + 1) * sizeof *grown);
        if (!grown) {
            return error_memory(err, "estimating times");
        }
        estimator->group = grown;
        group = &grown[estimator->n_group++];
        *group = (struct estimate_group){.config = *config, .flop = flop};
    }
    if (flop < group->flop) {
        group->config = *config;
        group->flop = flop;
    }
    group->work += estimate_run_flop(config);
    return STATUS_OK;
}

static int compare_work(const void *a, const void *b)
{
    const struct estimate_group *left = a, *right = b;
    return (left->work < right->work) - (left->work > right->work);
}

/* ---- timing ---- */

/* Of a step within the slice: a whole batch, or some sequences for each lane. More are better: each
 * step also sums the gradients of the lanes and updates the parameters. */
static size_t choose_sequences(const struct config *config, int threads, double slice)
{
    size_t n_train = config_n_train(config);
    size_t batch = config->batch_size < n_train ? config->batch_size : n_train;
    size_t a_lane =
        (size_t)(slice * GUESSED_RATE * threads / (bench_flop(config, 1) * (double)config->lanes));
    size_t n = config->lanes * (a_lane > 0 ? a_lane : 1);
    return n < batch ? n : batch;
}

/* A model of its own, of several that are timed together. */
struct trial {
    const struct config *config;
    struct bench_options options;
    struct bench_result result;
    enum status status;
    pthread_t thread;
};

static void *run_trial(void *context)
{
    struct trial *trial = context;
    struct bench_spread no_ceiling;
    threads_flush_denormals();
    trial->status = bench_run(trial->config, 1, &trial->options, &trial->result, &no_ceiling, NULL);
    return NULL;
}

/* run_trials returns the number of those that were made; the first is the caller's own. */
static size_t run_trials(struct trial *trial, size_t n)
{
    size_t n_made = 1;
    while (n_made < n &&
           pthread_create(&trial[n_made].thread, NULL, run_trial, &trial[n_made]) == 0) {
        n_made++;
    }
    run_trial(&trial[0]);
    for (size_t i = 1; i < n_made; i++) {
        pthread_join(trial[i].thread, NULL);
    }
    return n_made;
}

static enum status time_group(struct estimator *estimator, struct estimate_group *group,
                              double slice, struct error *err)
{
    struct config config = group->config;
    int threads = estimator->threads;
    size_t n_model = estimator->n_place, n = choose_sequences(&config, threads, slice);
    config.batch_size = config.n_train = n;
    config.n_test = config.n_probe = 1;
    if (bench_flop(&config, n) > MOST_STEP_SECONDS * GUESSED_RATE * threads ||
        (double)bench_memory(&config, threads) * (double)n_model >
            MOST_STEP_SECONDS * GUESSED_BYTES) {
        return STATUS_OK;
    }
    struct trial *trial;
    TRY_CALLOC(err, trial, n_model, "timing %zu models", n_model);
    for (size_t i = 0; i < n_model; i++) {
        trial[i].config = &config;
        trial[i].options =
            (struct bench_options){.threads = threads, .n_round = 1, .seconds = slice};
    }
    double slowest = 0;
    enum status status = STATUS_OK;
    n_model = run_trials(trial, n_model);
    for (size_t i = 0; i < n_model; i++) {
        slowest = fmax(slowest, trial[i].result.mean);
        status = trial[i].status > status ? trial[i].status : status;
    }
    free(trial);
    if (status != STATUS_OK) {
        return error_memory(err, "timing %zu models", n_model);
    }
    group->rate = bench_flop(&config, n) / slowest;
    estimator->n_timed++;
    return STATUS_OK;
}

enum status estimator_time(struct estimator *estimator, const struct config *configs,
                           const bool *done, size_t n, double seconds, struct error *err)
{
    for (size_t i = 0; i < estimator->n_group; i++) {
        estimator->group[i].work = 0;
    }
    for (size_t i = 0; i < n; i++) {
        if (!done || !done[i]) {
            TRY(add_work(estimator, &configs[i], err));
        }
    }
    if (estimator->n_group == 0) {
        return STATUS_OK;
    }
    qsort(estimator->group, estimator->n_group, sizeof *estimator->group, compare_work);
    double end = clock_seconds() + seconds;
    double slice = fmin(fmax(seconds / (double)estimator->n_group, LEAST_SLICE), MOST_SLICE);
    for (size_t i = 0; i < estimator->n_group && (i == 0 || clock_seconds() < end); i++) {
        struct estimate_group *group = &estimator->group[i];
        if (group->work > 0 && group->rate == 0) {
            TRY(time_group(estimator, group, slice, err));
        }
    }
    estimator->others = contention_others(&estimator->since);
    return STATUS_OK;
}

/* ---- for callers ---- */

int estimate_threads(int threads, size_t jobs)
{
    int each = (threads > 0 ? threads : threads_available()) / (int)(jobs > 0 ? jobs : 1);
    return each > 0 ? each : 1;
}

struct estimator estimator_make(int threads, size_t jobs)
{
    size_t n = (size_t)((threads_available() + threads - 1) / threads);
    return (struct estimator){.threads = threads,
                              .n_place = jobs < n ? jobs : n,
                              .since = contention_begin(),
                              .others = NAN};
}

void estimator_free(struct estimator *estimator)
{
    free(estimator->group);
    *estimator = (struct estimator){0};
}

double estimator_run_seconds(const struct estimator *estimator, const struct config *config)
{
    const struct estimate_group *group = find_group(estimator, config, true);
    double rate = group ? group->rate : GUESSED_RATE * estimator->threads;
    size_t n_head = config->attention == ATTENTION_NONE ? 0 : config->n_layer * config->n_head;
    return estimate_run_flop(config) / rate + RUN_SECONDS + HEAD_SECONDS * (double)n_head;
}

/* Runs are given out in their order: the sweep ends no sooner than its share for each place, nor
 * than its longest run. */
struct estimate estimator_sweep(const struct estimator *estimator, const struct config *configs,
                                const bool *done, size_t n)
{
    double sum = 0, longest = 0;
    for (size_t i = 0; i < n; i++) {
        double seconds = done && done[i] ? 0 : estimator_run_seconds(estimator, &configs[i]);
        sum += seconds;
        longest = fmax(longest, seconds);
    }
    double likely = fmax(sum / (double)estimator->n_place, longest);
    return (struct estimate){LOW_FACTOR * likely, HIGH_FACTOR * likely};
}

/* A measured step is what training does in a step, with the same calls: the next sequences of the
 * shuffled epoch are copied into a batch, and the engine trains on it. The clocks inside the engine
 * run only in steps of their own, after all that count.
 */
#include "lab/bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/threads.h"
#include "lab/bench/ceiling.h"
#include "lab/training/source.h"
#include "nn/cost.h"

#define N_WARM_UP 3
/* Steps shorter than this part of a slice are preceded by one that is not counted: the ceiling's
 * matrices have emptied the caches. */
#define SHORT_STEP 0.1
#define MAX_STEP 4096 /* of a slice */

static const struct bench_shape SHAPES[] = {
    {"d32-L2-H2-T16", {"n_embd=32", "n_layer=2", "n_head=2", "seq_len=16"}},
    {"d64-L2-H4-T16", {"n_embd=64", "n_layer=2", "n_head=4", "seq_len=16"}},
    {"d64-L2-H4-T64", {"n_embd=64", "n_layer=2", "n_head=4", "seq_len=64"}},
    {"d256-L4-H4-T128", {"n_embd=256", "n_layer=4", "n_head=4", "seq_len=128"}},
    {"d32-L2-H2-T128", {"n_embd=32", "n_layer=2", "n_head=2", "seq_len=128"}},
    {"d256-L4-H4-T16", {"n_embd=256", "n_layer=4", "n_head=4", "seq_len=16"}},
    {"vit28-p4-d64-L2-H2", {"task=mnist", "n_embd=64", "n_layer=2", "n_head=2"}},
    {"vit32-p4-d64-L2-H4", {"task=cifar10", "n_embd=64", "n_layer=2", "n_head=4"}},
    {"vit32-p4-d256-L2-H4", {"task=cifar10", "n_embd=256", "n_layer=2", "n_head=4"}},
    {"vit64-p8-d192-L6-H6", {"task=tinyimagenet", "batch_size=128"}}, /* as published: 32 */
};

const struct bench_shape *bench_shape_at(size_t i)
{
    return i < sizeof SHAPES / sizeof SHAPES[0] ? &SHAPES[i] : NULL;
}

/* ---- numbers ---- */

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct bench_spread bench_spread_of(double *values, size_t n)
{
    qsort(values, n, sizeof *values, compare_numbers);
    return (struct bench_spread){.median = (values[(n - 1) / 2] + values[n / 2]) / 2,
                                 .min = values[0],
                                 .max = values[n - 1]};
}

double bench_flop(const struct config *config, size_t n_sequence)
{
    struct cost_model model = {.shape = config_shape(config)};
    struct cost cost;
    model.kind = model.shape.input == INPUT_PATCHES ? COST_VISION : COST_ENCODER;
    if (cost_compute(&model, &config->variant, &cost, NULL) != STATUS_OK) {
        return NAN;
    }
    return 2.0 * (double)cost.training_macs * (double)n_sequence;
}

/* ---- one model ---- */

struct subject {
    const struct config *config;
    struct source *source;
    struct engine *engine;
    size_t n_batch;       /* sequences of a batch */
    size_t step, epoch;   /* the next batch's place */
    double data_seconds;  /* spent on batches since it was set to 0 */
    double *round_median; /* [n_round], seconds of a step */
    size_t n_step;        /* counted */
    double seconds, last; /* of the counted steps together; of the last step */
};

static size_t batch_of(const struct config *config)
{
    size_t n_train = config_n_train(config);
    return config->batch_size < n_train ? config->batch_size : n_train;
}

size_t bench_memory(const struct config *config, int threads)
{
    struct model_shape shape = config_shape(config);
    struct engine_options options = config_engine(config, threads);
    return engine_memory(&shape, &options) + source_memory(config, threads);
}

static void subject_free(struct subject *subject)
{
    engine_free(subject->engine);
    source_free(subject->source);
    free(subject->round_median);
}

static enum status subject_create(struct subject *subject, const struct config *config,
                                  const struct bench_options *options, struct error *err)
{
    *subject = (struct subject){.config = config,
                                .n_batch = batch_of(config),
                                .round_median = calloc(options->n_round, sizeof(double))};
    if (!subject->round_median) {
        return error_memory(err, "measuring %zu rounds", options->n_round);
    }
    struct model_shape shape = config_shape(config);
    struct engine_options engine = config_engine(config, options->threads);
    struct dataset_options noise = {.noise = true};
    TRY(source_create(&subject->source, config, &noise, options->threads, err));
    TRY(engine_create(&subject->engine, &shape, &engine, err));
    engine_initialise(subject->engine, config->seed);
    source_begin_epoch(subject->source, 0);
    return STATUS_OK;
}

/* next_batch always gives whole batches, so that all steps are the same work. */
static struct batch next_batch(struct subject *subject)
{
    size_t n_whole = config_n_train(subject->config) / subject->n_batch;
    if (subject->step == n_whole) {
        source_begin_epoch(subject->source, ++subject->epoch);
        subject->step = 0;
    }
    return source_train_batch(subject->source, subject->step++);
}

/* step returns the seconds that one training step takes. */
static double step(struct subject *subject)
{
    const struct config *config = subject->config;
    struct adam_options adam = {.learning_rate = config->learning_rate,
                                .beta1 = config->beta1,
                                .beta2 = config->beta2,
                                .epsilon = config->epsilon,
                                .clip = config->clip,
                                .weight_decay = config->weight_decay};
    double start = clock_seconds();
    struct batch batch = next_batch(subject);
    subject->data_seconds += clock_seconds() - start;
    engine_train_step(subject->engine, &batch, &adam);
    subject->last = clock_seconds() - start;
    return subject->last;
}

/* Steps that take longer than a slice are warm after the first. */
static void warm_up(struct subject *subject, double slice)
{
    double start = clock_seconds();
    for (int i = 0; i < N_WARM_UP && (i == 0 || clock_seconds() - start < slice); i++) {
        step(subject);
    }
}

/* measure_slice makes steps for about so many seconds and keeps the median of their times. */
static void measure_slice(struct subject *subject, double seconds, size_t round)
{
    double taken[MAX_STEP], start = clock_seconds();
    size_t n = 0;
    if (subject->last < SHORT_STEP * seconds) {
        step(subject);
    }
    do {
        taken[n++] = step(subject);
        subject->seconds += subject->last;
    } while (n < MAX_STEP && clock_seconds() - start < seconds);
    subject->round_median[round] = bench_spread_of(taken, n).median;
    subject->n_step += n;
}

/* measure_parts fills in where the time goes. While a batch is prepared, all threads wait. */
static void measure_parts(struct subject *subject, double seconds, int threads, double *part)
{
    double start = clock_seconds(), total = 0;
    double n_working = fmin(threads, (double)subject->config->lanes);
    subject->data_seconds = 0;
    engine_profile(subject->engine, true);
    do {
        step(subject);
    } while (clock_seconds() - start < seconds);
    struct profile profile = engine_profile_read(subject->engine);
    engine_profile(subject->engine, false);
    memcpy(part, profile.seconds, sizeof profile.seconds);
    part[BENCH_DATA] = subject->data_seconds * n_working;
    for (size_t i = 0; i < BENCH_PART_COUNT; i++) {
        total += part[i];
    }
    for (size_t i = 0; i < BENCH_PART_COUNT; i++) {
        part[i] /= total;
    }
}

/* ---- all of them ---- */

struct bench {
    struct bench_options options; /* threads resolved */
    struct subject *subject;      /* [n_subject] */
    size_t n_subject;
    struct ceiling ceiling;
    double *rate; /* of the ceiling, one before each measurement of a subject and one at the end */
    size_t n_rate;
};

static enum status check_stop(const struct bench_options *options, struct error *err)
{
    int signal_number = options->stop ? options->stop(options->context) : 0;
    return signal_number == 0
               ? STATUS_OK
               : error_set(err, STATUS_INTERRUPTED, "stopped by signal %d", signal_number);
}

static enum status set_up(struct bench *bench, const struct config *configs, size_t n,
                          struct error *err)
{
    const struct bench_options *options = &bench->options;
    bench->subject = calloc(n, sizeof *bench->subject);
    bench->rate = calloc(n * options->n_round + 1, sizeof *bench->rate);
    if (!bench->subject || !bench->rate) {
        return error_memory(err, "making %zu measurements", n);
    }
    if (options->ceiling) {
        TRY(ceiling_create(&bench->ceiling, options->threads, err));
    }
    while (bench->n_subject < n) {
        struct subject *subject = &bench->subject[bench->n_subject];
        TRY(subject_create(subject, &configs[bench->n_subject++], options, err));
        warm_up(subject, options->seconds / (double)options->n_round);
        TRY(check_stop(options, err));
    }
    return STATUS_OK;
}

static void tear_down(struct bench *bench)
{
    for (size_t i = 0; i < bench->n_subject; i++) {
        subject_free(&bench->subject[i]);
    }
    free(bench->subject);
    free(bench->rate);
    ceiling_free(&bench->ceiling);
}

static void measure_ceiling(struct bench *bench)
{
    if (bench->options.ceiling) {
        bench->rate[bench->n_rate++] = ceiling_measure(&bench->ceiling);
    }
}

static enum status measure_rounds(struct bench *bench, struct error *err)
{
    const struct bench_options *options = &bench->options;
    double slice = options->seconds / (double)options->n_round;
    for (size_t round = 0; round < options->n_round; round++) {
        if (options->round) {
            options->round(options->context, round, options->n_round);
        }
        for (size_t i = 0; i < bench->n_subject; i++) {
            measure_ceiling(bench);
            measure_slice(&bench->subject[i], slice, round);
            TRY(check_stop(options, err));
        }
    }
    measure_ceiling(bench);
    return STATUS_OK;
}

static enum status tell_results(struct bench *bench, struct bench_result *results,
                                struct error *err)
{
    const struct bench_options *options = &bench->options;
    for (size_t i = 0; i < bench->n_subject; i++) {
        struct subject *subject = &bench->subject[i];
        results[i] = (struct bench_result){
            .flop = bench_flop(subject->config, subject->n_batch),
            .n_sequence = subject->n_batch,
            .n_step = subject->n_step,
            .mean = subject->seconds / (double)subject->n_step,
            .seconds = bench_spread_of(subject->round_median, options->n_round)};
        if (options->ceiling) {
            measure_parts(subject, options->seconds / (double)options->n_round, options->threads,
                          results[i].part);
        }
        TRY(check_stop(options, err));
    }
    return STATUS_OK;
}

static enum status measure(struct bench *bench, const struct config *configs, size_t n,
                           struct bench_result *results, struct error *err)
{
    TRY(set_up(bench, configs, n, err));
    TRY(measure_rounds(bench, err));
    return tell_results(bench, results, err);
}

enum status bench_run(const struct config *configs, size_t n, const struct bench_options *options,
                      struct bench_result *results, struct bench_spread *ceiling, struct error *err)
{
    struct bench bench = {.options = *options};
    if (bench.options.threads <= 0) {
        bench.options.threads = threads_available();
    }
    enum status status = measure(&bench, configs, n, results, err);
    *ceiling = bench.n_rate > 0 ? bench_spread_of(bench.rate, bench.n_rate)
                                : (struct bench_spread){NAN, NAN, NAN};
    tear_down(&bench);
    return status;
}

/* A model that would take too long for its slice of the time makes steps with fewer sequences, and
 * if that is not enough has one block only: what a step costs apart from its sequences and blocks
 * matters for small models alone, which make whole steps. The shortest of the steps counts: it is
 * the one that other programs disturbed least. Where they disturbed all of them, the time that it
 * worked on the processors tells how long it would have taken.
 */
#include "lab/sweep/estimate.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/contention.h"
#include "base/threads.h"
#include "lab/bench/bench.h"

/* What a run takes besides training and evaluation, measured on a laptop: drawing its data, writing
 * its folder (synced), and with attention maps also these and their pictures. */
#define RUN_SECONDS 0.05
#define MAPS_SECONDS 0.15
/* Evaluation is a forward pass, a third of the FLOP of a training step. */
#define EVALUATE_SHARE (1.0 / 3)
#define LOW_FACTOR 0.75
#define HIGH_FACTOR 1.5
/* A first guess, to choose how many sequences a step may have. */
#define GUESSED_RATE 2e10
#define MOST_WAITING 1.25
/* A step that takes longer at that rate, or whose buffers take longer to be filled, is not made. */
#define MOST_STEP_SECONDS 1.0
#define GUESSED_BYTES 5e8
/* Seconds for a group. */
#define LEAST_SLICE 0.08
#define MOST_SLICE 0.5

struct group {
    struct config config; /* the smallest of the group */
    double flop;          /* of a sequence of that */
    double work;          /* FLOP of all its runs in one sweep */
    double share;         /* of the work of the sweep in which it is largest */
    double rate;          /* FLOP a second of one run; 0: not measured */
};

/* Of all the steps: how long they took, and how long their threads worked on a processor. */
struct pace {
    double wall, worked;
};

struct estimator {
    struct estimate_options options; /* threads and jobs resolved */
    struct group *group;             /* [n_group], largest share first */
    size_t n_group, n_measured;
    size_t n_parallel; /* runs that processors can make at a time */
    double others;     /* share of the processors that were taken */
    struct pace pace;
};

/* ---- work ---- */

/* Sequences that pass through training, and their evaluation in the same unit. */
static double sequences_of(const struct config *config)
{
    size_t n_train = config_n_train(config);
    size_t batch = config->batch_size < n_train ? config->batch_size : n_train;
    double n_evaluation = config->task->kind->every_epoch ? (double)config->epochs : 1;
    return (double)config_steps(config) * (double)batch +
           EVALUATE_SHARE * n_evaluation * (double)config_n_test(config);
}

double estimate_run_flop(const struct config *config)
{
    return bench_flop(config, 1) * sequences_of(config);
}

static bool same_group(const struct config *a, const struct config *b)
{
    return a->task->kind == b->task->kind && a->n_embd == b->n_embd && a->seq_len == b->seq_len &&
           a->n_head == b->n_head && a->variant.score_term == b->variant.score_term &&
           a->variant.query == b->variant.query && a->variant.qk_norm == b->variant.qk_norm &&
           (a->dropout > 0) == (b->dropout > 0);
}

static struct group *find_group(const struct estimator *estimator, const struct config *config)
{
    for (size_t i = 0; i < estimator->n_group; i++) {
        if (same_group(&estimator->group[i].config, config)) {
            return &estimator->group[i];
        }
    }
    return NULL;
}

static bool add_to_group(struct estimator *estimator, const struct config *config)
{
    double flop = bench_flop(config, 1);
    struct group *group = find_group(estimator, config);
    if (!group) {
        struct group *grown = realloc(estimator->group, (estimator->n_group + 1) * sizeof *grown);
        if (!grown) {
            return false;
        }
        estimator->group = grown;
        group = &grown[estimator->n_group++];
        *group = (struct group){.config = *config, .flop = flop};
    }
    if (flop < group->flop) {
        group->config = *config;
        group->flop = flop;
    }
    group->work += flop * sequences_of(config);
    return true;
}

static int compare_groups(const void *a, const void *b)
{
    const struct group *left = a, *right = b;
    return (left->share < right->share) - (left->share > right->share);
}

/* end_sweep turns the work of one sweep into shares: a small sweep among large ones is measured as
 * well as alone. */
static void end_sweep(struct estimator *estimator)
{
    double total = 0;
    for (size_t i = 0; i < estimator->n_group; i++) {
        total += estimator->group[i].work;
    }
    for (size_t i = 0; i < estimator->n_group && total > 0; i++) {
        struct group *group = &estimator->group[i];
        group->share = fmax(group->share, group->work / total);
        group->work = 0;
    }
}

static bool group_all(struct estimator *estimator, const struct config *configs, size_t n,
                      const struct estimate_options *options)
{
    const size_t *end = options->end ? options->end : &n;
    size_t n_sweep = options->end ? options->n_sweep : 1, i = 0;
    for (size_t sweep = 0; sweep < n_sweep; sweep++) {
        for (; i < end[sweep]; i++) {
            if (!add_to_group(estimator, &configs[i])) {
                return false;
            }
        }
        end_sweep(estimator);
    }
    return true;
}

/* ---- measuring ---- */

/* A batch of the right shape; what is in it makes no difference to the time. */
struct filler {
    int32_t *ids, *targets;
    float *patches;
    struct batch batch;
};

static bool filler_make(struct filler *filler, const struct model_shape *shape, size_t n)
{
    size_t n_token = shape->n_token;
    size_t n_number = shape->n_channel * shape->patch * shape->patch * (n_token - 1);
    bool images = shape->input == INPUT_PATCHES;
    *filler = (struct filler){.ids = malloc(n * n_token * sizeof *filler->ids),
                              .targets = malloc(n * n_token * sizeof *filler->targets),
                              .patches = malloc((n * n_number + 1) * sizeof *filler->patches)};
    if (!filler->ids || !filler->targets || !filler->patches) {
        return false;
    }
    for (size_t i = 0; i < n * n_token; i++) {
        filler->ids[i] = images ? 0 : (int32_t)(i * 7 % shape->n_symbol);
        filler->targets[i] = (int32_t)(i * 3 % shape->n_class);
    }
    for (size_t i = 0; i < n * n_number; i++) {
        filler->patches[i] = (float)(i % 17) / 16 - 0.5F;
    }
    filler->batch = (struct batch){.n_sequence = n,
                                   .n_token = n_token,
                                   .ids = images ? NULL : filler->ids,
                                   .targets = filler->targets,
                                   .patches = images ? filler->patches : NULL};
    return true;
}

static void filler_free(struct filler *filler)
{
    free(filler->ids);
    free(filler->targets);
    free(filler->patches);
}

static double worked_seconds(int n_working)
{
    return n_working > 1 ? clock_process_seconds() / n_working : clock_thread_seconds();
}

/* timed_step returns the seconds of a step. Undisturbed, no more of them than MOST_WAITING times
 * those that a thread works. */
static double timed_step(struct engine *engine, const struct batch *batch,
                         const struct adam_options *adam, int n_working, struct pace *pace)
{
    double start = clock_seconds(), worked = worked_seconds(n_working);
    engine_train_step(engine, batch, adam);
    worked = worked_seconds(n_working) - worked;
    double wall = clock_seconds() - start;
    pace->wall += wall;
    pace->worked += worked;
    return fmin(wall, MOST_WAITING * worked);
}

/* shortest_step makes steps for about so many seconds, at least one after a warm-up, which stands
 * for it where it took long itself. */
static double shortest_step(struct engine *engine, const struct batch *batch, int n_working,
                            double seconds, struct pace *pace)
{
    const struct adam_options adam = {
        .learning_rate = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8, .clip = 5};
    double shortest = INFINITY, start = clock_seconds();
    double warm_up = timed_step(engine, batch, &adam, n_working, pace);
    if (clock_seconds() - start > MOST_STEP_SECONDS) {
        return warm_up;
    }
    do {
        shortest = fmin(shortest, timed_step(engine, batch, &adam, n_working, pace));
    } while (clock_seconds() - start < seconds);
    return shortest;
}

/* count_working returns how many threads work at a time, on average: lanes are given out whole, and
 * some have no sequence. */
static int count_working(const struct config *config, size_t n, int threads)
{
    size_t n_lane = config->lanes < n ? config->lanes : n;
    size_t n_turn = (n_lane + (size_t)threads - 1) / (size_t)threads;
    return (int)(n_lane / n_turn);
}

/* step_seconds trains one model. Errors leave *seconds as it is. */
static enum status step_seconds(const struct config *config, size_t n, int threads, double slice,
                                double *seconds, struct pace *pace)
{
    struct model_shape shape = config_shape(config);
    struct engine_options options = {.lanes = config->lanes,
                                     .micro_batch = config->micro_batch,
                                     .batch_size = n,
                                     .threads = threads};
    struct engine *engine = NULL;
    struct filler filler;
    enum status status = filler_make(&filler, &shape, n) ? STATUS_OK : STATUS_MEMORY;
    if (status == STATUS_OK) {
        status = engine_create(&engine, &shape, &options, NULL);
    }
    if (status == STATUS_OK) {
        engine_initialise(engine, config->seed);
        *seconds =
            shortest_step(engine, &filler.batch, count_working(config, n, threads), slice, pace);
    }
    engine_free(engine);
    filler_free(&filler);
    return status;
}

/* Sequences of a step that should take a third of the slice: a whole batch, or some for each lane.
 */
static size_t choose_sequences(const struct config *config, int threads, double slice)
{
    size_t n_train = config_n_train(config);
    size_t batch = config->batch_size < n_train ? config->batch_size : n_train;
    double fitting = slice / 3 * GUESSED_RATE * threads / bench_flop(config, 1);
    if (fitting >= (double)batch || batch <= config->lanes) {
        return batch;
    }
    size_t a_lane = (size_t)fitting / config->lanes;
    return config->lanes * (a_lane > 0 ? a_lane : 1);
}

static bool takes_longer(const struct config *config, size_t n, int threads, double seconds)
{
    return bench_flop(config, n) > seconds * GUESSED_RATE * threads;
}

/* Each lane has a gradient of its own. */
static bool fills_too_much(const struct config *config, size_t n, int threads, int n_model)
{
    struct model_shape shape = config_shape(config);
    struct engine_options options = {.lanes = config->lanes,
                                     .micro_batch = config->micro_batch,
                                     .batch_size = n,
                                     .threads = threads};
    double bytes = (double)engine_memory(&shape, &options) * n_model;
    return bytes > MOST_STEP_SECONDS * GUESSED_BYTES;
}

/* measure_group leaves the rate at 0 where a step is too long to try. It trains as many models at a
 * time as there will be runs. Inside of that a model has one thread; where each is to have more,
 * one model with all of them stands for all. */
static enum status measure_group(struct estimator *estimator, struct group *group, double slice,
                                 struct error *err)
{
    int threads = estimator->options.threads, n_model = (int)estimator->n_parallel;
    bool alone = n_model == 1 || threads > 1;
    int n_at_work = alone ? threads * n_model : 1;
    struct config config = group->config;
    size_t n = choose_sequences(&config, n_at_work, slice);
    if (takes_longer(&config, n, n_at_work, slice / 3)) {
        config.n_layer = 1;
        n = choose_sequences(&config, n_at_work, slice);
    }
    if (takes_longer(&config, n, n_at_work, MOST_STEP_SECONDS) ||
        fills_too_much(&config, n, n_at_work, alone ? 1 : n_model)) {
        return STATUS_OK;
    }
    double slowest = 0, wall = 0, worked = 0;
    enum status status = STATUS_OK;
    if (alone) {
        struct pace pace = {0};
        status = step_seconds(&config, n, threads * n_model, slice, &slowest, &pace);
        slowest *= n_model;
        wall = pace.wall;
        worked = pace.worked;
    } else {
#pragma omp parallel for num_threads(n_model) schedule(static) \
    reduction(max : slowest, status) reduction(+ : wall, worked)
        for (int i = 0; i < n_model; i++) {
            double seconds = 0;
            struct pace pace = {0};
            enum status made = step_seconds(&config, n, 1, slice, &seconds, &pace);
            status = made > status ? made : status;
            wall += pace.wall;
            worked += pace.worked;
            slowest = fmax(slowest, seconds);
        }
    }
    if (status != STATUS_OK) {
        return error_set(err, status, "out of memory while measuring how fast training is");
    }
    group->rate = bench_flop(&config, n) / slowest;
    estimator->pace.wall += wall;
    estimator->pace.worked += worked;
    return STATUS_OK;
}

static enum status measure(struct estimator *estimator, struct error *err)
{
    const struct estimate_options *options = &estimator->options;
    double end = clock_seconds() + options->seconds;
    struct contention contention = contention_begin();
    for (size_t i = 0; i < estimator->n_group; i++) {
        double left = end - clock_seconds();
        if (i > 0 && left <= 0) {
            break;
        }
        double fair = left / (double)(estimator->n_group - i);
        double slice = fmin(fmax(fair, LEAST_SLICE), MOST_SLICE);
        enum status status = measure_group(estimator, &estimator->group[i], slice, err);
        if (status != STATUS_OK) {
            return status;
        }
        estimator->n_measured += estimator->group[i].rate > 0;
    }
    estimator->others = contention_others(&contention);
    return STATUS_OK;
}

/* ---- those that were not measured ---- */

static double distance(const struct config *a, const struct config *b)
{
    return fabs(log((double)a->n_embd / (double)b->n_embd)) +
           fabs(log((double)a->seq_len / (double)b->seq_len)) +
           0.5 * fabs(log((double)a->n_head / (double)b->n_head)) +
           (a->variant.score_term != b->variant.score_term) + (a->task->kind != b->task->kind);
}

static double rate_of(const struct estimator *estimator, const struct config *config)
{
    const struct group *own = find_group(estimator, config);
    if (own && own->rate > 0) {
        return own->rate;
    }
    double nearest = INFINITY, rate = GUESSED_RATE * estimator->options.threads;
    for (size_t i = 0; i < estimator->n_group; i++) {
        double far = distance(&estimator->group[i].config, config);
        if (estimator->group[i].rate > 0 && far < nearest) {
            nearest = far;
            rate = estimator->group[i].rate;
        }
    }
    return rate;
}

/* ---- for callers ---- */

static void resolve_options(struct estimator *estimator)
{
    struct estimate_options *options = &estimator->options;
    int available = threads_available();
    options->jobs = options->jobs > 0 ? options->jobs : 1;
    if (options->threads <= 0) {
        options->threads = options->jobs > 1 ? available / (int)options->jobs : available;
    }
    options->threads = options->threads > 0 ? options->threads : 1;
    size_t n = (size_t)((available + options->threads - 1) / options->threads);
    estimator->n_parallel = options->jobs < n ? options->jobs : n;
}

enum status estimator_create(struct estimator **estimator, const struct config *configs, size_t n,
                             const struct estimate_options *options, struct error *err)
{
    struct estimator *made = calloc(1, sizeof *made);
    *estimator = made;
    if (!made || !group_all(made, configs, n, options)) {
        return error_set(err, STATUS_MEMORY, "out of memory for %zu runs", n);
    }
    made->options = *options;
    resolve_options(made);
    if (made->n_group > 0) {
        qsort(made->group, made->n_group, sizeof *made->group, compare_groups);
    }
    return measure(made, err);
}

void estimator_free(struct estimator *estimator)
{
    if (estimator) {
        free(estimator->group);
        free(estimator);
    }
}

size_t estimator_n_group(const struct estimator *estimator)
{
    return estimator->n_group;
}

size_t estimator_n_measured(const struct estimator *estimator)
{
    return estimator->n_measured;
}

double estimator_others(const struct estimator *estimator)
{
    return estimator->others;
}

double estimator_slowdown(const struct estimator *estimator)
{
    const struct pace *pace = &estimator->pace;
    return pace->worked > 0 ? fmax(pace->wall / pace->worked, 1) : 1;
}

double estimator_run_seconds(const struct estimator *estimator, const struct config *config)
{
    return estimate_run_flop(config) / rate_of(estimator, config) + RUN_SECONDS +
           (config->attention == ATTENTION_NONE ? 0 : MAPS_SECONDS);
}

/* Runs are given out in their order: the sweep ends no sooner than its share for each place, nor
 * than its longest run. */
struct estimate estimator_sweep(const struct estimator *estimator, const struct config *configs,
                                size_t n)
{
    double sum = 0, longest = 0;
    for (size_t i = 0; i < n; i++) {
        double seconds = estimator_run_seconds(estimator, &configs[i]);
        sum += seconds;
        longest = fmax(longest, seconds);
    }
    double likely = fmax(sum / (double)estimator->n_parallel, longest);
    return (struct estimate){LOW_FACTOR * likely, HIGH_FACTOR * likely};
}

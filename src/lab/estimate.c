/* A model that would take too long for its slice of the time makes steps with fewer sequences: what
 * a step costs apart from its sequences matters for small models only, which make whole steps.
 */
#include "lab/estimate.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/threads.h"
#include "lab/bench.h"

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
/* Seconds for a group. */
#define LEAST_SLICE 0.01
#define MOST_SLICE 0.5
#define MAX_STEP 64

struct group {
    struct config config; /* the smallest of the group */
    double flop;          /* of a sequence of that */
    double work;          /* FLOP of all its runs */
    double rate;          /* FLOP a second of one run; 0: not measured */
};

struct estimator {
    struct estimate_options options; /* threads and jobs resolved */
    struct group *group;             /* [n_group], most work first */
    size_t n_group, n_measured;
    size_t n_parallel; /* runs that processors can make at a time */
};

/* ---- work ---- */

/* Sequences that pass through training, and their evaluation in the same unit. */
static double sequences_of(const struct config *config)
{
    size_t n_train = config_n_train(config);
    size_t batch = config->batch_size < n_train ? config->batch_size : n_train;
    double n_evaluation = config_is_vision(config) ? (double)config->epochs : 1;
    return (double)config_steps(config) * (double)batch +
           EVALUATE_SHARE * n_evaluation * (double)config_n_test(config);
}

static double run_flop(const struct config *config)
{
    return bench_flop(config, 1) * sequences_of(config);
}

static bool same_group(const struct config *a, const struct config *b)
{
    return a->dataset == b->dataset && a->n_embd == b->n_embd && a->seq_len == b->seq_len &&
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
    return (left->work < right->work) - (left->work > right->work);
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

/* steps_median makes steps for about so many seconds, at least one after a warm-up. */
static double steps_median(struct engine *engine, const struct batch *batch, double seconds)
{
    const struct adam_options adam = {
        .learning_rate = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8, .clip = 5};
    double taken[MAX_STEP], start = clock_seconds();
    size_t n = 0;
    engine_train_step(engine, batch, &adam);
    do {
        double before = clock_seconds();
        engine_train_step(engine, batch, &adam);
        taken[n++] = clock_seconds() - before;
    } while (n < MAX_STEP && clock_seconds() - start < seconds);
    return bench_spread_of(taken, n).median;
}

/* step_seconds trains one model. Errors leave *seconds as it is. */
static enum status step_seconds(const struct config *config, size_t n, int threads, double slice,
                                double *seconds)
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
        *seconds = steps_median(engine, &filler.batch, slice);
    }
    engine_free(engine);
    filler_free(&filler);
    return status;
}

/* Sequences of a step that should take a third of the slice: a whole batch, or some for each lane.
 */
static size_t choose_sequences(const struct group *group, int threads, double slice)
{
    const struct config *config = &group->config;
    size_t n_train = config_n_train(config);
    size_t batch = config->batch_size < n_train ? config->batch_size : n_train;
    double fitting = slice / 3 * GUESSED_RATE * threads / group->flop;
    if (fitting >= (double)batch || batch <= config->lanes) {
        return batch;
    }
    size_t a_lane = (size_t)fitting / config->lanes;
    return config->lanes * (a_lane > 0 ? a_lane : 1);
}

/* measure_group trains as many models at a time as there will be runs. Inside of that a model has
 * one thread; where each is to have more, one model with all of them stands for all. */
static enum status measure_group(const struct estimator *estimator, struct group *group,
                                 double slice, struct error *err)
{
    int threads = estimator->options.threads, n_model = (int)estimator->n_parallel;
    bool alone = n_model == 1 || threads > 1;
    size_t n = choose_sequences(group, alone ? threads * n_model : 1, slice);
    double slowest = 0;
    enum status status = STATUS_OK;
    if (alone) {
        status = step_seconds(&group->config, n, threads * n_model, slice, &slowest);
        slowest *= n_model;
    } else {
#pragma omp parallel for num_threads(n_model) schedule(static) reduction(max : slowest, status)
        for (int i = 0; i < n_model; i++) {
            double seconds = 0;
            enum status made = step_seconds(&group->config, n, 1, slice, &seconds);
            status = made > status ? made : status;
            slowest = fmax(slowest, seconds);
        }
    }
    if (status != STATUS_OK) {
        return error_set(err, status, "out of memory while measuring how fast training is");
    }
    group->rate = group->flop * (double)n / slowest;
    return STATUS_OK;
}

static enum status measure(struct estimator *estimator, struct error *err)
{
    const struct estimate_options *options = &estimator->options;
    double end = clock_seconds() + options->seconds;
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
        estimator->n_measured++;
    }
    return STATUS_OK;
}

/* ---- those that were not measured ---- */

static double distance(const struct config *a, const struct config *b)
{
    return fabs(log((double)a->n_embd / (double)b->n_embd)) +
           fabs(log((double)a->seq_len / (double)b->seq_len)) +
           0.5 * fabs(log((double)a->n_head / (double)b->n_head)) +
           (a->variant.score_term != b->variant.score_term) + (a->dataset != b->dataset);
}

static double rate_of(const struct estimator *estimator, const struct config *config)
{
    const struct group *own = find_group(estimator, config);
    if (own && own->rate > 0) {
        return own->rate;
    }
    double nearest = INFINITY, rate = GUESSED_RATE;
    for (size_t i = 0; i < estimator->n_measured; i++) {
        double far = distance(&estimator->group[i].config, config);
        if (far < nearest) {
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
    bool fine = made != NULL;
    for (size_t i = 0; i < n && fine; i++) {
        fine = add_to_group(made, &configs[i]);
    }
    if (!fine) {
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

double estimator_run_seconds(const struct estimator *estimator, const struct config *config)
{
    return run_flop(config) / rate_of(estimator, config) + RUN_SECONDS +
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

/* Two rules give the same bits at any number of threads: everything that is summed is summed by one
 * thread in a fixed order (a lane's sequences, the lanes of a chunk, the chunks of the norm), and
 * the cuts (lanes, micro-batches, chunks) come from the configuration. Threads only take whole
 * pieces. */
#include "nn/engine.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/threads.h"
#include "nn/kernels/kernels.h"
#include "nn/parts.h"

/* Parameters that are summed over lanes, squared and updated at a time. */
#define CHUNK 4096

struct engine {
    struct model model;
    struct engine_options options; /* resolved */
    struct arena arena;
    float *param, *grad;
    struct adam_state adam;
    uint64_t seed;          /* of the dropout masks */
    float **lane_grad;      /* [lanes] of [n_param] */
    struct loss_sums *lane; /* [lanes] */
    double *chunk_squares;  /* [n_chunk] */
    size_t n_chunk;
    struct activations **act; /* [threads] */
    bool profiled;
    struct profile *profile; /* [threads] */
    struct prepared *prepared;
};

/* ---- creation ---- */

/* A lane holds a gradient, and all of them are read once a step, so their number falls as
 * parameters grow; 4 remain, so that a few cores still share the work. */
size_t engine_default_lanes(const struct model_shape *shape)
{
    struct model model;
    if (model_create(&model, shape, NULL) != STATUS_OK) {
        return 1;
    }
    size_t n_param = model.layout.n_param;
    model_free(&model);
    return n_param <= 60000 ? 16 : n_param <= 600000 ? 8 : 4;
}

/* About 128 rows fill the vector units in matrix products and keep activations in a second-level
 * cache. */
size_t engine_default_micro_batch(const struct model_shape *shape)
{
    size_t micro_batch = 128 / (shape->n_token > 0 ? shape->n_token : 1);
    return micro_batch > 1 ? micro_batch : 1;
}

static struct engine_options resolve_options(const struct model_shape *shape,
                                             const struct engine_options *given)
{
    struct engine_options options = *given;
    if (options.lanes == 0) {
        options.lanes = engine_default_lanes(shape);
    }
    if (options.micro_batch == 0) {
        options.micro_batch = engine_default_micro_batch(shape);
    }
    if (options.batch_size == 0) {
        options.batch_size = 1;
    }
    size_t in_lane = (options.batch_size + options.lanes - 1) / options.lanes;
    if (options.micro_batch > in_lane) {
        options.micro_batch = in_lane;
    }
    if (options.threads <= 0) {
        options.threads = threads_available();
    }
    if ((size_t)options.threads > options.lanes) {
        options.threads = (int)options.lanes;
    }
    return options;
}

/* place takes everything from the arena; a measuring arena leaves the pointers NULL. */
static void place(struct engine *engine, struct arena *arena)
{
    size_t n_param = engine->model.layout.n_param;
    size_t lanes = engine->options.lanes, threads = (size_t)engine->options.threads;
    engine->n_chunk = (n_param + CHUNK - 1) / CHUNK;
    engine->param = arena_floats(arena, n_param);
    engine->grad = arena_floats(arena, n_param);
    engine->adam.m = arena_floats(arena, n_param);
    engine->adam.v = arena_floats(arena, n_param);
    engine->lane_grad = arena_alloc(arena, lanes, sizeof *engine->lane_grad);
    engine->lane = arena_alloc(arena, lanes, sizeof *engine->lane);
    engine->chunk_squares = arena_alloc(arena, engine->n_chunk, sizeof *engine->chunk_squares);
    engine->act = arena_alloc(arena, threads, sizeof(struct activations *));
    engine->profile = arena_alloc(arena, threads, sizeof *engine->profile);
    engine->prepared = prepared_place(&engine->model, arena);
    for (size_t lane = 0; lane < lanes; lane++) {
        float *grad = arena_floats(arena, n_param);
        if (engine->lane_grad != NULL) {
            engine->lane_grad[lane] = grad;
        }
    }
    for (size_t thread = 0; thread < threads; thread++) {
        struct activations *act =
            activations_place(&engine->model, engine->options.micro_batch, arena);
        if (engine->act != NULL) {
            engine->act[thread] = act;
        }
    }
}

size_t engine_memory(const struct model_shape *shape, const struct engine_options *options)
{
    struct engine engine = {0};
    if (model_create(&engine.model, shape, NULL) != STATUS_OK) {
        return 0;
    }
    engine.options = resolve_options(shape, options);
    struct arena arena = ARENA_MEASURE;
    place(&engine, &arena);
    model_free(&engine.model);
    return arena.failed ? 0 : arena.used;
}

static enum status set_up(struct engine *engine, const struct model_shape *shape,
                          const struct engine_options *options, struct error *err)
{
    TRY(model_create(&engine->model, shape, err));
    engine->options = resolve_options(shape, options);
    struct arena measure = ARENA_MEASURE;
    place(engine, &measure);
    if (measure.failed) {
        return error_set(err, STATUS_MEMORY, "engine: the model's size overflows");
    }
    TRY(arena_create(&engine->arena, measure.used, err));
    place(engine, &engine->arena);
    return STATUS_OK;
}

enum status engine_create(struct engine **created, const struct model_shape *shape,
                          const struct engine_options *options, struct error *err)
{
    struct engine *engine = calloc(1, sizeof *engine);
    enum status status =
        engine ? set_up(engine, shape, options, err) : error_memory(err, "making an engine");
    if (status != STATUS_OK) {
        engine_free(engine);
        engine = NULL;
    }
    *created = engine;
    return status;
}

void engine_free(struct engine *engine)
{
    if (engine != NULL) {
        arena_free(&engine->arena);
        model_free(&engine->model);
        free(engine);
    }
}

void engine_initialise(struct engine *engine, uint64_t seed)
{
    size_t bytes = engine->model.layout.n_param * sizeof(float);
    model_initialise(&engine->model, engine->options.numbers, seed, engine->param);
    memset(engine->adam.m, 0, bytes);
    memset(engine->adam.v, 0, bytes);
    engine->adam.step = 0;
    engine->seed = seed;
    engine_weights_changed(engine);
}

/* ---- lanes ---- */

/* pass_of is a pass over a micro-batch with the engine's weights. */
static struct pass pass_of(const struct engine *engine, const struct batch *batch,
                           struct activations *act, float *grad)
{
    return (struct pass){.model = &engine->model,
                         .param = engine->param,
                         .prepared = engine->prepared,
                         .batch = batch,
                         .act = act,
                         .grad = grad};
}

static void add_sums(struct loss_sums *total, const struct loss_sums *more)
{
    total->loss += more->loss;
    total->n_correct_token += more->n_correct_token;
    total->n_correct_sequence += more->n_correct_sequence;
}

/* copy_logits puts the logits of a part, which begins at sequence first, in their place. */
static void copy_logits(const struct pass *pass, size_t first, float *logits)
{
    const struct model_shape *shape = &pass->model->shape;
    size_t n = batch_n_answer(shape, pass->batch) * shape->n_class;
    memcpy(logits + n / pass->batch->n_sequence * first, activations_logits(pass->act),
           n * sizeof *logits);
}

/* walk_lane runs one lane's sequences, micro-batch by micro-batch; with a gradient where grad is
 * not NULL, keeping the logits where logits is not NULL. */
static struct loss_sums walk_lane(const struct engine *engine, const struct batch *batch,
                                  size_t lane, struct activations *act, float *grad, float *logits)
{
    const struct model *model = &engine->model;
    size_t lanes = engine->options.lanes, n = batch->n_sequence;
    size_t first = lane * n / lanes, end = (lane + 1) * n / lanes;
    float scale = (float)(1.0 / (double)batch_n_answer(&model->shape, batch));
    struct loss_sums sums = {0};
    if (grad != NULL) {
        memset(grad, 0, model->layout.n_param * sizeof *grad);
    }
    while (first < end) {
        size_t size = end - first;
        if (size > engine->options.micro_batch) {
            size = engine->options.micro_batch;
        }
        struct batch part = batch_part(&model->shape, batch, first, size);
        struct pass pass = pass_of(engine, &part, act, grad);
        model_forward(&pass);
        if (logits != NULL) {
            copy_logits(&pass, first, logits);
        }
        struct loss_sums part_sums = head_loss(&pass, scale);
        add_sums(&sums, &part_sums);
        if (grad != NULL) {
            model_backward(&pass);
        }
        first += size;
    }
    return sums;
}

static struct loss_sums add_lanes(const struct engine *engine)
{
    struct loss_sums total = {0};
    for (size_t lane = 0; lane < engine->options.lanes; lane++) {
        add_sums(&total, &engine->lane[lane]);
    }
    return total;
}

static double add_chunks(const struct engine *engine)
{
    double squares = 0.0;
    for (size_t chunk = 0; chunk < engine->n_chunk; chunk++) {
        squares += engine->chunk_squares[chunk];
    }
    return squares;
}

/* sum_chunk adds up the lanes over one chunk of the gradient, and its squares. */
static void sum_chunk(struct engine *engine, size_t chunk)
{
    size_t at = chunk * CHUNK, n_param = engine->model.layout.n_param;
    size_t n = n_param - at < CHUNK ? n_param - at : CHUNK;
    engine->chunk_squares[chunk] = kernels_active()->sum_lanes(
        n, engine->options.lanes, (const float *const *)engine->lane_grad, at, engine->grad + at);
}

/* update_chunk applies Adam to one chunk, tensor by tensor, since only some decay. */
static void update_chunk(struct engine *engine, size_t chunk, const struct adam_update *update)
{
    size_t start = chunk * CHUNK, n_param = engine->model.layout.n_param;
    size_t end = n_param - start < CHUNK ? n_param : start + CHUNK;
    const struct layout *layout = &engine->model.layout;
    for (size_t i = 0; i < layout->n_tensor; i++) {
        const struct tensor *tensor = &layout->tensor[i];
        size_t from = tensor->offset > start ? tensor->offset : start;
        size_t tensor_end = tensor->offset + tensor->n_element;
        size_t to = tensor_end < end ? tensor_end : end;
        if (from < to) {
            kernels_active()->adam(to - from, update, tensor->decay ? update->decay : 1.0f,
                                   engine->param + from, engine->grad + from, engine->adam.m + from,
                                   engine->adam.v + from);
        }
    }
}

/* wait_for_threads is the barrier between two stages, with the waiting booked as such. */
static void wait_for_threads(void)
{
    enum profile_part part = profile_enter(PROFILE_WAIT);
#pragma omp barrier
    profile_enter(part);
}

/* finish_gradient turns the sums of lanes and chunks into the step's result, and counts the update.
 */
static struct train_result finish_gradient(struct engine *engine, const struct batch *batch,
                                           const struct adam_options *options,
                                           struct adam_update *update)
{
    struct loss_sums sums = add_lanes(engine);
    double n_answer = (double)batch_n_answer(&engine->model.shape, batch);
    struct train_result result = {
        .loss = sums.loss / n_answer,
        .accuracy = (double)sums.n_correct_token / n_answer,
        .grad_norm = sqrt(add_chunks(engine)),
    };
    result.finite = isfinite(result.loss) && isfinite(result.grad_norm);
    if (options != NULL && result.finite) {
        *update = adam_prepare(options, ++engine->adam.step, result.grad_norm);
    }
    return result;
}

/* update_weights is the part of a step behind the gradient. */
static void update_weights(struct engine *engine, const struct adam_update *update)
{
#pragma omp for schedule(static) nowait
    for (size_t chunk = 0; chunk < engine->n_chunk; chunk++) {
        update_chunk(engine, chunk, update);
    }
    wait_for_threads();
#pragma omp for schedule(dynamic, 1) nowait
    for (size_t part = 0; part < prepared_n_part(&engine->model); part++) {
        prepared_update(&engine->model, engine->param, part, engine->prepared);
    }
}

/* step computes the gradient and, with options, updates the weights. */
static struct train_result step(struct engine *engine, const struct batch *batch,
                                const struct adam_options *options)
{
    struct train_result result = {0};
    struct adam_update update = {0};
#pragma omp parallel num_threads(engine->options.threads)
    {
        size_t thread = (size_t)omp_get_thread_num();
        threads_flush_denormals();
        profile_start(engine->profiled);
#pragma omp for schedule(dynamic, 1) nowait
        for (size_t lane = 0; lane < engine->options.lanes; lane++) {
            engine->lane[lane] =
                walk_lane(engine, batch, lane, engine->act[thread], engine->lane_grad[lane], NULL);
        }
        wait_for_threads();
        profile_enter(PROFILE_OPTIMIZER);
#pragma omp for schedule(static) nowait
        for (size_t chunk = 0; chunk < engine->n_chunk; chunk++) {
            sum_chunk(engine, chunk);
        }
        wait_for_threads();
#pragma omp single
        result = finish_gradient(engine, batch, options, &update);
        if (options != NULL && result.finite) {
            update_weights(engine, &update);
        }
        wait_for_threads();
        profile_collect(&engine->profile[thread]);
    }
    return result;
}

struct train_result engine_train_step(struct engine *engine, const struct batch *batch,
                                      const struct adam_options *adam)
{
    struct dropout dropout = {.seed = engine->seed, .step = engine->adam.step};
    struct batch dropped = *batch;
    dropped.dropout = &dropout;
    return step(engine, &dropped, adam);
}

struct train_result engine_gradient(struct engine *engine, const struct batch *batch)
{
    return step(engine, batch, NULL);
}

struct loss_sums engine_predict(struct engine *engine, const struct batch *batch, float *logits)
{
#pragma omp parallel num_threads(engine->options.threads)
    {
        threads_flush_denormals();
        struct activations *act = engine->act[(size_t)omp_get_thread_num()];
#pragma omp for schedule(dynamic, 1)
        for (size_t lane = 0; lane < engine->options.lanes; lane++) {
            engine->lane[lane] = walk_lane(engine, batch, lane, act, NULL, logits);
        }
    }
    return add_lanes(engine);
}

struct activations *engine_forward(struct engine *engine, const struct batch *batch,
                                   size_t *n_sequence)
{
    size_t n = batch->n_sequence < engine->options.micro_batch ? batch->n_sequence
                                                               : engine->options.micro_batch;
    struct batch part = batch_part(&engine->model.shape, batch, 0, n);
    struct pass pass = pass_of(engine, &part, engine->act[0], NULL);
    threads_flush_denormals();
    model_forward(&pass);
    *n_sequence = n;
    return engine->act[0];
}

void engine_scores(struct engine *engine, size_t sequence, size_t layer, float *product,
                   float *scores)
{
    struct pass pass = pass_of(engine, NULL, engine->act[0], NULL);
    model_scores(&pass, sequence, layer, product, scores);
}

/* ---- parts ---- */

const struct model *engine_model(const struct engine *engine)
{
    return &engine->model;
}

float *engine_param(struct engine *engine)
{
    return engine->param;
}

const float *engine_grad(const struct engine *engine)
{
    return engine->grad;
}

struct adam_state *engine_adam(struct engine *engine)
{
    return &engine->adam;
}

void engine_weights_changed(struct engine *engine)
{
    for (size_t part = 0; part < prepared_n_part(&engine->model); part++) {
        prepared_update(&engine->model, engine->param, part, engine->prepared);
    }
}

void engine_profile(struct engine *engine, bool on)
{
    engine->profiled = on;
    memset(engine->profile, 0, (size_t)engine->options.threads * sizeof *engine->profile);
}

struct profile engine_profile_read(const struct engine *engine)
{
    struct profile total = {{0}};
    for (int thread = 0; thread < engine->options.threads; thread++) {
        for (int part = 0; part < PROFILE_COUNT; part++) {
            total.seconds[part] += engine->profile[thread].seconds[part];
        }
    }
    return total;
}

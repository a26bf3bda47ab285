/* fixtures: small models of every legal variant, with generic weights and random batches.
 *
 * Weights are never left at 0 or 1, where a lost bias or gain would not show.
 */
#ifndef QKVLAB_TESTS_NN_FIXTURES_H
#define QKVLAB_TESTS_NN_FIXTURES_H

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "nn/engine.h"
#include "nn/model.h"
#include "nn/oracle/reference_model.h"
#include "nn/patch.h"

/* ---- variants ---- */

static const char *const FIXTURE_SHARING[] = {"qkv", "qk", "kv", "qv", "qkv_tied"};
static const char *const FIXTURE_QUERY[] = {"linear", "identity", "residual_mlp"};
static const char *const FIXTURE_TERM[] = {"none",     "position2d", "temperature",
                                           "key_bias", "relative",   "temperature_scalar"};
_Static_assert(sizeof(FIXTURE_QUERY) / sizeof(FIXTURE_QUERY[0]) == QUERY_MAP_COUNT, "query maps");
_Static_assert(sizeof(FIXTURE_TERM) / sizeof(FIXTURE_TERM[0]) == SCORE_TERM_COUNT, "score terms");

#define FIXTURE_N_SHARING (sizeof(FIXTURE_SHARING) / sizeof(FIXTURE_SHARING[0]))
#define FIXTURE_N_KV 3 /* as many as query heads, half of them, one */
#define FIXTURE_N_COMBINATION                                                                      \
    (FIXTURE_N_SHARING * QUERY_MAP_COUNT * SCORE_TERM_COUNT * 2 * 2 * FIXTURE_N_KV)

/* The variant of an id. */
static inline struct variant fixture_parse(const char *id)
{
    struct variant variant;
    struct error err = {0};
    ck_assert_msg(variant_parse(id, &variant, &err) == STATUS_OK, "%s: %s", id, err.text);
    return variant;
}

/* fixture_variant builds the i-th combination of all axes; false: not a legal one. */
static inline bool fixture_variant(size_t i, size_t n_head, struct variant *variant)
{
    struct error err;
    *variant = fixture_parse(FIXTURE_SHARING[i % FIXTURE_N_SHARING]);
    i /= FIXTURE_N_SHARING;
    const char *query = FIXTURE_QUERY[i % QUERY_MAP_COUNT];
    i /= QUERY_MAP_COUNT;
    const char *term = FIXTURE_TERM[i % SCORE_TERM_COUNT];
    i /= SCORE_TERM_COUNT;
    const char *qk_norm = i % 2 ? "1" : "0", *causal = i / 2 % 2 ? "1" : "0";
    size_t kv = i / 4;
    if ((kv == 1 && n_head < 4) || (kv == 2 && n_head < 2)) {
        return false;
    }
    ck_assert_int_eq(variant_set_axis(variant, "query", query, &err), STATUS_OK);
    ck_assert_int_eq(variant_set_axis(variant, "score_term", term, &err), STATUS_OK);
    ck_assert_int_eq(variant_set_axis(variant, "qk_norm", qk_norm, &err), STATUS_OK);
    ck_assert_int_eq(variant_set_axis(variant, "causal", causal, &err), STATUS_OK);
    variant->n_kv_head = kv == 0 ? 0 : kv == 1 ? n_head / 2 : 1;
    return variant_check(variant, n_head, &err) == STATUS_OK;
}

/* Every legal combination of all axes; returns how many there are. */
static inline size_t fixture_for_variants(size_t n_head,
                                          void (*check)(const struct variant *variant, size_t i))
{
    size_t n_legal = 0;
    for (size_t i = 0; i < FIXTURE_N_COMBINATION; i++) {
        struct variant variant;
        if (fixture_variant(i, n_head, &variant)) {
            check(&variant, i);
            n_legal++;
        }
    }
    return n_legal;
}

/* ---- models ---- */

static inline struct model_shape fixture_shape(const struct variant *variant, size_t n_embd,
                                               size_t n_layer, size_t n_head, size_t n_token)
{
    return (struct model_shape){.variant = *variant,
                                .n_embd = n_embd,
                                .n_layer = n_layer,
                                .n_head = n_head,
                                .mlp_ratio = 2,
                                .n_token = n_token,
                                .n_position = n_token,
                                .pos_dim = 7, /* odd: rows and columns differ */
                                .n_symbol = 10,
                                .n_class = 10};
}

/* The same model for images of two channels whose 4 patches of 2 x 2 they do not fill: 5 tokens. */
static inline struct model_shape fixture_patch_shape(const struct variant *variant, size_t n_embd,
                                                     size_t n_layer, size_t n_head)
{
    struct model_shape shape = fixture_shape(variant, n_embd, n_layer, n_head, 5);
    shape.input = INPUT_PATCHES;
    shape.n_symbol = 0;
    shape.n_channel = 2;
    shape.image_size = 3;
    shape.patch = 2;
    return shape;
}

/* A generic value for an element of a tensor: matrices keep activations near 1, gains are near 1,
 * the score's own factor is away from 0. */
static inline float fixture_value(const struct tensor *tensor, struct rng rng, size_t i)
{
    double noise = rng_normal(rng, i);
    if (strstr(tensor->name, "norm") || strstr(tensor->name, "ln")) {
        return (float)((strstr(tensor->name, "weight") ? 1.0 : 0.0) + 0.3 * noise);
    }
    if (strstr(tensor->name, "score_scale")) {
        return (float)(1.3 + 0.1 * noise);
    }
    if (strstr(tensor->name, "pos_w")) {
        return (float)(0.2 + 0.3 * noise);
    }
    if (tensor->n_dim >= 2 && strcmp(tensor->name, "pos_emb") != 0) {
        return (float)(noise / sqrt((double)(tensor->n_element / tensor->dim[0])));
    }
    return (float)(0.5 * noise);
}

static inline void fixture_weights(const struct model *model, uint64_t seed, float *param)
{
    for (size_t t = 0; t < model->layout.n_tensor; t++) {
        const struct tensor *tensor = &model->layout.tensor[t];
        struct rng rng = rng_make(seed, "fixture/%s", tensor->name);
        for (size_t i = 0; i < tensor->n_element; i++) {
            param[tensor->offset + i] = fixture_value(tensor, rng, i);
        }
    }
}

/* ---- batches ---- */

struct fixture_batch {
    int32_t *ids, *targets;
    float *patches;
    struct batch batch;
};

static inline struct fixture_batch fixture_batch_make(size_t n_sequence, size_t n_token,
                                                      uint64_t seed)
{
    size_t n = n_sequence * n_token;
    struct fixture_batch made = {
        malloc(n * sizeof(int32_t)), malloc(n * sizeof(int32_t)), NULL, {0}};
    ck_assert(made.ids && made.targets);
    for (size_t i = 0; i < n; i++) {
        made.ids[i] = (int32_t)rng_below(rng_make(seed, "ids"), i, 10);
        made.targets[i] = (int32_t)rng_below(rng_make(seed, "targets"), i, 10);
    }
    made.batch = (struct batch){
        .n_sequence = n_sequence, .n_token = n_token, .ids = made.ids, .targets = made.targets};
    return made;
}

/* Random images and labels for a model of patches. */
static inline struct fixture_batch fixture_images_make(const struct model_shape *shape,
                                                       size_t n_sequence, uint64_t seed)
{
    size_t side = shape->image_size, n_pixel = shape->n_channel * side * side;
    size_t n_row = model_n_patch(shape) * shape->n_channel * shape->patch * shape->patch;
    struct fixture_batch made = {NULL,
                                 malloc(n_sequence * sizeof(int32_t)),
                                 malloc(n_sequence * n_row * sizeof(float)),
                                 {0}};
    float *image = malloc(n_pixel * sizeof(float));
    ck_assert(made.targets && made.patches && image);
    for (size_t s = 0; s < n_sequence; s++) {
        for (size_t i = 0; i < n_pixel; i++) {
            image[i] = (float)rng_normal(rng_make(seed, "image/%zu", s), i);
        }
        patches_from_image(image, shape->n_channel, side, side, shape->patch,
                           made.patches + s * n_row);
        made.targets[s] = (int32_t)rng_below(rng_make(seed, "labels"), s, (uint32_t)shape->n_class);
    }
    free(image);
    made.batch = (struct batch){.n_sequence = n_sequence,
                                .n_token = shape->n_token,
                                .patches = made.patches,
                                .targets = made.targets};
    return made;
}

/* Whatever the shape is made for, at its full length. */
static inline struct fixture_batch fixture_batch_for(const struct model_shape *shape,
                                                     size_t n_sequence, uint64_t seed)
{
    return shape->input == INPUT_PATCHES ? fixture_images_make(shape, n_sequence, seed)
                                         : fixture_batch_make(n_sequence, shape->n_token, seed);
}

static inline void fixture_batch_free(struct fixture_batch *made)
{
    free(made->patches);
    free(made->ids);
    free(made->targets);
}

/* ---- engines ---- */

/* An engine with generic weights. */
static inline struct engine *fixture_engine(const struct model_shape *shape,
                                            const struct engine_options *options, uint64_t seed)
{
    struct engine *engine;
    struct error err;
    enum status status = engine_create(&engine, shape, options, &err);
    ck_assert_msg(status == STATUS_OK, "engine_create: %s", status == STATUS_OK ? "" : err.text);
    engine_initialise(engine, 1);
    fixture_weights(engine_model(engine), seed, engine_param(engine));
    engine_weights_changed(engine);
    return engine;
}

/* A reference with the weights of an engine of the same layout. */
static inline struct reference_model fixture_reference(struct engine *engine, size_t max_sequence,
                                                       size_t n_token)
{
    const struct model *model = engine_model(engine);
    struct reference_model reference = reference_model_create(model, max_sequence, n_token);
    for (size_t i = 0; i < model->layout.n_param; i++) {
        reference.param[i] = engine_param(engine)[i];
    }
    return reference;
}

/* fixture_error returns max |found - expected| / max(max |expected|, floor); *worst is where. */
static inline double fixture_error(const float *found, const double *expected, size_t n,
                                   double floor, size_t *worst)
{
    double scale = floor, largest = -1.0;
    for (size_t i = 0; i < n; i++) {
        double difference = fabs(found[i] - expected[i]);
        scale = fmax(scale, fabs(expected[i]));
        if (isnan(difference) || difference > largest) {
            largest = isnan(difference) ? INFINITY : difference;
            *worst = i;
        }
    }
    return largest > 0.0 ? largest / scale : 0.0;
}

static inline double fixture_largest(const double *value, size_t n)
{
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(value[i]));
    }
    return largest;
}

/* The gradient of the last engine_gradient is the expected one, and exactly 0 where a tensor is
 * dead. */
static inline void fixture_check_gradient(const struct engine *engine, const double *expected)
{
    const struct model *model = engine_model(engine);
    double largest = fixture_largest(expected, model->layout.n_param);
    char id[VARIANT_TEXT_SIZE];
    variant_id(&model->shape.variant, id);
    for (size_t t = 0; t < model->layout.n_tensor; t++) {
        const struct tensor *tensor = &model->layout.tensor[t];
        const float *found = engine_grad(engine) + tensor->offset;
        size_t worst = 0;
        double error =
            fixture_error(found, expected + tensor->offset, tensor->n_element, largest, &worst);
        ck_assert_msg(error <= 2e-5, "%s: gradient of %s[%zu] is off by %g: %g, expected %g", id,
                      tensor->name, worst, error, found[worst], expected[tensor->offset + worst]);
        for (size_t i = 0; i < tensor->n_element && tensor->dead; i++) {
            ck_assert_msg(found[i] == 0.0f, "%s: dead %s[%zu] has gradient %g", id, tensor->name, i,
                          found[i]);
        }
    }
}

/* Trains with 1, 2, 3 and 7 threads, which must give the same bits; returns the last loss as a
 * share of the first. */
static inline double fixture_check_threads(const struct model_shape *shape,
                                           const struct batch *batch, int n_step)
{
    static const int threads[] = {1, 2, 3, 7};
    const struct adam_options adam = {
        .learning_rate = 1e-2, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8, .clip = 1.0};
    struct engine *engines[4];
    double first = 0.0, last[4];
    for (size_t t = 0; t < 4; t++) {
        struct engine_options options = {
            .lanes = 16, .micro_batch = 2, .batch_size = batch->n_sequence, .threads = threads[t]};
        engines[t] = fixture_engine(shape, &options, 47);
        for (int step = 0; step < n_step; step++) {
            last[t] = engine_train_step(engines[t], batch, &adam).loss;
            first = step == 0 ? last[t] : first;
        }
        engine_gradient(engines[t], batch);
        size_t bytes = engine_model(engines[t])->layout.n_param * sizeof(float);
        ck_assert_double_eq(last[t], last[0]);
        ck_assert_mem_eq(engine_param(engines[0]), engine_param(engines[t]), bytes);
        ck_assert_mem_eq(engine_adam(engines[0])->v, engine_adam(engines[t])->v, bytes);
        ck_assert_mem_eq(engine_grad(engines[0]), engine_grad(engines[t]), bytes);
    }
    for (size_t t = 0; t < 4; t++) {
        engine_free(engines[t]);
    }
    return last[0] / first;
}

#endif

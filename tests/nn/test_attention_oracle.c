/* The tying oracle: sharing a projection must be the same as having three with equal weights.
 *
 * For every legal combination of the axes, over tokens and over patches (5 tokens as well), a
 * model's slots are copied into the three role matrices
 * of an untied model, which the double-precision reference runs: it never hears of sharing. The
 * engine's logits and attention must be the same, and the gradient of a slot must be the sum of the
 * gradients of the roles that read it.
 */
#include "testing.h"

#include <stdio.h>

#include "nn/fixtures.h"

#define N_EMBD 16
#define N_LAYER 2
#define N_HEAD 4
#define N_TOKEN 5
#define MOST_TOKENS 7 /* the model takes longer sequences than it is given */
#define N_SEQUENCE 5

/* Three projections, or two where the query has none; all other axes as they are. */
static struct variant untie(const struct variant *variant)
{
    struct variant untied = *variant;
    untied.sharing = "qkv";
    untied.slot[ROLE_Q] = variant->slot[ROLE_Q] == SLOT_NONE ? SLOT_NONE : 0;
    untied.slot[ROLE_K] = 1;
    untied.slot[ROLE_V] = 2;
    return untied;
}

/* The tensor of the tied model that holds what the untied model has under name. */
static const struct tensor *tied_tensor(const struct model *tied, const char *name)
{
    size_t layer;
    char role, part[16];
    if (sscanf(name, "blocks.%zu.attn.%c.%15s", &layer, &role, part) == 3 && strchr("qkv", role)) {
        static const char *const slots[] = {"q", "k", "v", "qk", "kv", "qv", "qkv"};
        for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
            char tied_name[64];
            snprintf(tied_name, sizeof(tied_name), "blocks.%zu.attn.%s.%s", layer, slots[i], part);
            const struct tensor *tensor = model_find_tensor(tied, tied_name);
            if (strchr(slots[i], role) && tensor) {
                return tensor;
            }
        }
    }
    return model_find_tensor(tied, name);
}

/* Adds a flat array of the untied layout into one of the tied layout (direction 1), or copies the
 * tied one into the untied (direction 0). */
static void move_weights(const struct model *tied, double *tied_flat, const struct model *untied,
                         double *untied_flat, int direction)
{
    for (size_t t = 0; t < untied->layout.n_tensor; t++) {
        const struct tensor *from = &untied->layout.tensor[t];
        const struct tensor *to = tied_tensor(tied, from->name);
        ck_assert_msg(to && to->n_element == from->n_element, "no slot for %s", from->name);
        for (size_t i = 0; i < from->n_element; i++) {
            if (direction) {
                tied_flat[to->offset + i] += untied_flat[from->offset + i];
            } else {
                untied_flat[from->offset + i] = tied_flat[to->offset + i];
            }
        }
    }
}

static void check_outputs(const char *id, struct engine *engine, const struct batch *batch,
                          const struct reference_model *reference)
{
    const struct model *model = engine_model(engine);
    size_t n_answer = batch_n_answer(&model->shape, batch) / N_SEQUENCE;
    size_t n_logit = n_answer * model->shape.n_class, n_map = N_HEAD * N_TOKEN * N_TOKEN, n = 0,
           worst = 0;
    for (size_t done = 0; done < N_SEQUENCE; done += n) {
        struct batch rest = batch_part(&model->shape, batch, done, N_SEQUENCE - done);
        const struct activations *act = engine_forward(engine, &rest, &n);
        double error = fixture_error(activations_logits(act), reference->logits + done * n_logit,
                                     n * n_logit, 0.0, &worst);
        ck_assert_msg(error <= 1e-5, "%s: logits are off by %g at %zu", id, error, worst);
        for (size_t l = 0; l < N_LAYER; l++) {
            error = fixture_error(activations_attention(act, l),
                                  reference->attention + (l * N_SEQUENCE + done) * n_map, n * n_map,
                                  0.0, &worst);
            ck_assert_msg(error <= 1e-5, "%s: attention of layer %zu is off by %g at %zu", id, l,
                          error, worst);
        }
    }
}

static void check_shape(const struct model_shape *shape, struct fixture_batch made, uint64_t seed)
{
    char id[VARIANT_TEXT_SIZE];
    variant_id(&shape->variant, id);
    struct model_shape untied_shape = *shape;
    untied_shape.variant = untie(&shape->variant);
    struct engine_options options = {
        .lanes = 2, .micro_batch = 2, .batch_size = N_SEQUENCE, .threads = 1};
    struct engine *engine = fixture_engine(shape, &options, seed);
    const struct model *tied = engine_model(engine);

    struct model untied;
    ck_assert_int_eq(model_create(&untied, &untied_shape, NULL), STATUS_OK);
    struct reference_model reference = reference_model_create(&untied, N_SEQUENCE, N_TOKEN);
    double *flat = calloc(tied->layout.n_param, sizeof(*flat));
    ck_assert_ptr_nonnull(flat);
    for (size_t i = 0; i < tied->layout.n_param; i++) {
        flat[i] = engine_param(engine)[i];
    }
    move_weights(tied, flat, &untied, reference.param, 0);
    double loss = reference_model_gradient(&reference, &made.batch);
    memset(flat, 0, tied->layout.n_param * sizeof(*flat));
    move_weights(tied, flat, &untied, reference.grad, 1);

    check_outputs(id, engine, &made.batch, &reference);
    struct train_result result = engine_gradient(engine, &made.batch);
    ck_assert_msg(fabs(result.loss - loss) <= 1e-5 * loss, "%s: loss %.9g, expected %.9g", id,
                  result.loss, loss);
    fixture_check_gradient(engine, flat);

    free(flat);
    reference_model_free(&reference);
    model_free(&untied);
    fixture_batch_free(&made);
    engine_free(engine);
}

static void check_variant(const struct variant *variant, size_t seed)
{
    struct model_shape tokens = fixture_shape(variant, N_EMBD, N_LAYER, N_HEAD, MOST_TOKENS);
    struct model_shape patches = fixture_patch_shape(variant, N_EMBD, N_LAYER, N_HEAD);
    check_shape(&tokens, fixture_batch_make(N_SEQUENCE, N_TOKEN, seed), seed);
    check_shape(&patches, fixture_images_make(&patches, N_SEQUENCE, seed), seed);
}

TEST(every_named_row)
{
    for (size_t i = 0; variant_named(i); i++) {
        check_variant(variant_named(i), 100 + i);
    }
}

TEST(every_combination_of_axes)
{
    ck_assert_uint_gt(fixture_for_variants(N_HEAD, check_variant), 400);
}

/* A comparison that would accept anything proves nothing: a single weight that differs between the
 * untied roles must be seen. */
TEST(unequal_roles_are_seen)
{
    struct variant variant = fixture_parse("qk");
    struct model_shape shape = fixture_shape(&variant, N_EMBD, 1, N_HEAD, N_TOKEN);
    struct model_shape untied_shape = shape;
    untied_shape.variant = untie(&variant);
    struct engine *engine = fixture_engine(&shape, &(struct engine_options){.batch_size = 1}, 1);
    struct fixture_batch made = fixture_batch_make(1, N_TOKEN, 1);
    struct model untied;
    ck_assert_int_eq(model_create(&untied, &untied_shape, NULL), STATUS_OK);
    struct reference_model reference = reference_model_create(&untied, 1, N_TOKEN);
    const struct model *tied = engine_model(engine);
    double *flat = calloc(tied->layout.n_param, sizeof(*flat));
    ck_assert_ptr_nonnull(flat);
    for (size_t i = 0; i < tied->layout.n_param; i++) {
        flat[i] = engine_param(engine)[i];
    }
    move_weights(tied, flat, &untied, reference.param, 0);
    reference.param[model_find_tensor(&untied, "blocks.0.attn.k.weight")->offset + 3] += 0.05;
    reference_model_loss(&reference, &made.batch);
    size_t n, worst;
    const struct activations *act = engine_forward(engine, &made.batch, &n);
    double error = fixture_error(activations_attention(act, 0), reference.attention,
                                 N_HEAD * N_TOKEN * N_TOKEN, 0.0, &worst);
    ck_assert_double_gt(error, 1e-4);
    free(flat);
    reference_model_free(&reference);
    model_free(&untied);
    fixture_batch_free(&made);
    engine_free(engine);
}

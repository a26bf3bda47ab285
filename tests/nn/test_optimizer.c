/* Adam with decoupled weight decay against the arithmetic of torch.optim.AdamW, by hand in double
 * precision, and which tensors decay. */
#include <math.h>

#include "fixtures.h"
#include "nn/optimizer.h"
#include "testing.h"

static const struct adam_options OPTIONS = {.learning_rate = 1e-2,
                                            .beta1 = 0.9,
                                            .beta2 = 0.999,
                                            .epsilon = 1e-8,
                                            .clip = 0.7,
                                            .weight_decay = 0.1};

static struct engine *make_engine(const struct variant *variant)
{
    struct model_shape shape = fixture_shape(variant, 16, 2, 4, 6);
    return fixture_engine(&shape, &(struct engine_options){.batch_size = 4, .threads = 1}, 5);
}

static bool ends_with(const char *name, const char *ending)
{
    size_t n = strlen(name), m = strlen(ending);
    return n >= m && strcmp(name + n - m, ending) == 0;
}

/* The weights of linear maps, by their names: no biases, norms, positions or score terms. */
static bool should_decay(const char *name)
{
    bool norm =
        strstr(name, "norm") || strstr(name, "ln1") || strstr(name, "ln2") || strstr(name, "ln_f");
    return ends_with(name, ".weight") && !norm;
}

static size_t count_decaying(const struct layout *layout)
{
    size_t n = 0;
    for (size_t t = 0; t < layout->n_tensor; t++) {
        const struct tensor *tensor = &layout->tensor[t];
        ck_assert_msg(tensor->decay == should_decay(tensor->name), "%s", tensor->name);
        n += tensor->decay;
    }
    return n;
}

TEST(exactly_the_weights_of_linear_maps_decay)
{
    for (size_t i = 0; variant_named(i); i++) {
        struct engine *engine = make_engine(variant_named(i));
        ck_assert_uint_ge(count_decaying(&engine_model(engine)->layout), 2 + 2 * 4);
        engine_free(engine);
    }
    /* of an image model the patch embedding too, but not the class token */
    struct model_shape shape = fixture_shape(variant_named(0), 16, 1, 4, 5);
    shape.input = INPUT_PATCHES;
    shape.image_size = 8;
    shape.patch = 4;
    shape.n_channel = 3;
    struct model model;
    ck_assert_int_eq(model_create(&model, &shape, NULL), STATUS_OK);
    ck_assert_ptr_nonnull(model_find_tensor(&model, "cls"));
    ck_assert_uint_eq(count_decaying(&model.layout), 2 + 6);
    model_free(&model);
}

/* One step with decay and one without differ by lr decay w where a tensor decays, and elsewhere in
 * no bit. */
TEST(decay_is_decoupled_from_the_gradient)
{
    for (size_t i = 0; variant_named(i); i++) {
        struct engine *with = make_engine(variant_named(i)),
                      *without = make_engine(variant_named(i));
        const struct layout *layout = &engine_model(with)->layout;
        struct fixture_batch made = fixture_batch_make(4, 6, 7);
        struct adam_options none = OPTIONS;
        none.weight_decay = 0.0;
        double *before = malloc(layout->n_param * sizeof *before);
        ck_assert_ptr_nonnull(before);
        for (size_t p = 0; p < layout->n_param; p++) {
            before[p] = engine_param(with)[p];
        }
        engine_train_step(with, &made.batch, &OPTIONS);
        engine_train_step(without, &made.batch, &none);
        for (size_t t = 0; t < layout->n_tensor; t++) {
            const struct tensor *tensor = &layout->tensor[t];
            for (size_t p = tensor->offset; p < tensor->offset + tensor->n_element; p++) {
                double difference =
                    (double)engine_param(without)[p] - (double)engine_param(with)[p];
                double expected =
                    tensor->decay ? OPTIONS.learning_rate * OPTIONS.weight_decay * before[p] : 0.0;
                double allowed = tensor->decay ? 3e-7 * (0.02 + fabs(before[p])) : 0.0;
                ck_assert_msg(fabs(difference - expected) <= allowed, "%s[%zu]: %g, expected %g",
                              tensor->name, p - tensor->offset, difference, expected);
            }
        }
        free(before);
        fixture_batch_free(&made);
        engine_free(with);
        engine_free(without);
    }
}

/* ---- several steps by hand ---- */

/* One parameter as torch.optim.AdamW keeps it. */
struct by_hand {
    double value, m, v;
};

/* torch: p *= 1 - lr decay; m, v are moving means; p -= lr / (1 - beta1^t) m / (sqrt(v) / sqrt(1 -
 * beta2^t) + eps). */
static void update_by_hand(struct by_hand *p, double gradient, bool decays, int step)
{
    double correction1 = 1.0 - pow(OPTIONS.beta1, step);
    double correction2 = 1.0 - pow(OPTIONS.beta2, step);
    if (decays) {
        p->value *= 1.0 - OPTIONS.learning_rate * OPTIONS.weight_decay;
    }
    p->m = OPTIONS.beta1 * p->m + (1.0 - OPTIONS.beta1) * gradient;
    p->v = OPTIONS.beta2 * p->v + (1.0 - OPTIONS.beta2) * gradient * gradient;
    double denominator = sqrt(p->v) / sqrt(correction2) + OPTIONS.epsilon;
    p->value -= OPTIONS.learning_rate / correction1 * p->m / denominator;
}

/* Rounding of one update in single precision: a share of the step, and of the value it is added to.
 */
#define OF_A_STEP 5e-7

static void check_steps(const struct variant *variant)
{
    struct engine *engine = make_engine(variant);
    const struct layout *layout = &engine_model(engine)->layout;
    struct by_hand *hand = calloc(layout->n_param, sizeof *hand);
    ck_assert_ptr_nonnull(hand);
    for (size_t p = 0; p < layout->n_param; p++) {
        hand[p].value = engine_param(engine)[p];
    }
    bool clipped = false;
    for (int step = 1; step <= 5; step++) {
        struct fixture_batch made = fixture_batch_make(4, 6, 20 + (uint64_t)step);
        struct train_result result = engine_gradient(engine, &made.batch);
        double scale = fmin(1.0, OPTIONS.clip / (result.grad_norm + 1e-6));
        clipped = clipped || scale < 1.0;
        for (size_t t = 0; t < layout->n_tensor; t++) {
            const struct tensor *tensor = &layout->tensor[t];
            for (size_t p = tensor->offset; p < tensor->offset + tensor->n_element; p++) {
                update_by_hand(&hand[p], scale * (double)engine_grad(engine)[p],
                               should_decay(tensor->name), step);
            }
        }
        engine_train_step(engine, &made.batch, &OPTIONS);
        fixture_batch_free(&made);
        for (size_t p = 0; p < layout->n_param; p++) {
            double value = engine_param(engine)[p];
            double allowed = step * OF_A_STEP * OPTIONS.learning_rate + step * 1.2e-7 * fabs(value);
            ck_assert_msg(fabs(value - hand[p].value) <= allowed,
                          "step %d, parameter %zu: %.9g, expected %.9g", step, p, value,
                          hand[p].value);
        }
    }
    ck_assert(clipped);
    free(hand);
    engine_free(engine);
}

TEST(steps_equal_adamw_by_hand)
{
    for (size_t i = 0; variant_named(i); i++) {
        check_steps(variant_named(i));
    }
}

TEST(numbers_of_one_update)
{
    struct adam_update update = adam_prepare(&OPTIONS, 3, 7.0);
    ck_assert_float_eq(update.decay, (float)(1.0 - 1e-2 * 0.1));
    ck_assert_float_eq(update.gradient_scale, (float)(0.7 / (7.0 + 1e-6)));
    ck_assert_float_eq(update.step_size, (float)(1e-2 / (1.0 - 0.9 * 0.9 * 0.9)));
    struct adam_options plain = OPTIONS;
    plain.clip = plain.weight_decay = 0.0;
    update = adam_prepare(&plain, 3, 7.0);
    ck_assert_float_eq(update.decay, 1.0f);
    ck_assert_float_eq(update.gradient_scale, 1.0f);
}

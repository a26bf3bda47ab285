/* The engine's float32 gradients against central differences of the double-precision loss, and
 * against themselves when the batch is cut in other ways. */
#include "testing.h"

#include "nn/fixtures.h"

#define N_TOKEN 5
#define N_HEAD 2
#define N_EMBD 8
#define STEP 1e-5

static double central_difference(struct reference_model *reference, const struct batch *batch,
                                 size_t i)
{
    double kept = reference->param[i];
    reference->param[i] = kept + STEP;
    double above = reference_model_loss(reference, batch);
    reference->param[i] = kept - STEP;
    double below = reference_model_loss(reference, batch);
    reference->param[i] = kept;
    return (above - below) / (2.0 * STEP);
}

static struct model_shape shape_for(const struct variant *variant, enum model_input input)
{
    struct model_shape shape = input == INPUT_PATCHES
                                   ? fixture_patch_shape(variant, N_EMBD, 2, N_HEAD)
                                   : fixture_shape(variant, N_EMBD, 2, N_HEAD, N_TOKEN);
    shape.mlp_ratio = 1;
    return shape;
}

static void check_differences(const struct model_shape *shape, const struct dropout *dropout,
                              uint64_t seed)
{
    char id[VARIANT_TEXT_SIZE];
    variant_id(&shape->variant, id);
    struct engine *engine =
        fixture_engine(shape, &(struct engine_options){.batch_size = 1, .threads = 1}, seed);
    struct reference_model reference = fixture_reference(engine, 1, shape->n_token);
    struct fixture_batch made = fixture_batch_for(shape, 1, seed);
    made.batch.dropout = dropout;
    const struct layout *layout = &engine_model(engine)->layout;
    const float *grad = engine_grad(engine);
    engine_gradient(engine, &made.batch);

    double largest = 0.0, worst = 0.0, expected_there = 0.0;
    const struct tensor *worst_tensor = &layout->tensor[0];
    size_t worst_at = 0;
    for (size_t i = 0; i < layout->n_param; i++) {
        largest = fmax(largest, fabs((double)grad[i]));
    }
    for (size_t t = 0; t < layout->n_tensor; t++) {
        const struct tensor *tensor = &layout->tensor[t];
        for (size_t i = tensor->offset; i < tensor->offset + tensor->n_element; i++) {
            double expected = central_difference(&reference, &made.batch, i);
            double error = fabs(grad[i] - expected) / largest;
            if (tensor->dead) {
                ck_assert_msg(grad[i] == 0.0f, "%s: dead %s[%zu] has gradient %g", id, tensor->name,
                              i - tensor->offset, grad[i]);
                ck_assert_msg(fabs(expected) < 1e-8 * largest, "%s: %s[%zu] is not dead: %g", id,
                              tensor->name, i - tensor->offset, expected);
            }
            if (!(error <= worst)) {
                worst = error;
                worst_tensor = tensor;
                worst_at = i;
                expected_there = expected;
            }
        }
    }
    ck_assert_msg(worst <= 2e-5, "%s: worst is %s[%zu], off by %g of the largest: %g, expected %g",
                  id, worst_tensor->name, worst_at - worst_tensor->offset, worst, grad[worst_at],
                  expected_there);
    fixture_batch_free(&made);
    reference_model_free(&reference);
    engine_free(engine);
}

TEST(every_named_row)
{
    for (size_t i = 0; variant_named(i); i++) {
        struct model_shape shape = shape_for(variant_named(i), INPUT_TOKENS);
        check_differences(&shape, NULL, 7 + i);
    }
}

TEST(every_named_row_with_patches)
{
    for (size_t i = 0; variant_named(i); i++) {
        struct model_shape shape = shape_for(variant_named(i), INPUT_PATCHES);
        check_differences(&shape, NULL, 7 + i);
    }
}

TEST(every_combination_of_axes)
{
    for (size_t i = 0; i < FIXTURE_N_COMBINATION; i++) {
        struct variant variant;
        if (fixture_variant(i, N_HEAD, &variant)) {
            struct model_shape shape = shape_for(&variant, INPUT_TOKENS);
            check_differences(&shape, NULL, i);
        }
    }
}

/* The loss of the double-precision reference under the masks of one step. */
TEST(sharing_rows_with_dropout)
{
    const struct dropout dropout = {.seed = 5, .step = 77};
    for (size_t i = 0; variant_sharing_row(i); i++) {
        for (int input = INPUT_TOKENS; input <= INPUT_PATCHES; input++) {
            struct model_shape shape = shape_for(variant_sharing_row(i), (enum model_input)input);
            shape.dropout = 0.25;
            check_differences(&shape, &dropout, 7 + i);
        }
    }
}

static void check_dead(const struct model_shape *shape, uint64_t seed)
{
    struct engine *engine =
        fixture_engine(shape, &(struct engine_options){.batch_size = 3, .threads = 1}, seed);
    struct reference_model reference = fixture_reference(engine, 3, shape->n_token);
    struct fixture_batch made = fixture_batch_for(shape, 3, 13);
    reference_model_gradient(&reference, &made.batch);
    const struct layout *layout = &engine_model(engine)->layout;
    for (size_t t = 0; t < layout->n_tensor; t++) {
        const struct tensor *tensor = &layout->tensor[t];
        double largest = fixture_largest(reference.grad + tensor->offset, tensor->n_element);
        char id[VARIANT_TEXT_SIZE];
        variant_id(&shape->variant, id);
        ck_assert_msg((largest < 1e-12) == tensor->dead, "%s: %s, largest gradient %g", id,
                      tensor->name, largest);
    }
    fixture_batch_free(&made);
    reference_model_free(&reference);
    engine_free(engine);
}

/* What the rows call dead is exactly what is dead: with generic weights no other whole tensor has a
 * zero gradient. (Not so with patches behind a causal mask: the class token sees none of them.) */
TEST(dead_tensors_are_exactly_the_marked_ones)
{
    for (size_t c = 0; c < FIXTURE_N_COMBINATION; c++) {
        struct variant variant;
        if (fixture_variant(c, N_HEAD, &variant)) {
            struct model_shape tokens = fixture_shape(&variant, N_EMBD, 2, N_HEAD, N_TOKEN);
            struct model_shape patches = fixture_patch_shape(&variant, N_EMBD, 2, N_HEAD);
            check_dead(&tokens, 11 + c);
            if (!variant.causal) {
                check_dead(&patches, 11 + c);
            }
        }
    }
}

/* The gradient of a batch in 16 lanes of single sequences is that of the batch in one piece. */
static void check_cut(const struct model_shape *shape, size_t n_sequence)
{
    struct engine_options cut = {.lanes = 16, .micro_batch = 1, .batch_size = 17};
    struct engine_options whole = {.lanes = 1, .micro_batch = 17, .batch_size = 17};
    struct engine *in_lanes = fixture_engine(shape, &cut, 5);
    struct engine *at_once = fixture_engine(shape, &whole, 5);
    struct fixture_batch made = fixture_batch_for(shape, n_sequence, 17);
    struct train_result a = engine_gradient(in_lanes, &made.batch);
    struct train_result b = engine_gradient(at_once, &made.batch);
    ck_assert_double_eq_tol(a.loss, b.loss, 1e-6 * b.loss);
    ck_assert_double_eq_tol(a.grad_norm, b.grad_norm, 1e-6 * b.grad_norm);
    size_t n_param = engine_model(at_once)->layout.n_param;
    double largest = 0.0;
    for (size_t i = 0; i < n_param; i++) {
        largest = fmax(largest, fabs((double)engine_grad(at_once)[i]));
    }
    for (size_t i = 0; i < n_param; i++) {
        double difference =
            fabs((double)engine_grad(in_lanes)[i] - (double)engine_grad(at_once)[i]);
        ck_assert_msg(difference <= 1e-6 * largest, "batch of %zu: parameter %zu is off by %g",
                      n_sequence, i, difference / largest);
    }
    fixture_batch_free(&made);
    engine_free(in_lanes);
    engine_free(at_once);
}

/* Batches that do not fill the lanes, or fill them unevenly. */
TEST(batch_sizes_around_the_lanes)
{
    const size_t sizes[] = {1, 15, 16, 17};
    struct variant variant;
    ck_assert_int_eq(variant_parse("qkv_tied+", &variant, NULL), STATUS_OK);
    struct model_shape tokens = fixture_shape(&variant, 16, 2, 4, N_TOKEN);
    struct model_shape patches = fixture_patch_shape(&variant, 16, 2, 4);
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        check_cut(&tokens, sizes[s]);
        check_cut(&patches, sizes[s]);
    }
}

/* The engine's float32 gradients against those of the double-precision reference, what is dead
 * among them, and against themselves when the batch is cut in other ways. */
#include "testing.h"

#include "nn/fixtures.h"

#define N_TOKEN 5
#define N_HEAD 2
#define N_EMBD 8

/* What a row calls dead is exactly what is dead: with generic weights no other whole tensor has a
 * zero gradient. (Not so with patches behind a causal mask: the class token sees none of them.) */
static void check_dead(const struct model *model, const double *grad)
{
    bool hidden = model->shape.input == INPUT_PATCHES && model->shape.variant.causal;
    for (size_t t = 0; t < model->layout.n_tensor; t++) {
        const struct tensor *tensor = &model->layout.tensor[t];
        double largest = fixture_largest(grad + tensor->offset, tensor->n_element);
        char id[VARIANT_TEXT_SIZE];
        variant_id(&model->shape.variant, id);
        ck_assert_msg((largest < 1e-12) == tensor->dead || (hidden && !tensor->dead),
                      "%s: %s, largest gradient %g", id, tensor->name, largest);
    }
}

static void check_gradients(const struct variant *variant, double rate, uint64_t seed)
{
    const struct dropout dropout = {.seed = 5, .step = 77};
    struct model_shape shapes[] = {fixture_shape(variant, N_EMBD, 2, N_HEAD, N_TOKEN),
                                   fixture_patch_shape(variant, N_EMBD, 2, N_HEAD)};
    for (size_t i = 0; i < 2; i++) {
        shapes[i].mlp_ratio = 1;
        shapes[i].dropout = rate;
        struct engine_options options = {.batch_size = 3, .threads = 1};
        struct engine *engine = fixture_engine(&shapes[i], &options, seed);
        struct reference_model reference = fixture_reference(engine, 3, N_TOKEN);
        struct fixture_batch made = fixture_batch_for(&shapes[i], 3, seed);
        made.batch.dropout = &dropout;
        engine_gradient(engine, &made.batch);
        reference_model_gradient(&reference, &made.batch);
        fixture_check_gradient(engine, reference.grad);
        check_dead(engine_model(engine), reference.grad);
        fixture_batch_free(&made);
        reference_model_free(&reference);
        engine_free(engine);
    }
}

static void check_undropped(const struct variant *variant, size_t i)
{
    check_gradients(variant, 0.0, i);
}

TEST(every_combination_of_axes)
{
    fixture_for_variants(N_HEAD, check_undropped);
}

TEST(every_named_row_with_dropout)
{
    for (size_t i = 0; variant_named(i); i++) {
        check_gradients(variant_named(i), 0.25, 7 + i);
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
    struct variant variant = fixture_parse("qkv_tied+");
    struct model_shape tokens = fixture_shape(&variant, 16, 2, 4, N_TOKEN);
    struct model_shape patches = fixture_patch_shape(&variant, 16, 2, 4);
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        check_cut(&tokens, sizes[s]);
        check_cut(&patches, sizes[s]);
    }
}

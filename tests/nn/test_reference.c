/* The reference must be right by itself: its backward pass against its own central differences, its
 * forward pass against numbers that can be worked out by hand. */
#include "testing.h"

#include "nn/fixtures.h"

#define N_TOKEN 4
#define N_EMBD 4
#define N_HEAD 2

/* What an attention of at most 3 tokens, 2 channels and 2 heads of width 1 makes of x. */
struct by_hand {
    struct tape tape;
    struct reference_maps maps;
    double product[18], scores[18], attention[18];
    var output[6];
};

static void by_hand(struct by_hand *hand, const struct reference_shape *shape, const double *x)
{
    struct tape *tape = &hand->tape;
    var zero = tape_number(tape, 0.0), one = tape_number(tape, 1.0);
    var identity[4] = {one, zero, zero, one}, pos_b = tape_number(tape, 7.0), input[6];
    var pos_w[2] = {tape_number(tape, 0.5), tape_number(tape, 0.25)},
        factor = tape_number(tape, 3.0);
    struct reference_weights weights = {.role = {identity, identity, identity},
                                        .pos_w = pos_w,
                                        .pos_b = &pos_b,
                                        .score_scale = &factor};
    for (size_t i = 0; i < shape->n_token * shape->n_embd; i++) {
        input[i] = tape_number(tape, x[i]);
    }
    hand->maps = (struct reference_maps){hand->product, hand->scores, hand->attention};
    reference_attention(tape, shape, &weights, input, &hand->maps, hand->output);
}

/* One head of width 1, two tokens, all projections 1: a softmax over x_i x_j. */
TEST(attention_by_hand)
{
    struct reference_shape shape = {
        .n_token = 2, .n_embd = 1, .n_head = 1, .n_kv_head = 1, .score_scale = 1.0};
    const double x[2] = {1.0, 3.0};
    struct by_hand hand = {0};
    by_hand(&hand, &shape, x);
    ck_assert_double_eq_tol(hand.product[1], 3.0, 1e-15);
    ck_assert_double_eq_tol(hand.product[3], 9.0, 1e-15);
    double right = 1.0 / (1.0 + exp(1.0 - 3.0));
    ck_assert_double_eq_tol(hand.attention[1], right, 1e-15);
    ck_assert_double_eq_tol(tape_value(&hand.tape, hand.output[0]), 1.0 + 2.0 * right, 1e-15);

    shape.causal = true;
    by_hand(&hand, &shape, x);
    ck_assert_double_eq(hand.attention[0], 1.0);
    ck_assert_double_eq(hand.attention[1], 0.0);
    ck_assert_double_eq(tape_value(&hand.tape, hand.output[0]), 1.0);
    ck_assert(isinf(hand.scores[1]));
    tape_free(&hand.tape);
}

/* S' = S sum w + sum w P + b with m = 2: channel 0 is sin(i), channel 1 is sin(j). */
TEST(score_terms_by_hand)
{
    const double x[3] = {1.0, 2.0, 3.0}, product = 6.0; /* of tokens 1 and 2 */
    const double expected[SCORE_TERM_COUNT] = {
        [SCORE_NONE] = product,
        [SCORE_POSITION2D] = product * 0.75 + 0.5 * sin(1.0) + 0.25 * sin(2.0) + 7.0,
        [SCORE_TEMPERATURE] = product * 0.75,
        [SCORE_KEY_BIAS] = product + 0.25 * sin(2.0),
        [SCORE_RELATIVE] = product * 0.75 + 0.5 * sin(-1.0) + 0.25 * cos(-1.0),
        [SCORE_TEMPERATURE_SCALAR] = product * 3.0,
    };
    struct by_hand hand = {0};
    for (int term = 0; term < SCORE_TERM_COUNT; term++) {
        struct reference_shape shape = {.n_token = 3,
                                        .n_embd = 1,
                                        .n_head = 1,
                                        .n_kv_head = 1,
                                        .pos_dim = 2,
                                        .score_term = (enum score_term)term,
                                        .score_scale = 1.0};
        by_hand(&hand, &shape, x);
        ck_assert_double_eq_tol(hand.scores[1 * 3 + 2], expected[term], 1e-14);
    }
    tape_free(&hand.tape);
}

/* The identity query reads the input, cut into heads, at half the scale. */
TEST(identity_query_by_hand)
{
    struct variant variant = fixture_parse("qkv:query=identity");
    struct model_shape model_shape = fixture_shape(&variant, 2, 1, 2, 1);
    struct reference_shape shape = reference_shape_of(&model_shape, 1);
    const double x[2] = {3.0, 5.0};
    struct by_hand hand = {0};
    by_hand(&hand, &shape, x);
    ck_assert_double_eq_tol(hand.product[0], 0.5 * 9.0, 1e-15);
    ck_assert_double_eq_tol(hand.product[1], 0.5 * 25.0, 1e-15);
    tape_free(&hand.tape);
}

/* In a model of width 2 whose blocks add nothing, the answer is that of the class token alone:
 * cls + pos_0, normalised. */
TEST(class_token_by_hand)
{
    struct variant variant = fixture_parse("qkv");
    struct model_shape shape = fixture_patch_shape(&variant, 2, 1, 1);
    struct model model;
    ck_assert_int_eq(model_create(&model, &shape, NULL), STATUS_OK);
    struct reference_model reference = reference_model_create(&model, 1, shape.n_token);
    memset(reference.param, 0, model.layout.n_param * sizeof(double));
    double *cls = reference.param + model.layout.cls;
    double *position = reference.param + model.layout.pos_emb;
    double *gain = reference.param + model.layout.ln_f_weight;
    double *head = reference.param + model.layout.head_weight;
    cls[0] = 3.0; /* x_0 = (4, 2) */
    position[0] = 1.0;
    position[1] = 2.0;
    position[2] = 100.0; /* of a patch */
    gain[0] = gain[1] = 1.0;
    head[0] = 5.0;
    struct fixture_batch made = fixture_images_make(&shape, 1, 1);
    reference_model_loss(&reference, &made.batch);
    ck_assert_double_eq_tol(reference.logits[0], 5.0 / sqrt(1.0 + 1e-5), 1e-14);
    ck_assert_double_eq(reference.logits[1], 0.0);
    fixture_batch_free(&made);
    reference_model_free(&reference);
    model_free(&model);
}

/* Every gradient of the whole model by central differences. */
static void check_differences(const struct model_shape *shape, const struct dropout *dropout)
{
    struct model model;
    struct error err;
    ck_assert_int_eq(model_create(&model, shape, &err), STATUS_OK);
    struct reference_model reference = reference_model_create(&model, 1, shape->n_token);
    struct fixture_batch made = fixture_batch_for(shape, 1, 3);
    made.batch.dropout = dropout;
    float *param = malloc(model.layout.n_param * sizeof(float));
    ck_assert_ptr_nonnull(param);
    fixture_weights(&model, 5, param);
    for (size_t i = 0; i < model.layout.n_param; i++) {
        reference.param[i] = param[i];
    }
    double loss = reference_model_gradient(&reference, &made.batch);
    ck_assert_double_eq(reference_model_loss(&reference, &made.batch), loss);
    double largest = fixture_largest(reference.grad, model.layout.n_param);
    const double h = 1e-5;
    for (size_t t = 0; t < model.layout.n_tensor; t++) {
        const struct tensor *tensor = &model.layout.tensor[t];
        for (size_t i = tensor->offset; i < tensor->offset + tensor->n_element; i++) {
            double kept = reference.param[i];
            reference.param[i] = kept + h;
            double above = reference_model_loss(&reference, &made.batch);
            reference.param[i] = kept - h;
            double below = reference_model_loss(&reference, &made.batch);
            reference.param[i] = kept;
            double difference = (above - below) / (2.0 * h) - reference.grad[i];
            char id[VARIANT_TEXT_SIZE];
            variant_id(&shape->variant, id);
            ck_assert_msg(fabs(difference) <= 1e-8 * fmax(largest, 1.0), "%s: %s[%zu] is off by %g",
                          id, tensor->name, i - tensor->offset, difference);
        }
    }
    free(param);
    fixture_batch_free(&made);
    reference_model_free(&reference);
    model_free(&model);
}

static void check_variant(const struct variant *variant, size_t i)
{
    (void)i;
    struct model_shape shape = fixture_shape(variant, N_EMBD, 1, N_HEAD, N_TOKEN);
    check_differences(&shape, NULL);
}

TEST(gradients_equal_central_differences)
{
    ck_assert_uint_gt(fixture_for_variants(N_HEAD, check_variant), 200);
}

TEST(gradients_with_patches)
{
    for (size_t i = 0; variant_named(i); i++) {
        struct model_shape shape = fixture_patch_shape(variant_named(i), 2 * N_EMBD, 1, N_HEAD);
        check_differences(&shape, NULL);
    }
}

TEST(gradients_with_dropout)
{
    const struct dropout dropout = {.seed = 11, .step = 3};
    struct model_shape shapes[] = {
        fixture_shape(variant_named(0), 2 * N_EMBD, 2, N_HEAD, N_TOKEN),
        fixture_patch_shape(variant_named(0), 2 * N_EMBD, 2, N_HEAD),
    };
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        shapes[i].dropout = 0.3;
        check_differences(&shapes[i], &dropout);
    }
}

/* Dropout: the masks are the documented numbers at every SIMD level, depend on nothing but seed,
 * step, site and element, and forward and backward pass agree on them. */
#include "testing.h"

#include "nn/dropout.h"
#include "nn/fixtures.h"
#include "nn/kernels/kernels.h"

#define N_SEQUENCE 17
#define SEED 1 /* what fixture_engine initialises with */

static const struct adam_options ADAM = {
    .learning_rate = 1e-2, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8, .clip = 1.0};

/* ---- masks ---- */

static struct rng stream(const struct dropout *dropout, size_t site)
{
    return rng_make(dropout->seed, "dropout/%llu/%zu", (unsigned long long)dropout->step, site);
}

static struct dropout_law law_of(const struct dropout *dropout, size_t site, double rate)
{
    struct rng rng = stream(dropout, site);
    return (struct dropout_law){.key = {rng.key[0], rng.key[1]},
                                .threshold = (uint32_t)lround(rate * 65536.0),
                                .kept = (float)(1.0 / (1.0 - rate))};
}

#define GUARD (-7.0f)

static void check_mask(const struct kernels *kernel, size_t first_row, size_t n_col)
{
    enum { N_ROW = 3 };
    const struct dropout dropout = {.seed = 9, .step = 4};
    const double rate = 0.3;
    size_t n = N_ROW * n_col;
    float *mask = malloc((n + 1) * sizeof(float));
    double *expected = malloc(n * sizeof(double));
    ck_assert(mask && expected);
    mask[n] = GUARD;
    for (size_t i = 0; i < n; i++) {
        expected[i] = 1.0;
    }
    struct dropout_law law = law_of(&dropout, 5, rate);
    kernel->dropout_mask(N_ROW, n_col, &law, first_row, mask);
    reference_dropout(&dropout, rate, 5, first_row, N_ROW, n_col, expected);
    for (size_t i = 0; i < n; i++) {
        ck_assert_msg(mask[i] == (float)expected[i], "%s: row %zu of %zu columns, column %zu: %g",
                      kernel->level, first_row + i / n_col, n_col, i % n_col, mask[i]);
    }
    ck_assert_float_eq(mask[n], GUARD);
    float *x = malloc((n + 1) * sizeof(float)), *y = malloc((n + 1) * sizeof(float));
    ck_assert(x && y);
    for (size_t i = 0; i <= n; i++) {
        x[i] = 0.5f + (float)i;
        y[i] = -2.0f;
    }
    kernel->dropout_both(N_ROW, n_col, &law, first_row, x, y);
    for (size_t i = 0; i < n; i++) {
        ck_assert_float_eq(x[i], (0.5f + (float)i) * mask[i]);
        ck_assert_float_eq(y[i], -2.0f * mask[i]);
    }
    ck_assert(x[n] == 0.5f + (float)n && y[n] == -2.0f);
    free(x);
    free(y);
    free(mask);
    free(expected);
}

TEST(masks_are_the_documented_numbers)
{
    const size_t widths[] = {1, 8, 15, 16, 17, 32, 33, 127, 128, 129, 200, 256, 300};
    const size_t first_rows[] = {0, 5, ((size_t)1 << 32) - 1}; /* blocks past 32 bits too */
    for (size_t level = 0; kernels_at(level); level++) {
        for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
            for (size_t f = 0; f < sizeof(first_rows) / sizeof(first_rows[0]); f++) {
                check_mask(kernels_at(level), first_rows[f], widths[w]);
            }
        }
    }
}

/* The ends of the mapping, without the reference: column 0 of row 2 has the low half of the first
 * word of the row's first block, column 255 the high half of the last word of its last. A row of
 * 256 columns has 32 blocks. */
TEST(two_numbers_by_hand)
{
    const struct dropout dropout = {.seed = 3, .step = 8};
    struct rng rng = stream(&dropout, 1);
    struct dropout_law law = law_of(&dropout, 1, 0.0);
    uint32_t first[4], last[4];
    rng_block(rng, 2 * 32, first);
    rng_block(rng, 2 * 32 + 31, last);
    const uint32_t numbers[] = {first[0] & 0xffff, last[3] >> 16};
    const size_t columns[] = {0, 255};
    for (size_t i = 0; i < 2; i++) {
        float mask[256];
        law.threshold = numbers[i];
        kernels_active()->dropout_mask(1, 256, &law, 2, mask);
        ck_assert_float_eq(mask[columns[i]], 1.0f);
        law.threshold = numbers[i] + 1;
        kernels_active()->dropout_mask(1, 256, &law, 2, mask);
        ck_assert_float_eq(mask[columns[i]], 0.0f);
    }
}

/* ---- statistics ---- */

#define N_ROW 1000
#define N_COL 300
#define N_MASK (N_ROW * N_COL)
#define N_SIGMA 5.0 /* once in 1.7 million draws by chance; the numbers are fixed, so never */

static float *draw(uint64_t seed, uint64_t step, size_t site, double rate)
{
    const struct dropout dropout = {.seed = seed, .step = step};
    float *mask = malloc(N_MASK * sizeof(float));
    ck_assert_ptr_nonnull(mask);
    struct dropout_law law = law_of(&dropout, site, rate);
    kernels_active()->dropout_mask(N_ROW, N_COL, &law, 0, mask);
    return mask;
}

/* n_hit of n independent draws of probability p is no further from n p than N_SIGMA. */
static void check_share(const char *what, size_t n_hit, size_t n, double p)
{
    double share = (double)n_hit / (double)n, sigma = sqrt(p * (1.0 - p) / (double)n);
    ck_assert_msg(fabs(share - p) <= N_SIGMA * sigma, "%s: %g, expected %g +- %g", what, share, p,
                  N_SIGMA * sigma);
}

TEST(the_rate_is_right)
{
    const double rates[] = {0.01, 0.1, 0.25, 0.5, 0.9};
    for (size_t r = 0; r < sizeof(rates) / sizeof(rates[0]); r++) {
        float *mask = draw(1, 0, 0, rates[r]), kept = (float)(1.0 / (1.0 - rates[r]));
        size_t n_dropped = 0;
        for (size_t i = 0; i < N_MASK; i++) {
            ck_assert_msg(mask[i] == 0.0f || mask[i] == kept, "a mask of %g", mask[i]);
            n_dropped += mask[i] == 0.0f;
        }
        check_share("dropped", n_dropped, N_MASK, rates[r]);
        free(mask);
    }
}

/* Both a[i] and b[i + shift] are dropped as often as two independent coins say. */
static void check_independent(const char *what, const float *a, const float *b, size_t shift,
                              double rate)
{
    size_t n_both = 0, n = N_MASK - shift;
    for (size_t i = 0; i < n; i++) {
        n_both += a[i] == 0.0f && b[i + shift] == 0.0f;
    }
    check_share(what, n_both, n, rate * rate);
}

TEST(elements_sites_steps_and_seeds_are_independent)
{
    const double rate = 0.5;
    float *mask = draw(1, 0, 0, rate);
    float *again = draw(1, 0, 0, rate), *site = draw(1, 0, 1, rate);
    float *step = draw(1, 1, 0, rate), *seed = draw(2, 0, 0, rate);
    ck_assert_mem_eq(mask, again, N_MASK * sizeof(float));
    check_independent("neighbours", mask, mask, 1, rate);
    check_independent("halves of a word", mask, mask, 16, rate);
    check_independent("words of a block", mask, mask, 32, rate);
    check_independent("groups of columns", mask, mask, 128, rate);
    check_independent("rows", mask, mask, N_COL, rate);
    check_independent("sites", mask, site, 0, rate);
    check_independent("steps", mask, step, 0, rate);
    check_independent("seeds", mask, seed, 0, rate);
    free(mask);
    free(again);
    free(site);
    free(step);
    free(seed);
}

/* ---- models ---- */

/* An MLP of 160 columns: more than one group of random numbers. */
static struct model_shape shape_with(const char *variant_text, enum model_input input, double rate)
{
    struct variant variant = fixture_parse(variant_text);
    struct model_shape shape = input == INPUT_PATCHES ? fixture_patch_shape(&variant, 40, 2, 4)
                                                      : fixture_shape(&variant, 40, 2, 4, 6);
    shape.mlp_ratio = 4;
    shape.dropout = rate;
    return shape;
}

static struct engine *make_engine(const struct model_shape *shape, size_t lanes, size_t micro_batch,
                                  int threads)
{
    return fixture_engine(shape,
                          &(struct engine_options){.lanes = lanes,
                                                   .micro_batch = micro_batch,
                                                   .batch_size = N_SEQUENCE,
                                                   .threads = threads},
                          21);
}

static const char *const VARIANTS[] = {"qkv", "qk+", "kv:n_kv_head=1:qk_norm=1",
                                       "qkv:query=residual_mlp"};
#define N_VARIANT (sizeof(VARIANTS) / sizeof(VARIANTS[0]))

static void for_tokens_and_patches(void (*check)(const struct model_shape *shape))
{
    for (size_t v = 0; v < N_VARIANT; v++) {
        struct model_shape tokens = shape_with(VARIANTS[v], INPUT_TOKENS, 0.2);
        struct model_shape patches = shape_with(VARIANTS[v], INPUT_PATCHES, 0.2);
        check(&tokens);
        check(&patches);
    }
}

/* The reference applies the masks of the whole batch; the engine has it in lanes and pieces. */
static void check_reference(const struct model_shape *shape)
{
    const struct dropout dropout = {.seed = 5, .step = 12};
    struct engine *engine = make_engine(shape, 4, 3, 1);
    struct reference_model reference = fixture_reference(engine, N_SEQUENCE, shape->n_token);
    struct fixture_batch made = fixture_batch_for(shape, N_SEQUENCE, 33);
    made.batch.dropout = &dropout;
    double loss = reference_model_gradient(&reference, &made.batch);
    struct train_result result = engine_gradient(engine, &made.batch);
    size_t n_param = engine_model(engine)->layout.n_param, worst = 0;
    ck_assert_double_eq_tol(result.loss, loss, 1e-6 * loss);
    double error = fixture_error(engine_grad(engine), reference.grad, n_param, 0.0, &worst);
    ck_assert_msg(error <= 2e-6, "gradient %zu is off by %g", worst, error);

    /* and this can fail: under the masks of another step all is different */
    const struct dropout other = {.seed = 5, .step = 13};
    made.batch.dropout = &other;
    engine_gradient(engine, &made.batch);
    ck_assert_double_gt(fixture_error(engine_grad(engine), reference.grad, n_param, 0.0, &worst),
                        1e-2);
    fixture_batch_free(&made);
    reference_model_free(&reference);
    engine_free(engine);
}

TEST(gradients_equal_the_reference_under_the_same_masks)
{
    for_tokens_and_patches(check_reference);
}

static void check_cuts(const struct model_shape *shape)
{
    const struct dropout dropout = {.seed = 5, .step = 12};
    const struct {
        size_t lanes, micro_batch;
    } cuts[] = {{16, 2}, {3, 6}, {17, 1}, {2, 2}};
    struct fixture_batch made = fixture_batch_for(shape, N_SEQUENCE, 33);
    made.batch.dropout = &dropout;
    struct engine *whole = make_engine(shape, 1, N_SEQUENCE, 1);
    engine_gradient(whole, &made.batch);
    size_t n_param = engine_model(whole)->layout.n_param, worst = 0;
    double *expected = malloc(n_param * sizeof(double));
    ck_assert_ptr_nonnull(expected);
    for (size_t i = 0; i < n_param; i++) {
        expected[i] = engine_grad(whole)[i];
    }
    for (size_t c = 0; c < sizeof(cuts) / sizeof(cuts[0]); c++) {
        struct engine *one = make_engine(shape, cuts[c].lanes, cuts[c].micro_batch, 1);
        engine_gradient(one, &made.batch);
        double error = fixture_error(engine_grad(one), expected, n_param, 0.0, &worst);
        ck_assert_msg(error <= 1e-6, "%zu lanes in pieces of %zu: gradient %zu is off by %g",
                      cuts[c].lanes, cuts[c].micro_batch, worst, error);
        for (int threads = 2; threads <= 3; threads++) {
            struct engine *many = make_engine(shape, cuts[c].lanes, cuts[c].micro_batch, threads);
            engine_gradient(many, &made.batch);
            ck_assert_mem_eq(engine_grad(one), engine_grad(many), n_param * sizeof(float));
            engine_free(many);
        }
        engine_free(one);
    }
    free(expected);
    engine_free(whole);
    fixture_batch_free(&made);
}

TEST(masks_depend_on_no_lane_piece_or_thread)
{
    for_tokens_and_patches(check_cuts);
}

/* Step k of a training drops what (seed of the engine, k) says, k updates done before. */
static void check_steps(const struct model_shape *shape)
{
    struct engine *engine = make_engine(shape, 4, 3, 2);
    struct fixture_batch made = fixture_batch_for(shape, N_SEQUENCE, 33);
    double last = 0.0;
    for (uint64_t step = 0; step < 3; step++) {
        const struct dropout dropout = {.seed = SEED, .step = step};
        made.batch.dropout = &dropout;
        struct train_result expected = engine_gradient(engine, &made.batch);
        made.batch.dropout = NULL;
        struct train_result found = engine_train_step(engine, &made.batch, &ADAM);
        ck_assert_double_eq(found.loss, expected.loss);
        ck_assert_double_eq(found.grad_norm, expected.grad_norm);
        ck_assert_double_ne(found.loss, last);
        last = found.loss;
    }
    fixture_batch_free(&made);
    engine_free(engine);
}

TEST(a_training_step_is_keyed_by_seed_and_step)
{
    for_tokens_and_patches(check_steps);
}

static void check_evaluation(const struct model_shape *shape)
{
    struct model_shape plain = *shape;
    plain.dropout = 0.0;
    struct engine *with = make_engine(shape, 4, 3, 1), *without = make_engine(&plain, 4, 3, 1);
    struct fixture_batch made = fixture_batch_for(shape, N_SEQUENCE, 33);
    size_t bytes = engine_model(with)->layout.n_param * sizeof(float), n;
    struct loss_sums sums = engine_predict(with, &made.batch, NULL);
    struct loss_sums expected = engine_predict(without, &made.batch, NULL);
    ck_assert_double_eq(sums.loss, expected.loss);
    ck_assert_uint_eq(sums.n_correct_token, expected.n_correct_token);
    ck_assert_uint_eq(sums.n_correct_sequence, expected.n_correct_sequence);
    engine_gradient(with, &made.batch);
    engine_gradient(without, &made.batch);
    ck_assert_mem_eq(engine_grad(with), engine_grad(without), bytes);

    struct batch part = batch_part(&engine_model(with)->shape, &made.batch, 3, 2);
    size_t n_logit = batch_n_answer(&engine_model(with)->shape, &part) * shape->n_class;
    float *logits = malloc(n_logit * sizeof(float));
    ck_assert_ptr_nonnull(logits);
    memcpy(logits, activations_logits(engine_forward(with, &part, &n)), n_logit * sizeof(float));
    ck_assert_mem_eq(logits, activations_logits(engine_forward(without, &part, &n)),
                     n_logit * sizeof(float));
    free(logits);

    /* nor does a rate of 0 drop anything while training; a rate above does */
    double trained = engine_train_step(without, &made.batch, &ADAM).loss;
    double mean = expected.loss / (double)batch_n_answer(&engine_model(with)->shape, &made.batch);
    ck_assert_double_eq(trained, mean);
    ck_assert_double_ne(engine_train_step(with, &made.batch, &ADAM).loss, mean);
    fixture_batch_free(&made);
    engine_free(with);
    engine_free(without);
}

TEST(evaluation_drops_nothing)
{
    for_tokens_and_patches(check_evaluation);
}

TEST(a_training_has_the_same_bits_at_any_number_of_threads)
{
    struct model_shape shape = shape_with("qk+", INPUT_PATCHES, 0.1);
    struct fixture_batch made = fixture_batch_for(&shape, N_SEQUENCE, 33);
    fixture_check_threads(&shape, &made.batch, 4);
    fixture_batch_free(&made);
}

TEST(impossible_rates_are_refused)
{
    const double rates[] = {1.0, -0.1, NAN, INFINITY};
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
        struct model_shape shape = shape_with("qkv", INPUT_TOKENS, rates[i]);
        struct error err;
        ck_assert_int_eq(model_shape_check(&shape, &err), STATUS_USAGE);
        ck_assert_ptr_nonnull(strstr(err.text, "dropout: expected 0 to below 1, found"));
    }
}

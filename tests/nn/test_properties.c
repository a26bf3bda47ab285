/* What must hold of a variant, read off its row, for every legal combination of the axes; and what
 * must hold of the engine whatever it is given: extreme values, other cuts, other thread counts. */
#include "testing.h"

#include <stdio.h>

#include "nn/activations.h"
#include "nn/attention.h"
#include "nn/fixtures.h"
#include "nn/kernels/kernels.h"

#define N_EMBD 16
#define N_HEAD 4
#define N_TOKEN 6
#define N_MAP (N_HEAD * N_TOKEN * N_TOKEN)
#define N_LOGIT (N_TOKEN * 10)

/* ---- one forward pass of every combination ---- */

struct probe {
    struct variant variant;
    char id[VARIANT_TEXT_SIZE];
    struct engine *engine;
    struct fixture_batch made;
    const struct activations *act;
    float product[N_MAP], scores[N_MAP]; /* of sequence 1 */
};

static void probe_make(struct probe *probe, const struct variant *variant)
{
    struct model_shape shape = fixture_shape(variant, N_EMBD, 1, N_HEAD, N_TOKEN);
    size_t n;
    probe->variant = *variant;
    variant_id(variant, probe->id);
    probe->engine = fixture_engine(
        &shape, &(struct engine_options){.lanes = 1, .batch_size = 2, .threads = 1}, 23);
    probe->made = fixture_batch_make(2, N_TOKEN, 29);
    probe->act = engine_forward(probe->engine, &probe->made.batch, &n);
    ck_assert_uint_eq(n, 2);
    engine_scores(probe->engine, 1, 0, probe->product, probe->scores);
}

static void probe_free(struct probe *probe)
{
    fixture_batch_free(&probe->made);
    engine_free(probe->engine);
}

static void (*check_probe)(struct probe *probe);

static void probe_variant(const struct variant *variant, size_t i)
{
    struct probe probe;
    (void)i;
    probe_make(&probe, variant);
    check_probe(&probe);
    probe_free(&probe);
}

static void for_every_variant(void (*check)(struct probe *probe))
{
    check_probe = check;
    ck_assert_uint_gt(fixture_for_variants(N_HEAD, probe_variant), 400);
}

static void check_rows_sum_to_one(struct probe *probe)
{
    const float *attention = activations_attention(probe->act, 0);
    for (size_t row = 0; row < 2 * N_HEAD * N_TOKEN; row++) {
        double sum = 0.0;
        for (size_t j = 0; j < N_TOKEN; j++) {
            float a = attention[row * N_TOKEN + j];
            bool hidden = probe->variant.causal && j > row % N_TOKEN;
            ck_assert_msg(hidden ? a == 0.0f : a > 0.0f && a <= 1.0f, "%s: attention %g", probe->id,
                          a);
            sum += a;
        }
        ck_assert_msg(fabs(sum - 1.0) <= 1e-6, "%s: row %zu sums to %.9g", probe->id, row, sum);
    }
}

TEST(attention_rows_sum_to_one)
{
    for_every_variant(check_rows_sum_to_one);
}

/* The scores are those that the softmax saw. */
static void check_scores_explain_attention(struct probe *probe)
{
    const float *attention = activations_attention(probe->act, 0) + N_MAP;
    for (size_t row = 0; row < N_HEAD * N_TOKEN; row++) {
        size_t n_visible = probe->variant.causal ? row % N_TOKEN + 1 : N_TOKEN;
        double sum = 0.0;
        for (size_t j = 0; j < n_visible; j++) {
            sum += exp(probe->scores[row * N_TOKEN + j]);
        }
        for (size_t j = 0; j < n_visible; j++) {
            double expected = exp(probe->scores[row * N_TOKEN + j]) / sum;
            ck_assert_msg(fabs(attention[row * N_TOKEN + j] - expected) <= 1e-5,
                          "%s: attention %g, scores say %g", probe->id,
                          attention[row * N_TOKEN + j], expected);
        }
    }
}

TEST(scores_explain_attention)
{
    for_every_variant(check_scores_explain_attention);
}

/* max |S_ij - S_ji| / max |S| over all heads. */
static double asymmetry(const float *map)
{
    double largest = 0.0, difference = 0.0;
    for (size_t h = 0; h < N_HEAD; h++) {
        const float *s = map + h * N_TOKEN * N_TOKEN;
        for (size_t i = 0; i < N_TOKEN; i++) {
            for (size_t j = 0; j < N_TOKEN; j++) {
                largest = fmax(largest, fabs((double)s[i * N_TOKEN + j]));
                difference =
                    fmax(difference, fabs((double)s[i * N_TOKEN + j] - (double)s[j * N_TOKEN + i]));
            }
        }
    }
    return difference / largest;
}

static void check_symmetry(struct probe *probe)
{
    const struct {
        const char *what;
        bool symmetric;
        double asymmetry;
    } maps[] = {
        {"Q K^T", variant_product_symmetric(&probe->variant), asymmetry(probe->product)},
        {"scores", variant_scores_symmetric(&probe->variant), asymmetry(probe->scores)},
    };
    for (size_t i = 0; i < 2; i++) {
        ck_assert_msg(maps[i].symmetric ? maps[i].asymmetry <= 1e-5 : maps[i].asymmetry >= 1e-2,
                      "%s: %s should be %s, asymmetry %g", probe->id, maps[i].what,
                      maps[i].symmetric ? "symmetric" : "asymmetric", maps[i].asymmetry);
    }
}

TEST(symmetric_exactly_where_the_row_says_so)
{
    for_every_variant(check_symmetry);
}

/* How far some S_ij is above max(S_ii, S_jj). */
static double gram_excess(const float *map)
{
    double excess = -INFINITY;
    for (size_t h = 0; h < N_HEAD; h++) {
        const float *s = map + h * N_TOKEN * N_TOKEN;
        for (size_t i = 0; i < N_TOKEN; i++) {
            for (size_t j = 0; j < N_TOKEN; j++) {
                excess =
                    fmax(excess, s[i * N_TOKEN + j] - fmax(s[i * N_TOKEN + i], s[j * N_TOKEN + j]));
            }
        }
    }
    return excess;
}

static void scale_tensor(struct engine *engine, const char *name, float factor)
{
    const struct tensor *tensor = model_find_tensor(engine_model(engine), name);
    ck_assert_ptr_nonnull(tensor);
    for (size_t i = 0; i < tensor->n_element; i++) {
        engine_param(engine)[tensor->offset + i] *= factor;
    }
    engine_weights_changed(engine);
}

/* Where the row does not promise it, some weights break it: other projections, or gains of opposite
 * signs on the same one. */
static void check_gram(struct probe *probe)
{
    bool gram = variant_product_gram(&probe->variant);
    if (probe->variant.qk_norm && variant_product_symmetric(&probe->variant)) {
        size_t n;
        scale_tensor(probe->engine, "blocks.0.attn.q_norm.weight", -1.0f);
        engine_forward(probe->engine, &probe->made.batch, &n);
        engine_scores(probe->engine, 1, 0, probe->product, probe->scores);
    }
    double excess = gram_excess(probe->product);
    ck_assert_msg(gram ? excess <= 1e-5 : excess >= 1e-2,
                  "%s: a score is %g above its diagonal ones", probe->id, excess);
}

TEST(no_gram_score_above_its_diagonal)
{
    for_every_variant(check_gram);
}

/* With K=V an attention's output is an average of keys, so each of its coordinates lies between the
 * least and the largest of the keys' (necessary for being in their convex hull). The keys are those
 * before qk_norm. */
static void check_hull(struct probe *probe)
{
    if (variant_cache_roles(&probe->variant) != 1) {
        return;
    }
    struct widths w = widths_of(&engine_model(probe->engine)->shape);
    struct block_activations *block = &probe->act->block[0];
    struct view keys = {block->slots + w.slot_at[probe->variant.slot[ROLE_V]], w.slots};
    size_t width = N_EMBD / N_HEAD;
    size_t repeat = N_HEAD / variant_kv_heads(&probe->variant, N_HEAD);
    for (size_t row = 0; row < 2 * N_TOKEN; row++) {
        size_t first = row / N_TOKEN * N_TOKEN;
        size_t end = probe->variant.causal ? row + 1 : first + N_TOKEN;
        for (size_t c = 0; c < N_EMBD; c++) {
            size_t key_column = c / width / repeat * width + c % width;
            double least = INFINITY, largest = -INFINITY;
            for (size_t j = first; j < end; j++) {
                least = fmin(least, keys.at[j * keys.ld + key_column]);
                largest = fmax(largest, keys.at[j * keys.ld + key_column]);
            }
            float mix = block->mix[row * N_EMBD + c];
            ck_assert_msg(mix >= least - 1e-5 && mix <= largest + 1e-5,
                          "%s: output %g outside of the keys' %g..%g", probe->id, mix, least,
                          largest);
        }
    }
}

TEST(shared_values_stay_in_the_keys_hull)
{
    for_every_variant(check_hull);
}

/* Without any position the model is blind to order; with some, it is not. */
static void check_permutation(struct probe *probe)
{
    static const size_t order[N_TOKEN] = {3, 0, 5, 1, 4, 2};
    const struct model *model = engine_model(probe->engine);
    const struct tensor *pos_emb = model_find_tensor(model, "pos_emb");
    enum score_term term = probe->variant.score_term;
    bool blind = !probe->variant.causal && (term == SCORE_NONE || term == SCORE_TEMPERATURE ||
                                            term == SCORE_TEMPERATURE_SCALAR);
    int32_t permuted[2 * N_TOKEN];
    float straight[2 * N_LOGIT];
    size_t n;

    memset(engine_param(probe->engine) + pos_emb->offset, 0, pos_emb->n_element * sizeof(float));
    engine_weights_changed(probe->engine);
    const struct activations *act = engine_forward(probe->engine, &probe->made.batch, &n);
    memcpy(straight, activations_logits(act), sizeof(straight));
    for (size_t t = 0; t < 2 * N_TOKEN; t++) {
        permuted[t] = probe->made.ids[t / N_TOKEN * N_TOKEN + order[t % N_TOKEN]];
    }
    struct batch batch = {
        .n_sequence = 2, .n_token = N_TOKEN, .ids = permuted, .targets = probe->made.targets};
    const float *logits = activations_logits(engine_forward(probe->engine, &batch, &n));
    double worst = 0.0;
    for (size_t t = 0; t < 2 * N_TOKEN; t++) {
        size_t from = t / N_TOKEN * N_TOKEN + order[t % N_TOKEN];
        for (size_t c = 0; c < 10; c++) {
            worst = fmax(worst, fabs((double)logits[t * 10 + c] - (double)straight[from * 10 + c]));
        }
    }
    ck_assert_msg(blind ? worst <= 1e-5 : worst >= 1e-3, "%s: permuting changes logits by %g",
                  probe->id, worst);
}

TEST(without_positions_order_does_not_matter)
{
    for_every_variant(check_permutation);
}

static void check_batch_of_two(struct probe *probe)
{
    float both[2 * N_LOGIT];
    double largest = 0.0;
    memcpy(both, activations_logits(probe->act), sizeof(both));
    for (size_t i = 0; i < 2 * N_LOGIT; i++) {
        largest = fmax(largest, fabs((double)both[i]));
    }
    for (size_t s = 0; s < 2; s++) {
        struct batch one =
            batch_part(&engine_model(probe->engine)->shape, &probe->made.batch, s, 1);
        size_t n;
        const float *logits = activations_logits(engine_forward(probe->engine, &one, &n));
        for (size_t i = 0; i < N_LOGIT; i++) {
            double difference = fabs((double)logits[i] - (double)both[s * N_LOGIT + i]);
            ck_assert_msg(difference <= 1e-6 * largest, "%s: sequence %zu differs by %g", probe->id,
                          s, difference / largest);
        }
    }
}

TEST(a_batch_of_two_is_two_batches_of_one)
{
    for_every_variant(check_batch_of_two);
}

/* ---- extreme values ---- */

static double largest_float(const float *value, size_t n)
{
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        ck_assert_msg(isfinite(value[i]), "element %zu is %g", i, value[i]);
        largest = fmax(largest, fabs((double)value[i]));
    }
    return largest;
}

TEST(logits_and_scores_of_ten_thousand)
{
    for (size_t i = 0; variant_named(i); i++) {
        struct model_shape shape = fixture_shape(variant_named(i), N_EMBD, 1, N_HEAD, N_TOKEN);
        struct engine *engine =
            fixture_engine(&shape, &(struct engine_options){.batch_size = 2, .threads = 1}, 31);
        struct fixture_batch made = fixture_batch_make(2, N_TOKEN, 37);
        char roles[4], name[64];
        size_t n;
        variant_slot_roles(&shape.variant, shape.variant.slot[ROLE_K], roles);
        snprintf(name, sizeof(name), "blocks.0.attn.%s.weight",
                 shape.variant.qk_norm ? "k_norm" : roles);
        scale_tensor(engine, name, 1e4f);
        scale_tensor(engine, "head.weight", 1e4f);
        const struct activations *act = engine_forward(engine, &made.batch, &n);
        float product[N_MAP], scores[N_MAP];
        engine_scores(engine, 0, 0, product, scores);
        ck_assert_double_gt(largest_float(activations_logits(act), n * N_LOGIT), 1e4);
        ck_assert_double_gt(largest_float(product, N_MAP), 1e4);
        largest_float(activations_attention(act, 0), n * N_MAP);
        struct train_result result = engine_gradient(engine, &made.batch);
        ck_assert(result.finite);
        largest_float(engine_grad(engine), engine_model(engine)->layout.n_param);
        fixture_batch_free(&made);
        engine_free(engine);
    }
}

/* One token attends to itself; its scores get no gradient. */
static void check_one_token(const struct variant *variant, size_t i)
{
    (void)i;
    struct model_shape shape = fixture_shape(variant, N_EMBD, 2, N_HEAD, 1);
    struct engine *engine =
        fixture_engine(&shape, &(struct engine_options){.batch_size = 3, .threads = 1}, 41);
    struct fixture_batch made = fixture_batch_make(3, 1, 43);
    struct reference_model reference = fixture_reference(engine, 3, 1);
    size_t n;
    const float *attention = activations_attention(engine_forward(engine, &made.batch, &n), 1);
    for (size_t h = 0; h < n * N_HEAD; h++) {
        ck_assert_float_eq(attention[h], 1.0f);
    }
    struct train_result result = engine_gradient(engine, &made.batch);
    double loss = reference_model_gradient(&reference, &made.batch);
    ck_assert_double_eq_tol(result.loss, loss, 1e-5 * loss);
    fixture_check_gradient(engine, reference.grad);
    reference_model_free(&reference);
    fixture_batch_free(&made);
    engine_free(engine);
}

TEST(sequences_of_one_token)
{
    fixture_for_variants(N_HEAD, check_one_token);
}

TEST(a_row_with_everything_masked_is_finite)
{
    for (size_t level = 0; kernels_at(level); level++) {
        enum { LD = SOFTMAX_STRETCH };
        float scores[2 * LD] = {1e4f, -1e4f, 3.0f, 0.0f, 1.0f, 2.0f, 7.0f};
        float slope[2 * LD] = {1.0f, 2.0f, 3.0f};
        kernels_at(level)->softmax_forward(2, N_TOKEN, 1.0f, NULL, 0, 0, 0, scores, LD);
        kernels_at(level)->softmax_backward(2, LD, 1.0f, scores, slope);
        ck_assert_double_eq(largest_float(scores, 2 * LD), 0.0);
        ck_assert_double_eq(largest_float(slope, 2 * LD), 0.0);
    }
}

/* ---- threads ---- */

TEST(same_bits_at_any_number_of_threads)
{
    /* between them, every kind of sum: shared slots, score terms, gains, the query's own weights */
    const char *const variants[] = {"qkv_tied+", "kv:n_kv_head=1:qk_norm=1",
                                    "qkv:query=residual_mlp:score_term=relative"};
    for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
        struct variant variant = fixture_parse(variants[i]);
        struct model_shape shape = fixture_shape(&variant, 32, 2, N_HEAD, 8);
        struct fixture_batch made = fixture_batch_make(37, 8, 53);
        ck_assert_double_lt(fixture_check_threads(&shape, &made.batch, 5), 1.0);
        fixture_batch_free(&made);
    }
}

/* The comparison above can fail: one lane fewer sums in another order. */
TEST(other_lanes_give_other_bits)
{
    struct model_shape shape = fixture_shape(variant_named(0), 32, 2, N_HEAD, 16);
    struct fixture_batch made = fixture_batch_make(37, 16, 53);
    const struct engine_options options[2] = {
        {.lanes = 16, .micro_batch = 2, .batch_size = 37},
        {.lanes = 15, .micro_batch = 2, .batch_size = 37},
    };
    struct engine *engines[2];
    for (size_t i = 0; i < 2; i++) {
        engines[i] = fixture_engine(&shape, &options[i], 47);
        engine_gradient(engines[i], &made.batch);
    }
    size_t bytes = engine_model(engines[0])->layout.n_param * sizeof(float);
    ck_assert_int_ne(memcmp(engine_grad(engines[0]), engine_grad(engines[1]), bytes), 0);
    engine_free(engines[0]);
    engine_free(engines[1]);
    fixture_batch_free(&made);
}

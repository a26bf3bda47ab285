/* A measurement fills error and control, and the condition where a matrix is inverted; the table at
 * the end names them all.
 *
 * Capital letters as in exact.h: T tokens, d n_embd, H heads, G key-value heads, D = d / H.
 * Weights are [out, in], so the papers' X W_Q is x role[Q]^T here, and their W_Q^-1 W_K is
 * role[K] role[Q]^-1.
 */
#include "nn/identities.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/rng.h"
#include "nn/dense.h"
#include "nn/exact.h"

#define MAX_EMBD ((size_t)256)
#define MAX_TOKEN ((size_t)256)
#define MAX_POS_DIM ((size_t)256)

/* rounding bounds what sums over d and T terms do to the last bits, and what an inverted matrix
 * makes of it. */
static double rounding(size_t d, size_t n_token, double condition)
{
    double sums = 16.0 * DBL_EPSILON * sqrt((double)(d + n_token));
    return isnan(condition) ? sums : sums + 16.0 * DBL_EPSILON * condition;
}

/* ---- one attention ---- */

struct work;
struct identity {
    const char *name, *formula, *why;
    void (*measure)(struct work *work, struct identity_result *result);
    enum role role;   /* whose projection is eliminated */
    double condition; /* of that projection; 0: as drawn */
};

#define MATRICES 18 /* the most [d,d] that a measurement takes; it takes fewer [T,d] */

struct work {
    const struct identities_options *options;
    const struct identity *identity; /* the row that is measured */
    struct arena arena;
    size_t d, n_token;
};

static double *take(struct work *work, size_t n)
{
    return arena_alloc(&work->arena, n, sizeof(double));
}

/* draw takes an array of normal numbers with a standard deviation. */
static double *draw(struct work *work, const char *name, size_t n, double deviation)
{
    struct rng rng = rng_make(work->options->seed, "identities/%s", name);
    double *value = take(work, n);
    for (size_t i = 0; value && i < n; i++) {
        value[i] = deviation * rng_normal(rng, i);
    }
    return value;
}

static double *draw_projection(struct work *work, const char *name)
{
    return draw(work, name, work->d * work->d, 1.0 / sqrt((double)work->d));
}

static double *draw_input(struct work *work)
{
    return draw(work, "x", work->n_token * work->d, 1.0);
}

static struct exact_shape plain_shape(const struct work *work)
{
    return (struct exact_shape){.n_token = work->n_token,
                                .n_embd = work->d,
                                .n_head = work->options->n_head,
                                .n_kv_head = work->options->n_head,
                                .pos_dim = work->options->pos_dim};
}

static struct exact_weights draw_weights(struct work *work)
{
    return (struct exact_weights){.role = {draw_projection(work, "q"), draw_projection(work, "k"),
                                           draw_projection(work, "v")},
                                  .out = draw_projection(work, "out")};
}

/* attend leaves a new array [T,d] with the attention's output, NULL where memory is short. */
static double *attend(struct work *work, const struct exact_shape *shape,
                      const struct exact_weights *weights, const double *x)
{
    struct exact_pass pass;
    double *output = take(work, work->n_token * work->d);
    if (!output || exact_pass_create(&pass, shape, NULL) != STATUS_OK) {
        work->arena.failed = true;
        return NULL;
    }
    exact_attention(shape, weights, x, &pass);
    memcpy(output, pass.output, work->n_token * work->d * sizeof *output);
    exact_pass_free(&pass);
    return output;
}

/* largest_difference returns max |a - b| / max |b|, NaN if any is. */
static double largest_difference(const double *a, const double *b, size_t n)
{
    double difference = 0.0, scale = 0.0;
    for (size_t i = 0; a && b && i < n; i++) {
        double here = fabs(a[i] - b[i]);
        difference = isnan(here) || here > difference ? here : difference;
        scale = fmax(scale, fabs(b[i]));
        if (isnan(difference)) {
            return NAN;
        }
    }
    return difference / scale;
}

static double output_difference(const struct work *work, const double *a, const double *b)
{
    return largest_difference(a, b, work->n_token * work->d);
}

/* ---- a projection eliminated by a change of basis ---- */

/* divided returns a new b w^-1, both [d,d]. */
static double *divided(struct work *work, const double *b, const double *w)
{
    size_t n = work->d * work->d;
    double *result = take(work, n), *copy = take(work, n);
    if (!result || !copy) {
        return NULL;
    }
    memcpy(result, b, n * sizeof *result);
    memcpy(copy, w, n * sizeof *copy);
    if (!dense_divide_right(work->d, result, copy)) {
        result[0] = NAN;
    }
    return result;
}

/* condition_of returns |W| |W^-1| in Frobenius norms, at least the usual condition number. */
static double condition_of(struct work *work, const double *w)
{
    size_t n = work->d * work->d;
    double *unit = take(work, n);
    if (!unit) {
        return NAN;
    }
    dense_identity(unit, work->d);
    const double *inverse = divided(work, unit, w);
    return inverse ? dense_norm(w, n) * dense_norm(inverse, n) : NAN;
}

/* Replaces X by X W and W, the projection of one role, by I; the other two follow. The row says
 * which role, and the condition of its W unless that is as drawn. */
static void measure_eliminated(struct work *work, struct identity_result *result)
{
    size_t d = work->d;
    enum role role = work->identity->role;
    double wanted = work->identity->condition;
    struct exact_shape shape = plain_shape(work);
    struct exact_weights weights = draw_weights(work), changed = weights, unchanged = weights;
    double *x = draw_input(work), *moved = take(work, work->n_token * d);
    double *unit = take(work, d * d), *scratch = take(work, 2 * d * d), *w = weights.role[role];
    if (work->arena.failed) {
        return;
    }
    if (wanted > 0) {
        uint64_t seed = work->options->seed;
        dense_random_condition(d, wanted, rng_make(seed, "identities/left"),
                               rng_make(seed, "identities/right"), scratch, w);
    }
    result->condition = wanted > 0 ? wanted : condition_of(work, w);
    for (int other = 0; other < ROLE_COUNT; other++) {
        changed.role[other] = divided(work, weights.role[other], w);
    }
    if (work->arena.failed) {
        return;
    }
    dense_product_transposed(work->n_token, d, d, x, w, moved);
    dense_identity(unit, d);
    changed.role[role] = unchanged.role[role] = role == ROLE_Q ? NULL : unit;
    const double *expected = attend(work, &shape, &weights, x);
    result->error = output_difference(work, attend(work, &shape, &changed, moved), expected);
    if (wanted == 0) {
        result->control =
            output_difference(work, attend(work, &shape, &unchanged, moved), expected);
    }
}

/* ---- the + of paper A ---- */

static double sum_of(const double *value, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += value[i];
    }
    return sum;
}

/* The right side is the score term key_bias with W_Q multiplied by the temperature. */
static void measure_position2d(struct work *work, struct identity_result *result)
{
    size_t d = work->d, m = work->options->pos_dim;
    const double *x = draw_input(work);
    struct exact_shape shape = plain_shape(work);
    struct exact_weights weights = draw_weights(work), scaled = weights;
    weights.pos_w = scaled.pos_w = draw(work, "pos_w", m, 0.5);
    weights.pos_b = draw(work, "pos_b", 1, 1.0);
    scaled.role[ROLE_Q] = take(work, d * d);
    if (work->arena.failed) {
        return;
    }
    double temperature = sum_of(weights.pos_w, m);
    for (size_t i = 0; i < d * d; i++) {
        scaled.role[ROLE_Q][i] = temperature * weights.role[ROLE_Q][i];
    }
    shape.score_term = SCORE_POSITION2D;
    const double *expected = attend(work, &shape, &weights, x);
    shape.score_term = SCORE_KEY_BIAS;
    result->error = output_difference(work, attend(work, &shape, &scaled, x), expected);
    shape.score_term = SCORE_NONE;
    result->control = output_difference(work, attend(work, &shape, &scaled, x), expected);
}

/* In units of the largest gradient of w, or of that of the output where a saturated softmax lets
 * nothing through. The control is the gradient of the last of w, a column channel. */
static void measure_bias(struct work *work, struct identity_result *result)
{
    size_t m = work->options->pos_dim;
    const double *x = draw_input(work);
    const double *d_output = draw(work, "d_output", work->n_token * work->d, 1.0);
    struct exact_shape shape = plain_shape(work);
    struct exact_weights weights = draw_weights(work);
    struct exact_pass pass;
    shape.score_term = SCORE_POSITION2D;
    weights.pos_w = draw(work, "pos_w", m, 0.5);
    weights.pos_b = draw(work, "pos_b", 1, 1.0);
    double *d_pos_w = take(work, m), *d_pos_b = take(work, 1);
    if (work->arena.failed || exact_pass_create(&pass, &shape, NULL) != STATUS_OK) {
        work->arena.failed = true;
        return;
    }
    exact_attention(&shape, &weights, x, &pass);
    exact_position_gradient(&shape, &weights, d_output, &pass, d_pos_w, d_pos_b);
    double largest = 1.0;
    for (size_t c = 0; c < m; c++) {
        largest = fmax(largest, fabs(d_pos_w[c]));
    }
    result->error = fabs(d_pos_b[0]) / largest;
    result->control = fabs(d_pos_w[m - 1]) / largest;
    exact_pass_free(&pass);
}

/* ---- shared projections ---- */

/* outside_hull returns how far the heads are from being convex combinations of the keys, with the
 * attention as the weights: none negative, each row of sum 1, and the head reproduced. */
static double outside_hull(const struct exact_shape *shape, const struct exact_pass *pass)
{
    size_t n_token = shape->n_token, d = shape->n_embd, width = d / shape->n_head;
    double worst = 0.0, scale = 0.0;
    for (size_t row = 0; row < shape->n_head * n_token; row++) {
        const double *attention = pass->attention + row * n_token;
        size_t column = row / n_token * width;
        double sum = sum_of(attention, n_token);
        worst = fmax(worst, fabs(sum - 1.0));
        for (size_t c = column; c < column + width; c++) {
            double combined = 0.0;
            for (size_t j = 0; j < n_token; j++) {
                worst = fmax(worst, -attention[j]);
                combined += attention[j] * pass->key[j * d + c];
                scale = fmax(scale, fabs(pass->key[j * d + c]));
            }
            worst = fmax(worst, fabs(combined - pass->heads[row % n_token * d + c]) / scale);
        }
    }
    return worst;
}

/* above_diagonal returns how far a score exceeds the larger of its two diagonal ones. */
static double above_diagonal(const struct exact_shape *shape, const struct exact_pass *pass)
{
    size_t n = shape->n_token;
    double worst = 0.0, scale = 0.0;
    for (size_t h = 0; h < shape->n_head; h++) {
        const double *score = pass->product + h * n * n;
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                double diagonal = fmax(score[i * n + i], score[j * n + j]);
                worst = fmax(worst, score[i * n + j] - diagonal);
                scale = fmax(scale, fabs(score[i * n + j]));
            }
        }
    }
    return worst / scale;
}

typedef double look(const struct exact_shape *, const struct exact_pass *);

/* measure_shared looks at an attention whose two roles share a projection, then at one where they
 * do not. */
static void measure_shared(struct work *work, enum role first, enum role second, look *look_at,
                           struct identity_result *result)
{
    const double *x = draw_input(work);
    struct exact_shape shape = plain_shape(work);
    struct exact_weights apart = draw_weights(work), shared = apart;
    struct exact_pass pass;
    shared.role[second] = shared.role[first];
    if (work->arena.failed || exact_pass_create(&pass, &shape, NULL) != STATUS_OK) {
        work->arena.failed = true;
        return;
    }
    exact_attention(&shape, &shared, x, &pass);
    result->error = look_at(&shape, &pass);
    exact_attention(&shape, &apart, x, &pass);
    result->control = look_at(&shape, &pass);
    exact_pass_free(&pass);
}

static void measure_hull(struct work *work, struct identity_result *result)
{
    measure_shared(work, ROLE_K, ROLE_V, outside_hull, result);
}

static void measure_gram(struct work *work, struct identity_result *result)
{
    measure_shared(work, ROLE_Q, ROLE_K, above_diagonal, result);
}

/* ---- heads, and queries of several factors ---- */

static size_t largest_proper_divisor(size_t n)
{
    size_t divisor = n > 1 ? n / 2 : 1;
    while (n % divisor != 0) {
        divisor--;
    }
    return divisor;
}

/* The grouped keys and values are the first G blocks of rows of the drawn ones, which have H. */
static void measure_gqa(struct work *work, struct identity_result *result)
{
    size_t n_head = work->options->n_head, block = work->d / n_head * work->d;
    const double *x = draw_input(work);
    struct exact_shape grouped = plain_shape(work), shape = grouped;
    struct exact_weights weights = draw_weights(work), repeated = weights;
    grouped.n_kv_head = largest_proper_divisor(n_head);
    for (int role = ROLE_K; role <= ROLE_V; role++) {
        repeated.role[role] = take(work, work->d * work->d);
    }
    if (work->arena.failed) {
        return;
    }
    for (int role = ROLE_K; role <= ROLE_V; role++) {
        for (size_t h = 0; h < n_head; h++) {
            memcpy(repeated.role[role] + h * block,
                   weights.role[role] + h / (n_head / grouped.n_kv_head) * block,
                   block * sizeof(double));
        }
    }
    const double *expected = attend(work, &grouped, &weights, x);
    result->error = output_difference(work, attend(work, &shape, &repeated, x), expected);
    if (n_head > 1) {
        result->control = output_difference(work, attend(work, &shape, &weights, x), expected);
    }
}

/* The left side takes two steps from X to the query, the right side one. */
static void measure_composed(struct work *work, struct identity_result *result)
{
    size_t d = work->d, n_token = work->n_token;
    const double *x = draw_input(work);
    double *first = draw_projection(work, "q1"), *second = draw_projection(work, "q2");
    double *fused = take(work, d * d), *half = take(work, n_token * d);
    double *query = take(work, n_token * d), *direct = take(work, n_token * d);
    if (work->arena.failed) {
        return;
    }
    dense_product_transposed(n_token, d, d, x, first, half);
    dense_product_transposed(n_token, d, d, half, second, query);
    dense_product(d, d, d, second, first, fused);
    dense_product_transposed(n_token, d, d, x, fused, direct);
    result->error = output_difference(work, direct, query);
    result->control = output_difference(work, half, query);
}

/* ---- the list ---- */

#define CONDITION_WHY "Rounding grows with the condition of the inverted W_Q."

static const struct identity IDENTITIES[] = {
    {"W_Q eliminated", "MHA(X; W_Q, W_K, W_V) = MHA(X W_Q; I, W_Q^-1 W_K, W_Q^-1 W_V)",
     "A change of basis of X absorbs an invertible projection; any one of them, not two.",
     measure_eliminated, ROLE_Q},
    {"W_K eliminated", "MHA(X; W_Q, W_K, W_V) = MHA(X W_K; W_K^-1 W_Q, I, W_K^-1 W_V)",
     "The same with the keys as the new basis.", measure_eliminated, ROLE_K},
    {"W_V eliminated", "MHA(X; W_Q, W_K, W_V) = MHA(X W_V; W_V^-1 W_Q, W_V^-1 W_K, I)",
     "The same with the values as the new basis.", measure_eliminated, ROLE_V},
    {"position2d", "softmax_j(S_ij sum(w) + P_ij w + b) = softmax_j(a S_ij + c_j)",
     "What is constant along a row cancels in the softmax: the + is a temperature and a bias of "
     "each key.",
     measure_position2d},
    {"bias b", "dL/db = 0",
     "b shifts whole rows of scores, which the softmax does not see: it never learns.",
     measure_bias},
    {"K=V", "O_i = sum_j A_ij K_j with A_ij >= 0 and sum_j A_ij = 1",
     "With the keys as values every output is a convex combination of the keys and stays inside "
     "their hull.",
     measure_hull},
    {"Q=K", "S_ij <= max(S_ii, S_jj)",
     "The scores are a Gram matrix: two positions cannot prefer each other to themselves.",
     measure_gram},
    {"GQA", "GQA(W_K, W_V) = MHA(W_K repeated, W_V repeated)",
     "Query heads that share a key-value head are plain heads with equal blocks of W_K and W_V.",
     measure_gqa},
    {"composed query", "(X W_Q1) W_Q2 = X (W_Q1 W_Q2)",
     "Linear queries of any depth are one W_Q; only a non-linear map adds something.",
     measure_composed},
    {"cond(W_Q) 1", "W_Q eliminated, singular values all 1", CONDITION_WHY, measure_eliminated,
     ROLE_Q, 1},
    {"cond(W_Q) 1e3", "W_Q eliminated, singular values 1 to 1e-3", CONDITION_WHY,
     measure_eliminated, ROLE_Q, 1e3},
    {"cond(W_Q) 1e6", "W_Q eliminated, singular values 1 to 1e-6", CONDITION_WHY,
     measure_eliminated, ROLE_Q, 1e6},
    {"cond(W_Q) 1e9", "W_Q eliminated, singular values 1 to 1e-9", CONDITION_WHY,
     measure_eliminated, ROLE_Q, 1e9},
    {"cond(W_Q) 1e12", "W_Q eliminated, singular values 1 to 1e-12", CONDITION_WHY,
     measure_eliminated, ROLE_Q, 1e12},
};

enum status identities_check(const struct identities_options *options, struct error *err)
{
    const struct {
        const char *name;
        size_t value, least, most;
    } ranges[] = {
        {"n_embd", options->n_embd, 2, MAX_EMBD},
        {"seq_len", options->seq_len, 2, MAX_TOKEN},
        {"pos_dim", options->pos_dim, 2, MAX_POS_DIM},
        {"n_head", options->n_head, 1, options->n_embd},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (ranges[i].value < ranges[i].least || ranges[i].value > ranges[i].most) {
            return error_set(err, STATUS_USAGE, "%s: identities take %zu to %zu, found %zu",
                             ranges[i].name, ranges[i].least, ranges[i].most, ranges[i].value);
        }
    }
    if (options->n_embd % options->n_head != 0) {
        return error_set(err, STATUS_USAGE,
                         "n_embd %zu is no multiple of n_head %zu; n_embd %zu would work",
                         options->n_embd, options->n_head,
                         (options->n_embd / options->n_head + 1) * options->n_head);
    }
    return STATUS_OK;
}

size_t identities_count(void)
{
    return sizeof IDENTITIES / sizeof IDENTITIES[0];
}

enum status identities_measure(const struct identities_options *options, size_t i,
                               struct identity_result *result, struct error *err)
{
    const struct identity *identity = &IDENTITIES[i];
    size_t d = options->n_embd, n_token = options->seq_len;
    struct work work = {.options = options, .identity = identity, .d = d, .n_token = n_token};
    size_t n = MATRICES * (d * d + n_token * d) + 4 * MAX_POS_DIM;
    TRY(arena_create(&work.arena, (n + 1024) * sizeof(double), err));
    *result = (struct identity_result){.name = identity->name,
                                       .formula = identity->formula,
                                       .why = identity->why,
                                       .condition = NAN,
                                       .error = NAN,
                                       .control = NAN};
    identity->measure(&work, result);
    result->bound = rounding(d, n_token, result->condition);
    result->passed = result->error <= result->bound;
    bool failed = work.arena.failed;
    arena_free(&work.arena);
    return failed ? error_memory(err, "measuring identities of n_embd %zu, seq_len %zu", d, n_token)
                  : STATUS_OK;
}

/* Attention by loops over heads h, queries i, keys j and channels c. Slow on purpose: each line is
 * one formula.
 */
#include "nn/reference.h"

#include <math.h>
#include <string.h>

#include "nn/reference_ops.h"

/* ---- score terms ---- */

/* Channel c of sincos over n channels: sine in the even, cosine in the odd ones. */
static double sincos_channel(double position, size_t c, size_t n)
{
    double frequency = pow(10000.0, -(double)(c / 2 * 2) / (double)n);
    return c % 2 == 0 ? sin(position * frequency) : cos(position * frequency);
}

/* P_ijc: the first m/2 channels encode the row i, the others the column j. */
static double position2d_channel(size_t i, size_t j, size_t c, size_t m)
{
    size_t n_row_channel = m / 2;
    if (c < n_row_channel) {
        return sincos_channel((double)i, c, n_row_channel);
    }
    return sincos_channel((double)j, c - n_row_channel, m - n_row_channel);
}

static double encoding_channel(enum score_term term, size_t i, size_t j, size_t c, size_t m)
{
    switch (term) {
    case SCORE_POSITION2D:
        return position2d_channel(i, j, c, m);
    case SCORE_KEY_BIAS:
        return c < m / 2 ? 0.0 : position2d_channel(i, j, c, m);
    case SCORE_RELATIVE:
        return sincos_channel((double)i - (double)j, c, m);
    default:
        return 0.0;
    }
}

/* In these terms the sum of pos_w multiplies the score. */
static bool term_has_temperature(enum score_term term)
{
    return term == SCORE_POSITION2D || term == SCORE_TEMPERATURE || term == SCORE_RELATIVE;
}

static bool term_has_pos_w(enum score_term term)
{
    return term_has_temperature(term) || term == SCORE_KEY_BIAS;
}

/* The factor of the score: sum_c w_c, the learned scalar, or 1. */
static double term_factor(const struct reference_shape *shape,
                          const struct reference_weights *weights)
{
    if (shape->score_term == SCORE_TEMPERATURE_SCALAR) {
        return weights->score_scale[0];
    }
    if (!term_has_temperature(shape->score_term)) {
        return 1.0;
    }
    double sum = 0.0;
    for (size_t c = 0; c < shape->pos_dim; c++) {
        sum += weights->pos_w[c];
    }
    return sum;
}

/* S'_ij = S_ij factor + sum_c w_c encoding_ijc + b, as far as the term has these parts. */
static double term_apply(const struct reference_shape *shape,
                         const struct reference_weights *weights, const double *encoding,
                         double product)
{
    double score = product * term_factor(shape, weights);
    for (size_t c = 0; c < shape->pos_dim && term_has_pos_w(shape->score_term); c++) {
        score += weights->pos_w[c] * encoding[c];
    }
    if (shape->score_term == SCORE_POSITION2D) {
        score += weights->pos_b[0];
    }
    return score;
}

/* Adds the gradients of one score to the term's weights; returns that of the product. */
static double term_backward(const struct reference_shape *shape,
                            const struct reference_weights *weights, const double *encoding,
                            double product, double d_score,
                            const struct reference_weights *gradient)
{
    bool temperature = term_has_temperature(shape->score_term);
    for (size_t c = 0; c < shape->pos_dim && gradient->pos_w; c++) {
        gradient->pos_w[c] += d_score * (encoding[c] + (temperature ? product : 0.0));
    }
    if (gradient->pos_b) {
        gradient->pos_b[0] += d_score;
    }
    if (gradient->score_scale) {
        gradient->score_scale[0] += d_score * product;
    }
    return d_score * term_factor(shape, weights);
}

/* ---- memory ---- */

static double *take(struct arena *arena, size_t n)
{
    return arena_alloc(arena, n, sizeof(double));
}

static void pass_place(struct reference_pass *pass, const struct reference_shape *shape,
                       struct arena *arena)
{
    size_t n_query = shape->n_token * shape->n_embd;
    size_t n_key = n_query / shape->n_head * shape->n_kv_head;
    size_t n_pair = shape->n_token * shape->n_token;
    double **as_query[] = {&pass->query,      &pass->heads,       &pass->output,   &pass->raw_query,
                           &pass->normed,     &pass->mapped,      &pass->residual, &pass->d_query,
                           &pass->d_heads,    &pass->d_raw_query, &pass->d_normed, &pass->d_mapped,
                           &pass->d_residual, &pass->hidden,      &pass->active,   &pass->d_hidden,
                           &pass->d_active};
    double **as_key[] = {&pass->key,   &pass->value,   &pass->raw_key,
                         &pass->d_key, &pass->d_value, &pass->d_raw_key};
    for (size_t i = 0; i < sizeof(as_query) / sizeof(as_query[0]); i++) {
        *as_query[i] = take(arena, n_query);
    }
    for (size_t i = 0; i < sizeof(as_key) / sizeof(as_key[0]); i++) {
        *as_key[i] = take(arena, n_key);
    }
    pass->product = take(arena, shape->n_head * n_pair);
    pass->scores = take(arena, shape->n_head * n_pair);
    pass->attention = take(arena, shape->n_head * n_pair);
    pass->encoding = take(arena, n_pair * shape->pos_dim);
    pass->d_score_row = take(arena, shape->n_token);
}

enum status reference_pass_create(struct reference_pass *pass, const struct reference_shape *shape,
                                  struct error *err)
{
    struct arena measure = ARENA_MEASURE;
    *pass = (struct reference_pass){0};
    pass_place(pass, shape, &measure);
    enum status status = arena_create(&pass->arena, measure.used, err);
    if (status != STATUS_OK) {
        return status;
    }
    pass_place(pass, shape, &pass->arena);

    size_t m = shape->pos_dim;
    for (size_t i = 0; i < shape->n_token; i++) {
        for (size_t j = 0; j < shape->n_token; j++) {
            for (size_t c = 0; c < m; c++) {
                pass->encoding[(i * shape->n_token + j) * m + c] =
                    encoding_channel(shape->score_term, i, j, c, m);
            }
        }
    }
    return STATUS_OK;
}

void reference_pass_free(struct reference_pass *pass)
{
    arena_free(&pass->arena);
    *pass = (struct reference_pass){0};
}

/* ---- forward ---- */

static void query_forward(const struct reference_shape *shape,
                          const struct reference_weights *weights, const double *x,
                          struct reference_pass *pass)
{
    size_t n_token = shape->n_token, d = shape->n_embd;
    switch (shape->query) {
    case QUERY_LINEAR:
        reference_linear(x, weights->role[ROLE_Q], weights->bias[ROLE_Q], n_token, d, d,
                         pass->raw_query);
        break;
    case QUERY_RESIDUAL_MLP: /* Q = (X + f(X)) / 2 */
        reference_rms_norm(x, weights->norm_in, n_token, d, pass->normed);
        reference_linear(pass->normed, weights->fc1, NULL, n_token, d, d / 2, pass->hidden);
        reference_gelu(pass->hidden, n_token * (d / 2), pass->active);
        reference_linear(pass->active, weights->fc2, NULL, n_token, d / 2, d, pass->mapped);
        reference_layer_norm(pass->mapped, weights->norm_out, weights->norm_out_bias, n_token, d,
                             pass->residual);
        for (size_t i = 0; i < n_token * d; i++) {
            pass->raw_query[i] = 0.5 * (x[i] + pass->residual[i]);
        }
        break;
    default: /* QUERY_IDENTITY */
        memcpy(pass->raw_query, x, n_token * d * sizeof(double));
    }
}

static void softmax_row(const double *scores, size_t n, double *probability)
{
    double largest = -INFINITY, sum = 0.0;
    for (size_t j = 0; j < n; j++) {
        largest = fmax(largest, scores[j]);
    }
    for (size_t j = 0; j < n; j++) {
        probability[j] = exp(scores[j] - largest);
        sum += probability[j];
    }
    for (size_t j = 0; j < n; j++) {
        probability[j] /= sum;
    }
}

static double product_scale(const struct reference_shape *shape)
{
    return shape->score_scale / sqrt((double)(shape->n_embd / shape->n_head));
}

static void head_forward(const struct reference_shape *shape,
                         const struct reference_weights *weights, size_t h,
                         struct reference_pass *pass)
{
    size_t n_token = shape->n_token, d = shape->n_embd, width = d / shape->n_head;
    size_t kv_row = shape->n_kv_head * width;
    const double *q = pass->query + h * width;
    const double *k = pass->key + h / (shape->n_head / shape->n_kv_head) * width;
    const double *v = pass->value + h / (shape->n_head / shape->n_kv_head) * width;
    double *heads = pass->heads + h * width;

    for (size_t i = 0; i < n_token; i++) {
        double *product = pass->product + (h * n_token + i) * n_token;
        double *scores = pass->scores + (h * n_token + i) * n_token;
        double *attention = pass->attention + (h * n_token + i) * n_token;
        for (size_t j = 0; j < n_token; j++) {
            double dot = 0.0;
            for (size_t c = 0; c < width; c++) {
                dot += q[i * d + c] * k[j * kv_row + c];
            }
            product[j] = product_scale(shape) * dot;
            scores[j] = term_apply(shape, weights,
                                   pass->encoding + (i * n_token + j) * shape->pos_dim, product[j]);
            if (shape->causal && j > i) {
                scores[j] = -INFINITY;
            }
        }
        softmax_row(scores, n_token, attention);
        for (size_t c = 0; c < width; c++) {
            double sum = 0.0;
            for (size_t j = 0; j < n_token; j++) {
                sum += attention[j] * v[j * kv_row + c];
            }
            heads[i * d + c] = sum;
        }
    }
}

void reference_attention_forward(const struct reference_shape *shape,
                                 const struct reference_weights *weights, const double *x,
                                 struct reference_pass *pass)
{
    size_t n_token = shape->n_token, d = shape->n_embd, width = d / shape->n_head;
    size_t n_kv_head = shape->n_kv_head, kv_row = n_kv_head * width;

    query_forward(shape, weights, x, pass);
    reference_linear(x, weights->role[ROLE_K], weights->bias[ROLE_K], n_token, d, kv_row,
                     pass->raw_key);
    reference_linear(x, weights->role[ROLE_V], weights->bias[ROLE_V], n_token, d, kv_row,
                     pass->value);
    if (shape->qk_norm) {
        reference_rms_norm(pass->raw_query, weights->q_norm, n_token * shape->n_head, width,
                           pass->query);
        reference_rms_norm(pass->raw_key, weights->k_norm, n_token * n_kv_head, width, pass->key);
    } else {
        memcpy(pass->query, pass->raw_query, n_token * d * sizeof(double));
        memcpy(pass->key, pass->raw_key, n_token * kv_row * sizeof(double));
    }
    for (size_t h = 0; h < shape->n_head; h++) {
        head_forward(shape, weights, h, pass);
    }
    if (weights->out) {
        reference_linear(pass->heads, weights->out, weights->out_bias, n_token, d, d, pass->output);
    } else {
        memcpy(pass->output, pass->heads, n_token * d * sizeof(double));
    }
}

/* ---- backward ---- */

static void head_backward(const struct reference_shape *shape,
                          const struct reference_weights *weights, size_t h,
                          struct reference_pass *pass, const struct reference_weights *gradient)
{
    size_t n_token = shape->n_token, d = shape->n_embd, width = d / shape->n_head;
    size_t kv_row = shape->n_kv_head * width;
    size_t kv_offset = h / (shape->n_head / shape->n_kv_head) * width;
    double scale = product_scale(shape), *d_score = pass->d_score_row;

    for (size_t i = 0; i < n_token; i++) {
        const double *product = pass->product + (h * n_token + i) * n_token;
        const double *attention = pass->attention + (h * n_token + i) * n_token;
        const double *q = pass->query + i * d + h * width;
        const double *d_head = pass->d_heads + i * d + h * width;
        double *d_q = pass->d_query + i * d + h * width;

        /* values and softmax: d_score_j = A_j (d_A_j - sum_k A_k d_A_k) */
        double mean = 0.0;
        for (size_t j = 0; j < n_token; j++) {
            d_score[j] = 0.0;
            for (size_t c = 0; c < width; c++) {
                d_score[j] += d_head[c] * pass->value[j * kv_row + kv_offset + c];
                pass->d_value[j * kv_row + kv_offset + c] += attention[j] * d_head[c];
            }
            mean += attention[j] * d_score[j];
        }
        for (size_t j = 0; j < n_token; j++) {
            d_score[j] = attention[j] * (d_score[j] - mean);
        }

        for (size_t j = 0; j < n_token; j++) {
            const double *encoding = pass->encoding + (i * n_token + j) * shape->pos_dim;
            double d_product =
                term_backward(shape, weights, encoding, product[j], d_score[j], gradient);
            for (size_t c = 0; c < width; c++) {
                d_q[c] += scale * d_product * pass->key[j * kv_row + kv_offset + c];
                pass->d_key[j * kv_row + kv_offset + c] += scale * d_product * q[c];
            }
        }
    }
}

static void add(double *sum, const double *term, double factor, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        sum[i] += factor * term[i];
    }
}

static void query_backward(const struct reference_shape *shape,
                           const struct reference_weights *weights, const double *x,
                           struct reference_pass *pass, double *d_x,
                           const struct reference_weights *gradient)
{
    size_t n_token = shape->n_token, d = shape->n_embd;
    switch (shape->query) {
    case QUERY_LINEAR:
        reference_linear_backward(x, weights->role[ROLE_Q], pass->d_raw_query, n_token, d, d, d_x,
                                  gradient->role[ROLE_Q], gradient->bias[ROLE_Q]);
        break;
    case QUERY_RESIDUAL_MLP:
        add(pass->d_residual, pass->d_raw_query, 0.5, n_token * d);
        reference_layer_norm_backward(pass->mapped, weights->norm_out, pass->d_residual, n_token, d,
                                      pass->d_mapped, gradient->norm_out, gradient->norm_out_bias);
        reference_linear_backward(pass->active, weights->fc2, pass->d_mapped, n_token, d / 2, d,
                                  pass->d_active, gradient->fc2, NULL);
        reference_gelu_backward(pass->hidden, pass->d_active, n_token * (d / 2), pass->d_hidden);
        reference_linear_backward(pass->normed, weights->fc1, pass->d_hidden, n_token, d, d / 2,
                                  pass->d_normed, gradient->fc1, NULL);
        reference_rms_norm_backward(x, weights->norm_in, pass->d_normed, n_token, d, d_x,
                                    gradient->norm_in);
        if (d_x) {
            add(d_x, pass->d_raw_query, 0.5, n_token * d);
        }
        break;
    default: /* QUERY_IDENTITY */
        if (d_x) {
            add(d_x, pass->d_raw_query, 1.0, n_token * d);
        }
    }
}

static void pass_clear_gradients(const struct reference_shape *shape, struct reference_pass *pass)
{
    size_t n_query = shape->n_token * shape->n_embd;
    size_t n_key = n_query / shape->n_head * shape->n_kv_head;
    double *as_query[] = {pass->d_query,  pass->d_raw_query, pass->d_heads,  pass->d_normed,
                          pass->d_hidden, pass->d_active,    pass->d_mapped, pass->d_residual};
    double *as_key[] = {pass->d_key, pass->d_value, pass->d_raw_key};
    for (size_t i = 0; i < sizeof(as_query) / sizeof(as_query[0]); i++) {
        memset(as_query[i], 0, n_query * sizeof(double));
    }
    for (size_t i = 0; i < sizeof(as_key) / sizeof(as_key[0]); i++) {
        memset(as_key[i], 0, n_key * sizeof(double));
    }
}

void reference_attention_backward(const struct reference_shape *shape,
                                  const struct reference_weights *weights, const double *x,
                                  const double *d_output, struct reference_pass *pass, double *d_x,
                                  const struct reference_weights *gradient)
{
    size_t n_token = shape->n_token, d = shape->n_embd, width = d / shape->n_head;
    size_t n_kv_head = shape->n_kv_head, kv_row = n_kv_head * width;

    pass_clear_gradients(shape, pass);
    if (weights->out) {
        reference_linear_backward(pass->heads, weights->out, d_output, n_token, d, d, pass->d_heads,
                                  gradient->out, gradient->out_bias);
    } else {
        add(pass->d_heads, d_output, 1.0, n_token * d);
    }
    for (size_t h = 0; h < shape->n_head; h++) {
        head_backward(shape, weights, h, pass, gradient);
    }
    if (shape->qk_norm) {
        reference_rms_norm_backward(pass->raw_query, weights->q_norm, pass->d_query,
                                    n_token * shape->n_head, width, pass->d_raw_query,
                                    gradient->q_norm);
        reference_rms_norm_backward(pass->raw_key, weights->k_norm, pass->d_key,
                                    n_token * n_kv_head, width, pass->d_raw_key, gradient->k_norm);
    } else {
        add(pass->d_raw_query, pass->d_query, 1.0, n_token * d);
        add(pass->d_raw_key, pass->d_key, 1.0, n_token * kv_row);
    }
    query_backward(shape, weights, x, pass, d_x, gradient);
    reference_linear_backward(x, weights->role[ROLE_K], pass->d_raw_key, n_token, d, kv_row, d_x,
                              gradient->role[ROLE_K], gradient->bias[ROLE_K]);
    reference_linear_backward(x, weights->role[ROLE_V], pass->d_value, n_token, d, kv_row, d_x,
                              gradient->role[ROLE_V], gradient->bias[ROLE_V]);
}

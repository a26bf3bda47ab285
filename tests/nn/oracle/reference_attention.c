/* Loops over heads h, queries i, keys j and channels c: each line is one formula, and gradients
 * follow by themselves. */
#include "reference_model.h"

#include <math.h>
#include <string.h>

#define LAYER_NORM_EPSILON 1e-5
#define RMS_NORM_EPSILON 1e-6

/* ---- layers ---- */

void reference_linear(struct tape *tape, const var *x, const var *w, const var *b, size_t n_row,
                      size_t n_in, size_t n_out, var *y)
{
    for (size_t r = 0; r < n_row; r++) {
        for (size_t o = 0; o < n_out; o++) {
            var product = tape_dot(tape, n_in, x + r * n_in, w + o * n_in, 1);
            y[r * n_out + o] = b ? tape_add(tape, product, b[o]) : product;
        }
    }
}

/* y = x / sqrt(mean of squares + epsilon) * w + b, of one row; b may be NULL. */
static void norm_row(struct tape *tape, const var *x, const var *w, const var *b, size_t width,
                     double epsilon, var *y)
{
    const double share = 1.0 / (double)width;
    var squares = tape_dot(tape, width, x, x, 1);
    var mean = tape_add(tape, tape_sum(tape, 1, &share, &squares), tape_number(tape, epsilon));
    var inverse = tape_power(tape, mean, -0.5);
    for (size_t i = 0; i < width; i++) {
        y[i] = tape_multiply(tape, tape_multiply(tape, x[i], inverse), w[i]);
        y[i] = b ? tape_add(tape, y[i], b[i]) : y[i];
    }
}

void reference_layer_norm(struct tape *tape, const var *x, const var *w, const var *b, size_t n_row,
                          size_t width, var *y)
{
    for (size_t r = 0; r < n_row; r++, x += width, y += width) {
        const double minus_share = -1.0 / (double)width;
        var sum = tape_sum(tape, width, NULL, x), centred[width];
        var minus_mean = tape_sum(tape, 1, &minus_share, &sum);
        for (size_t i = 0; i < width; i++) {
            centred[i] = tape_add(tape, x[i], minus_mean);
        }
        norm_row(tape, centred, w, b, width, LAYER_NORM_EPSILON, y);
    }
}

static void rms_norm(struct tape *tape, const var *x, const var *w, size_t n_row, size_t width,
                     var *y)
{
    for (size_t r = 0; r < n_row; r++) {
        norm_row(tape, x + r * width, w, NULL, width, RMS_NORM_EPSILON, y + r * width);
    }
}

double reference_softmax(struct tape *tape, const var *x, size_t n, var *e, var *sum)
{
    double largest = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, tape_value(tape, x[i]));
    }
    for (size_t i = 0; i < n; i++) {
        e[i] = tape_exp(tape, x[i], largest);
    }
    *sum = tape_sum(tape, n, NULL, e);
    return largest;
}

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

/* What w_c multiplies beside the score. */
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

/* S'_ij = S_ij factor + sum_c w_c encoding_ijc + b, as far as the term has these parts. */
static var term_apply(struct tape *tape, const struct reference_shape *shape,
                      const struct reference_weights *weights, size_t i, size_t j, var product)
{
    enum score_term term = shape->score_term;
    size_t m = shape->pos_dim;
    double encoding[m + 1];
    var score = product;
    if (term == SCORE_NONE) {
        return product;
    }
    if (term == SCORE_TEMPERATURE_SCALAR) {
        return tape_multiply(tape, product, weights->score_scale[0]);
    }
    if (term != SCORE_KEY_BIAS) {
        score = tape_multiply(tape, product, tape_sum(tape, m, NULL, weights->pos_w));
    }
    for (size_t c = 0; c < m; c++) {
        encoding[c] = encoding_channel(term, i, j, c, m);
    }
    score = tape_add(tape, score, tape_sum(tape, m, encoding, weights->pos_w));
    return term == SCORE_POSITION2D ? tape_add(tape, score, weights->pos_b[0]) : score;
}

/* ---- attention ---- */

static void make_query(struct tape *tape, const struct reference_shape *shape,
                       const struct reference_weights *weights, const var *x, var *query)
{
    size_t n_token = shape->n_token, d = shape->n_embd, n_hidden = n_token * (d / 2);
    if (shape->query == QUERY_LINEAR) {
        reference_linear(tape, x, weights->role[ROLE_Q], weights->bias[ROLE_Q], n_token, d, d,
                         query);
    } else if (shape->query == QUERY_IDENTITY) {
        memcpy(query, x, n_token * d * sizeof *x);
    } else { /* Q = (X + f(X)) / 2 */
        var normed[n_token * d], hidden[n_hidden + 1], mapped[n_token * d];
        rms_norm(tape, x, weights->norm_in, n_token, d, normed);
        reference_linear(tape, normed, weights->fc1, NULL, n_token, d, d / 2, hidden);
        for (size_t i = 0; i < n_hidden; i++) {
            hidden[i] = tape_gelu(tape, hidden[i]);
        }
        reference_linear(tape, hidden, weights->fc2, NULL, n_token, d / 2, d, mapped);
        reference_layer_norm(tape, mapped, weights->norm_out, weights->norm_out_bias, n_token, d,
                             mapped);
        for (size_t i = 0; i < n_token * d; i++) {
            const double halves[2] = {0.5, 0.5};
            query[i] = tape_sum(tape, 2, halves, (var[]){x[i], mapped[i]});
        }
    }
}

/* One query of one head: q [D], k and v [T] rows of kv_row numbers, head [D]. */
static void attend(struct tape *tape, const struct reference_shape *shape,
                   const struct reference_weights *weights, size_t h, size_t i, const var *q,
                   const var *k, const var *v, const struct reference_maps *maps, var *head)
{
    size_t n_token = shape->n_token, width = shape->n_embd / shape->n_head;
    size_t kv_row = shape->n_kv_head * width, n_seen = shape->causal ? i + 1 : n_token;
    const double scale = shape->score_scale / sqrt((double)width);
    var score[n_token], attention[n_token], sum;
    double *product_row = maps->product + (h * n_token + i) * n_token;
    double *score_row = maps->scores + (h * n_token + i) * n_token;
    double *attention_row = maps->attention + (h * n_token + i) * n_token;
    for (size_t j = 0; j < n_token; j++) {
        var dot = tape_dot(tape, width, q, k + j * kv_row, 1);
        var product = tape_sum(tape, 1, &scale, &dot);
        score[j] = term_apply(tape, shape, weights, i, j, product);
        product_row[j] = tape_value(tape, product);
        score_row[j] = j < n_seen ? tape_value(tape, score[j]) : -INFINITY;
        attention_row[j] = 0.0;
    }
    reference_softmax(tape, score, n_seen, attention, &sum);
    var inverse = tape_power(tape, sum, -1.0);
    for (size_t j = 0; j < n_seen; j++) {
        attention[j] = tape_multiply(tape, attention[j], inverse);
        attention_row[j] = tape_value(tape, attention[j]);
    }
    for (size_t c = 0; c < width; c++) {
        head[c] = tape_dot(tape, n_seen, attention, v + c, kv_row);
    }
}

void reference_attention(struct tape *tape, const struct reference_shape *shape,
                         const struct reference_weights *weights, const var *x,
                         const struct reference_maps *maps, var *output)
{
    size_t n_token = shape->n_token, d = shape->n_embd, width = d / shape->n_head;
    size_t n_kv_head = shape->n_kv_head, kv_row = n_kv_head * width;
    var query[n_token * d], key[n_token * kv_row], value[n_token * kv_row], heads[n_token * d];
    make_query(tape, shape, weights, x, query);
    reference_linear(tape, x, weights->role[ROLE_K], weights->bias[ROLE_K], n_token, d, kv_row,
                     key);
    reference_linear(tape, x, weights->role[ROLE_V], weights->bias[ROLE_V], n_token, d, kv_row,
                     value);
    if (shape->qk_norm) {
        rms_norm(tape, query, weights->q_norm, n_token * shape->n_head, width, query);
        rms_norm(tape, key, weights->k_norm, n_token * n_kv_head, width, key);
    }
    for (size_t h = 0; h < shape->n_head; h++) {
        size_t kv_at = h / (shape->n_head / n_kv_head) * width;
        for (size_t i = 0; i < n_token; i++) {
            size_t at = i * d + h * width;
            attend(tape, shape, weights, h, i, query + at, key + kv_at, value + kv_at, maps,
                   heads + at);
        }
    }
    if (weights->out) {
        reference_linear(tape, heads, weights->out, weights->out_bias, n_token, d, d, output);
    } else {
        memcpy(output, heads, n_token * d * sizeof *heads);
    }
}

/* Loops over heads h, queries i, keys j and channels c. Slow on purpose: each line is one formula.
 */
#include "nn/exact.h"

#include <math.h>
#include <string.h>

#include "nn/dense.h"

/* Channel c of sincos over n channels: sine in the even, cosine in the odd ones. */
static double sincos_channel(double position, size_t c, size_t n)
{
    double frequency = pow(10000.0, -(double)(c / 2 * 2) / (double)n);
    return c % 2 == 0 ? sin(position * frequency) : cos(position * frequency);
}

static void place(struct exact_pass *pass, const struct exact_shape *shape, struct arena *arena)
{
    size_t n_query = shape->n_token * shape->n_embd;
    size_t n_key = n_query / shape->n_head * shape->n_kv_head;
    size_t n_map = shape->n_head * shape->n_token * shape->n_token;
    const struct {
        double **at;
        size_t n;
    } arrays[] = {{&pass->query, n_query},   {&pass->key, n_key},
                  {&pass->value, n_key},     {&pass->product, n_map},
                  {&pass->attention, n_map}, {&pass->heads, n_query},
                  {&pass->output, n_query},  {&pass->encoding, shape->n_token * shape->pos_dim}};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        *arrays[i].at = arena_alloc(arena, arrays[i].n, sizeof(double));
    }
}

enum status exact_pass_create(struct exact_pass *pass, const struct exact_shape *shape,
                              struct error *err)
{
    struct arena measure = ARENA_MEASURE;
    *pass = (struct exact_pass){0};
    place(pass, shape, &measure);
    TRY(arena_create(&pass->arena, measure.used, err));
    place(pass, shape, &pass->arena);
    size_t m = shape->pos_dim, n_row = m / 2;
    for (size_t t = 0; t < shape->n_token; t++) {
        for (size_t c = 0; c < m; c++) {
            pass->encoding[t * m + c] = c < n_row ? sincos_channel((double)t, c, n_row)
                                                  : sincos_channel((double)t, c - n_row, m - n_row);
        }
    }
    return STATUS_OK;
}

void exact_pass_free(struct exact_pass *pass)
{
    arena_free(&pass->arena);
    *pass = (struct exact_pass){0};
}

/* P_ijc: the first m/2 channels encode the row i, the others the column j. */
static double encoding_at(const struct exact_shape *shape, const struct exact_pass *pass, size_t i,
                          size_t j, size_t c)
{
    size_t m = shape->pos_dim;
    return pass->encoding[(c < m / 2 ? i : j) * m + c];
}

/* S'_ij of a product S_ij: S_ij sum_c w_c + sum_c w_c P_ijc + b, or S_ij + the sum over columns. */
static double score_of(const struct exact_shape *shape, const struct exact_weights *weights,
                       const struct exact_pass *pass, size_t i, size_t j, double product)
{
    bool position2d = shape->score_term == SCORE_POSITION2D;
    size_t m = shape->pos_dim;
    if (shape->score_term == SCORE_NONE) {
        return product;
    }
    double factor = position2d ? 0.0 : 1.0;
    for (size_t c = 0; c < m && position2d; c++) {
        factor += weights->pos_w[c];
    }
    double score = product * factor;
    for (size_t c = position2d ? 0 : m / 2; c < m; c++) {
        score += weights->pos_w[c] * encoding_at(shape, pass, i, j, c);
    }
    return position2d ? score + weights->pos_b[0] : score;
}

static void softmax_row(size_t n, double *row)
{
    double largest = -INFINITY, sum = 0.0;
    for (size_t j = 0; j < n; j++) {
        largest = fmax(largest, row[j]);
    }
    for (size_t j = 0; j < n; j++) {
        row[j] = exp(row[j] - largest);
        sum += row[j];
    }
    for (size_t j = 0; j < n; j++) {
        row[j] /= sum;
    }
}

static void attend_head(const struct exact_shape *shape, const struct exact_weights *weights,
                        size_t h, struct exact_pass *pass)
{
    size_t n_token = shape->n_token, d = shape->n_embd, width = d / shape->n_head;
    size_t kv_row = shape->n_kv_head * width;
    size_t kv_at = h / (shape->n_head / shape->n_kv_head) * width;
    double scale = 1.0 / sqrt((double)width);
    for (size_t i = 0; i < n_token; i++) {
        double *product = pass->product + (h * n_token + i) * n_token;
        double *attention = pass->attention + (h * n_token + i) * n_token;
        for (size_t j = 0; j < n_token; j++) {
            double dot = 0.0;
            for (size_t c = 0; c < width; c++) {
                dot += pass->query[i * d + h * width + c] * pass->key[j * kv_row + kv_at + c];
            }
            product[j] = scale * dot;
            attention[j] = score_of(shape, weights, pass, i, j, product[j]);
        }
        softmax_row(n_token, attention);
        for (size_t c = 0; c < width; c++) {
            double sum = 0.0;
            for (size_t j = 0; j < n_token; j++) {
                sum += attention[j] * pass->value[j * kv_row + kv_at + c];
            }
            pass->heads[i * d + h * width + c] = sum;
        }
    }
}

void exact_attention(const struct exact_shape *shape, const struct exact_weights *weights,
                     const double *x, struct exact_pass *pass)
{
    size_t n_token = shape->n_token, d = shape->n_embd;
    size_t kv_row = shape->n_kv_head * (d / shape->n_head);
    if (weights->role[ROLE_Q]) {
        dense_product_transposed(n_token, d, d, x, weights->role[ROLE_Q], pass->query);
    } else {
        memcpy(pass->query, x, n_token * d * sizeof *x);
    }
    dense_product_transposed(n_token, d, kv_row, x, weights->role[ROLE_K], pass->key);
    dense_product_transposed(n_token, d, kv_row, x, weights->role[ROLE_V], pass->value);
    for (size_t h = 0; h < shape->n_head; h++) {
        attend_head(shape, weights, h, pass);
    }
    dense_product_transposed(n_token, d, d, pass->heads, weights->out, pass->output);
}

void exact_position_gradient(const struct exact_shape *shape, const struct exact_weights *weights,
                             const double *d_output, struct exact_pass *pass, double *d_pos_w,
                             double *d_pos_b)
{
    size_t n_token = shape->n_token, d = shape->n_embd, width = d / shape->n_head;
    size_t kv_row = shape->n_kv_head * width;
    double *d_heads = pass->heads;
    dense_product(n_token, d, d, d_output, weights->out, d_heads);
    for (size_t row = 0; row < shape->n_head * n_token; row++) {
        size_t h = row / n_token, i = row % n_token;
        size_t kv_at = h / (shape->n_head / shape->n_kv_head) * width;
        const double *product = pass->product + row * n_token;
        const double *attention = pass->attention + row * n_token;
        double *d_attention = pass->output; /* [T] of T d >= T numbers */
        double mean = 0.0;
        for (size_t j = 0; j < n_token; j++) {
            d_attention[j] = 0.0;
            for (size_t c = 0; c < width; c++) {
                d_attention[j] +=
                    d_heads[i * d + h * width + c] * pass->value[j * kv_row + kv_at + c];
            }
            mean += attention[j] * d_attention[j];
        }
        for (size_t j = 0; j < n_token; j++) {
            double d_score = attention[j] * (d_attention[j] - mean); /* through the softmax */
            for (size_t c = 0; c < shape->pos_dim; c++) {
                d_pos_w[c] += d_score * (encoding_at(shape, pass, i, j, c) + product[j]);
            }
            d_pos_b[0] += d_score;
        }
    }
}

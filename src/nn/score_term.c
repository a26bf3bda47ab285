#include "nn/score_term.h"

#include <math.h>
#include <string.h>

#include "nn/activations.h"

/* The weights w come first. */
static const struct score_tensor tensors[SCORE_TERM_COUNT][SCORE_MAX_TENSOR] = {
    [SCORE_POSITION2D] = {{"attn.pos_w", false, INIT_NORMAL, 0.02, false},
                          {"attn.pos_b", true, INIT_ZERO, 0, true}},
    [SCORE_TEMPERATURE] = {{"attn.pos_w", false, INIT_NORMAL, 0.02, false}},
    [SCORE_KEY_BIAS] = {{"attn.pos_w", false, INIT_NORMAL, 0.02, false}},
    [SCORE_RELATIVE] = {{"attn.pos_w", false, INIT_NORMAL, 0.02, false}},
    [SCORE_TEMPERATURE_SCALAR] = {{"attn.score_scale", true, INIT_ONE, 0, false}},
};

const struct score_tensor *score_term_tensor(enum score_term term, size_t i)
{
    return i < SCORE_MAX_TENSOR && tensors[term][i].name ? &tensors[term][i] : NULL;
}

static void fill_sincos(double position, size_t n_channel, double *channel)
{
    for (size_t c = 0; c < n_channel; c++) {
        double frequency = pow(10000.0, -(double)(c - c % 2) / (double)n_channel);
        channel[c] = c % 2 == 0 ? sin(position * frequency) : cos(position * frequency);
    }
}

void score_tables_place(enum score_term term, size_t n_token, size_t pos_dim, struct arena *arena,
                        struct score_tables *tables)
{
    size_t n_row = pos_dim / 2, n_column = pos_dim - pos_dim / 2, n_shift = 2 * n_token - 1;
    *tables = (struct score_tables){.n_token = n_token, .pos_dim = pos_dim};
    if (term == SCORE_POSITION2D) {
        tables->row = arena_alloc(arena, n_token * n_row, sizeof(double));
    }
    if (term == SCORE_POSITION2D || term == SCORE_KEY_BIAS) {
        tables->column = arena_alloc(arena, n_token * n_column, sizeof(double));
    }
    if (term == SCORE_RELATIVE) {
        tables->relative = arena_alloc(arena, n_shift * pos_dim, sizeof(double));
    }
    for (size_t i = 0; i < n_token; i++) {
        if (tables->row != NULL) {
            fill_sincos((double)i, n_row, tables->row + i * n_row);
        }
        if (tables->column != NULL) {
            fill_sincos((double)i, n_column, tables->column + i * n_column);
        }
    }
    for (size_t s = 0; tables->relative != NULL && s < n_shift; s++) {
        fill_sincos((double)s - (double)(n_token - 1), pos_dim, tables->relative + s * pos_dim);
    }
}

static double weighted_sum(const double *channel, const float *w, size_t n_channel)
{
    double sum = 0.0;
    for (size_t c = 0; c < n_channel; c++) {
        sum += (channel == NULL ? 1.0 : channel[c]) * (double)w[c];
    }
    return sum;
}

/* matrix_entry is B_ij. */
static double matrix_entry(enum score_term term, const struct score_tables *tables, const float *w,
                           double b, size_t i, size_t j)
{
    size_t m = tables->pos_dim, n_row = m / 2, n_column = m - m / 2;
    double column = 0.0;
    if (tables->column != NULL) {
        column = weighted_sum(tables->column + j * n_column, w + n_row, n_column);
    }
    switch (term) {
    case SCORE_POSITION2D:
        return weighted_sum(tables->row + i * n_row, w, n_row) + column + b;
    case SCORE_KEY_BIAS:
        return column;
    case SCORE_RELATIVE:
        return weighted_sum(tables->relative + (i + tables->n_token - 1 - j) * m, w, m);
    default:
        return 0.0;
    }
}

void score_term_prepare(const struct model *model, const float *param, size_t layer,
                        struct prepared *prepared)
{
    enum score_term term = model->shape.variant.score_term;
    const size_t *at = model->layout.block[layer].score;
    const struct score_tables *tables = &prepared->tables;
    struct prepared_block *block = &prepared->block[layer];
    block->multiplier = 1.0f;
    if (term == SCORE_NONE) {
        return;
    }
    const float *w = param + at[0];
    if (score_term_row(term)->has_multiplier) {
        bool is_scalar = tensors[term][0].is_scalar;
        block->multiplier = (float)weighted_sum(NULL, w, is_scalar ? 1 : tables->pos_dim);
    }
    if (!score_term_row(term)->has_matrix) {
        return;
    }
    double b = term == SCORE_POSITION2D ? (double)param[at[1]] : 0.0;
    size_t n = tables->n_token;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            block->matrix[i * n + j] = (float)matrix_entry(term, tables, w, b, i, j);
        }
    }
}

/* add_channels adds sum over rows r of weight[r] channel[r,c] to dw[c]. */
static void add_channels(const double *weight, const double *channel, size_t n_row,
                         size_t n_channel, float *dw)
{
    for (size_t c = 0; c < n_channel; c++) {
        double sum = 0.0;
        for (size_t r = 0; r < n_row; r++) {
            sum += weight[r] * channel[r * n_channel + c];
        }
        dw[c] += (float)sum;
    }
}

void score_term_gradient(const struct layer *layer, double d_multiplier)
{
    enum score_term term = layer->pass->model->shape.variant.score_term;
    const struct score_tables *tables = &layer->pass->prepared->tables;
    const struct activations *act = layer->pass->act;
    const double *d_matrix = act->d_matrix;
    double *scratch = act->shift_scratch;
    float *grad = layer->pass->grad;
    size_t n_token = act->n_token;
    size_t m = tables->pos_dim, n_row = m / 2, n_column = m - m / 2;
    if (term == SCORE_NONE) {
        return;
    }
    float *dw = grad + layer->at->score[0];
    size_t n_weight = tensors[term][0].is_scalar ? 1 : m;
    for (size_t c = 0; c < n_weight && score_term_row(term)->has_multiplier; c++) {
        dw[c] += (float)d_multiplier;
    }
    if (tables->column != NULL) {
        memset(scratch, 0, n_token * sizeof *scratch);
        for (size_t i = 0; i < n_token; i++) {
            for (size_t j = 0; j < n_token; j++) {
                scratch[j] += d_matrix[i * n_token + j];
            }
        }
        add_channels(scratch, tables->column, n_token, n_column, dw + n_row);
    }
    if (tables->relative != NULL) {
        size_t n_shift = 2 * n_token - 1;
        memset(scratch, 0, 2 * n_token * sizeof *scratch);
        for (size_t i = 0; i < n_token; i++) {
            for (size_t j = 0; j < n_token; j++) {
                scratch[i + n_token - 1 - j] += d_matrix[i * n_token + j];
            }
        }
        add_channels(scratch, tables->relative + (tables->n_token - n_token) * m, n_shift, m, dw);
    }
}

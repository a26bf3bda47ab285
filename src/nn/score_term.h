/* score_term: what happens to the scaled scores S before the softmax.
 *
 * Every term has the form S'_ij = a S_ij + B_ij, with a multiplier a and a matrix B that follow
 * from the layer's learned w [m] (and b), shared by heads and batch:
 *
 *     none                S'_ij = S_ij
 *     position2d          S'_ij = S_ij sum_c w_c + sum_c w_c P_ijc + b          (paper A's "+")
 *     temperature         S'_ij = S_ij sum_c w_c
 *     key_bias            S'_ij = S_ij + sum over column channels of w_c P_ijc
 *     relative            S'_ij = S_ij sum_c w_c + sum_c w_c sincos_m(i - j)_c
 *     temperature_scalar  S'_ij = S_ij a, a learned directly
 *
 * P_ijc: the first m/2 channels are sincos(i), the others sincos(j), where sincos over D channels
 * has channel 2k = sin(pos f_k), 2k+1 = cos(pos f_k), f_k = 10000^(-2k/D).
 * A new term is a row of SCORE_TERM_TABLE (variant.h); what it learns, its formula and its gradient
 * are in score_term.c.
 */
#ifndef QKVLAB_NN_SCORE_TERM_H
#define QKVLAB_NN_SCORE_TERM_H

#include <stddef.h>

#include "base/arena.h"
#include "nn/layout.h"
#include "nn/variant.h"

/* What a term learns in each layer: w [m] or one number. */
struct score_tensor {
    const char *name; /* behind the layer: "attn.pos_w" */
    bool is_scalar;
    enum init_law law;
    double scale; /* of its initial values */
    bool dead;    /* its true gradient is zero */
};

/* score_term_tensor returns the i-th, whose place is block_offsets.score[i]; NULL past the last. */
const struct score_tensor *score_term_tensor(enum score_term term, size_t i);

/* The fixed sines and cosines of a term for n_token positions. */
struct score_tables {
    size_t n_token, pos_dim;
    double *row;      /* [n_token, m/2] sincos(i) */
    double *column;   /* [n_token, m - m/2] sincos(j) */
    double *relative; /* [2 n_token - 1, m] sincos(i - j), row i - j + n_token - 1 */
};

/* score_tables_place takes and fills the tables of a term from an arena. */
void score_tables_place(enum score_term term, size_t n_token, size_t pos_dim, struct arena *arena,
                        struct score_tables *tables);

/* score_term_prepare computes a layer's multiplier and matrix [n_token, n_token] (not touched by
 * terms without one) from its parameters. */
struct prepared;
void score_term_prepare(const struct model *model, const float *param, size_t layer,
                        struct prepared *prepared);

/* score_term_gradient adds the gradient of w (or a) to pass->grad, from d_multiplier = sum dS'_ij
 * S_ij and act->d_matrix = sum over heads and sequences of dS'_ij. b gets nothing: it shifts a
 * whole row of scores, which the softmax does not see. Neither do the row channels of P, so they
 * get d_multiplier alone. */
struct layer;
void score_term_gradient(const struct layer *layer, double d_multiplier);

#endif

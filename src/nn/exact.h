/* exact: one attention in double precision, by plain loops, for the exact identities.
 *
 * It knows nothing of sharing: an attention takes three role matrices W_Q, W_K, W_V, and two roles
 * share a projection simply by pointing to the same one.
 *
 * Capital letters: T tokens, d n_embd, H heads, G key-value heads, D = d / H their width, m
 * channels of the positional encoding. All arrays are row-major, weights are [out, in].
 */
#ifndef QKVLAB_NN_EXACT_H
#define QKVLAB_NN_EXACT_H

#include <stddef.h>

#include "base/arena.h"
#include "base/status.h"
#include "nn/variant.h"

struct exact_shape {
    size_t n_token;             /* T */
    size_t n_embd;              /* d */
    size_t n_head;              /* H */
    size_t n_kv_head;           /* G, a divisor of H; query head h reads key-value head h / (H/G) */
    size_t pos_dim;             /* m */
    enum score_term score_term; /* SCORE_NONE, SCORE_POSITION2D or SCORE_KEY_BIAS */
};

/* Borrows everything. */
struct exact_weights {
    double *role[ROLE_COUNT]; /* W_Q [d,d] (NULL: the query is the input), W_K and W_V [G D,d] */
    double *out;              /* [d,d] */
    double *pos_w;            /* [m] of a score term */
    double *pos_b;            /* [1] of SCORE_POSITION2D */
};

/* All that an attention computes. */
struct exact_pass {
    double *query, *key, *value; /* [T,d], [T,G D], [T,G D] */
    double *product;             /* [H,T,T] Q K^T / sqrt(D) */
    double *attention;           /* [H,T,T] */
    double *heads;               /* [T,d] attention-weighted values, heads side by side */
    double *output;              /* [T,d] */
    double *encoding;            /* [T,m] a position's channels as a row, then as a column */
    struct arena arena;
};

/* exact_pass_create allocates a pass for a shape. Caller frees with exact_pass_free. */
enum status exact_pass_create(struct exact_pass *pass, const struct exact_shape *shape,
                              struct error *err);
void exact_pass_free(struct exact_pass *pass);

/* exact_attention computes the pass of x [T,d]. */
void exact_attention(const struct exact_shape *shape, const struct exact_weights *weights,
                     const double *x, struct exact_pass *pass);

/* exact_position_gradient adds to d_pos_w [m] and d_pos_b [1] their gradients in a loss whose
 * gradient at the output is d_output [T,d], after exact_attention with SCORE_POSITION2D. It
 * overwrites pass->heads and pass->output. */
void exact_position_gradient(const struct exact_shape *shape, const struct exact_weights *weights,
                             const double *d_output, struct exact_pass *pass, double *d_pos_w,
                             double *d_pos_b);

#endif

/* reference: attention once more, in double precision and as plain as possible.
 *
 * What the exact identities between variants are computed with, and the heart of the tests' oracle
 * (tests/nn/oracle), which is the whole model around it. It shares no code with the engine: no
 * BLAS, no kernels, only loops. It knows nothing of sharing either: an attention takes three role
 * matrices W_Q, W_K, W_V, and two roles share a projection simply by pointing to the same one, in
 * the weights and in the gradients (which are added to).
 *
 * Capital letters: T tokens, d n_embd, H heads, G key-value heads, D = d / H their width, m
 * channels of the positional encoding. All arrays are row-major, weights are
 * [out, in].
 */
#ifndef QKVLAB_NN_REFERENCE_H
#define QKVLAB_NN_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/status.h"
#include "nn/variant.h"

struct reference_shape {
    size_t n_token;   /* T */
    size_t n_embd;    /* d */
    size_t n_head;    /* H */
    size_t n_kv_head; /* G, a divisor of H; query head h reads key-value head h / (H/G) */
    size_t pos_dim;   /* m */
    enum query_map query;
    enum score_term score_term;
    bool qk_norm;
    bool causal;
    double score_scale; /* multiplies 1/sqrt(D) */
};

/* Weights of one attention, or their gradients. Borrows everything. What a shape does not use is
 * NULL; the others say what NULL means. Roles are in the order of enum role. */
struct reference_weights {
    double *role[ROLE_COUNT]; /* W_Q [d,d] (NULL: not QUERY_LINEAR), W_K and W_V [G D,d] */
    double *bias[ROLE_COUNT]; /* of the same height; NULL: no bias */
    double *out, *out_bias;   /* [d,d] and [d]; out NULL: the output is the heads side by side */
    double *pos_w;            /* [m] */
    double *pos_b;            /* [1], SCORE_POSITION2D */
    double *score_scale;      /* [1], SCORE_TEMPERATURE_SCALAR */
    double *q_norm, *k_norm;  /* [D] */
    /* QUERY_RESIDUAL_MLP */
    double *norm_in;                  /* [d] */
    double *fc1, *fc2;                /* [d/2,d] and [d,d/2] */
    double *norm_out, *norm_out_bias; /* [d] */
};

/* All that a forward pass computes, kept for the backward pass and for looking at. */
struct reference_pass {
    double *query, *key, *value; /* [T,d], [T,G D], [T,G D], as they enter the products */
    double *product;             /* [H,T,T] scale Q K^T / sqrt(D) */
    double *scores;              /* [H,T,T] what enters the softmax, -INFINITY where masked */
    double *attention;           /* [H,T,T] */
    double *heads;               /* [T,d] attention-weighted values, heads side by side */
    double *output;              /* [T,d] */
    double *encoding;            /* [T,T,m] what each pos_w multiplies besides the score */
    /* before qk_norm, and inside the residual MLP: norm_in, fc1, its GELU, fc2, norm_out */
    double *raw_query, *raw_key;
    double *normed, *hidden, *active, *mapped, *residual;
    /* gradients on the way down */
    double *d_query, *d_key, *d_value, *d_raw_query, *d_raw_key, *d_heads, *d_score_row;
    double *d_normed, *d_hidden, *d_active, *d_mapped, *d_residual;
    struct arena arena;
};

/* reference_pass_create allocates a pass for a shape. Caller frees with reference_pass_free. */
enum status reference_pass_create(struct reference_pass *pass, const struct reference_shape *shape,
                                  struct error *err);
void reference_pass_free(struct reference_pass *pass);

/* reference_attention_forward computes the pass of x [T,d]. */
void reference_attention_forward(const struct reference_shape *shape,
                                 const struct reference_weights *weights, const double *x,
                                 struct reference_pass *pass);

/* reference_attention_backward adds the gradients of a loss whose gradient at the output is
 * d_output [T,d]: into d_x [T,d] and into what gradient points to; NULL: not wanted. */
void reference_attention_backward(const struct reference_shape *shape,
                                  const struct reference_weights *weights, const double *x,
                                  const double *d_output, struct reference_pass *pass, double *d_x,
                                  const struct reference_weights *gradient);

#endif

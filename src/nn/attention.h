/* attention: scaled dot-product attention over role views, forward and backward.
 *
 * It never learns which variant it serves: q, k and v are views (first element, leading dimension)
 * of whatever buffers the roles live in, and backward adds each role's gradient to the view it is
 * given, so roles that share a slot sum up there. B sequences of T tokens, H query heads, G
 * key-value heads, head width d_h; query head h reads key-value head h G / H.
 */
#ifndef QKVLAB_NN_ATTENTION_H
#define QKVLAB_NN_ATTENTION_H

#include <stdbool.h>
#include <stddef.h>

struct view {
    float *at;
    size_t ld;
};

struct attention {
    size_t n_sequence, n_token, n_head, kv_heads, head_width;
    bool causal;
    float scale;         /* S = scale Q K^T */
    float multiplier;    /* S' = multiplier S + matrix */
    const float *matrix; /* [T, matrix_ld] or NULL */
    size_t matrix_ld;
    struct view q, k, v;
    float *probabilities; /* [B,H,T,ld], written by forward and read by backward */
    float *scratch;       /* attention_scratch floats */
};

/* attention_ld returns the length of a row of probabilities: n_token, and zeros up to whole
 * stretches. */
size_t attention_ld(size_t n_token);

/* attention_scratch returns the floats that scratch must hold. */
size_t attention_scratch(size_t n_token, size_t head_width);

/* attention_forward computes the probabilities and mix [R, H d_h], their product with V. */
void attention_forward(const struct attention *a, float *mix);

/* A view that a gradient goes to: added to what is there, or written over it. */
struct target {
    struct view view;
    bool add;
};

/* Where the gradients of what an attention reads go. */
struct attention_gradient {
    struct target q, k, v;
    double *multiplier; /* sum dS'_ij S_ij is added; NULL: not wanted */
    double *matrix;     /* dS'_ij summed over heads and sequences is added to [T,T]; or NULL */
};

/* attention_backward computes the gradients of V, Q and K, in this order, from dmix [R, H d_h]. */
void attention_backward(const struct attention *a, const float *dmix,
                        const struct attention_gradient *to);

/* attention_scores computes S [H,T,T] and S' [H,T,T], before any mask, of one sequence. */
void attention_scores(const struct attention *a, size_t sequence, float *product, float *scores);

#endif

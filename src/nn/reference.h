/* reference: attention and the whole model once more, in double precision and as plain as possible.
 *
 * The oracle of the tests and what the exact identities between variants are computed with. It
 * shares no code with the engine: no BLAS, no kernels, only loops. It knows nothing of sharing
 * either: an attention takes three role matrices W_Q, W_K, W_V, and two roles share a projection
 * simply by pointing to the same one, in the weights and in the gradients (which are added to).
 *
 * Capital letters: B sequences, T tokens, d n_embd, H heads, G key-value heads, D = d / H their
 * width, m channels of the positional encoding, C classes. All arrays are row-major, weights are
 * [out, in].
 */
#ifndef QKVLAB_NN_REFERENCE_H
#define QKVLAB_NN_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/status.h"
#include "nn/model.h"
#include "nn/variant.h"

/* ---- one attention ---- */

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

/* reference_shape_of describes the attention of a model at n_token tokens. */
struct reference_shape reference_shape_of(const struct model_shape *shape, size_t n_token);

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

/* ---- dropout ---- */

/* reference_dropout multiplies rows first_row .. first_row + n_row - 1 of a site, x [n_row,n_col],
 * by what a training step drops there: 0 or 1 / (1 - rate). The rows of sequence s of the whole
 * batch begin at s T. Site 0 is the embedding, 1 + 2 l the hidden layer and 2 + 2 l the output of
 * the MLP of block l. */
void reference_dropout(const struct dropout *dropout, double rate, size_t site, size_t first_row,
                       size_t n_row, size_t n_col, double *x);

/* ---- the whole model ---- */

struct reference_block; /* private: weights, gradients and activations of one block */

struct reference_model {
    const struct model *model; /* borrowed */
    size_t n_token;            /* T */
    size_t max_sequence;
    double *param;     /* [n_param] in the model's layout; the caller writes it at any time */
    double *grad;      /* [n_param] of the last reference_model_gradient */
    double *logits;    /* [B,T,C], or [B,C] with patches, of the last batch */
    double *attention; /* [L,B,H,T,T] of the last batch, B its number of sequences */
    struct reference_block *block;                                      /* [n_layer] */
    double *final, *final_normed, *d_final, *d_final_normed, *d_logits; /* of one sequence */
    double *patches;                                                    /* [T-1,C p p] of one */
    struct arena arena;
};

/* reference_model_create allocates a reference for batches of at most max_sequence sequences of
 * n_token tokens. Borrows model. Caller frees with reference_model_free. */
enum status reference_model_create(struct reference_model *reference, const struct model *model,
                                   size_t max_sequence, size_t n_token, struct error *err);
void reference_model_free(struct reference_model *reference);

/* reference_model_loss returns the mean cross-entropy of a batch with the weights in param, and
 * leaves logits and attention. It drops what batch->dropout says. */
double reference_model_loss(struct reference_model *reference, const struct batch *batch);

/* reference_model_gradient does the same and leaves the gradient of the mean in grad, also that of
 * tensors marked dead (zero but for rounding). */
double reference_model_gradient(struct reference_model *reference, const struct batch *batch);

#endif

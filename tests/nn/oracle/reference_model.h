/* reference_model: the whole model once more, in double precision and as plain as possible: the
 * oracle that the engine is compared with.
 *
 * It shares no code with the engine: no kernels, no formula of a gradient, only loops over numbers
 * on a tape (tape.h). Its attention knows nothing of sharing either: it takes three role matrices
 * W_Q, W_K, W_V, and two roles share a projection simply by pointing to the same one.
 *
 * Capital letters: B sequences, T tokens, d n_embd, H heads, G key-value heads, D = d / H their
 * width, m channels of the positional encoding. All arrays are row-major, weights are [out, in].
 */
#ifndef QKVLAB_TESTS_REFERENCE_MODEL_H
#define QKVLAB_TESTS_REFERENCE_MODEL_H

#include "nn/model.h"
#include "tape.h"

/* ---- layers ---- */

/* y[N,O] = x[N,I] w[O,I]^T + b[O]; b may be NULL. */
void reference_linear(struct tape *tape, const var *x, const var *w, const var *b, size_t n_row,
                      size_t n_in, size_t n_out, var *y);

/* y[N,I] = (x - mean) / sqrt(variance + 1e-5) * w + b, over each row; y may be x. */
void reference_layer_norm(struct tape *tape, const var *x, const var *w, const var *b, size_t n_row,
                          size_t width, var *y);

/* reference_softmax writes e[n] = exp(x - the largest) and their sum, and returns the largest. */
double reference_softmax(struct tape *tape, const var *x, size_t n, var *e, var *sum);

/* ---- attention ---- */

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

/* Borrows everything. What a shape does not use is NULL; the others say what NULL means. Roles are
 * in the order of enum role. */
struct reference_weights {
    const var *role[ROLE_COUNT]; /* W_Q [d,d] (NULL: not QUERY_LINEAR), W_K and W_V [G D,d] */
    const var *bias[ROLE_COUNT]; /* of the same height; NULL: no bias */
    const var *out, *out_bias;   /* [d,d] and [d]; out NULL: the output is the heads */
    const var *pos_w;            /* [m] */
    const var *pos_b;            /* [1], SCORE_POSITION2D */
    const var *score_scale;      /* [1], SCORE_TEMPERATURE_SCALAR */
    const var *q_norm, *k_norm;  /* [D] */
    /* QUERY_RESIDUAL_MLP */
    const var *norm_in;                  /* [d] */
    const var *fc1, *fc2;                /* [d/2,d] and [d,d/2] */
    const var *norm_out, *norm_out_bias; /* [d] */
};

/* What an attention leaves to look at, [H,T,T] each. */
struct reference_maps {
    double *product;   /* scale Q K^T / sqrt(D) */
    double *scores;    /* what enters the softmax, -INFINITY where masked */
    double *attention; /* probabilities */
};

/* reference_attention computes output [T,d] from x [T,d]. */
void reference_attention(struct tape *tape, const struct reference_shape *shape,
                         const struct reference_weights *weights, const var *x,
                         const struct reference_maps *maps, var *output);

/* ---- dropout ---- */

/* reference_dropout multiplies rows first_row .. first_row + n_row - 1 of a site, x [n_row,n_col],
 * by what a training step drops there: 0 or 1 / (1 - rate). The rows of sequence s of the whole
 * batch begin at s T. Site 0 is the embedding, 1 + 2 l the hidden layer and 2 + 2 l the output of
 * the MLP of block l. */
void reference_dropout(const struct dropout *dropout, double rate, size_t site, size_t first_row,
                       size_t n_row, size_t n_col, double *x);

/* ---- the whole model ---- */

struct reference_model {
    const struct model *model;  /* borrowed */
    size_t n_token;             /* T */
    double *param;              /* [n_param] in the model's layout; the caller writes it any time */
    double *grad;               /* [n_param] of the last reference_model_gradient */
    double *logits;             /* [B,T,C], or [B,C] with patches, of the last batch */
    double *attention;          /* [L,B,H,T,T] of the last batch, B its number of sequences */
    struct reference_maps maps; /* of one layer */
    struct tape tape;           /* its first n_param numbers are the parameters */
    var *place;                 /* [n_param] those numbers */
};

/* reference_model_create makes a reference for batches of at most max_sequence sequences of n_token
 * tokens. Borrows model. Caller frees with reference_model_free. */
struct reference_model reference_model_create(const struct model *model, size_t max_sequence,
                                              size_t n_token);
void reference_model_free(struct reference_model *reference);

/* reference_model_loss returns the mean cross-entropy of a batch with the weights in param, and
 * leaves logits and attention. It drops what batch->dropout says. */
double reference_model_loss(struct reference_model *reference, const struct batch *batch);

/* reference_model_gradient does the same and leaves the gradient of the mean in grad, also that of
 * tensors marked dead (zero but for rounding). */
double reference_model_gradient(struct reference_model *reference, const struct batch *batch);

#endif

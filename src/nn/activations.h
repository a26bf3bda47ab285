/* activations: what a forward pass leaves for the backward pass, what backward needs as scratch,
 * and what the passes of a step share. Private to nn. Shapes: those of shape.h; W width of all
 * slots, G key-value heads.
 */
#ifndef QKVLAB_NN_ACTIVATIONS_H
#define QKVLAB_NN_ACTIVATIONS_H

#include "nn/layout.h"
#include "nn/linear.h"
#include "nn/model.h"
#include "nn/score_term.h"

/* Saved by a norm for its backward pass: one number a row. */
struct norm_saved {
    float *mean, *rstd; /* [R] */
};

/* Of the residual_mlp query; NULL for the others. */
struct query_activations {
    float *normed;       /* [R,d] RMSNorm(X) */
    float *rrms;         /* [R] */
    float *slope, *gelu; /* [R,d/2] */
    float *hidden;       /* [R,d] W2 GELU(...) */
    struct norm_saved norm_out;
    float *query; /* [R,d] Q */
};

struct block_activations {
    float *x_in; /* [R,d] residual stream, entering */
    float *ln1;  /* [R,d] X, the attention's input */
    struct norm_saved ln1_saved;
    float *slots; /* [R,W] */
    struct query_activations query;
    float *q_normed, *k_normed; /* [R,d], [R,G d_h] with qk_norm */
    float *q_rrms, *k_rrms;     /* [H,R], [G,R] */
    float *attention;           /* [B,H,T,attention_ld(T)] */
    float *mix;                 /* [R,d] heads side by side, before W_O */
    float *x_mid;               /* [R,d] after attention */
    float *ln2;                 /* [R,d] */
    struct norm_saved ln2_saved;
    float *slope, *gelu; /* [R,F] */
    float *mlp_mask;     /* [R,d] with dropout */
    float *x_out;        /* [R,d] leaving: x_in of the next block, or x_out of all */
};

struct activations {
    size_t max_sequence;
    size_t n_head;
    size_t n_sequence, n_token, n_row; /* of the last forward pass */
    struct block_activations *block;   /* [L] */
    float *embedded;                   /* [B,T-1,d] INPUT_PATCHES: patches after their linear map */
    float *x_out;                      /* [R,d] residual stream, leaving the last block */
    float *answers;                    /* [B,d] INPUT_PATCHES: rows of x_out that are answered */
    float *embed_mask;                 /* [R,d] with dropout: 0 or 1/(1 - rate) */
    float *ln_f;                       /* [A,d] A answers */
    struct norm_saved ln_f_saved;
    float *logits;  /* [A,C] */
    float *dlogits; /* [A,C] */

    /* scratch of the backward pass */
    float *danswers;  /* [B,d] INPUT_PATCHES */
    float *dx;        /* [R,d] gradient of the residual stream */
    float *dnorm;     /* [R,d] gradient of a norm's output */
    float *dmix;      /* [R,d] */
    float *dslots;    /* [R,W] */
    float *dquery;    /* [R,d] gradient of Q where Q is no slot, or before qk_norm */
    float *dq_normed; /* [R,d] with qk_norm */
    float *dk_normed; /* [R,G d_h] with qk_norm */
    float *dff;       /* [R,F] */
    float *dembed;    /* [n_symbol,d] */
    float *attention_scratch;
    float *attention_maps; /* [B,H,T,T] without the zeros, where there are any */
    double *d_matrix;      /* [T,T] for score terms with a matrix */
    double *shift_scratch; /* [2T] */
};

/* The same for every micro-batch of a step. */
struct prepared_block {
    struct linear slots; /* all slots of the block are one product */
    struct linear out, fc1, fc2;
    struct linear query_fc1, query_fc2; /* residual_mlp */
    float multiplier;
    float *matrix; /* [n_token,n_token] or NULL */
};

struct prepared {
    float *embed; /* INPUT_TOKENS: [n_symbol,d] row s is what symbol s becomes, bias included */
    struct linear patch; /* INPUT_PATCHES */
    struct linear head;
    struct prepared_block *block;
    struct score_tables tables;
};

/* One layer of a pass: where its tensors, packed weights and activations are. */
struct layer {
    const struct pass *pass;
    size_t number;
    const struct block_offsets *at;
    const struct prepared_block *ready;
    struct block_activations *block;
};

struct layer pass_layer(const struct pass *pass, size_t number);

#endif

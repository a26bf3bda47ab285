/* reference_model: the whole model once more, in double precision and as plain as possible, around
 * the reference attention: the oracle that the engine is compared with. */
#ifndef QKVLAB_TESTS_REFERENCE_MODEL_H
#define QKVLAB_TESTS_REFERENCE_MODEL_H

#include "nn/model.h"
#include "nn/reference.h"

/* reference_shape_of describes the attention of a model at n_token tokens. */
struct reference_shape reference_shape_of(const struct model_shape *shape, size_t n_token);

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

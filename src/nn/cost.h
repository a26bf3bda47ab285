/* cost: parameters, multiply-accumulates and key-value cache of a variant in a model of any size.
 *
 * Nothing is typed per variant: the numbers are sums over the list of tensors that the engine
 * itself would build (layout.h), so a printed parameter count is that of the model that trains.
 * Used by `qkvlab cost`.
 *
 * Conventions. MACs are of one sequence, with the full T^2 also where a mask would spare half;
 * norms, the softmax and score terms are not counted. A training step is three forward passes. The
 * cache is what a decoder of this size keeps for each token: K and V, or one of them where they are
 * the same. A MAC is two FLOP, a GB 10^9 bytes.
 */
#ifndef QKVLAB_NN_COST_H
#define QKVLAB_NN_COST_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "nn/model.h"

enum cost_kind {
    COST_ENCODER, /* of the synthetic tasks: an answer at every position */
    COST_VISION,  /* a vision transformer: one answer an image */
    COST_LANGUAGE /* a causal decoder; its words are looked up, and the head is the same table */
};

struct cost_model {
    const char *name, *summary;
    enum cost_kind kind;
    struct model_shape shape; /* the variant is given apart; tokens of an image are computed */
    size_t context;           /* tokens in the cache; 0: those of a sequence */
    size_t bytes;             /* of one cached number */
};

/* cost_model_at returns the i-th named model, NULL past the last; cost_model_find the one of a
 * name, NULL with a sentence that names the nearest. */
const struct cost_model *cost_model_at(size_t i);
const struct cost_model *cost_model_find(const char *name, struct error *err);

/* cost_model_set changes one size. A key stands for the same as in a run's configuration, where
 * that has it. STATUS_USAGE names the keys that this kind of model has. */
enum status cost_model_set(struct cost_model *model, const char *key, const char *value,
                           struct error *err);

/* cost_variant_at returns the id of the i-th variant that a table of this model shows unless told
 * otherwise, NULL past the last: rows that share heads for language models, else the sharing rows.
 */
const char *cost_variant_at(const struct cost_model *model, size_t i, char id[VARIANT_TEXT_SIZE]);

/* cost_model_tokens returns T, the class token of an image included; cost_model_context the tokens
 * that the cache holds. */
size_t cost_model_tokens(const struct cost_model *model);
size_t cost_model_context(const struct cost_model *model);

struct cost {
    uint64_t n_param;
    uint64_t forward_macs, training_macs; /* of one sequence */
    uint64_t cache_per_token;             /* bytes, all layers */
    uint64_t cache;                       /* bytes at the model's context */
};

/* cost_compute counts a variant. Errors: STATUS_USAGE for what cannot be built. */
enum status cost_compute(const struct cost_model *model, const struct variant *variant,
                         struct cost *cost, struct error *err);

/* cost_parse_bytes reads an amount of memory, "40GB", "512MiB", "1000" (bytes). STATUS_USAGE. */
enum status cost_parse_bytes(const char *text, uint64_t *n_byte, struct error *err);

#endif

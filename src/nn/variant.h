/* variant: which of Q, K and V an attention learns, as one row of data.
 *
 * A role (Q, K, V) reads a slot, a learned projection; roles with the same slot share it. Further
 * columns say how queries are made, what is added to the scores, how many key-value heads there
 * are. Everything else that is said of a variant (its learned projections, cache, whether its
 * scores are symmetric, which of its parameters are dead) is computed from the row by the functions
 * below. A new variant is one row in variant.c.
 */
#ifndef QKVLAB_NN_VARIANT_H
#define QKVLAB_NN_VARIANT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum role { ROLE_Q, ROLE_K, ROLE_V, ROLE_COUNT };

/* How queries are made of a block's input; name in configurations. */
#define QUERY_MAP_TABLE(X)                                                                         \
    X(LINEAR, "linear")                                                                            \
    X(IDENTITY, "identity")                                                                        \
    X(RESIDUAL_MLP, "residual_mlp")

enum query_map {
#define QUERY_MAP_ENUM(id, name) QUERY_##id,
    QUERY_MAP_TABLE(QUERY_MAP_ENUM)
#undef QUERY_MAP_ENUM
        QUERY_MAP_COUNT
};

/* What happens to the scaled scores S before the softmax: S' = a S + B, one row a term. Columns:
 * name in configurations; learns w [pos_dim]; has a multiplier a; has a matrix B (which breaks the
 * symmetry of symmetric scores); how equations show a and B. The formulas are in score_term.c. */
#define SCORE_TERM_TABLE(X)                                                                        \
    X(NONE, "none", false, false, false, "", "")                                                   \
    X(POSITION2D, "position2d", true, true, true, "sum(w) ", " + P_ij w + b")                      \
    X(TEMPERATURE, "temperature", true, true, false, "sum(w) ", "")                                \
    X(KEY_BIAS, "key_bias", true, false, true, "", " + P_j w")                                     \
    X(RELATIVE, "relative", true, true, true, "sum(w) ", " + P_(i-j) w")                           \
    X(TEMPERATURE_SCALAR, "temperature_scalar", false, true, false, "a ", "")

enum score_term {
#define SCORE_TERM_ENUM(id, ...) SCORE_##id,
    SCORE_TERM_TABLE(SCORE_TERM_ENUM)
#undef SCORE_TERM_ENUM
        SCORE_TERM_COUNT
};

struct score_term_row {
    const char *name;
    bool has_weights, has_multiplier, has_matrix;
    const char *shown_multiplier, *shown_matrix;
};

/* score_term_row returns the columns of a term. */
const struct score_term_row *score_term_row(enum score_term term);

#define SLOT_NONE (-1) /* the role has no projection: Q with a query map that is not linear */

struct variant {
    const char *sharing; /* id of the sharing row: qkv, qk, kv, qv, qkv_tied */
    int slot[ROLE_COUNT];
    enum query_map query;
    enum score_term score_term;
    bool qk_norm;
    bool causal;
    size_t n_kv_head; /* 0: as many as query heads */
};

#define VARIANT_TEXT_SIZE 96

/* variant_named returns the i-th named row (what `list variants` prints), NULL past the last. */
const struct variant *variant_named(size_t i);

/* variant_sharing_row returns the i-th named row that varies nothing but which projections are
 * shared, with or without the + of paper A: the rows of its tables. NULL past the last. */
const struct variant *variant_sharing_row(size_t i);

/* variant_parse reads an id ("qk", "qk+", "kv:n_kv_head=1", "qkv:query=identity:qk_norm=1") or a
 * spelling of the papers ("Q-K=V", "(Q=K-V)+", "MQA"). Errors: STATUS_USAGE, with the accepted ids
 * and the nearest. */
enum status variant_parse(const char *text, struct variant *variant, struct error *err);

/* variant_set_axis sets one further axis by its configuration key (query, score_term, qk_norm,
 * causal, n_kv_head). Errors: STATUS_USAGE. */
enum status variant_set_axis(struct variant *variant, const char *key, const char *value,
                             struct error *err);

/* variant_axis_key returns the i-th such key, NULL past the last; variant_axis_value formats the
 * value the variant has for it. */
const char *variant_axis_key(size_t i);
void variant_axis_value(const struct variant *variant, size_t i, char text[VARIANT_TEXT_SIZE]);

/* variant_check refuses what cannot be built with n_head query heads, and says why. STATUS_USAGE.
 */
enum status variant_check(const struct variant *variant, size_t n_head, struct error *err);

/* variant_id writes the canonical id ("qk+", "kv:n_kv_head=1"); variant_name the print name
 * ("(Q=K)+", "K=V, 1 kv head"). */
void variant_id(const struct variant *variant, char id[VARIANT_TEXT_SIZE]);
void variant_name(const struct variant *variant, char name[VARIANT_TEXT_SIZE]);

/* variant_equation writes what one head computes, "softmax(X W_Q (X W_K)^T / sqrt(d_h)) X W_V":
 * X is the block's input after LayerNorm, w the learned weights of a score term, P the fixed
 * encoding of positions, f the residual_mlp of query.h. */
#define VARIANT_EQUATION_SIZE 160
void variant_equation(const struct variant *variant, char text[VARIANT_EQUATION_SIZE]);

/* Computed consequences. */
size_t variant_n_slot(const struct variant *variant);
/* variant_slot_roles writes the roles that read a slot: "q", "k", "v", "qk", "kv", "qv", "qkv". */
void variant_slot_roles(const struct variant *variant, int slot, char roles[4]);
size_t variant_kv_heads(const struct variant *variant, size_t n_head);
/* variant_cache_roles returns how many of K and V a decoder must cache: 1 where K and V are the
 * same. */
size_t variant_cache_roles(const struct variant *variant);
/* Q K^T is symmetric; ... and is a Gram matrix (no score above the larger of its diagonal ones);
 * the scores that enter the softmax are symmetric. */
bool variant_product_symmetric(const struct variant *variant);
bool variant_product_gram(const struct variant *variant);
bool variant_scores_symmetric(const struct variant *variant);
/* The bias of K adds one number to a whole row of scores: its true gradient is zero. */
bool variant_k_bias_dead(const struct variant *variant);
/* The score term learns w [pos_dim]. */
bool variant_has_position_weights(const struct variant *variant);
/* variant_score_scale returns what multiplies 1/sqrt(head width): 0.5 for the identity query,
 * else 1. */
double variant_score_scale(const struct variant *variant);

#endif

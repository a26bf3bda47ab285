/* The variant table: names, axes, refusals, and what is computed from a row. */
#include <string.h>

#include "nn/fixtures.h"
#include "testing.h"

static void expect_refusal(const char *text, const char *needle)
{
    struct variant variant;
    struct error err = {0};
    ck_assert_msg(variant_parse(text, &variant, &err) == STATUS_USAGE, "%s was accepted", text);
    ck_assert_msg(strstr(err.text, needle) != NULL, "'%s' lacks '%s'", err.text, needle);
}

TEST(every_named_row_survives_its_own_id)
{
    size_t n = 0;
    for (size_t i = 0; variant_named(i) != NULL; i++, n++) {
        char id[VARIANT_TEXT_SIZE], again[VARIANT_TEXT_SIZE];
        variant_id(variant_named(i), id);
        struct variant variant = fixture_parse(id);
        variant_id(&variant, again);
        ck_assert_str_eq(id, again);
        ck_assert_mem_eq(variant.slot, variant_named(i)->slot, sizeof variant.slot);
        ck_assert_int_eq(variant_check(&variant, 4, NULL), STATUS_OK);
        for (size_t j = 0; j < i; j++) {
            variant_id(variant_named(j), again);
            ck_assert_str_ne(id, again);
        }
    }
    ck_assert_uint_ge(n, 24);
}

/* The rows of paper A's tables, first among the named ones and in the order of every report. */
TEST(sharing_rows_vary_sharing_alone)
{
    static const char *const IDS[] = {"qkv", "qk", "qk+", "kv", "qv", "qkv_tied", "qkv_tied+"};
    size_t n = sizeof IDS / sizeof IDS[0];
    for (size_t i = 0; i < n; i++) {
        char id[VARIANT_TEXT_SIZE], name[VARIANT_TEXT_SIZE];
        ck_assert_ptr_eq(variant_sharing_row(i), variant_named(i));
        variant_id(variant_sharing_row(i), id);
        ck_assert_str_eq(id, IDS[i]);
        variant_name(variant_sharing_row(i), name);
        struct variant by_name = fixture_parse(name);
        variant_id(&by_name, id);
        ck_assert_str_eq(id, IDS[i]);
    }
    ck_assert_ptr_null(variant_sharing_row(n));
    ck_assert_ptr_nonnull(variant_named(n));
}

TEST(equations_follow_from_the_row)
{
    static const char *const PAIRS[][2] = {
        {"qkv", "softmax(X W_Q (X W_K)^T / sqrt(d_h)) X W_V"},
        {"qv", "softmax(X W_QV (X W_K)^T / sqrt(d_h)) X W_QV"},
        {"qkv_tied", "softmax(X W_QKV (X W_QKV)^T / sqrt(d_h)) X W_QKV"},
        {"qk+", "softmax(sum(w) X W_QK (X W_QK)^T / sqrt(d_h) + P_ij w + b) X W_V"},
        {"qk:score_term=temperature", "softmax(sum(w) X W_QK (X W_QK)^T / sqrt(d_h)) X W_V"},
        {"qk:score_term=temperature_scalar", "softmax(a X W_QK (X W_QK)^T / sqrt(d_h)) X W_V"},
        {"qk:score_term=key_bias", "softmax(X W_QK (X W_QK)^T / sqrt(d_h) + P_j w) X W_V"},
        {"qk:score_term=relative",
         "softmax(sum(w) X W_QK (X W_QK)^T / sqrt(d_h) + P_(i-j) w) X W_V"},
        {"kv:query=identity", "softmax(X (X W_KV)^T / (2 sqrt(d_h))) X W_KV"},
        {"qkv:query=residual_mlp", "softmax((X + f(X))/2 (X W_K)^T / sqrt(d_h)) X W_V"},
        {"qkv:qk_norm=1", "softmax(norm(X W_Q) norm(X W_K)^T / sqrt(d_h)) X W_V"},
        {"qkv:causal=1", "softmax_(j<=i)(X W_Q (X W_K)^T / sqrt(d_h)) X W_V"},
        {"kv:n_kv_head=1", "softmax(X W_Q (X W_KV)^T / sqrt(d_h)) X W_KV, 1 head of K and V"},
        {"qkv:n_kv_head=2", "softmax(X W_Q (X W_K)^T / sqrt(d_h)) X W_V, 2 heads of K and V"},
    };
    for (size_t i = 0; i < sizeof PAIRS / sizeof PAIRS[0]; i++) {
        char equation[VARIANT_EQUATION_SIZE];
        struct variant variant = fixture_parse(PAIRS[i][0]);
        variant_equation(&variant, equation);
        ck_assert_str_eq(equation, PAIRS[i][1]);
    }
    struct variant longest = fixture_parse(
        "qkv:query=residual_mlp:score_term=position2d:qk_norm=1:causal=1:n_kv_head=65536");
    char equation[VARIANT_EQUATION_SIZE];
    variant_equation(&longest, equation);
    ck_assert_msg(strstr(equation, "65536 heads of K and V") != NULL, "cut: %s", equation);
}

TEST(spellings_of_the_papers_are_accepted)
{
    static const char *const PAIRS[][2] = {
        {"QKV", "qkv"},
        {"baseline", "qkv"},
        {"Q=K-V", "qk"},
        {"Q=K≠V", "qk"},
        {"(Q=K-V)+", "qk+"},
        {"(Q=K)+", "qk+"},
        {"Q-K=V", "kv"},
        {"Q!=K=V", "kv"},
        {"K=V", "kv"},
        {"Q=V", "qv"},
        {"Q=K=V", "qkv_tied"},
        {"(Q=K=V)+", "qkv_tied+"},
        {"qk:score_term=position2d", "qk+"},
        {"kv:n_kv_head=1", "kv:n_kv_head=1"},
        {"qkv:causal=1:query=identity", "qkv:query=identity:causal=1"},
        {"qkv:qk_norm=0", "qkv"},
        {"MQA", "qkv:n_kv_head=1"},
        {"Q-MQA", "kv:n_kv_head=1"},
        {"Q-MQA:causal=1", "kv:causal=1:n_kv_head=1"},
    };
    for (size_t i = 0; i < sizeof PAIRS / sizeof PAIRS[0]; i++) {
        char id[VARIANT_TEXT_SIZE];
        struct variant variant = fixture_parse(PAIRS[i][0]);
        variant_id(&variant, id);
        ck_assert_str_eq(id, PAIRS[i][1]);
    }
}

TEST(nonsense_is_refused_with_a_suggestion)
{
    expect_refusal("qkv_ties", "did you mean 'qkv_tied'?");
    expect_refusal("", "expected qkv, qk, qk+");
    expect_refusal("QMA", "(further axes after colons), found 'QMA'");
    expect_refusal("qk:quarry=identity", "the axes are query, score_term");
    expect_refusal("qk:query", "axis=value");
    expect_refusal("qkv:query=identty", "did you mean 'identity'?");
    expect_refusal("qkv:causal=1:causal=0", "'qkv:causal=1:causal=0' names causal twice");
    expect_refusal("qk+:score_term=none", "names score_term twice");
    expect_refusal("MQA:n_kv_head=2", "names n_kv_head twice");
    expect_refusal("qkv:n_kv_head=-1", "whole number");
    expect_refusal("qkv:n_kv_head=2x", "whole number");
    char endless[400];
    memset(endless, 'q', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    expect_refusal(endless, "longer");
}

TEST(impossible_combinations_are_refused_with_the_reason)
{
    static const struct {
        const char *id, *needle;
    } CASES[] = {
        {"qkv:n_kv_head=3", "does not divide n_head 4"},
        {"qk:n_kv_head=2", "as many key-value heads as query heads"},
        {"qv:n_kv_head=1", "as many key-value heads as query heads"},
        {"qk:query=identity", "gives Q no projection"},
        {"qkv_tied:query=residual_mlp", "gives Q no projection"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct variant variant = fixture_parse(CASES[i].id);
        struct error err = {0};
        ck_assert_int_eq(variant_check(&variant, 4, &err), STATUS_USAGE);
        ck_assert_msg(strstr(err.text, CASES[i].needle) != NULL, "'%s'", err.text);
    }
}

TEST(consequences_follow_from_the_row)
{
    static const struct {
        const char *id;
        size_t n_slot, cache;
        bool product_symmetric, gram, scores_symmetric, k_bias_dead;
    } ROWS[] = {
        {"qkv", 3, 2, false, false, false, true},
        {"qk", 2, 2, true, true, true, false},
        {"qk+", 2, 2, true, true, false, false},
        {"kv", 2, 1, false, false, false, false},
        {"qv", 2, 2, false, false, false, true},
        {"qkv_tied", 1, 1, true, true, true, false},
        {"qkv_tied+", 1, 1, true, true, false, false},
        {"qk:qk_norm=1", 2, 2, true, false, true, false},
        {"qk:score_term=temperature", 2, 2, true, true, true, false},
        {"qk:score_term=key_bias", 2, 2, true, true, false, false},
        {"qk:score_term=relative", 2, 2, true, true, false, false},
        {"qkv:query=identity", 2, 2, false, false, false, true},
        {"kv:query=identity", 1, 1, false, false, false, false},
        {"qkv:qk_norm=1", 3, 2, false, false, false, false},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct variant v = fixture_parse(ROWS[i].id);
        ck_assert_msg(variant_n_slot(&v) == ROWS[i].n_slot, "%s: slots", ROWS[i].id);
        ck_assert_msg(variant_cache_roles(&v) == ROWS[i].cache, "%s: cache", ROWS[i].id);
        ck_assert_msg(variant_product_symmetric(&v) == ROWS[i].product_symmetric, "%s: product",
                      ROWS[i].id);
        ck_assert_msg(variant_product_gram(&v) == ROWS[i].gram, "%s: Gram", ROWS[i].id);
        ck_assert_msg(variant_scores_symmetric(&v) == ROWS[i].scores_symmetric, "%s: scores",
                      ROWS[i].id);
        ck_assert_msg(variant_k_bias_dead(&v) == ROWS[i].k_bias_dead, "%s: bias of K", ROWS[i].id);
    }
    struct variant identity = fixture_parse("qkv:query=identity"), linear = fixture_parse("qkv");
    ck_assert_double_eq(variant_score_scale(&identity), 0.5);
    ck_assert_double_eq(variant_score_scale(&linear), 1.0);
}

/* The two tables of this file are the whole family: how three roles share slots, and what else can
 * be varied. Nothing in the engine asks for a variant by name. */
#include "nn/variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"

/* All five ways to share three roles.
 *   id          print name  Q  K  V   spellings of the papers, beside id and print name */
static const struct sharing {
    const char *id, *name;
    int slot[ROLE_COUNT];
    const char *spellings[4];
} SHARING[] = {
    {"qkv", "QKV", {0, 1, 2}, {"baseline"}},
    {"qk", "Q=K", {0, 0, 1}, {"Q=K-V", "Q=K!=V", "Q=K≠V"}},
    {"kv", "K=V", {0, 1, 1}, {"Q-K=V", "Q!=K=V", "Q≠K=V"}},
    {"qv", "Q=V", {0, 1, 0}, {0}},
    {"qkv_tied", "Q=K=V", {0, 0, 0}, {0}},
};
#define N_SHARING (sizeof SHARING / sizeof SHARING[0])

/* The named rows: what `list variants` shows, and what the tests that loop over rows try. The first
 * ones vary sharing alone, with and without the + of paper A (arXiv 2606.04032). The others are the
 * controls of both papers (B: arXiv 2510.23912, 2603.13381), and the parts of the + one by one. */

/* clang-format off */
#define QKV      "qkv", {0, 1, 2}
#define QK       "qk", {0, 0, 1}
#define KV       "kv", {0, 1, 1}
#define QV       "qv", {0, 1, 0}
#define TIED     "qkv_tied", {0, 0, 0}
#define QKV_NO_Q "qkv", {SLOT_NONE, 1, 2} /* a query that is no projection has no slot */
#define KV_NO_Q  "kv", {SLOT_NONE, 1, 1}

static const struct named {
    struct variant variant;
    const char *spelling; /* of the papers; NULL: only that of the id */
} NAMED[] = {
    /* sharing   query               score term                qk_norm causal kv heads  spelling */
    {{QKV,       QUERY_LINEAR,       SCORE_NONE,               false,  false, 0}, NULL},
    {{QK,        QUERY_LINEAR,       SCORE_NONE,               false,  false, 0}, NULL},
    {{QK,        QUERY_LINEAR,       SCORE_POSITION2D,         false,  false, 0}, NULL},
    {{KV,        QUERY_LINEAR,       SCORE_NONE,               false,  false, 0}, NULL},
    {{QV,        QUERY_LINEAR,       SCORE_NONE,               false,  false, 0}, NULL},
    {{TIED,      QUERY_LINEAR,       SCORE_NONE,               false,  false, 0}, NULL},
    {{TIED,      QUERY_LINEAR,       SCORE_POSITION2D,         false,  false, 0}, NULL},

    {{QKV,       QUERY_LINEAR,       SCORE_NONE,               false,  false, 2}, NULL},
    {{KV,        QUERY_LINEAR,       SCORE_NONE,               false,  false, 2}, NULL},
    {{QKV,       QUERY_LINEAR,       SCORE_NONE,               false,  false, 1}, "MQA"},
    {{KV,        QUERY_LINEAR,       SCORE_NONE,               false,  false, 1}, "Q-MQA"},

    {{QKV_NO_Q,  QUERY_IDENTITY,     SCORE_NONE,               false,  false, 0}, NULL},
    {{KV_NO_Q,   QUERY_IDENTITY,     SCORE_NONE,               false,  false, 0}, NULL},
    {{QKV_NO_Q,  QUERY_RESIDUAL_MLP, SCORE_NONE,               false,  false, 0}, NULL},
    {{QKV,       QUERY_LINEAR,       SCORE_NONE,               true,   false, 0}, NULL},

    {{QK,        QUERY_LINEAR,       SCORE_TEMPERATURE,        false,  false, 0}, NULL},
    {{QK,        QUERY_LINEAR,       SCORE_TEMPERATURE_SCALAR, false,  false, 0}, NULL},
    {{QK,        QUERY_LINEAR,       SCORE_KEY_BIAS,           false,  false, 0}, NULL},
    {{QK,        QUERY_LINEAR,       SCORE_RELATIVE,           false,  false, 0}, NULL},
    {{TIED,      QUERY_LINEAR,       SCORE_TEMPERATURE,        false,  false, 0}, NULL},
    {{TIED,      QUERY_LINEAR,       SCORE_TEMPERATURE_SCALAR, false,  false, 0}, NULL},
    {{TIED,      QUERY_LINEAR,       SCORE_KEY_BIAS,           false,  false, 0}, NULL},
    {{TIED,      QUERY_LINEAR,       SCORE_RELATIVE,           false,  false, 0}, NULL},

    {{QKV,       QUERY_LINEAR,       SCORE_NONE,               false,  true,  0}, NULL},
};
/* clang-format on */
#define N_NAMED (sizeof NAMED / sizeof NAMED[0])

static const char *const QUERY_NAMES[QUERY_MAP_COUNT] = {
#define QUERY_MAP_NAME(id, name) name,
    QUERY_MAP_TABLE(QUERY_MAP_NAME)
#undef QUERY_MAP_NAME
};
static const char *const SCORE_NAMES[SCORE_TERM_COUNT] = {
#define SCORE_TERM_NAME(id, name, ...) name,
    SCORE_TERM_TABLE(SCORE_TERM_NAME)
#undef SCORE_TERM_NAME
};
static const char *const FLAG_NAMES[2] = {"0", "1"};

enum axis { AXIS_QUERY, AXIS_SCORE_TERM, AXIS_QK_NORM, AXIS_CAUSAL, AXIS_N_KV_HEAD, AXIS_COUNT };

static const struct axis_row {
    const char *key;
    const char *const *values; /* NULL: a number */
    size_t n_value;
} AXIS[AXIS_COUNT] = {
    [AXIS_QUERY] = {"query", QUERY_NAMES, QUERY_MAP_COUNT},
    [AXIS_SCORE_TERM] = {"score_term", SCORE_NAMES, SCORE_TERM_COUNT},
    [AXIS_QK_NORM] = {"qk_norm", FLAG_NAMES, 2},
    [AXIS_CAUSAL] = {"causal", FLAG_NAMES, 2},
    [AXIS_N_KV_HEAD] = {"n_kv_head", NULL, 0},
};

static const struct sharing *sharing_of(const struct variant *variant)
{
    for (size_t i = 0; i < N_SHARING; i++) {
        if (strcmp(SHARING[i].id, variant->sharing) == 0) {
            return &SHARING[i];
        }
    }
    return &SHARING[0];
}

const struct variant *variant_named(size_t i)
{
    return i < N_NAMED ? &NAMED[i].variant : NULL;
}

/* ---- axes ---- */

static size_t axis_get(const struct variant *variant, enum axis axis)
{
    switch (axis) {
    case AXIS_QUERY:
        return variant->query;
    case AXIS_SCORE_TERM:
        return variant->score_term;
    case AXIS_QK_NORM:
        return variant->qk_norm;
    case AXIS_CAUSAL:
        return variant->causal;
    default:
        return variant->n_kv_head;
    }
}

/* Nothing but sharing, and the + that paper A counts as part of it. */
static bool varies_sharing_alone(const struct variant *variant)
{
    for (size_t i = 0; i < AXIS_COUNT; i++) {
        size_t value = axis_get(variant, (enum axis)i);
        if (value != 0 && !(i == AXIS_SCORE_TERM && value == SCORE_POSITION2D)) {
            return false;
        }
    }
    return true;
}

const struct variant *variant_sharing_row(size_t i)
{
    for (size_t row = 0; row < N_NAMED; row++) {
        if (varies_sharing_alone(&NAMED[row].variant) && i-- == 0) {
            return &NAMED[row].variant;
        }
    }
    return NULL;
}

static void axis_set(struct variant *variant, enum axis axis, size_t value)
{
    switch (axis) {
    case AXIS_QUERY:
        variant->query = (enum query_map)value;
        variant->slot[ROLE_Q] =
            value == QUERY_LINEAR ? sharing_of(variant)->slot[ROLE_Q] : SLOT_NONE;
        break;
    case AXIS_SCORE_TERM:
        variant->score_term = (enum score_term)value;
        break;
    case AXIS_QK_NORM:
        variant->qk_norm = value != 0;
        break;
    case AXIS_CAUSAL:
        variant->causal = value != 0;
        break;
    default:
        variant->n_kv_head = value;
        break;
    }
}

const char *variant_axis_key(size_t i)
{
    return i < AXIS_COUNT ? AXIS[i].key : NULL;
}

void variant_axis_value(const struct variant *variant, size_t i, char text[VARIANT_TEXT_SIZE])
{
    size_t value = axis_get(variant, (enum axis)i);
    if (AXIS[i].values != NULL) {
        snprintf(text, VARIANT_TEXT_SIZE, "%s", AXIS[i].values[value]);
    } else {
        snprintf(text, VARIANT_TEXT_SIZE, "%zu", value);
    }
}

enum status variant_set_axis(struct variant *variant, const char *key, const char *value,
                             struct error *err)
{
    for (size_t i = 0; i < AXIS_COUNT; i++) {
        const struct axis_row *row = &AXIS[i];
        if (strcmp(row->key, key) != 0) {
            continue;
        }
        if (row->values == NULL) {
            char *end;
            unsigned long number = strtoul(value, &end, 10);
            if (value[0] < '0' || value[0] > '9' || *end != '\0' || number > 65536) {
                return error_set(err, STATUS_USAGE,
                                 "%s: expected a whole number from 0 (as many as query heads) to "
                                 "65536, found '%s'",
                                 key, value);
            }
            axis_set(variant, (enum axis)i, number);
            return STATUS_OK;
        }
        for (size_t v = 0; v < row->n_value; v++) {
            if (strcmp(row->values[v], value) == 0) {
                axis_set(variant, (enum axis)i, v);
                return STATUS_OK;
            }
        }
        return error_expected(err, key, row->values, row->n_value, value);
    }
    const char *keys[AXIS_COUNT];
    for (size_t i = 0; i < AXIS_COUNT; i++) {
        keys[i] = AXIS[i].key;
    }
    return error_set(err, STATUS_USAGE, "variant: '%s' is no axis; the axes are %s", key,
                     suggest_all(keys, AXIS_COUNT).text);
}

/* ---- names ---- */

static bool sharing_has_spelling(const struct sharing *sharing, const char *text)
{
    if (strcmp(sharing->id, text) == 0 || strcmp(sharing->name, text) == 0) {
        return true;
    }
    for (size_t i = 0; i < 4 && sharing->spellings[i] != NULL; i++) {
        if (strcmp(sharing->spellings[i], text) == 0) {
            return true;
        }
    }
    return false;
}

static enum status refuse_id(const char *text, struct error *err)
{
    char ids[N_NAMED][VARIANT_TEXT_SIZE];
    const char *candidates[N_NAMED];
    size_t n = 0;
    for (const struct variant *row; (row = variant_sharing_row(n)) != NULL; n++) {
        variant_id(row, ids[n]);
        candidates[n] = ids[n];
    }
    return error_set(err, STATUS_USAGE,
                     "variant: expected %s (further axes after colons), found '%s'%s",
                     suggest_all(candidates, n).text, text, did_you_mean(text, candidates, n).text);
}

/* parse_sharing reads "qk", "qk+", "Q=K", "(Q=K-V)+", "MQA". */
static enum status parse_sharing(const char *text, struct variant *variant, struct error *err)
{
    for (size_t i = 0; i < N_NAMED; i++) {
        if (NAMED[i].spelling != NULL && strcmp(NAMED[i].spelling, text) == 0) {
            *variant = NAMED[i].variant;
            return STATUS_OK;
        }
    }
    char core[VARIANT_TEXT_SIZE];
    size_t length = strlen(text);
    if (length >= sizeof core) {
        return refuse_id(text, err);
    }
    memcpy(core, text, length + 1);
    bool plus = length > 0 && core[length - 1] == '+';
    if (plus) {
        core[--length] = '\0';
    }
    const char *name = core;
    if (plus && length > 2 && core[0] == '(' && core[length - 1] == ')') {
        core[length - 1] = '\0';
        name = core + 1;
    }
    for (size_t i = 0; i < N_SHARING; i++) {
        if (sharing_has_spelling(&SHARING[i], name)) {
            *variant = (struct variant){.sharing = SHARING[i].id};
            memcpy(variant->slot, SHARING[i].slot, sizeof variant->slot);
            variant->score_term = plus ? SCORE_POSITION2D : SCORE_NONE;
            return STATUS_OK;
        }
    }
    return refuse_id(text, err);
}

static unsigned axis_bit(const char *key)
{
    for (unsigned i = 0; i < AXIS_COUNT; i++) {
        if (strcmp(AXIS[i].key, key) == 0) {
            return 1u << i;
        }
    }
    return 0;
}

/* The axes that an id sets by itself, as the + of qk+ or n_kv_head of MQA. */
static unsigned axes_named(const struct variant *variant)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < AXIS_COUNT; i++) {
        bits |= (axis_get(variant, (enum axis)i) != 0) << i;
    }
    return bits;
}

/* parse_axes reads "axis=value:axis=value", and destroys it; text is the whole. */
static enum status parse_axes(char *rest, const char *text, struct variant *variant,
                              struct error *err)
{
    unsigned seen = axes_named(variant);
    while (rest) {
        char *part = rest;
        rest = strchr(part, ':');
        if (rest) {
            *rest++ = '\0';
        }
        char *equals = strchr(part, '=');
        if (!equals) {
            return error_set(err, STATUS_USAGE,
                             "variant: expected axis=value after the colon, found '%s' in '%s'",
                             part, text);
        }
        *equals = '\0';
        TRY(variant_set_axis(variant, part, equals + 1, err));
        unsigned axis = axis_bit(part);
        if (seen & axis) {
            return error_set(err, STATUS_USAGE, "variant: '%s' names %s twice", text, part);
        }
        seen |= axis;
    }
    return STATUS_OK;
}

enum status variant_parse(const char *text, struct variant *variant, struct error *err)
{
    char copy[2 * VARIANT_TEXT_SIZE];
    size_t length = strlen(text);
    if (length >= sizeof copy) {
        return error_set(err, STATUS_USAGE, "variant: the text is longer than %zu characters",
                         sizeof copy - 1);
    }
    memcpy(copy, text, length + 1);
    char *rest = strchr(copy, ':');
    if (rest) {
        *rest++ = '\0';
    }
    struct variant parsed;
    TRY(parse_sharing(copy, &parsed, err));
    TRY(parse_axes(rest, text, &parsed, err));
    *variant = parsed;
    return STATUS_OK;
}

/* append_axes appends what is not the default and is not said by a +: ":key=value" of an id, or
 * ", key value" of a name, where a flag has no value. */
static void append_axes(const struct variant *variant, bool is_id, char text[VARIANT_TEXT_SIZE])
{
    size_t used = strlen(text);
    for (size_t i = 0; i < AXIS_COUNT && used < VARIANT_TEXT_SIZE; i++) {
        size_t value = axis_get(variant, (enum axis)i);
        if (value == 0 || (i == AXIS_SCORE_TERM && value == SCORE_POSITION2D)) {
            continue;
        }
        char shown[VARIANT_TEXT_SIZE];
        variant_axis_value(variant, i, shown);
        bool bare = !is_id && AXIS[i].values == FLAG_NAMES;
        used += (size_t)snprintf(text + used, VARIANT_TEXT_SIZE - used, "%s%s%s%s",
                                 is_id ? ":" : ", ", AXIS[i].key,
                                 is_id  ? "="
                                 : bare ? ""
                                        : " ",
                                 bare ? "" : shown);
    }
}

void variant_id(const struct variant *variant, char id[VARIANT_TEXT_SIZE])
{
    snprintf(id, VARIANT_TEXT_SIZE, "%s%s", variant->sharing,
             variant->score_term == SCORE_POSITION2D ? "+" : "");
    append_axes(variant, true, id);
}

void variant_name(const struct variant *variant, char name[VARIANT_TEXT_SIZE])
{
    const char *sharing = sharing_of(variant)->name;
    bool plus = variant->score_term == SCORE_POSITION2D;
    bool brackets = plus && strchr(sharing, '=');
    snprintf(name, VARIANT_TEXT_SIZE, "%s%s%s%s", brackets ? "(" : "", sharing, brackets ? ")" : "",
             plus ? "+" : "");
    append_axes(variant, false, name);
}

/* ---- consequences ---- */

enum status variant_check(const struct variant *variant, size_t n_head, struct error *err)
{
    size_t kv_heads = variant_kv_heads(variant, n_head);
    char id[VARIANT_TEXT_SIZE];
    variant_id(variant, id);
    if (n_head == 0 || n_head % kv_heads != 0) {
        return error_set(
            err, STATUS_USAGE,
            "variant %s: n_kv_head %zu does not divide n_head %zu; every key-value head "
            "serves the same number of query heads",
            id, kv_heads, n_head);
    }
    const int *slot = sharing_of(variant)->slot;
    bool query_shares = slot[ROLE_Q] == slot[ROLE_K] || slot[ROLE_Q] == slot[ROLE_V];
    if (query_shares && variant->query != QUERY_LINEAR) {
        return error_set(
            err, STATUS_USAGE,
            "variant %s: query=%s gives Q no projection, so it cannot share one with K "
            "or V; use qkv or kv",
            id, QUERY_NAMES[variant->query]);
    }
    if (query_shares && kv_heads != n_head) {
        return error_set(err, STATUS_USAGE,
                         "variant %s: Q shares a projection with K or V, so there must be as many "
                         "key-value heads as query heads (%zu), found n_kv_head %zu",
                         id, n_head, kv_heads);
    }
    return STATUS_OK;
}

size_t variant_n_slot(const struct variant *variant)
{
    bool used[ROLE_COUNT] = {false};
    size_t n = 0;
    for (int role = 0; role < ROLE_COUNT; role++) {
        int slot = variant->slot[role];
        if (slot != SLOT_NONE && !used[slot]) {
            used[slot] = true;
            n++;
        }
    }
    return n;
}

void variant_slot_roles(const struct variant *variant, int slot, char roles[4])
{
    size_t n = 0;
    for (int role = 0; role < ROLE_COUNT; role++) {
        if (variant->slot[role] == slot) {
            roles[n++] = "qkv"[role];
        }
    }
    roles[n] = '\0';
}

size_t variant_kv_heads(const struct variant *variant, size_t n_head)
{
    return variant->n_kv_head == 0 ? n_head : variant->n_kv_head;
}

size_t variant_cache_roles(const struct variant *variant)
{
    return variant->slot[ROLE_K] == variant->slot[ROLE_V] ? 1 : 2;
}

const struct score_term_row *score_term_row(enum score_term term)
{
    static const struct score_term_row ROWS[SCORE_TERM_COUNT] = {
#define SCORE_TERM_ROW(id, ...) {__VA_ARGS__},
        SCORE_TERM_TABLE(SCORE_TERM_ROW)
#undef SCORE_TERM_ROW
    };
    return &ROWS[term];
}

bool variant_product_symmetric(const struct variant *variant)
{
    return variant->slot[ROLE_Q] == variant->slot[ROLE_K];
}

bool variant_product_gram(const struct variant *variant)
{
    /* qk_norm gives q and k gains of their own: sum_c g_c h_c x_ic x_jc, where g_c h_c may be
     * negative. */
    return variant_product_symmetric(variant) && !variant->qk_norm;
}

bool variant_scores_symmetric(const struct variant *variant)
{
    return variant_product_symmetric(variant) && !score_term_row(variant->score_term)->has_matrix;
}

bool variant_k_bias_dead(const struct variant *variant)
{
    int k = variant->slot[ROLE_K];
    return variant->slot[ROLE_Q] != k && variant->slot[ROLE_V] != k && !variant->qk_norm;
}

bool variant_has_position_weights(const struct variant *variant)
{
    return score_term_row(variant->score_term)->has_weights;
}

double variant_score_scale(const struct variant *variant)
{
    return variant->query == QUERY_IDENTITY ? 0.5 : 1.0;
}

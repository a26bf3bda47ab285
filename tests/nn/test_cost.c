/* Parameters, MACs and cache: known figures to the last digit, and the counts of built models. */
#include <stdio.h>
#include <string.h>

#include "nn/cost.h"
#include "nn/fixtures.h"
#include "testing.h"

/* A named model with sizes changed: "n_embd=256 n_layer=4". */
static struct cost_model sized(const char *name, const char *sizes)
{
    struct error err = {0};
    ck_assert_ptr_nonnull(cost_model_find(name, &err));
    struct cost_model model = *cost_model_find(name, &err);
    char text[256];
    snprintf(text, sizeof text, "%s", sizes);
    for (char *key = strtok(text, " "); key; key = strtok(NULL, " ")) {
        char *value = strchr(key, '=');
        *value++ = '\0';
        ck_assert_msg(cost_model_set(&model, key, value, &err) == STATUS_OK, "%s", err.text);
    }
    return model;
}

static struct cost cost_of(const struct cost_model *model, const char *id)
{
    struct variant variant = fixture_parse(id);
    struct cost cost;
    struct error err = {0};
    ck_assert_msg(cost_compute(model, &variant, &cost, &err) == STATUS_OK, "%s: %s", id, err.text);
    return cost;
}

static void expect_parameters(const char *name, const char *sizes, const char *id, uint64_t n_param)
{
    struct cost_model model = sized(name, sizes);
    struct cost cost = cost_of(&model, id);
    ck_assert_msg(cost.n_param == n_param, "%s %s %s: %llu parameters, expected %llu", name, sizes,
                  id, (unsigned long long)cost.n_param, (unsigned long long)n_param);
}

/* All variants with two projections cost the same, with or without the +. */
TEST(parameters_of_small_models)
{
    static const struct {
        const char *model, *sizes;
        uint64_t three, two, two_plus, one, one_plus;
    } ROWS[] = {
        {"encoder", "n_embd=64 n_layer=2", 109642, 101322, 101344, 93002, 93024},
        {"encoder", "n_embd=256 n_layer=4", 3197706, 2934538, 2934582, 2671370, 2671414},
        {"vit-mnist", "n_embd=64 n_layer=2 patch=4", 105098, 96778, 96880, 88458, 88560},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        const char *model = ROWS[i].model, *sizes = ROWS[i].sizes;
        expect_parameters(model, sizes, "qkv", ROWS[i].three);
        expect_parameters(model, sizes, "qk", ROWS[i].two);
        expect_parameters(model, sizes, "kv", ROWS[i].two);
        expect_parameters(model, sizes, "qv", ROWS[i].two);
        expect_parameters(model, sizes, "qk+", ROWS[i].two_plus);
        expect_parameters(model, sizes, "qkv_tied", ROWS[i].one);
        expect_parameters(model, sizes, "qkv_tied+", ROWS[i].one_plus);
    }
}

/* Hundredths of a GB, rounded. */
static unsigned hundredths(uint64_t n_byte)
{
    return (unsigned)((n_byte + 5000000) / 10000000);
}

TEST(language_model_of_300m)
{
    static const struct {
        const char *id;
        uint64_t n_param, per_token;
        unsigned gb100;
        double cut;
    } ROWS[] = {
        {"qkv", 305534976, 81920, 262, 0},
        {"kv", 284542976, 40960, 131, 50},
        {"qkv_tied", 263550976, 40960, 131, 50},
        {"qkv:n_kv_head=4", 274046976, 20480, 66, 75},
        {"kv:n_kv_head=4", 268798976, 10240, 33, 87.5},
        {"qkv:n_kv_head=1", 266174976, 5120, 16, 93.75},
        {"kv:n_kv_head=1", 264862976, 2560, 8, 96.875},
    };
    struct cost_model model = sized("300m", "");
    ck_assert_uint_eq(cost_model_context(&model), 32000);
    struct cost plain = cost_of(&model, "qkv");
    char id[VARIANT_TEXT_SIZE];
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct cost cost = cost_of(&model, ROWS[i].id);
        ck_assert_str_eq(cost_variant_at(&model, i, id), ROWS[i].id);
        ck_assert_uint_eq(cost.n_param, ROWS[i].n_param);
        ck_assert_uint_eq(cost.cache_per_token, ROWS[i].per_token);
        ck_assert_uint_eq(cost.cache, 32000 * ROWS[i].per_token);
        ck_assert_uint_eq(hundredths(cost.cache), ROWS[i].gb100);
        ck_assert_double_eq(100 - 100 * (double)cost.cache / (double)plain.cache, ROWS[i].cut);
    }
    ck_assert_ptr_null(cost_variant_at(&model, sizeof ROWS / sizeof ROWS[0], id));

    ck_assert_uint_eq(plain.forward_macs, 792689901568);
    ck_assert_uint_eq(cost_of(&model, "kv").forward_macs, 749740228608);
    ck_assert_uint_eq(cost_of(&model, "qk").forward_macs, 749740228608);
    ck_assert_uint_eq(cost_of(&model, "qkv_tied").forward_macs, 706790555648);
    ck_assert_uint_eq(plain.training_macs, 3 * plain.forward_macs);
}

/* By hand: 22 layers of 12 d^2 + 13 d, embedding and positions, the last norm. */
TEST(language_model_of_1_2b)
{
    uint64_t d = 2048;
    struct cost_model model = sized("1.2b", "");
    ck_assert_uint_eq(cost_of(&model, "qkv").n_param,
                      22 * (12 * d * d + 13 * d) + (50304 + 2048) * d + 2 * d);
    ck_assert_uint_eq(cost_of(&model, "qkv").cache_per_token, 2 * d * 22 * 2);
}

/* n tokens, d wide: p n d^2 + 2 n^2 d + 8 n d^2 a layer, and the two ends. */
TEST(macs_follow_the_formula)
{
    uint64_t d = 64, n = 16;
    struct cost_model encoder = sized("encoder", "");
    ck_assert_uint_eq(cost_of(&encoder, "qkv").forward_macs,
                      2 * (4 * n * d * d + 2 * n * n * d + 8 * n * d * d) + n * 10 * d * 2);
    /* norms, biases and score terms are not counted */
    ck_assert_uint_eq(cost_of(&encoder, "qkv:qk_norm=1").forward_macs,
                      cost_of(&encoder, "qkv").forward_macs);
    ck_assert_uint_eq(cost_of(&encoder, "qk+").forward_macs, cost_of(&encoder, "qk").forward_macs);
    /* the residual MLP has the two halves of W_Q, the identity nothing */
    ck_assert_uint_eq(cost_of(&encoder, "qkv:query=residual_mlp").forward_macs,
                      cost_of(&encoder, "qkv").forward_macs);
    ck_assert_uint_eq(cost_of(&encoder, "qkv:query=identity").forward_macs,
                      cost_of(&encoder, "kv").forward_macs);

    n = 50;
    struct cost_model vit = sized("vit-mnist", "");
    ck_assert_uint_eq(cost_model_tokens(&vit), n);
    ck_assert_uint_eq(cost_of(&vit, "kv").forward_macs,
                      2 * (3 * n * d * d + 2 * n * n * d + 8 * n * d * d) + 49 * 16 * d + d * 10);
}

/* d^2 + 3 d in place of W_Q's d^2 + d; 2 d_h of the norms' gains; G d_h wide keys and values. */
TEST(parameters_of_the_further_axes)
{
    uint64_t d = 64, plain = 109642;
    expect_parameters("encoder", "", "qkv:query=residual_mlp", plain + 2 * 2 * d);
    expect_parameters("encoder", "", "qkv:query=identity", plain - 2 * (d * d + d));
    expect_parameters("encoder", "", "qkv:qk_norm=1", plain + 2 * 2 * 16);
    expect_parameters("encoder", "", "qkv:n_kv_head=1", plain - 2 * 2 * 48 * (d + 1));
    expect_parameters("encoder", "", "kv:n_kv_head=2", 101322 - 2 * 32 * (d + 1));
    expect_parameters("encoder", "", "qk:score_term=temperature_scalar", 101322 + 2);
    expect_parameters("encoder", "", "qk:score_term=relative", 101322 + 2 * 10);
    expect_parameters("encoder", "", "qkv:causal=1", plain);
}

/* A patch that does not divide the image is completed with zeros: 32 px in patches of 7 are 25. */
TEST(tokens_of_images)
{
    static const struct {
        const char *model, *sizes;
        size_t n_token;
    } ROWS[] = {
        {"vit-mnist", "", 50},
        {"vit-cifar10", "", 65},
        {"vit-cifar10", "patch=7", 26},
        {"vit-tinyimagenet", "", 197},
        {"vit-tinyimagenet", "image_size=64 patch=8", 65},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct cost_model model = sized(ROWS[i].model, ROWS[i].sizes);
        ck_assert_uint_eq(cost_model_tokens(&model), ROWS[i].n_token);
        ck_assert_uint_eq(cost_model_context(&model), ROWS[i].n_token);
    }
}

/* The printed count is that of the model which trains, for every named variant. */
TEST(built_models_have_as_many_parameters)
{
    static const char *const SIZES[][2] = {
        {"encoder", ""},
        {"encoder", "n_embd=32 n_layer=1 n_head=2 seq_len=5"},
        {"encoder", "n_embd=48 n_layer=3 n_head=6 mlp_ratio=2 pos_dim=7"},
        {"encoder", "n_embd=256 n_layer=4 n_head=4 n_position=64 n_class=2"},
        {"vit-mnist", ""},
        {"vit-cifar100", "patch=7 n_embd=128 n_layer=3"},
    };
    for (size_t s = 0; s < sizeof SIZES / sizeof SIZES[0]; s++) {
        for (size_t i = 0; variant_named(i); i++) {
            struct cost_model cost_model = sized(SIZES[s][0], SIZES[s][1]);
            struct model_shape shape = cost_model.shape;
            if (shape.input == INPUT_PATCHES) {
                shape.n_token = shape.n_position = 1 + model_n_patch(&shape);
            }
            shape.variant = *variant_named(i);
            struct model model;
            struct cost cost;
            ck_assert_int_eq(model_create(&model, &shape, NULL), STATUS_OK);
            ck_assert_int_eq(cost_compute(&cost_model, &shape.variant, &cost, NULL), STATUS_OK);
            size_t n = 0;
            for (size_t t = 0; t < model.layout.n_tensor; t++) {
                n += model.layout.tensor[t].n_element;
            }
            ck_assert_uint_eq(cost.n_param, n);
            ck_assert_uint_eq(cost.n_param, model.layout.n_param);
            model_free(&model);
        }
    }
}

TEST(wrong_sizes_are_refused_with_the_reason)
{
    static const struct {
        const char *model, *key, *value, *needle;
    } ROWS[] = {
        {"encoder", "n_embd", "64x", "n_embd: expected a whole number in 2..16384, found '64x'"},
        {"encoder", "n_embd", "064", "found '064'"},
        {"encoder", "n_embd", "64,128", "found '64,128'"},
        {"encoder", "n_layer", "0", "1..256, found '0'"},
        {"encoder", "n_embed", "64", "(did you mean 'n_embd'?); it has n_embd, n_layer"},
        {"encoder", "patch", "4", "encoder has no size 'patch'"},
        {"vit-mnist", "seq_len", "9", "set image_size or patch"},
        {"300m", "n_class", "9", "300m has no size 'n_class'"},
        {"300m", "n_kv_head", "1", "behind the variant's id, as in kv:n_kv_head=..."},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct cost_model model = sized(ROWS[i].model, "");
        struct error err = {0};
        ck_assert_int_eq(cost_model_set(&model, ROWS[i].key, ROWS[i].value, &err), STATUS_USAGE);
        ck_assert_msg(strstr(err.text, ROWS[i].needle) != NULL, "'%s' lacks '%s'", err.text,
                      ROWS[i].needle);
    }
    struct error err = {0};
    ck_assert_ptr_null(cost_model_find("300M", &err));
    ck_assert_msg(strstr(err.text, "did you mean '300m'?") != NULL, "%s", err.text);
    struct cost_model model = sized("encoder", "n_head=6");
    struct variant variant = fixture_parse("qkv");
    struct cost cost;
    ck_assert_int_eq(cost_compute(&model, &variant, &cost, &err), STATUS_USAGE);
    ck_assert_msg(
        strstr(err.text, "n_embd 64 cannot be cut into n_head 6 equal heads; n_embd 60 or 66") !=
            NULL,
        "%s", err.text);
}

TEST(amounts_of_memory)
{
    static const struct {
        const char *text;
        uint64_t n_byte;
    } ROWS[] = {{"1000", 1000}, {"40GB", 40000000000}, {"1.5MB", 1500000},
                {"2KiB", 2048}, {"1GiB", 1073741824},  {"7B", 7}};
    static const char *const WRONG[] = {"",     "GB",    "-1GB", "40 GB", "40gb",
                                        "1e3B", "0x10B", "0GB",  "inf",   "9999999999TB"};
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        uint64_t n_byte = 0;
        ck_assert_int_eq(cost_parse_bytes(ROWS[i].text, &n_byte, NULL), STATUS_OK);
        ck_assert_uint_eq(n_byte, ROWS[i].n_byte);
    }
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
        uint64_t n_byte;
        struct error err = {0};
        ck_assert_msg(cost_parse_bytes(WRONG[i], &n_byte, &err) == STATUS_USAGE, "'%s'", WRONG[i]);
        ck_assert_ptr_nonnull(strstr(err.text, "such as 40GB"));
    }
}

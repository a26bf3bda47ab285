/* PyTorch's initial weights: first and last number of tensors, computed by another program that has
 * the Mersenne Twister of Python's library.
 */
#include <math.h>

#include "nn/model.h"
#include "testing.h"

static struct model_shape shape_of(const char *variant)
{
    struct model_shape shape = {.n_embd = 32,
                                .n_layer = 2,
                                .n_head = 2,
                                .mlp_ratio = 4,
                                .n_token = 16,
                                .n_position = 128,
                                .pos_dim = 10,
                                .n_symbol = 10,
                                .n_class = 10};
    ck_assert_int_eq(variant_parse(variant, &shape.variant, NULL), STATUS_OK);
    return shape;
}

static float *weights(struct model *model, const char *variant, enum numbers numbers, uint64_t seed)
{
    struct model_shape shape = shape_of(variant);
    struct error err;
    ck_assert_msg(model_create(model, &shape, &err) == STATUS_OK, "%s", err.text);
    float *param = malloc(model->layout.n_param * sizeof *param);
    ck_assert_ptr_nonnull(param);
    model_initialise(model, numbers, seed, param);
    return param;
}

TEST(pytorch_draws_in_the_order_of_the_published_model)
{
    static const struct {
        const char *name;
        double first, last;
    } known[] = {
        {"embed.weight", -0.313531279, 0.191490722},
        {"pos_emb", 0.56801983, 0.264947842},
        {"blocks.0.attn.qk.weight", -0.0397351005, -0.112746676},
        {"blocks.0.attn.v.bias", -0.169474248, -0.0358342621},
        {"blocks.0.attn.pos_w", -0.0263737645, 0.031014858},
        {"blocks.1.attn.pos_w", 0.0123736834, 0.0222782536},
        {"blocks.1.mlp.fc2.bias", 0.0833440337, 0.0590175365},
        {"head.bias", -0.173825404, -0.0953524611},
    };
    struct model model;
    float *param = weights(&model, "qk+", NUMBERS_PYTORCH, 3);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct tensor *tensor = model_find_tensor(&model, known[i].name);
        ck_assert_ptr_nonnull(tensor);
        const float *value = param + tensor->offset;
        ck_assert_double_eq_tol(value[0], known[i].first, 3e-7);
        ck_assert_double_eq_tol(value[tensor->n_element - 1], known[i].last, 3e-7);
    }
    free(param);
    model_free(&model);
}

/* What nobody draws is a constant, with either numbers, and nothing is left as it was. */
TEST(constants_and_every_tensor)
{
    static const char *const variant[] = {"qkv", "qk", "kv", "qkv_tied", "qk+", "qkv_tied+"};
    for (size_t v = 0; v < sizeof variant / sizeof *variant; v++) {
        struct model model;
        float *own = weights(&model, variant[v], NUMBERS_OWN, 1);
        model_free(&model);
        float *theirs = weights(&model, variant[v], NUMBERS_PYTORCH, 1);
        for (size_t i = 0; i < model.layout.n_tensor; i++) {
            const struct tensor *tensor = &model.layout.tensor[i];
            bool is_constant = tensor->law == INIT_ZERO || tensor->law == INIT_ONE;
            for (size_t e = 0; e < tensor->n_element; e++) {
                float a = own[tensor->offset + e], b = theirs[tensor->offset + e];
                ck_assert_msg(isfinite(b) && (a == b) == is_constant, "%s, %s[%zu]: %g and %g",
                              variant[v], tensor->name, e, (double)a, (double)b);
            }
        }
        free(own);
        free(theirs);
        model_free(&model);
    }
}

/* A table of positions whose size is no multiple of 16 ends where it ends, and is normal there. */
TEST(a_table_of_any_size)
{
    for (size_t n_position = 16; n_position < 24; n_position++) {
        struct model_shape shape = shape_of("qkv");
        struct model model;
        shape.n_embd = 10;
        shape.n_position = n_position;
        ck_assert_int_eq(model_create(&model, &shape, NULL), STATUS_OK);
        float *param = malloc(model.layout.n_param * sizeof *param);
        ck_assert_ptr_nonnull(param);
        model_initialise(&model, NUMBERS_PYTORCH, 1, param);
        const struct tensor *position = model_find_tensor(&model, "pos_emb");
        const struct tensor *behind = model_find_tensor(&model, "blocks.0.ln1.weight");
        double squares = 0;
        for (size_t i = 0; i < position->n_element; i++) {
            squares += pow((double)param[position->offset + i], 2);
        }
        ck_assert_double_eq_tol(squares / (double)position->n_element, 1, 0.4);
        for (size_t i = 0; i < behind->n_element; i++) {
            ck_assert_float_eq(param[behind->offset + i], 1);
        }
        free(param);
        model_free(&model);
    }
}

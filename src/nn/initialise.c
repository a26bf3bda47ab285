/* initialise: where the initial weights come from: our own generator, or the numbers that PyTorch
 * draws.
 */
#include <math.h>
#include <stdio.h>

#include "base/mt19937.h"
#include "base/rng.h"
#include "nn/model.h"

static void draw_own(const struct tensor *tensor, uint64_t seed, float *value)
{
    struct rng rng = rng_make(seed, "init/%s", tensor->init_name);
    for (size_t e = 0; e < tensor->n_element; e++) {
        value[e] =
            (float)(tensor->scale * (tensor->law == INIT_NORMAL ? rng_normal(rng, e)
                                                                : 2.0 * rng_uniform(rng, e) - 1.0));
    }
}

/* ---- PyTorch's numbers ----
 *
 * What torch.nn draws on a CPU for nn.Linear, nn.Embedding and torch.randn, as its sources document
 * it. One generator goes through all tensors, in the order in which the published model makes them,
 * so that a number depends on everything drawn before it.
 */

#define TWO_PI 6.283185307179586
#define BLOCK 16 /* normal numbers are made in blocks, of two halves of uniform ones */

static double uniform24(struct mt19937 *mt)
{
    return (mt19937_next(mt) & 0xffffff) * 0x1p-24;
}

static double uniform53(struct mt19937 *mt)
{
    uint64_t high = mt19937_next(mt);
    return (double)((high << 32 | mt19937_next(mt)) & (((uint64_t)1 << 53) - 1)) * 0x1p-53;
}

/* The products are rounded as PyTorch's are, in single precision. */
static void draw_uniform(struct mt19937 *mt, double bound, float *value, size_t n)
{
    float low = (float)-bound, width = (float)bound - low;
    for (size_t i = 0; i < n; i++) {
        value[i] = (float)uniform24(mt) * width + low;
    }
}

static void make_normal(double scale, float *value)
{
    for (size_t j = 0; j < BLOCK / 2; j++) {
        double length = scale * sqrt(-2 * log(1 - (double)value[j]));
        double angle = TWO_PI * value[j + BLOCK / 2];
        value[j] = (float)(length * cos(angle));
        value[j + BLOCK / 2] = (float)(length * sin(angle));
    }
}

static void draw_fractions(struct mt19937 *mt, float *value, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        value[i] = (float)uniform24(mt);
    }
}

/* Of BLOCK numbers or more. Where n is no multiple of BLOCK, the last BLOCK of them are drawn anew.
 */
static void draw_normal(struct mt19937 *mt, double scale, float *value, size_t n)
{
    draw_fractions(mt, value, n);
    for (size_t first = 0; first + BLOCK <= n; first += BLOCK) {
        make_normal(scale, value + first);
    }
    if (n % BLOCK != 0) {
        draw_fractions(mt, value + n - BLOCK, BLOCK);
        make_normal(scale, value + n - BLOCK);
    }
}

/* Fewer than BLOCK numbers are made pair by pair. */
static void draw_few_normal(struct mt19937 *mt, double scale, float *value, size_t n)
{
    for (size_t i = 0; i < n; i += 2) {
        double angle = TWO_PI * uniform53(mt);
        double length = scale * sqrt(-2 * log1p(-uniform53(mt)));
        value[i] = (float)(length * cos(angle));
        if (i + 1 < n) {
            value[i + 1] = (float)(length * sin(angle));
        }
    }
}

/* Draws the tensor of this name, if the model has it. */
static void draw(const struct model *model, const char *name, struct mt19937 *mt, float *param)
{
    const struct tensor *tensor = model_find_tensor(model, name);
    if (!tensor) {
        return;
    }
    float *value = param + tensor->offset;
    if (tensor->law == INIT_UNIFORM) {
        draw_uniform(mt, tensor->scale, value, tensor->n_element);
    } else if (tensor->n_element < BLOCK) {
        draw_few_normal(mt, tensor->scale, value, tensor->n_element);
    } else {
        draw_normal(mt, tensor->scale, value, tensor->n_element);
    }
}

/* Projections as far as the variant has them, and what follows; constants draw nothing. */
static void draw_block(const struct model *model, size_t layer, struct mt19937 *mt, float *param)
{
    static const char *const others[] = {"attn.out.weight", "attn.out.bias", "attn.pos_w",
                                         "mlp.fc1.weight",  "mlp.fc1.bias",  "mlp.fc2.weight",
                                         "mlp.fc2.bias"};
    char name[64];
    for (int slot = 0; slot < ROLE_COUNT; slot++) {
        char roles[4];
        variant_slot_roles(&model->shape.variant, slot, roles);
        snprintf(name, sizeof name, "blocks.%zu.attn.%s.weight", layer, roles);
        draw(model, name, mt, param);
        snprintf(name, sizeof name, "blocks.%zu.attn.%s.bias", layer, roles);
        draw(model, name, mt, param);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        snprintf(name, sizeof name, "blocks.%zu.%s", layer, others[i]);
        draw(model, name, mt, param);
    }
}

static void draw_pytorch(const struct model *model, uint64_t seed, float *param)
{
    struct mt19937 mt = mt19937_make((uint32_t)seed);
    draw(model, "embed.weight", &mt, param);
    draw(model, "embed.bias", &mt, param);
    draw(model, "pos_emb", &mt, param);
    for (size_t layer = 0; layer < model->shape.n_layer; layer++) {
        draw_block(model, layer, &mt, param);
    }
    draw(model, "head.weight", &mt, param);
    draw(model, "head.bias", &mt, param);
}

/* ---- either ---- */

void model_initialise(const struct model *model, enum numbers numbers, uint64_t seed, float *param)
{
    for (size_t i = 0; i < model->layout.n_tensor; i++) {
        const struct tensor *tensor = &model->layout.tensor[i];
        float *value = param + tensor->offset;
        if (tensor->law != INIT_ZERO && tensor->law != INIT_ONE) {
            draw_own(tensor, seed, value);
            continue;
        }
        for (size_t e = 0; e < tensor->n_element; e++) {
            value[e] = tensor->law == INIT_ONE ? 1.0f : 0.0f;
        }
    }
    if (numbers == NUMBERS_PYTORCH) {
        draw_pytorch(model, seed, param);
    }
}

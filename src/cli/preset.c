#include "cli/preset.h"

#include <string.h>

#define ALL_TASKS "task=reverse,sort,sub,swap,copy,shift"
#define PAPER_TASKS "task=reverse,sort,sub,swap,copy"
#define SEVEN_VARIANTS "variant=qkv,qk,qk+,kv,qv,qkv_tied,qkv_tied+"
#define PAPER_VARIANTS "variant=qkv,qk,qk+,kv,qkv_tied,qkv_tied+"

#define PLUS_TASKS "task=reverse,swap,sort,shift"
#define PLUS_TERMS "score_term=none,temperature,temperature_scalar,key_bias,position2d,relative"

#define SET(...) ((const char *const[]){__VA_ARGS__, NULL})
#define N_GRID(grids) (sizeof(grids) / sizeof((grids)[0]))

/* Six epochs of the glyphs are as many steps as one of Fashion-MNIST. */
static const struct preset_grid quick[] = {
    {"0-2", SET(ALL_TASKS, SEVEN_VARIANTS, "attention=final"), NULL},
    {"0", SET("task=fashion_mnist", PAPER_VARIANTS, "epochs=1"), SET("task=glyphs", "epochs=6")},
};

static const struct preset_grid smoke[] = {
    {"0", SET("task=copy", "variant=qkv,qk", "n_embd=32", "n_train=1280", "n_test=256"), NULL},
};

static const struct preset_grid dynamics[] = {
    {"0-2", SET("task=reverse", PAPER_VARIANTS, "seq_len=64", "epochs=10"), NULL},
};

static const struct preset_grid maps[] = {
    {"0-2", SET("task=reverse,swap,shift", SEVEN_VARIANTS, "epochs=15", "attention=final"), NULL},
};

#define PLUS_ABLATION(epochs)                                                                      \
    SET(PLUS_TASKS, "variant=qk,qkv_tied", PLUS_TERMS, epochs, "attention=none")

static const struct preset_grid plus_ablation[] = {
    {"0-5", PLUS_ABLATION("epochs=2"), NULL},
};

static const struct preset_grid plus_ablation_long[] = {
    {"0-5", PLUS_ABLATION("epochs=10"), NULL},
};

static const struct preset_grid published[] = {
    {"0-2",
     SET(PAPER_TASKS, PAPER_VARIANTS, "n_embd=32,64,256", "n_layer=2,4", "n_head=2,4",
         "seq_len=16,64,128"),
     NULL},
};

static const struct preset presets[] = {
    {"quick",
     "seven sharing variants on the six tasks, and the published six on images for one epoch of "
     "Fashion-MNIST, at the defaults",
     quick, N_GRID(quick)},
    {"smoke", "two tiny runs, to see that everything works", smoke, N_GRID(smoke)},
    {"dynamics", "when each variant leaves its plateau on Reverse, T = 64, ten epochs", dynamics,
     N_GRID(dynamics)},
    {"maps", "attention maps on the tasks that move tokens, trained for fifteen epochs", maps,
     N_GRID(maps)},
    {"plus-ablation",
     "is the + more than a temperature and a bias of each key? its parts one by one, 158 steps",
     plus_ablation, N_GRID(plus_ablation)},
    {"plus-ablation-long", "the same for 790 steps", plus_ablation_long,
     N_GRID(plus_ablation_long)},
    {"grid",
     "the published grid of the synthetic tasks: 3,240 runs, for several machines (--shard)",
     published, N_GRID(published)},
};

const struct preset *preset_at(size_t i)
{
    return i < sizeof presets / sizeof presets[0] ? &presets[i] : NULL;
}

const struct preset *preset_find(const char *name)
{
    for (size_t i = 0; preset_at(i); i++) {
        if (strcmp(presets[i].name, name) == 0) {
            return &presets[i];
        }
    }
    return NULL;
}

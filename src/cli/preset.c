#include "cli/preset.h"

#include <string.h>

#define ALL_TASKS "task=reverse,sort,sub,swap,copy,shift"
#define PAPER_TASKS "task=reverse,sort,sub,swap,copy"
#define SEVEN_VARIANTS "variant=qkv,qk,qk+,kv,qv,qkv_tied,qkv_tied+"
#define PAPER_VARIANTS "variant=qkv,qk,qk+,kv,qkv_tied,qkv_tied+"

#define PLUS_TASKS "task=reverse,swap,sort,shift"
#define PLUS_TERMS "score_term=none,temperature,temperature_scalar,key_bias,position2d,relative"

static const struct preset presets[] = {
    /* name, seeds, summary, keys */
    {"quick",
     "0-2",
     "seven sharing variants on the six tasks at the defaults",
     {ALL_TASKS, SEVEN_VARIANTS, "attention=final"}},
    {"smoke",
     "0",
     "two tiny runs, to see that everything works",
     {"task=copy", "variant=qkv,qk", "n_embd=32", "n_train=1280", "n_test=256"}},
    {"dynamics",
     "0-2",
     "when each variant leaves its plateau on Reverse, T = 64, ten epochs",
     {"task=reverse", PAPER_VARIANTS, "seq_len=64", "epochs=10"}},
    {"maps",
     "0-2",
     "attention maps on the tasks that move tokens, trained for fifteen epochs",
     {"task=reverse,swap,shift", SEVEN_VARIANTS, "epochs=15", "attention=final"}},
    {"plus-ablation",
     "0-5",
     "is the + more than a temperature and a bias of each key? its parts one by one, 158 steps",
     {PLUS_TASKS, "variant=qk,qkv_tied", PLUS_TERMS, "epochs=2", "attention=none"}},
    {"plus-ablation-long",
     "0-5",
     "the same for 790 steps",
     {PLUS_TASKS, "variant=qk,qkv_tied", PLUS_TERMS, "epochs=10", "attention=none"}},
    {"grid",
     "0-2",
     "the published grid of the synthetic tasks: 3,240 runs, for several machines (--shard)",
     {PAPER_TASKS, PAPER_VARIANTS, "n_embd=32,64,256", "n_layer=2,4", "n_head=2,4",
      "seq_len=16,64,128"}},
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

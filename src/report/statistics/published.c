/* published: the numbers as printed, all of a variant in one row. */
#include "report/statistics/published.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- columns ---- */

static const char *const mean_of[] = {"reverse",  "sort",        "sub",           "swap",
                                      "copy",     "mnist",       "fashion_mnist", "cifar10",
                                      "cifar100", "tinyimagenet"};

static const struct {
    size_t n_embd, n_token;
} reverse_at[] = {
    {32, 16}, {32, 64}, {64, 16}, {64, 64}, {64, 128}, {256, 16}, {256, 64}, {256, 128},
};

static const struct {
    const char *dataset;
    size_t n_head;
} single_of[] = {
    {"mnist", 2},   {"mnist", 4},   {"fashion_mnist", 2}, {"fashion_mnist", 4},
    {"cifar10", 2}, {"cifar10", 4}, {"cifar100", 2},      {"cifar100", 4},
};

/* ---- rows ---- */

static const struct row {
    struct published_dynamics dynamics; /* its name is that of the row */
    double mean[PUBLISHED_SOURCE_COUNT][COUNT(mean_of)];
    double reverse[COUNT(reverse_at)], single[COUNT(single_of)];
} rows[] = {
    {{"qkv", 124, 188},
     {{.698, .971, 1.0, .588, 1.0, .981, .887, .663, .363, .229},
      {.529, .753, .992, .524, .991, .984, .885, .700, .430, .331}},
     {.316, .101, 1.000, .144, .101, 1.000, 1.000, 1.000},
     {.9828, .9833, .8869, .8880, .6898, .7229, .4336, .4460}},
    {{"qk", 159, 225},
     {{.705, .967, 1.0, .597, 1.0, .981, .885, .666, .369, .236},
      {.475, .691, .991, .471, .994, .983, .884, .715, .447, .339}},
     {.233, .101, .981, .109, .101, 1.000, 1.000, .654},
     {NAN, NAN, NAN, NAN, .6979, .7207, NAN, NAN}},
    {{"qk+", 128, 180},
     {{.718, .963, 1.0, .671, 1.0, .982, .884, .662, .366, NAN},
      {.522, .770, .993, .530, .991, .981, .883, .695, .408, .334}},
     {.266, .102, 1.000, .130, .101, 1.000, 1.000, 1.000},
     {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN}},
    {{"kv", 169, 232},
     {{.701, .958, 1.0, .590, 1.0, .976, .883, .659, .358, NAN},
      {.510, .747, .992, .511, .994, .979, .882, .694, .428, .334}},
     {.227, .101, 1.000, .110, .101, 1.000, 1.000, .953},
     {.9795, .9832, .8870, .8873, .6926, .7097, NAN, NAN}},
    {{"qkv_tied", 203, 320},
     {{.514, .939, 1.0, .446, 1.0, .978, .877, .672, .376, .266},
      {.295, .671, .991, .307, .992, .981, .884, .715, .423, .381}},
     {.164, .101, .654, .106, .101, .847, .467, .119},
     {.9802, .9838, NAN, NAN, .6960, .7150, NAN, NAN}},
    {{"qkv_tied+", 220, 387},
     {{.581, .957, 1.0, .576, 1.0, .977, .875, .669, .364, NAN},
      {.370, .770, .990, .382, .990, .979, .875, .693, .410, .342}},
     {.161, .102, .734, .110, .101, 1.000, .768, .253},
     {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN}},
};

/* ---- sources ---- */

enum { OF_TASKS, OF_DATA_SETS };

static const struct {
    const char *name, *conditions;
} sources[][PUBLISHED_SOURCE_COUNT] = {
    [OF_TASKS] = {{"arXiv 2606.04032, Table 1",
                   "mean over the grid d 64, 256 x 2, 4 layers x 2, 4 heads x T 64, 128 x 3 seeds; "
                   "50,000 training sequences, 780 steps, post-norm blocks with dropout"},
                  {"the authors' public reproduction",
                   "mean over the grid d 32, 64, 256 x 2, 4 layers x 2, 4 heads x T 16, 64, 128 x "
                   "3 seeds = 108 runs; 10,000 training sequences, 158 steps, pre-norm blocks"}},
    [OF_DATA_SETS] = {{"arXiv 2606.04032, Table 2",
                       "means over the paper's grid of patches, learning rates, widths, depths and "
                       "heads"},
                      {"the authors' public reproduction",
                       "means over d 64, 256 x 2, 4 heads at 2 layers, one run each; TinyImageNet: "
                       "one model of 224 px, patch 16, d 768, 12 layers"}},
};

const char *const published_reverse_conditions =
    "mean of 12 runs: 2 and 4 layers x 2 and 4 heads x 3 seeds, 158 steps, the reproduction's "
    "procedure; single runs are bimodal (solved near 1, or at chance)";

const char *const published_dynamics_conditions =
    "Reverse, d 64, 2 layers, 4 heads, T 64, 10 epochs = 790 steps with 39 steps of warm-up, first "
    "step of the mean curve of 3 seeds";

const char *const published_top1_single_conditions =
    "one run at d 64, 2 layers, patch 4 and the number of heads of the row; no seeds were "
    "published";

const char *published_name(enum published_source source)
{
    return sources[OF_TASKS][source].name;
}

const char *published_conditions(enum published_source source)
{
    return sources[OF_TASKS][source].conditions;
}

const char *published_images_name(enum published_source source)
{
    return sources[OF_DATA_SETS][source].name;
}

const char *published_images_conditions(enum published_source source)
{
    return sources[OF_DATA_SETS][source].conditions;
}

/* ---- looking up ---- */

static const struct row *find(const char *variant)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (strcmp(rows[i].dynamics.variant, variant) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

double published_accuracy(enum published_source source, const char *variant, const char *task)
{
    const struct row *row = find(variant);
    for (size_t i = 0; row && i < COUNT(mean_of); i++) {
        if (strcmp(mean_of[i], task) == 0) {
            return row->mean[source][i];
        }
    }
    return NAN;
}

double published_reverse(const char *variant, size_t n_embd, size_t n_token)
{
    const struct row *row = find(variant);
    for (size_t i = 0; row && i < COUNT(reverse_at); i++) {
        if (reverse_at[i].n_embd == n_embd && reverse_at[i].n_token == n_token) {
            return row->reverse[i];
        }
    }
    return NAN;
}

double published_top1_single(const char *variant, const char *dataset, size_t n_head)
{
    const struct row *row = find(variant);
    for (size_t i = 0; row && i < COUNT(single_of); i++) {
        if (strcmp(single_of[i].dataset, dataset) == 0 && single_of[i].n_head == n_head) {
            return row->single[i];
        }
    }
    return NAN;
}

const struct published_dynamics *published_dynamics(const char *variant)
{
    const struct row *row = find(variant);
    return row ? &row->dynamics : NULL;
}

bool published_dynamics_comparable(size_t n_embd, size_t n_layer, size_t n_head, size_t n_token,
                                   size_t n_step)
{
    return n_embd == 64 && n_layer == 2 && n_head == 4 && n_token == 64 && n_step == 790;
}

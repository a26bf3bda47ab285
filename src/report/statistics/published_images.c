/* published_images: the numbers as printed, one row a variant. */
#include "report/statistics/published_images.h"

#include <math.h>
#include <string.h>

#define N_DATASET 5
static const char *const column_dataset[N_DATASET] = {"mnist", "fashion_mnist", "cifar10",
                                                      "cifar100", "tinyimagenet"};

struct grid_row {
    const char *variant;
    double top1[PUBLISHED_SOURCE_COUNT][N_DATASET];
};

/*   variant      paper: MNIST Fashion CIFAR-10 -100 Tiny   reproduction: the same */
static const struct grid_row grid[] = {
    {"qkv", {{.981, .887, .663, .363, .229}, {.984, .885, .700, .430, .331}}},
    {"qk", {{.981, .885, .666, .369, .236}, {.983, .884, .715, .447, .339}}},
    {"qk+", {{.982, .884, .662, .366, NAN}, {.981, .883, .695, .408, .334}}},
    {"kv", {{.976, .883, .659, .358, NAN}, {.979, .882, .694, .428, .334}}},
    {"qkv_tied", {{.978, .877, .672, .376, .266}, {.981, .884, .715, .423, .381}}},
    {"qkv_tied+", {{.977, .875, .669, .364, NAN}, {.979, .875, .693, .410, .342}}},
};

struct single_row {
    const char *dataset, *variant;
    double heads_2, heads_4;
};

static const struct single_row single[] = {
    {"mnist", "qkv", .9828, .9833},        {"mnist", "kv", .9795, .9832},
    {"mnist", "qkv_tied", .9802, .9838},   {"fashion_mnist", "qkv", .8869, .8880},
    {"fashion_mnist", "kv", .8870, .8873}, {"cifar10", "qkv", .6898, .7229},
    {"cifar10", "qk", .6979, .7207},       {"cifar10", "kv", .6926, .7097},
    {"cifar10", "qkv_tied", .6960, .7150}, {"cifar100", "qkv", .4336, .4460},
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

const char *const published_top1_single_conditions =
    "one run at d 64, 2 layers, patch 4 and the number of heads of the row; no seeds were "
    "published";

const char *published_images_name(enum published_source source)
{
    return source == PUBLISHED_PAPER ? "arXiv 2606.04032, Table 2"
                                     : "the authors' public reproduction";
}

const char *published_images_conditions(enum published_source source)
{
    if (source == PUBLISHED_PAPER) {
        return "means over the paper's grid of patches, learning rates, widths, depths and heads";
    }
    return "means over d 64, 256 x 2, 4 heads at 2 layers, one run each; TinyImageNet: one model "
           "of "
           "224 px, patch 16, d 768, 12 layers";
}

double published_top1(enum published_source source, const char *variant, const char *dataset)
{
    size_t column = 0;
    while (column < N_DATASET && strcmp(column_dataset[column], dataset) != 0) {
        column++;
    }
    for (size_t i = 0; column < N_DATASET && i < COUNT(grid); i++) {
        if (strcmp(grid[i].variant, variant) == 0) {
            return grid[i].top1[source][column];
        }
    }
    return NAN;
}

double published_top1_single(const char *variant, const char *dataset, size_t n_head)
{
    for (size_t i = 0; i < COUNT(single); i++) {
        if (strcmp(single[i].variant, variant) == 0 && strcmp(single[i].dataset, dataset) == 0) {
            return n_head == 2 ? single[i].heads_2 : n_head == 4 ? single[i].heads_4 : NAN;
        }
    }
    return NAN;
}

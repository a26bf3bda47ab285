/* published: the numbers as printed, three decimals, one row a variant. */
#include "report/statistics/published.h"

#include <math.h>
#include <string.h>

#define N_TASK 5
static const char *const grid_task[N_TASK] = {"reverse", "sort", "sub", "swap", "copy"};

struct grid_row {
    const char *variant;
    double accuracy[PUBLISHED_SOURCE_COUNT][N_TASK];
};

/*   variant      paper: REVERSE SORT SUB SWAP COPY     reproduction: REVERSE SORT SUB SWAP COPY */
static const struct grid_row grid[] = {
    {"qkv", {{.698, .971, 1.0, .588, 1.0}, {.529, .753, .992, .524, .991}}},
    {"qk", {{.705, .967, 1.0, .597, 1.0}, {.475, .691, .991, .471, .994}}},
    {"qk+", {{.718, .963, 1.0, .671, 1.0}, {.522, .770, .993, .530, .991}}},
    {"kv", {{.701, .958, 1.0, .590, 1.0}, {.510, .747, .992, .511, .994}}},
    {"qkv_tied", {{.514, .939, 1.0, .446, 1.0}, {.295, .671, .991, .307, .992}}},
    {"qkv_tied+", {{.581, .957, 1.0, .576, 1.0}, {.370, .770, .990, .382, .990}}},
};

#define N_REVERSE 8
struct reverse_column {
    size_t n_embd, n_token;
};
static const struct reverse_column reverse_column[N_REVERSE] = {
    {32, 16}, {32, 64}, {64, 16}, {64, 64}, {64, 128}, {256, 16}, {256, 64}, {256, 128},
};

struct reverse_row {
    const char *variant;
    double accuracy[N_REVERSE];
};
static const struct reverse_row reverse[] = {
    {"qkv", {.316, .101, 1.000, .144, .101, 1.000, 1.000, 1.000}},
    {"qk", {.233, .101, .981, .109, .101, 1.000, 1.000, .654}},
    {"qk+", {.266, .102, 1.000, .130, .101, 1.000, 1.000, 1.000}},
    {"kv", {.227, .101, 1.000, .110, .101, 1.000, 1.000, .953}},
    {"qkv_tied", {.164, .101, .654, .106, .101, .847, .467, .119}},
    {"qkv_tied+", {.161, .102, .734, .110, .101, 1.000, .768, .253}},
};

static const struct published_dynamics dynamics[] = {
    {"qkv", 124, 188}, {"qk", 159, 225},       {"qk+", 128, 180},
    {"kv", 169, 232},  {"qkv_tied", 203, 320}, {"qkv_tied+", 220, 387},
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

const char *const published_reverse_conditions =
    "mean of 12 runs: 2 and 4 layers x 2 and 4 heads x 3 seeds, 158 steps, the reproduction's "
    "procedure; single runs are bimodal (solved near 1, or at chance)";

const char *const published_dynamics_conditions =
    "Reverse, d 64, 2 layers, 4 heads, T 64, 10 epochs = 790 steps with 39 steps of warm-up, first "
    "step of the mean curve of 3 seeds";

const char *published_name(enum published_source source)
{
    return source == PUBLISHED_PAPER ? "arXiv 2606.04032, Table 1"
                                     : "the authors' public reproduction";
}

const char *published_conditions(enum published_source source)
{
    if (source == PUBLISHED_PAPER) {
        return "mean over the grid d 64, 256 x 2, 4 layers x 2, 4 heads x T 64, 128 x 3 seeds; "
               "50,000 training sequences, 780 steps, post-norm blocks with dropout";
    }
    return "mean over the grid d 32, 64, 256 x 2, 4 layers x 2, 4 heads x T 16, 64, 128 x 3 seeds "
           "= 108 runs; 10,000 training sequences, 158 steps, pre-norm blocks";
}

static size_t task_column(const char *task)
{
    size_t i = 0;
    while (i < N_TASK && strcmp(grid_task[i], task) != 0) {
        i++;
    }
    return i;
}

double published_accuracy(enum published_source source, const char *variant, const char *task)
{
    size_t column = task_column(task);
    for (size_t i = 0; column < N_TASK && i < COUNT(grid); i++) {
        if (strcmp(grid[i].variant, variant) == 0) {
            return grid[i].accuracy[source][column];
        }
    }
    return NAN;
}

static size_t find_reverse_column(size_t n_embd, size_t n_token)
{
    size_t i = 0;
    while (i < N_REVERSE &&
           (reverse_column[i].n_embd != n_embd || reverse_column[i].n_token != n_token)) {
        i++;
    }
    return i;
}

double published_reverse(const char *variant, size_t n_embd, size_t n_token)
{
    size_t column = find_reverse_column(n_embd, n_token);
    for (size_t i = 0; column < N_REVERSE && i < COUNT(reverse); i++) {
        if (strcmp(reverse[i].variant, variant) == 0) {
            return reverse[i].accuracy[column];
        }
    }
    return NAN;
}

const struct published_dynamics *published_dynamics(const char *variant)
{
    for (size_t i = 0; i < COUNT(dynamics); i++) {
        if (strcmp(dynamics[i].variant, variant) == 0) {
            return &dynamics[i];
        }
    }
    return NULL;
}

bool published_dynamics_comparable(size_t n_embd, size_t n_layer, size_t n_head, size_t n_token,
                                   size_t n_step)
{
    return n_embd == 64 && n_layer == 2 && n_head == 4 && n_token == 64 && n_step == 790;
}

/* ---- images: the numbers as printed, one row a variant ---- */

#define N_DATASET 5
static const char *const column_dataset[N_DATASET] = {"mnist", "fashion_mnist", "cifar10",
                                                      "cifar100", "tinyimagenet"};

struct images_row {
    const char *variant;
    double top1[PUBLISHED_SOURCE_COUNT][N_DATASET];
};

/*   variant      paper: MNIST Fashion CIFAR-10 -100 Tiny   reproduction: the same */
static const struct images_row images[] = {
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
    for (size_t i = 0; column < N_DATASET && i < COUNT(images); i++) {
        if (strcmp(images[i].variant, variant) == 0) {
            return images[i].top1[source][column];
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

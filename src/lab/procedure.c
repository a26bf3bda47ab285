/* TinyImageNet is the procedure's small form for processors: the published one (224 px, patch 16, d
 * 768, twelve layers) takes days without a graphics card. Glyphs are no published data; their
 * epochs are enough to tell variants apart within a minute.
 */
#include "lab/procedure.h"

#include <string.h>

#define MAX_PRESET 8

struct procedure_row {
    const char *dataset;
    size_t n_train, n_test;
    struct {
        const char *key, *value;
    } preset[MAX_PRESET]; /* ends at the first without a key */
};

static const struct procedure_row ROWS[] = {
    {"cifar10", 50000, 10000, {{"epochs", "40"}}},
    {"cifar100", 50000, 10000, {{"epochs", "50"}}},
    {"fashion_mnist", 60000, 10000, {{"epochs", "20"}}},
    {"glyphs", 10000, 2000, {{"epochs", "10"}}},
    {"mnist", 60000, 10000, {{"epochs", "20"}}},
    {"tinyimagenet",
     100000,
     10000,
     {{"epochs", "20"},
      {"batch_size", "32"},
      {"n_embd", "192"},
      {"n_layer", "6"},
      {"n_head", "6"},
      {"patch", "8"}}},
};

static const struct procedure_row *find_row(const char *dataset)
{
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        if (strcmp(ROWS[i].dataset, dataset) == 0) {
            return &ROWS[i];
        }
    }
    return NULL;
}

const char *procedure_preset(const char *dataset, const char *key)
{
    const struct procedure_row *row = find_row(dataset);
    for (size_t i = 0; row && i < MAX_PRESET && row->preset[i].key; i++) {
        if (strcmp(row->preset[i].key, key) == 0) {
            return row->preset[i].value;
        }
    }
    return NULL;
}

size_t procedure_n_train(const char *dataset)
{
    const struct procedure_row *row = find_row(dataset);
    return row ? row->n_train : 0;
}

size_t procedure_n_test(const char *dataset)
{
    const struct procedure_row *row = find_row(dataset);
    return row ? row->n_test : 0;
}

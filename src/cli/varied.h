/* varied: the keys in which configurations differ, as columns of a table beside those that name
 * them. */
#ifndef QKVLAB_CLI_VARIED_H
#define QKVLAB_CLI_VARIED_H

#include "base/table.h"
#include "lab/config/config.h"

#define VARIED_MAX 12

struct varied {
    const struct config_key *key[VARIED_MAX];
    size_t n;
};

/* varied_find lists keys in which configs [n] of one kind differ: what kinds have different
 * defaults of is nobody's choice. is_told: other columns show the key. */
struct varied varied_find(const struct config *configs, size_t n,
                          bool (*is_told)(const struct config *configs, size_t n, const char *key));

void varied_columns(const struct varied *varied, struct table *table);
void varied_cells(const struct varied *varied, const struct config *config, struct table *table);

#endif

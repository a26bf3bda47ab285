/* A grid counts like an odometer: the key that was set first turns slowest, seeds turn fastest. The
 * variant's id is applied to a cell before its further axes, so that their order does not matter.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/config/config.h"
#include "lab/config/grid.h"

static size_t count_seeds(const struct grid *grid)
{
    return grid->seed ? grid->n_seed : 1;
}

static uint64_t cell_seed(const struct grid *grid, size_t cell)
{
    return grid->seed ? grid->seed[cell % grid->n_seed] : config_default().seed;
}

static const struct grid_value *cell_value(const struct grid *grid, size_t cell, size_t key)
{
    cell /= count_seeds(grid);
    for (size_t inner = grid->n_key - 1; inner > key; inner--) {
        cell /= grid->key[inner].n_value;
    }
    return &grid->key[key].value[cell % grid->key[key].n_value];
}

/* cell_name writes "task=swap seq_len=15 seed=0": the keys of the grid, not all of them. */
static void cell_name(const struct grid *grid, size_t cell, char *name, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < grid->n_key && used < size; i++) {
        used += (size_t)snprintf(name + used, size - used, "%s=%s ", grid->key[i].name,
                                 cell_value(grid, cell, i)->text);
    }
    if (used < size) {
        snprintf(name + used, size - used, "seed=%llu", (unsigned long long)cell_seed(grid, cell));
    }
}

/* set_axis refuses to overrule silently what the variant's id has said already. */
static enum status set_axis(struct config *config, const char *key, const char *value,
                            struct error *err)
{
    struct config preset = config_default();
    char usual[VARIANT_TEXT_SIZE], before[VARIANT_TEXT_SIZE], after[VARIANT_TEXT_SIZE];
    char id[VARIANT_TEXT_SIZE];
    variant_id(&config->variant, id);
    config_value(&preset, key, usual, sizeof usual, NULL);
    config_value(config, key, before, sizeof before, NULL);
    TRY(config_set(config, key, value, err));
    config_value(config, key, after, sizeof after, NULL);
    if (strcmp(before, usual) != 0 && strcmp(before, after) != 0) {
        return error_set(err, STATUS_USAGE, "variant %s already says %s=%s, and %s=%s contradicts",
                         id, key, before, key, value);
    }
    return STATUS_OK;
}

#define NO_KEY ((size_t)-1)

/* build_cell leaves the key number `without` at its default; NO_KEY: none. */
static enum status build_cell(const struct grid *grid, size_t cell, size_t without,
                              struct config *config, struct error *err)
{
    *config = config_default();
    config->seed = cell_seed(grid, cell);
    for (size_t i = 0; i < grid->n_key; i++) {
        if (i != without && !config_is_axis(grid->key[i].name)) {
            TRY(config_set(config, grid->key[i].name, cell_value(grid, cell, i)->text, err));
        }
    }
    for (size_t i = 0; i < grid->n_key; i++) {
        if (i != without && config_is_axis(grid->key[i].name)) {
            TRY(set_axis(config, grid->key[i].name, cell_value(grid, cell, i)->text, err));
        }
    }
    return config_resolve(config, err);
}

/* find_fault returns the key without which the cell could be, of those from files or of those from
 * the command line; of several, one that the sentence names, or the last. A key of the command line
 * that the sentence names need not be the only fault: it may have replaced a value that fitted. */
static size_t find_fault(const struct grid *grid, size_t cell, const char *sentence, bool in_file)
{
    size_t fault = NO_KEY;
    for (size_t k = grid->n_key; k-- > 0;) {
        struct config scratch;
        if ((grid->key[k].file != NULL) != in_file) {
            continue;
        }
        bool named = strstr(sentence, grid->key[k].name) != NULL;
        bool cured = build_cell(grid, cell, k, &scratch, NULL) == STATUS_OK;
        if (named && (cured || !in_file)) {
            return k;
        }
        fault = fault == NO_KEY && cured ? k : fault;
    }
    return fault;
}

/* say_fault puts in front of the sentence where the values stand that make the cell impossible. On
 * a command line without a file there is but one place. */
static void say_fault(const struct grid *grid, size_t cell, const char *sentence, struct error *err)
{
    size_t in_file = find_fault(grid, cell, sentence, true);
    size_t on_line = grid->file ? find_fault(grid, cell, sentence, false) : NO_KEY;
    if (in_file != NO_KEY) {
        grid_say_place(err, grid->key[in_file].file, cell_value(grid, cell, in_file)->place);
    } else if (on_line == NO_KEY) {
        grid_say_place(err, grid->file, grid->place);
    }
    if (on_line != NO_KEY) {
        error_prefix(err, "--set %s=%s", grid->key[on_line].name,
                     cell_value(grid, cell, on_line)->text);
    }
}

/* explain_cell says also which cell of many it is about. */
static void explain_cell(const struct grid *grid, size_t cell, size_t n_cell, struct error *err)
{
    if (!err) {
        return;
    }
    struct error plain = *err;
    if (n_cell > 1) {
        char name[400];
        cell_name(grid, cell, name, sizeof name);
        error_prefix(err, "cell %s", name);
    }
    say_fault(grid, cell, plain.text, err);
}

/* say_second puts the place of the value by which the second of two equal cells differs. */
static void say_second(const struct grid *grid, size_t first, size_t second, struct error *err)
{
    for (size_t k = grid->n_key; k-- > 0;) {
        const struct grid_key *key = &grid->key[k];
        const struct grid_value *a = cell_value(grid, first, k), *b = cell_value(grid, second, k);
        if (a == b) {
            continue;
        }
        if (key->file) {
            grid_say_place(err, key->file, b->place);
        } else if (grid->file) {
            error_prefix(err, "--set %s=%s,%s", key->name, a->text, b->text);
        }
        return;
    }
}

/* Two cells of one id are one run written twice (qk and Q=K). */
static enum status refuse_duplicates(const struct grid *grid, const struct config *configs,
                                     size_t n_config, struct error *err)
{
    const struct config **sorted = config_sort_ids(configs, n_config);
    size_t i = 1;
    if (!sorted) {
        return error_memory(err, "expanding a grid");
    }
    while (i < n_config && strcmp(sorted[i - 1]->id, sorted[i]->id) != 0) {
        i++;
    }
    size_t first = (size_t)(sorted[i - 1] - configs);
    size_t second = i < n_config ? (size_t)(sorted[i] - configs) : first;
    free(sorted);
    if (first == second) {
        return STATUS_OK;
    }
    char name[2][400];
    cell_name(grid, first, name[0], sizeof name[0]);
    cell_name(grid, second, name[1], sizeof name[1]);
    error_set(err, STATUS_USAGE, "the cells %s and %s are the same run", name[0], name[1]);
    say_second(grid, first, second, err);
    return STATUS_USAGE;
}

enum status grid_count(const struct grid *grid, size_t *n_run, struct error *err)
{
    size_t n = count_seeds(grid);
    for (size_t i = 0; i < grid->n_key && n <= GRID_MAX_RUN; i++) {
        n *= grid->key[i].n_value;
    }
    if (n > GRID_MAX_RUN) {
        return grid_refuse(err, grid->file, grid->place,
                           "the grid has more than %zu runs; use fewer values or seeds",
                           GRID_MAX_RUN);
    }
    *n_run = n;
    return STATUS_OK;
}

static enum status build_cells(const struct grid *grid, struct config *configs, size_t n_config,
                               struct error *err)
{
    for (size_t i = 0; i < n_config; i++) {
        enum status status = build_cell(grid, i, NO_KEY, &configs[i], err);
        if (status != STATUS_OK) {
            explain_cell(grid, i, n_config, err);
            return status;
        }
    }
    return refuse_duplicates(grid, configs, n_config, err);
}

enum status grid_expand(const struct grid *grid, struct config **configs, size_t *n_config,
                        struct error *err)
{
    *configs = NULL;
    *n_config = 0;
    size_t n = 0;
    TRY(grid_count(grid, &n, err));
    struct config *list;
    TRY_CALLOC(err, list, n, "expanding a grid");
    enum status status = build_cells(grid, list, n, err);
    if (status != STATUS_OK) {
        free(list);
        return status;
    }
    *configs = list;
    *n_config = n;
    return STATUS_OK;
}

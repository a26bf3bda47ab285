/* A grid counts like an odometer: the key that was set first turns slowest, seeds turn fastest. The
 * variant's id is applied to a cell before its further axes, so that their order does not matter.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/config.h"

#define MAX_CELLS ((size_t)100000)
#define MAX_SEED 9007199254740991ULL

struct grid_key {
    const char *name; /* from the key table */
    char *text;       /* owns the values */
    char **value;     /* [n_value], inside text */
    size_t n_value;
};

struct grid {
    struct grid_key *key;
    size_t n_key;
    uint64_t *seed; /* NULL: the default seed alone */
    size_t n_seed;
};

struct grid *grid_create(void)
{
    return calloc(1, sizeof(struct grid));
}

static void key_free(struct grid_key *key)
{
    free(key->text);
    free(key->value);
}

void grid_free(struct grid *grid)
{
    if (!grid) {
        return;
    }
    for (size_t i = 0; i < grid->n_key; i++) {
        key_free(&grid->key[i]);
    }
    free(grid->key);
    free(grid->seed);
    free(grid);
}

static enum status out_of_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "out of memory while reading a grid");
}

/* ---- setting ---- */

/* split_values cuts text at its commas, in place. */
static enum status split_values(struct grid_key *key, char *text, struct error *err)
{
    size_t n = 1;
    for (const char *c = text; *c != '\0'; c++) {
        n += *c == ',';
    }
    if (n > MAX_CELLS) {
        return error_set(err, STATUS_USAGE, "%s: %zu values; at most %zu", key->name, n, MAX_CELLS);
    }
    key->value = calloc(n, sizeof *key->value);
    if (!key->value) {
        return out_of_memory(err);
    }
    while (text) {
        char *comma = strchr(text, ',');
        if (comma) {
            *comma = '\0';
        }
        if (*text == '\0') {
            return error_set(err, STATUS_USAGE, "%s: value %zu of the list is empty", key->name,
                             key->n_value + 1);
        }
        key->value[key->n_value++] = text;
        text = comma ? comma + 1 : NULL;
    }
    return STATUS_OK;
}

/* A wrong value is told when it is set, where a caller can still say in which line. */
static enum status check_values(const struct grid_key *key, struct error *err)
{
    for (size_t i = 0; i < key->n_value; i++) {
        struct config scratch = config_default();
        enum status status = config_set(&scratch, key->name, key->value[i], err);
        if (status != STATUS_OK) {
            return status;
        }
    }
    return STATUS_OK;
}

static enum status add_key(struct grid *grid, struct grid_key *key, const char *values,
                           struct error *err)
{
    for (size_t i = 0; i < grid->n_key; i++) {
        if (strcmp(grid->key[i].name, key->name) == 0) {
            return error_set(err, STATUS_USAGE, "%s is set twice; give several values as %s=%s,%s",
                             key->name, key->name, grid->key[i].value[0], values);
        }
    }
    struct grid_key *grown = realloc(grid->key, (grid->n_key + 1) * sizeof *grown);
    if (!grown) {
        return out_of_memory(err);
    }
    grid->key = grown;
    key->text = strdup(values);
    if (!key->text) {
        return out_of_memory(err);
    }
    enum status status = split_values(key, key->text, err);
    if (status == STATUS_OK) {
        status = check_values(key, err);
    }
    if (status == STATUS_OK) {
        grid->key[grid->n_key++] = *key;
    }
    return status;
}

enum status grid_set(struct grid *grid, const char *assignment, struct error *err)
{
    const char *equals = strchr(assignment, '=');
    if (!grid) {
        return out_of_memory(err);
    }
    if (!equals || equals == assignment) {
        return error_set(err, STATUS_USAGE, "expected key=value, found '%s'", assignment);
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(equals - assignment), assignment);
    const struct config_key *found = config_key_find(name, err);
    if (!found) {
        return STATUS_USAGE;
    }
    if (strcmp(found->name, "seed") == 0) {
        return grid_seeds(grid, equals + 1, err);
    }
    struct grid_key key = {.name = found->name};
    enum status status = add_key(grid, &key, equals + 1, err);
    if (status != STATUS_OK) {
        key_free(&key);
    }
    return status;
}

/* ---- seeds ---- */

static bool parse_seed(const char **text, uint64_t *seed)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(*text, &end, 10);
    if (!isdigit((unsigned char)**text) || errno != 0 || number > MAX_SEED) {
        return false;
    }
    *text = end;
    *seed = number;
    return true;
}

/* parse_range reads "3" or "3-5". */
static enum status parse_range(const char **text, const char *whole, uint64_t *first,
                               uint64_t *last, struct error *err)
{
    bool fine = parse_seed(text, first);
    if (fine && **text == '-') {
        ++*text;
        fine = parse_seed(text, last);
    } else {
        *last = *first;
    }
    if (!fine || (**text != '\0' && **text != ',')) {
        return error_set(err, STATUS_USAGE,
                         "seeds: expected a list such as 0 or 0,1,2 or 0-5 of whole numbers up to "
                         "%llu, found '%s'",
                         MAX_SEED, whole);
    }
    if (*last < *first) {
        return error_set(err, STATUS_USAGE,
                         "seeds: the range %llu-%llu runs backwards; write %llu-%llu",
                         (unsigned long long)*first, (unsigned long long)*last,
                         (unsigned long long)*last, (unsigned long long)*first);
    }
    return STATUS_OK;
}

static enum status append_range(struct grid *grid, uint64_t first, uint64_t last, struct error *err)
{
    if (last - first >= MAX_CELLS - grid->n_seed) {
        return error_set(err, STATUS_USAGE, "seeds: more than %zu of them", MAX_CELLS);
    }
    size_t n = (size_t)(last - first) + 1;
    uint64_t *grown = realloc(grid->seed, (grid->n_seed + n) * sizeof *grown);
    if (!grown) {
        return out_of_memory(err);
    }
    grid->seed = grown;
    for (size_t i = 0; i < n; i++) {
        grid->seed[grid->n_seed++] = first + i;
    }
    return STATUS_OK;
}

enum status grid_seeds(struct grid *grid, const char *seeds, struct error *err)
{
    if (!grid) {
        return out_of_memory(err);
    }
    if (grid->seed) {
        return error_set(err, STATUS_USAGE, "seeds are set twice; give them as one list");
    }
    const char *text = seeds;
    enum status status;
    do {
        uint64_t first = 0, last = 0;
        text += text != seeds; /* the comma */
        status = parse_range(&text, seeds, &first, &last, err);
        if (status == STATUS_OK) {
            status = append_range(grid, first, last, err);
        }
    } while (status == STATUS_OK && *text == ',');
    if (status != STATUS_OK) {
        free(grid->seed);
        grid->seed = NULL;
        grid->n_seed = 0;
    }
    return status;
}

/* ---- expanding ---- */

static size_t count_seeds(const struct grid *grid)
{
    return grid->seed ? grid->n_seed : 1;
}

static uint64_t cell_seed(const struct grid *grid, size_t cell)
{
    return grid->seed ? grid->seed[cell % grid->n_seed] : config_default().seed;
}

static const char *cell_value(const struct grid *grid, size_t cell, size_t key)
{
    cell /= count_seeds(grid);
    for (size_t inner = grid->n_key - 1; inner > key; inner--) {
        cell /= grid->key[inner].n_value;
    }
    return grid->key[key].value[cell % grid->key[key].n_value];
}

/* cell_name writes "task=swap seq_len=15 seed=0": the keys of the grid, not all of them. */
static void cell_name(const struct grid *grid, size_t cell, char *name, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < grid->n_key && used < size; i++) {
        used += (size_t)snprintf(name + used, size - used, "%s=%s ", grid->key[i].name,
                                 cell_value(grid, cell, i));
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
    enum status status = config_set(config, key, value, err);
    config_value(config, key, after, sizeof after, NULL);
    if (status == STATUS_OK && strcmp(before, usual) != 0 && strcmp(before, after) != 0) {
        return error_set(err, STATUS_USAGE, "variant %s already says %s=%s, and %s=%s contradicts",
                         id, key, before, key, value);
    }
    return status;
}

static bool is_axis(const char *key)
{
    for (size_t i = 0; variant_axis_key(i); i++) {
        if (strcmp(variant_axis_key(i), key) == 0) {
            return true;
        }
    }
    return false;
}

static enum status build_cell(const struct grid *grid, size_t cell, struct config *config,
                              struct error *err)
{
    *config = config_default();
    config->seed = cell_seed(grid, cell);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < grid->n_key && status == STATUS_OK; i++) {
        if (!is_axis(grid->key[i].name)) {
            status = config_set(config, grid->key[i].name, cell_value(grid, cell, i), err);
        }
    }
    for (size_t i = 0; i < grid->n_key && status == STATUS_OK; i++) {
        if (is_axis(grid->key[i].name)) {
            status = set_axis(config, grid->key[i].name, cell_value(grid, cell, i), err);
        }
    }
    return status == STATUS_OK ? config_resolve(config, err) : status;
}

struct named_cell {
    char id[CONFIG_ID_SIZE];
    size_t cell;
};

static int compare_named_cells(const void *a, const void *b)
{
    const struct named_cell *left = a, *right = b;
    int order = strcmp(left->id, right->id);
    return order != 0 ? order : (left->cell > right->cell) - (left->cell < right->cell);
}

/* Two cells of one id are one run written twice (qk and Q=K, a seed named twice). */
static enum status refuse_duplicates(const struct grid *grid, const struct config *configs,
                                     size_t n_config, struct error *err)
{
    struct named_cell *cells = calloc(n_config, sizeof *cells);
    if (!cells) {
        return out_of_memory(err);
    }
    for (size_t i = 0; i < n_config; i++) {
        config_id(&configs[i], cells[i].id);
        cells[i].cell = i;
    }
    qsort(cells, n_config, sizeof *cells, compare_named_cells);
    enum status status = STATUS_OK;
    for (size_t i = 1; i < n_config && status == STATUS_OK; i++) {
        if (strcmp(cells[i - 1].id, cells[i].id) == 0) {
            char first[400], second[400];
            cell_name(grid, cells[i - 1].cell, first, sizeof first);
            cell_name(grid, cells[i].cell, second, sizeof second);
            status =
                error_set(err, STATUS_USAGE, "the cells %s and %s are the same run", first, second);
        }
    }
    free(cells);
    return status;
}

static enum status count_cells(const struct grid *grid, size_t *n_cell, struct error *err)
{
    size_t n = count_seeds(grid);
    for (size_t i = 0; i < grid->n_key && n <= MAX_CELLS; i++) {
        n *= grid->key[i].n_value;
    }
    if (n > MAX_CELLS) {
        return error_set(err, STATUS_USAGE,
                         "the grid has more than %zu runs; use fewer values or seeds", MAX_CELLS);
    }
    *n_cell = n;
    return STATUS_OK;
}

enum status grid_expand(const struct grid *grid, struct config **configs, size_t *n_config,
                        struct error *err)
{
    *configs = NULL;
    *n_config = 0;
    size_t n = 0;
    enum status status = count_cells(grid, &n, err);
    if (status != STATUS_OK) {
        return status;
    }
    struct config *list = calloc(n, sizeof *list);
    if (!list) {
        return out_of_memory(err);
    }
    for (size_t i = 0; i < n && status == STATUS_OK; i++) {
        status = build_cell(grid, i, &list[i], err);
        if (status != STATUS_OK && n > 1) {
            char name[400];
            cell_name(grid, i, name, sizeof name);
            error_prefix(err, "cell %s", name);
        }
    }
    if (status == STATUS_OK) {
        status = refuse_duplicates(grid, list, n, err);
    }
    if (status != STATUS_OK) {
        free(list);
        return status;
    }
    *configs = list;
    *n_config = n;
    return STATUS_OK;
}

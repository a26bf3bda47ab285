/* A layer's task is applied before its other keys, whatever their order, because it decides which
 * keys mean something.
 */
#include "lab/config/grid_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void item_free(struct listed_grid *item)
{
    grid_free(item->grid);
    grid_free(item->without_data);
}

void grid_list_free(struct grid_list *list)
{
    for (size_t i = 0; i < list->n_grid; i++) {
        item_free(&list->item[i]);
    }
    free(list->item);
    *list = (struct grid_list){0};
}

static enum status append(struct grid_list *list, struct listed_grid item, struct error *err)
{
    if (list->n_grid == GRID_LIST_MAX) {
        return grid_refuse(err, item.grid->file, item.grid->place,
                           "more than %d grids; use fewer documents, with longer lists",
                           GRID_LIST_MAX);
    }
    struct listed_grid *grown = realloc(list->item, (list->n_grid + 1) * sizeof *grown);
    if (!grown) {
        return error_memory(err, "listing the runs");
    }
    list->item = grown;
    list->item[list->n_grid++] = item;
    return STATUS_OK;
}

enum status grid_list_append(struct grid_list *list, struct grid *grid, struct grid *without_data,
                             struct error *err)
{
    struct listed_grid item = {grid, without_data};
    enum status status = grid ? append(list, item, err) : error_memory(err, "listing the runs");
    if (status != STATUS_OK) {
        item_free(&item);
    }
    return status;
}

enum status grid_list_move(struct grid_list *list, struct grid_list *from, struct error *err)
{
    enum status status = STATUS_OK;
    size_t n_moved = 0;
    while (n_moved < from->n_grid && status == STATUS_OK) {
        status = append(list, from->item[n_moved], err);
        n_moved += status == STATUS_OK;
    }
    memmove(from->item, from->item + n_moved, (from->n_grid - n_moved) * sizeof *from->item);
    from->n_grid -= n_moved;
    return status;
}

/* ---- kinds: sets of them, a bit each ---- */

static unsigned bit_of(const struct kind *kind)
{
    size_t i = 0;
    while (kind_at(i) != kind) {
        i++;
    }
    return 1u << i;
}

static unsigned kind_of(const char *task)
{
    return bit_of(task_find(task)->kind);
}

/* A grid without a task learns the default one. */
static unsigned kinds_of(const struct grid *grid)
{
    const struct grid_key *task = grid_find(grid, "task");
    unsigned kinds = task ? 0 : bit_of(config_default().task->kind);
    for (size_t i = 0; task && i < task->n_value; i++) {
        kinds |= kind_of(task->value[i].text);
    }
    return kinds;
}

static unsigned kinds_of_all(const struct grid_list *list)
{
    unsigned kinds = 0;
    for (size_t i = 0; i < list->n_grid; i++) {
        kinds |= kinds_of(list->item[i].grid);
    }
    return kinds;
}

static bool key_is_for(const char *name, unsigned kinds)
{
    const struct config_key *key = config_key_find(name, NULL);
    for (size_t i = 0; kind_at(i); i++) {
        if ((kinds >> i & 1) && config_is_choice(config_kind_preset(kind_at(i), key))) {
            return true;
        }
    }
    return false;
}

/* ---- layers ---- */

/* layer_task gives a grid its share of the layer's tasks; none: the grid is emptied. */
static enum status layer_task(struct listed_grid *item, unsigned all, const struct grid_key *task,
                              struct error *err)
{
    unsigned kinds = kinds_of(item->grid);
    struct grid_key share = *task;
    share.n_value = 0;
    TRY_CALLOC(err, share.value, task->n_value, "listing the runs");
    for (size_t i = 0; i < task->n_value; i++) {
        unsigned kind = kind_of(task->value[i].text);
        if ((kinds & kind) || !(all & kind)) {
            share.value[share.n_value++] = task->value[i];
        }
    }
    grid_free(item->without_data);
    item->without_data = NULL;
    enum status status = STATUS_OK;
    if (share.n_value > 0) {
        status = grid_replace_key(item->grid, &share, err);
    } else {
        grid_free(item->grid);
        item->grid = NULL;
    }
    free(share.value);
    return status;
}

static enum status layer_tasks(struct grid_list *list, const struct grid_key *task,
                               struct error *err)
{
    unsigned all = kinds_of_all(list);
    size_t n = 0;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < list->n_grid; i++) {
        if (status == STATUS_OK) {
            status = layer_task(&list->item[i], all, task, err);
        }
        if (list->item[i].grid) {
            list->item[n++] = list->item[i];
        }
    }
    list->n_grid = n;
    return status;
}

static enum status layer_key(struct grid_list *list, const struct grid_key *key, struct error *err)
{
    bool everywhere = !key_is_for(key->name, kinds_of_all(list));
    for (size_t i = 0; i < list->n_grid; i++) {
        struct listed_grid *item = &list->item[i];
        if (everywhere || key_is_for(key->name, kinds_of(item->grid))) {
            TRY(grid_replace_key(item->grid, key, err));
            if (item->without_data) {
                grid_remove(item->without_data, key->name);
            }
        }
    }
    return STATUS_OK;
}

enum status grid_list_layer(struct grid_list *list, const struct grid *layer, struct error *err)
{
    const struct grid_key *task = grid_find(layer, "task");
    TRY(task ? layer_tasks(list, task, err) : STATUS_OK);
    for (size_t i = 0; i < layer->n_key; i++) {
        TRY(&layer->key[i] != task ? layer_key(list, &layer->key[i], err) : STATUS_OK);
    }
    for (size_t i = 0; i < list->n_grid; i++) {
        TRY(grid_replace_seeds(list->item[i].grid, layer, err));
    }
    return STATUS_OK;
}

/* ---- data that are not there ---- */

enum status grid_list_without_data(struct grid_list *list, const struct grid *keys,
                                   struct error *err)
{
    for (size_t i = 0; i < list->n_grid; i++) {
        struct listed_grid *item = &list->item[i];
        grid_free(item->without_data);
        item->without_data = grid_create();
        TRY(item->without_data ? grid_replace(item->without_data, keys, err)
                               : error_memory(err, "listing the runs"));
    }
    return STATUS_OK;
}

/* The first task of a grid whose data are not found, NULL: all are there. */
static const struct task *find_missing(const struct grid *grid, const struct dataset_options *data)
{
    const struct grid_key *named = grid_find(grid, "task");
    for (size_t i = 0; named && i < named->n_value; i++) {
        const struct task *task = task_find(named->value[i].text);
        if (task_find_data(task, data, NULL) != STATUS_OK) {
            return task;
        }
    }
    return NULL;
}

enum status grid_list_use_data(struct grid_list *list, const struct dataset_options *data,
                               char note[GRID_LIST_NOTE_SIZE], struct error *err)
{
    note[0] = '\0';
    for (size_t i = 0; i < list->n_grid; i++) {
        struct listed_grid *item = &list->item[i];
        const struct task *missing = item->without_data ? find_missing(item->grid, data) : NULL;
        if (!missing) {
            continue;
        }
        TRY(grid_replace(item->grid, item->without_data, err));
        const struct grid_key *task = grid_find(item->grid, "task");
        snprintf(note, GRID_LIST_NOTE_SIZE,
                 "%s was not found, so %s takes its place; `qkvlab data list` says where it was "
                 "looked for",
                 missing->title, task->value[0].text);
    }
    return STATUS_OK;
}

/* ---- expanding ---- */

/* drop_repeated keeps the first run of every id, in the same order. */
static enum status drop_repeated(struct config *configs, size_t *n_config, struct error *err)
{
    const struct config **sorted = config_sort_ids(configs, *n_config);
    bool *repeated = calloc(*n_config + 1, sizeof *repeated);
    size_t n_kept = 0;
    for (size_t i = 1; sorted && repeated && i < *n_config; i++) {
        repeated[sorted[i] - configs] = strcmp(sorted[i - 1]->id, sorted[i]->id) == 0;
    }
    for (size_t i = 0; sorted && repeated && i < *n_config; i++) {
        if (!repeated[i]) {
            configs[n_kept++] = configs[i];
        }
    }
    bool fine = sorted && repeated;
    free(sorted);
    free(repeated);
    *n_config = n_kept;
    return fine ? STATUS_OK : error_memory(err, "listing the runs");
}

static enum status count_runs(const struct grid_list *list, size_t *n_run, struct error *err)
{
    *n_run = 0;
    for (size_t i = 0; i < list->n_grid; i++) {
        const struct grid *grid = list->item[i].grid;
        size_t n;
        TRY(grid_count(grid, &n, err));
        *n_run += n;
        if (*n_run > GRID_MAX_RUN) {
            return grid_refuse(err, grid->file, grid->place,
                               "the grids have more than %zu runs together", GRID_MAX_RUN);
        }
    }
    return STATUS_OK;
}

static enum status append_runs(struct config *configs, size_t *n_config, const struct grid *grid,
                               struct error *err)
{
    struct config *more;
    size_t n_more;
    TRY(grid_expand(grid, &more, &n_more, err));
    memcpy(configs + *n_config, more, n_more * sizeof *more);
    *n_config += n_more;
    free(more);
    return STATUS_OK;
}

static enum status append_all(struct config *configs, size_t *n_config,
                              const struct grid_list *list, struct error *err)
{
    for (size_t i = 0; i < list->n_grid; i++) {
        TRY(append_runs(configs, n_config, list->item[i].grid, err));
    }
    return list->n_grid > 1 ? drop_repeated(configs, n_config, err) : STATUS_OK;
}

enum status grid_list_expand(const struct grid_list *list, struct config **configs,
                             size_t *n_config, struct error *err)
{
    *configs = NULL;
    *n_config = 0;
    size_t n_run;
    TRY(count_runs(list, &n_run, err));
    TRY_CALLOC(err, *configs, n_run, "listing the runs");
    enum status status = append_all(*configs, n_config, list, err);
    if (status != STATUS_OK) {
        free(*configs);
        *configs = NULL;
        *n_config = 0;
    }
    return status;
}

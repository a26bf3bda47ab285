#include "cli/grids.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/data_options.h"
#include "lab/dataset.h"
#include "lab/grid.h"

#define NAME_SIZE 64

enum kind { KIND_TASKS = 1, KIND_IMAGES = 2 };

/* One grid of the preset, and what the command line makes of it. */
struct part {
    const struct preset_grid *preset; /* of nothing where there is no preset */
    const char *const *instead;       /* of the preset where data were not found; NULL: found */
    unsigned kinds;                   /* of enum kind; none: it is left out */
};

static const char *const nothing[] = {NULL};
static const struct preset_grid no_preset = {NULL, nothing, NULL};

static enum status out_of_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "out of memory for the list of runs");
}

/* ---- assignments ---- */

/* The key of an assignment, NULL where there is no such key (which grid_set will say). */
static const struct config_key *key_of(const char *assignment)
{
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(assignment, "="), assignment);
    return config_key_find(name, NULL);
}

static bool is_of_key(const char *assignment, const char *key)
{
    const struct config_key *found = key_of(assignment);
    return found && strcmp(found->name, key) == 0;
}

static const char *values_of(const char *assignment)
{
    const char *equals = strchr(assignment, '=');
    return equals ? equals + 1 : "";
}

/* The assignment of a list to a key, NULL if there is none; list NULL: an empty one. */
static const char *find_assignment(const char *const *list, const char *key)
{
    for (size_t i = 0; list && list[i]; i++) {
        if (is_of_key(list[i], key)) {
            return list[i];
        }
    }
    return NULL;
}

static const char *find_user(const struct arguments *arguments, const char *key)
{
    for (size_t i = 0; i < arguments->n_set; i++) {
        if (is_of_key(arguments->set[i], key)) {
            return arguments->set[i];
        }
    }
    return NULL;
}

/* ---- tasks and images ---- */

/* next_value copies a value of a list and returns what is behind its comma, NULL at the end. */
static const char *next_value(const char *list, char value[NAME_SIZE])
{
    size_t n = strcspn(list, ",");
    snprintf(value, NAME_SIZE, "%.*s", (int)n, list);
    return list[n] == ',' ? list + n + 1 : NULL;
}

/* What is neither counts as a task: grid_set will refuse it. */
static enum kind kind_of(const char *name)
{
    return dataset_find_name(name) ? KIND_IMAGES : KIND_TASKS;
}

static unsigned kinds_of(const char *list)
{
    unsigned kinds = 0;
    char name[NAME_SIZE];
    while (list) {
        list = next_value(list, name);
        kinds |= kind_of(name);
    }
    return kinds;
}

static bool key_is_for(const struct config_key *key, unsigned kinds)
{
    const char *of_tasks = kinds & KIND_TASKS ? key->preset : NULL;
    const char *of_images = kinds & KIND_IMAGES ? key->preset_images : NULL;
    return (of_tasks && strcmp(of_tasks, CONFIG_DERIVED) != 0) ||
           (of_images && strcmp(of_images, CONFIG_DERIVED) != 0);
}

/* ---- data that are not there ---- */

static enum status find_data(struct part *part, const struct arguments *arguments,
                             char note[GRIDS_NOTE_SIZE], struct error *err)
{
    const char *task = find_assignment(part->preset->set, "task");
    const struct dataset *dataset = task ? dataset_find_name(values_of(task)) : NULL;
    if (!part->preset->instead || !dataset || find_user(arguments, "task")) {
        return STATUS_OK;
    }
    struct data_options data;
    struct dataset_place place;
    enum status status = data_options_make(&data, arguments, err);
    if (status == STATUS_OK && dataset_find(dataset, &data.options, &place, NULL) != STATUS_OK) {
        part->instead = part->preset->instead;
        const char *other = find_assignment(part->instead, "task");
        snprintf(note, GRIDS_NOTE_SIZE,
                 "%s was not found, so %s takes its place; `qkvlab data list` says where it was "
                 "looked for",
                 dataset->title, other ? values_of(other) : "nothing");
    }
    return status;
}

/* ---- what goes where ---- */

/* The user's assignments as one grid: finds what is wrong with any of them, and keys set twice. */
static enum status check_user(const struct arguments *arguments, struct error *err)
{
    struct grid *grid = grid_create();
    enum status status = grid ? STATUS_OK : out_of_memory(err);
    for (size_t i = 0; i < arguments->n_set && status == STATUS_OK; i++) {
        status = grid_set(grid, arguments->set[i], err);
    }
    if (status == STATUS_OK && arguments->seeds) {
        status = grid_seeds(grid, arguments->seeds, err);
    }
    grid_free(grid);
    return status;
}

static unsigned kinds_of_all(const struct part *part, size_t n_part)
{
    unsigned kinds = 0;
    for (size_t i = 0; i < n_part; i++) {
        kinds |= part[i].kinds;
    }
    return kinds;
}

/* What each part learns: the preset's kinds, or what the user's tasks leave of them. A part without
 * any is left out. */
static void choose_kinds(struct part *part, size_t n_part, const struct arguments *arguments)
{
    for (size_t i = 0; i < n_part; i++) {
        const char *task = find_assignment(part[i].preset->set, "task");
        part[i].kinds = task ? kinds_of(values_of(task)) : KIND_TASKS;
    }
    const char *task = find_user(arguments, "task");
    unsigned asked = task ? kinds_of(values_of(task)) : KIND_TASKS | KIND_IMAGES;
    unsigned nowhere = task ? asked & ~kinds_of_all(part, n_part) : 0;
    for (size_t i = 0; i < n_part; i++) {
        part[i].kinds = (part[i].kinds & asked) | nowhere;
    }
}

/* set_tasks gives a part its share of the values of the user's tasks. */
static enum status set_tasks(struct grid *grid, const struct part *part, const char *list,
                             struct error *err)
{
    struct text share = {0};
    char name[NAME_SIZE];
    while (list) {
        list = next_value(list, name);
        if (kind_of(name) & part->kinds) {
            text_append(&share, "%s%s", share.size ? "," : "task=", name);
        }
    }
    enum status status = share.failed ? out_of_memory(err) : grid_set(grid, share.data, err);
    text_free(&share);
    return status;
}

static enum status set_user(struct grid *grid, const struct part *part, unsigned all_kinds,
                            const struct arguments *arguments, struct error *err)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < arguments->n_set && status == STATUS_OK; i++) {
        const char *assignment = arguments->set[i];
        const struct config_key *key = key_of(assignment);
        if (is_of_key(assignment, "task")) {
            status = set_tasks(grid, part, values_of(assignment), err);
        } else if (key_is_for(key, part->kinds) || !key_is_for(key, all_kinds)) {
            status = grid_set(grid, assignment, err);
        }
    }
    return status;
}

/* set_preset sets what neither the user nor another list of the preset replaces. */
static enum status set_preset(struct grid *grid, const char *const *list, const char *const *other,
                              const struct arguments *arguments, struct error *err)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; list && list[i] && status == STATUS_OK; i++) {
        const struct config_key *key = key_of(list[i]);
        if (!key || (!find_assignment(other, key->name) && !find_user(arguments, key->name))) {
            status = grid_set(grid, list[i], err);
        }
    }
    return status;
}

static enum status set_seeds(struct grid *grid, const struct part *part,
                             const struct arguments *arguments, struct error *err)
{
    if (arguments->seeds) {
        return grid_seeds(grid, arguments->seeds, err);
    }
    return part->preset->seeds && !find_user(arguments, "seed")
               ? grid_seeds(grid, part->preset->seeds, err)
               : STATUS_OK;
}

static enum status fill(struct grid *grid, const struct part *part, unsigned all_kinds,
                        const struct arguments *arguments, struct error *err)
{
    enum status status = set_preset(grid, part->preset->set, part->instead, arguments, err);
    if (status == STATUS_OK) {
        status = set_preset(grid, part->instead, NULL, arguments, err);
    }
    if (status == STATUS_OK) {
        status = set_user(grid, part, all_kinds, arguments, err);
    }
    return status == STATUS_OK ? set_seeds(grid, part, arguments, err) : status;
}

/* ---- the list ---- */

static enum status append(struct grids *grids, const struct config *config, size_t n_config,
                          struct error *err)
{
    struct config *grown = realloc(grids->config, (grids->n_config + n_config) * sizeof *grown);
    if (!grown) {
        return out_of_memory(err);
    }
    grids->config = grown;
    memcpy(grown + grids->n_config, config, n_config * sizeof *config);
    grids->n_config += n_config;
    return STATUS_OK;
}

static enum status expand(struct grids *grids, const struct part *part, unsigned all_kinds,
                          const struct arguments *arguments, struct error *err)
{
    struct config *config = NULL;
    size_t n_config = 0;
    struct grid *grid = grid_create();
    enum status status = grid ? fill(grid, part, all_kinds, arguments, err) : out_of_memory(err);
    if (status == STATUS_OK) {
        status = grid_expand(grid, &config, &n_config, err);
    }
    if (status == STATUS_OK) {
        status = append(grids, config, n_config, err);
    }
    free(config);
    grid_free(grid);
    return status;
}

struct named {
    char id[CONFIG_ID_SIZE];
    size_t place;
};

static int compare_named(const void *a, const void *b)
{
    const struct named *left = a, *right = b;
    int order = strcmp(left->id, right->id);
    return order != 0 ? order : (left->place > right->place) - (left->place < right->place);
}

/* Keeps the first of the runs that have the same id; the others stay in their order. */
static enum status drop_repeated(struct grids *grids, struct error *err)
{
    size_t n = grids->n_config, n_kept = 0;
    struct named *run = calloc(n + 1, sizeof *run);
    bool *repeated = calloc(n + 1, sizeof *repeated);
    if (!run || !repeated) {
        free(run);
        free(repeated);
        return out_of_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        config_id(&grids->config[i], run[i].id);
        run[i].place = i;
    }
    qsort(run, n, sizeof *run, compare_named);
    for (size_t i = 1; i < n; i++) {
        repeated[run[i].place] = strcmp(run[i].id, run[i - 1].id) == 0;
    }
    for (size_t i = 0; i < n; i++) {
        if (!repeated[i]) {
            grids->config[n_kept++] = grids->config[i];
        }
    }
    grids->n_config = n_kept;
    free(run);
    free(repeated);
    return STATUS_OK;
}

enum status grids_expand(struct grids *grids, const struct arguments *arguments,
                         const struct preset *preset, struct error *err)
{
    *grids = (struct grids){0};
    size_t n_part = preset ? preset->n_grid : 1;
    struct part *part = calloc(n_part, sizeof *part);
    enum status status = part ? check_user(arguments, err) : out_of_memory(err);
    for (size_t i = 0; i < n_part && status == STATUS_OK; i++) {
        part[i].preset = preset ? &preset->grid[i] : &no_preset;
        status = find_data(&part[i], arguments, grids->note, err);
    }
    if (status == STATUS_OK) {
        choose_kinds(part, n_part, arguments);
    }
    for (size_t i = 0; i < n_part && status == STATUS_OK; i++) {
        if (part[i].kinds) {
            status = expand(grids, &part[i], kinds_of_all(part, n_part), arguments, err);
        }
    }
    free(part);
    return status == STATUS_OK && n_part > 1 ? drop_repeated(grids, err) : status;
}

void grids_free(struct grids *grids)
{
    free(grids->config);
    *grids = (struct grids){0};
}

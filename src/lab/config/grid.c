/* A key that is set twice is refused, whoever sets it: which of the two was meant nobody can tell.
 */
#include "lab/config/grid.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/config/config.h"
#include "lab/config/config_guess.h"

struct grid *grid_create(void)
{
    return calloc(1, sizeof(struct grid));
}

static void key_free(struct grid_key *key)
{
    for (size_t i = 0; i < key->n_value; i++) {
        free(key->value[i].text);
    }
    free(key->value);
    free(key->file);
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
    free(grid->file);
    free(grid);
}

void grid_say_place(struct error *err, const char *file, struct place place)
{
    if (file && place.line > 0) {
        error_prefix(err, "%s:%zu:%zu", file, place.line, place.column);
    }
}

enum status grid_refuse(struct error *err, const char *file, struct place place, const char *format,
                        ...)
{
    struct error sentence;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence.text, sizeof sentence.text, format, arguments);
    va_end(arguments);
    error_set(err, STATUS_USAGE, "%s", sentence.text);
    grid_say_place(err, file, place);
    return STATUS_USAGE;
}

/* ---- keys ---- */

static struct grid_key *find_key(const struct grid *grid, const char *name)
{
    for (size_t i = 0; i < grid->n_key; i++) {
        if (strcmp(grid->key[i].name, name) == 0) {
            return &grid->key[i];
        }
    }
    return NULL;
}

const struct grid_key *grid_find(const struct grid *grid, const char *name)
{
    return find_key(grid, name);
}

void grid_remove(struct grid *grid, const char *name)
{
    struct grid_key *key = find_key(grid, name);
    if (key) {
        key_free(key);
        size_t n_behind = (size_t)(grid->key + grid->n_key - (key + 1));
        memmove(key, key + 1, n_behind * sizeof *key);
        grid->n_key--;
    }
}

static enum status refuse_second(const struct grid_key *first, const struct grid_key *second,
                                 struct error *err)
{
    if (!second->file) {
        return error_set(err, STATUS_USAGE, "%s is set twice; give several values as %s=%s,%s",
                         first->name, first->name, first->value[0].text, second->value[0].text);
    }
    return grid_refuse(err, second->file, second->place,
                       "%s is set twice, the first time in line %zu; a list, as in %s: "
                       "[%s, %s], gives it several values",
                       first->name, first->place.line, first->name, first->value[0].text,
                       second->value[0].text);
}

/* A wrong value is told when it is set, where its place is known. */
static enum status check_values(const struct grid_key *key, struct error *err)
{
    for (size_t i = 0; i < key->n_value; i++) {
        struct config scratch = config_default();
        const char *text = key->value[i].text;
        enum status status = config_set(&scratch, key->name, text, err);
        if (status == STATUS_OK) {
            continue;
        }
        if (key->file && strchr(text, ',') && err) {
            error_set(err, status, "%s; several values are a list in brackets: [a, b]", err->text);
        }
        grid_say_place(err, key->file, key->value[i].place);
        return status;
    }
    return STATUS_OK;
}

static bool copy_key(struct grid_key *copy, const struct grid_key *key)
{
    *copy = (struct grid_key){.name = key->name, .place = key->place};
    copy->value = calloc(key->n_value + 1, sizeof *copy->value);
    copy->file = key->file ? strdup(key->file) : NULL;
    bool fine = copy->value && (copy->file || !key->file);
    for (size_t i = 0; fine && i < key->n_value; i++) {
        copy->value[i].place = key->value[i].place;
        copy->value[i].text = strdup(key->value[i].text);
        fine = copy->value[copy->n_value++].text != NULL;
    }
    return fine;
}

enum status grid_add(struct grid *grid, const struct grid_key *key, struct error *err)
{
    const struct grid_key *before = find_key(grid, key->name);
    if (before) {
        return refuse_second(before, key, err);
    }
    TRY(check_values(key, err));
    struct grid_key copy, *grown = realloc(grid->key, (grid->n_key + 1) * sizeof *grown);
    if (!grown) {
        return error_memory(err, "reading a grid");
    }
    grid->key = grown;
    if (!copy_key(&copy, key)) {
        key_free(&copy);
        return error_memory(err, "reading a grid");
    }
    grid->key[grid->n_key++] = copy;
    return STATUS_OK;
}

enum status grid_replace_key(struct grid *grid, const struct grid_key *key, struct error *err)
{
    grid_remove(grid, key->name);
    return grid_add(grid, key, err);
}

enum status grid_replace_seeds(struct grid *grid, const struct grid *over, struct error *err)
{
    if (!over->seed) {
        return STATUS_OK;
    }
    uint64_t *seed;
    TRY_CALLOC(err, seed, over->n_seed, "reading a grid");
    memcpy(seed, over->seed, over->n_seed * sizeof *seed);
    free(grid->seed);
    grid->seed = seed;
    grid->n_seed = over->n_seed;
    return STATUS_OK;
}

enum status grid_replace(struct grid *grid, const struct grid *over, struct error *err)
{
    TRY(grid_replace_seeds(grid, over, err));
    for (size_t i = 0; i < over->n_key; i++) {
        TRY(grid_replace_key(grid, &over->key[i], err));
    }
    return STATUS_OK;
}

/* ---- assignments ---- */

/* split_values cuts text at its commas, in place; the key's values point into it. */
static enum status split_values(struct grid_key *key, char *text, struct error *err)
{
    size_t n = 1;
    for (const char *c = text; *c != '\0'; c++) {
        n += *c == ',';
    }
    if (n > GRID_MAX_RUN) {
        return error_set(err, STATUS_USAGE, "%s: %zu values; at most %zu", key->name, n,
                         GRID_MAX_RUN);
    }
    TRY_CALLOC(err, key->value, n, "reading a grid");
    while (text) {
        char *comma = strchr(text, ',');
        if (comma) {
            *comma = '\0';
        }
        if (*text == '\0') {
            return error_set(err, STATUS_USAGE, "%s: value %zu of the list is empty", key->name,
                             key->n_value + 1);
        }
        key->value[key->n_value++].text = text;
        text = comma ? comma + 1 : NULL;
    }
    return STATUS_OK;
}

enum status grid_set(struct grid *grid, const char *assignment, struct error *err)
{
    const char *equals = strchr(assignment, '=');
    if (!grid) {
        return error_memory(err, "reading a grid");
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
    char *text = strdup(equals + 1);
    enum status status = text ? split_values(&key, text, err) : error_memory(err, "reading a grid");
    if (status == STATUS_OK) {
        status = grid_add(grid, &key, err);
    }
    free(key.value);
    free(text);
    return status;
}

/* ---- seeds ---- */

static bool parse_seed(const char **text, uint64_t *seed)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(*text, &end, 10);
    if (!isdigit((unsigned char)**text) || errno != 0 || number > RANGE_LAST(RANGE_SEED)) {
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
    if (config_has_leading_zero(*text)) {
        return error_set(err, STATUS_USAGE, "seeds: a number begins with 0 in '%s'; write 8 for 08",
                         whole);
    }
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
                         (unsigned long long)RANGE_LAST(RANGE_SEED), whole);
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
    if (last - first >= GRID_MAX_RUN - grid->n_seed) {
        return error_set(err, STATUS_USAGE, "seeds: more than %zu of them", GRID_MAX_RUN);
    }
    size_t n = (size_t)(last - first) + 1;
    uint64_t *grown = realloc(grid->seed, (grid->n_seed + n) * sizeof *grown);
    if (!grown) {
        return error_memory(err, "reading a grid");
    }
    grid->seed = grown;
    for (size_t i = 0; i < n; i++) {
        grid->seed[grid->n_seed++] = first + i;
    }
    return STATUS_OK;
}

static int compare_seeds(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

static enum status refuse_equal_seeds(const struct grid *grid, struct error *err)
{
    uint64_t *sorted;
    TRY_CALLOC(err, sorted, grid->n_seed, "reading a grid");
    memcpy(sorted, grid->seed, grid->n_seed * sizeof *sorted);
    qsort(sorted, grid->n_seed, sizeof *sorted, compare_seeds);
    enum status status = STATUS_OK;
    for (size_t i = 1; i < grid->n_seed && status == STATUS_OK; i++) {
        if (sorted[i - 1] == sorted[i]) {
            status = error_set(err, STATUS_USAGE, "seeds: %llu is in the list twice",
                               (unsigned long long)sorted[i]);
        }
    }
    free(sorted);
    return status;
}

static enum status append_seeds(struct grid *grid, const char *seeds, struct error *err)
{
    const char *text = seeds;
    do {
        uint64_t first = 0, last = 0;
        text += text != seeds; /* the comma */
        TRY(parse_range(&text, seeds, &first, &last, err));
        TRY(append_range(grid, first, last, err));
    } while (*text == ',');
    return refuse_equal_seeds(grid, err);
}

enum status grid_seeds(struct grid *grid, const char *seeds, struct error *err)
{
    if (!grid) {
        return error_memory(err, "reading a grid");
    }
    if (grid->seed) {
        return error_set(err, STATUS_USAGE, "seeds are set twice; give them as one list");
    }
    enum status status = append_seeds(grid, seeds, err);
    if (status != STATUS_OK) {
        free(grid->seed);
        grid->seed = NULL;
        grid->n_seed = 0;
    }
    return status;
}

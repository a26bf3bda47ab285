/* grid: every key may hold several values, and every combination is a run.
 *
 * A grid is filled by `--set` (grid_set) or from a file (config_file.h), which also tells where a
 * value was written, so that errors can say so. grid_list.h makes one sweep of several grids.
 */
#ifndef QKVLAB_LAB_GRID_H
#define QKVLAB_LAB_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct config;

/* Most runs of a grid, and of a list of grids. */
#define GRID_MAX_RUN ((size_t)100000)

struct place {
    size_t line, column; /* from 1; line 0: not in a file */
};

struct grid_value {
    char *text;
    struct place place;
};

struct grid_key {
    const char *name; /* from the key table */
    char *file;       /* it was written in; NULL: the command line */
    struct place place;
    struct grid_value *value; /* [n_value] */
    size_t n_value;
};

struct grid {
    char *file; /* the whole was written in; NULL: the command line */
    struct place place;
    struct grid_key *key; /* [n_key] */
    size_t n_key;
    uint64_t *seed; /* [n_seed]; NULL: the default seed alone */
    size_t n_seed;
};

struct grid *grid_create(void);
void grid_free(struct grid *grid);

/* grid_set takes "key=value" or "key=a,b,c". A wrong value and a key set twice are errors
 * (STATUS_USAGE), and the grid is as before. "seed=..." is grid_seeds. */
enum status grid_set(struct grid *grid, const char *assignment, struct error *err);

/* grid_add copies a key with its values, under the same rules; not the key seed. */
enum status grid_add(struct grid *grid, const struct grid_key *key, struct error *err);

/* grid_seeds takes "0", "0,1,2" or "0-5". */
enum status grid_seeds(struct grid *grid, const char *seeds, struct error *err);

/* grid_find returns a key of the grid, by the name in the key table; NULL: it is not set.
 * grid_remove takes it out. */
const struct grid_key *grid_find(const struct grid *grid, const char *name);
void grid_remove(struct grid *grid, const char *name);

/* grid_replace copies everything that over sets, instead of what the grid has; grid_replace_key one
 * key, grid_replace_seeds the seeds, if over has any. */
enum status grid_replace(struct grid *grid, const struct grid *over, struct error *err);
enum status grid_replace_key(struct grid *grid, const struct grid_key *key, struct error *err);
enum status grid_replace_seeds(struct grid *grid, const struct grid *over, struct error *err);

/* grid_count returns how many runs the grid has. STATUS_USAGE for more than GRID_MAX_RUN. */
enum status grid_count(const struct grid *grid, size_t *n_run, struct error *err);

/* grid_expand lists the resolved configurations, seeds innermost, the key set first outermost.
 * A cell that cannot be, or two cells that are the same run, are an error that names them, and the
 * place of the value without which it could be. Caller frees the array with free. */
enum status grid_expand(const struct grid *grid, struct config **configs, size_t *n_config,
                        struct error *err);

/* grid_say_place puts "FILE:LINE:COLUMN: " in front of the sentence in err, where file is given.
 * grid_refuse says a whole sentence (printf style) so, and returns STATUS_USAGE. */
void grid_say_place(struct error *err, const char *file, struct place place);
enum status grid_refuse(struct error *err, const char *file, struct place place, const char *format,
                        ...) __attribute__((format(printf, 4, 5)));

#endif

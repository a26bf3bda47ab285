/* grid_list: several grids as one sweep, because kinds of tasks want other keys.
 *
 * Layers of keys are put over a list, by a file over what it includes and by --set over the file.
 * What a layer says goes to every grid that can use it, and replaces what was there:
 *   - a task goes to the grids of tasks, a data set to those of images (to all of them where no
 *     grid is of its kind); a grid for which the layer names neither is left out;
 *   - a key that means something to tasks or to images alone goes to the grids of that kind; one
 *     that means nothing to any of them is refused as everywhere;
 *   - everything else, and seeds, goes to all grids.
 */
#ifndef QKVLAB_LAB_GRID_LIST_H
#define QKVLAB_LAB_GRID_LIST_H

#include <stddef.h>

#include "base/status.h"
#include "lab/config/config.h"
#include "lab/config/grid.h"
#include "lab/data/dataset.h"

#define GRID_LIST_MAX 1000

struct listed_grid {
    struct grid *grid;
    struct grid *without_data; /* keys that take over where files of its data set are missing; NULL:
                                  then there is no such grid */
};

struct grid_list {
    struct listed_grid *item; /* [n_grid] */
    size_t n_grid;
};

void grid_list_free(struct grid_list *list);

/* grid_list_append gives a grid (and without_data, which may be NULL) into the list's care, also on
 * failure; grid_list_move appends all grids of another list, which is then empty. STATUS_USAGE for
 * more than GRID_LIST_MAX. */
enum status grid_list_append(struct grid_list *list, struct grid *grid, struct grid *without_data,
                             struct error *err);
enum status grid_list_move(struct grid_list *list, struct grid_list *from, struct error *err);

/* grid_list_layer puts a layer of keys over every grid. */
enum status grid_list_layer(struct grid_list *list, const struct grid *layer, struct error *err);

/* grid_list_without_data gives every grid these keys for missing files, instead of those it has. */
enum status grid_list_without_data(struct grid_list *list, const struct grid *keys,
                                   struct error *err);

/* grid_list_use_data lets without_data take over where data says that files are missing (NULL: no
 * folder), and writes a sentence on that into note, or "". */
#define GRID_LIST_NOTE_SIZE 256
enum status grid_list_use_data(struct grid_list *list, const struct dataset_options *data,
                               char note[GRID_LIST_NOTE_SIZE], struct error *err);

/* grid_list_expand lists the resolved configurations, grid by grid; a run that several grids name
 * comes once. Caller frees the array with free. */
enum status grid_list_expand(const struct grid_list *list, struct config **configs,
                             size_t *n_config, struct error *err);

#endif

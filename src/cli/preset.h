/* preset: ready-made sweeps for `run`, as the texts one would type behind --set. A sweep is a list
 * of grids, because tasks and images want other keys.
 */
#ifndef QKVLAB_CLI_PRESET_H
#define QKVLAB_CLI_PRESET_H

#include <stddef.h>

struct preset_grid {
    const char *seeds;
    const char *const *set; /* assignments, ends at NULL */
    /* Replace those of the same keys where the files of the data set that `set` names are not
     * found; ends at NULL. NULL: without its files there is no such grid. */
    const char *const *instead;
};

struct preset {
    const char *name;
    const char *summary;
    const struct preset_grid *grid; /* [n_grid] */
    size_t n_grid;
};

/* preset_at returns the i-th preset, NULL past the last; preset_find the one of a name, or NULL. */
const struct preset *preset_at(size_t i);
const struct preset *preset_find(const char *name);

#endif

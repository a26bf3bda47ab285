/* grids: the configurations that a file or preset and a command line come to together. What --set
 * and --seeds say is a layer over all grids, see lab/config/grid_list.h; alone they are one grid. A
 * run that several grids name is made once.
 */
#ifndef QKVLAB_CLI_GRIDS_H
#define QKVLAB_CLI_GRIDS_H

#include <stddef.h>

#include "base/status.h"
#include "cli/options.h"
#include "lab/config/config.h"
#include "lab/config/grid_list.h"

struct grids {
    struct config *config; /* [n_config], the grids one after the other */
    size_t n_config;
    char note[GRID_LIST_NOTE_SIZE]; /* a sentence on data that others took the place of, or "" */
};

/* grids_set puts --set into a grid. STATUS_USAGE. */
enum status grids_set(struct grid *grid, const struct arguments *arguments, struct error *err);

/* grids_expand lists the resolved configurations; name is a configuration file or a preset, NULL:
 * --set alone. Caller frees with grids_free, also on failure. STATUS_USAGE; STATUS_DATA for a wrong
 * --data. */
enum status grids_expand(struct grids *grids, const struct arguments *arguments, const char *name,
                         struct error *err);
void grids_free(struct grids *grids);

#endif

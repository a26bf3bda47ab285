/* grids: the configurations that a preset and a command line come to together. A preset is a list
 * of grids; `--set` without a preset is one grid.
 *
 * What --set says goes to every grid that can use it, and replaces the preset's:
 *   - a task goes to the grids of tasks, a data set to those of images (to all of them where no
 *     grid is of its kind); a grid for which --set names neither is left out;
 *   - a key that means something to tasks or to images alone goes to the grids of that kind; one
 *     that means nothing to any of them is refused as everywhere;
 *   - everything else, and --seeds, goes to all grids.
 * A run that several grids name is made once.
 */
#ifndef QKVLAB_CLI_GRIDS_H
#define QKVLAB_CLI_GRIDS_H

#include <stddef.h>

#include "base/status.h"
#include "cli/options.h"
#include "cli/preset.h"
#include "lab/config.h"

#define GRIDS_NOTE_SIZE 256

struct grids {
    struct config *config; /* [n_config], the grids one after the other */
    size_t n_config;
    char note[GRIDS_NOTE_SIZE]; /* a sentence on data that others took the place of, or "" */
};

/* grids_expand lists the resolved configurations; preset NULL: --set alone. Caller frees with
 * grids_free, also on failure. STATUS_USAGE; STATUS_DATA for a wrong --data. */
enum status grids_expand(struct grids *grids, const struct arguments *arguments,
                         const struct preset *preset, struct error *err);
void grids_free(struct grids *grids);

#endif

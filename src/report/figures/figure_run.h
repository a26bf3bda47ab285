/* figure_run: all attention maps of one run on one labelled sheet. */
#ifndef QKVLAB_REPORT_FIGURE_RUN_H
#define QKVLAB_REPORT_FIGURE_RUN_H

#include "base/path.h"

/* figure_run_path writes <run_folder>/attention/overview.png. */
enum status figure_run_path(const char *run_folder, char path[PATH_SIZE], struct error *err);

/* figure_run writes it: the latest snapshot's maps, layers down, heads and their mean across, one
 * colour scale from 0 to 1. Errors: STATUS_DATA where the run kept no maps. */
enum status figure_run(const char *run_folder, struct error *err);

#endif

/* data_options: where data sets are looked for, from the options and the environment. Every command
 * that reads a data set asks here.
 */
#ifndef QKVLAB_CLI_DATA_OPTIONS_H
#define QKVLAB_CLI_DATA_OPTIONS_H

#include "base/file.h"
#include "cli/options.h"
#include "lab/data/dataset.h"

#define DATA_MAX_ROOT 8

struct data_options {
    struct dataset_options options; /* points into this struct: do not copy it */
    const char *root[DATA_MAX_ROOT];
    const char *origin[DATA_MAX_ROOT]; /* "--data", "$QKVLAB_DATA", "user cache", "system" */
    char user[PATH_SIZE], cache[PATH_SIZE];
};

/* data_options_make fills in, in this order: --data, $QKVLAB_DATA, <user cache>/qkvlab/data, the
 * system's folders. Decoded images go to --cache or <user cache>/qkvlab/images. The user cache is
 * $XDG_CACHE_HOME or ~/.cache. Decoding shows its progress on a terminal and ends at a signal.
 * Errors: STATUS_DATA where --data is no folder. */
enum status data_options_make(struct data_options *data, const struct arguments *arguments,
                              struct error *err);

#endif

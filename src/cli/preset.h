/* preset: ready-made grids for `run`, as the texts one would type behind --set. */
#ifndef QKVLAB_CLI_PRESET_H
#define QKVLAB_CLI_PRESET_H

#include <stddef.h>

#define PRESET_MAX_SET 12

struct preset {
    const char *name;
    const char *seeds;
    const char *summary;
    const char *set[PRESET_MAX_SET]; /* ends at the first NULL */
};

/* preset_at returns the i-th preset, NULL past the last; preset_find the one of a name, or NULL. */
const struct preset *preset_at(size_t i);
const struct preset *preset_find(const char *name);

#endif

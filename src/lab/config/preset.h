/* preset: ready-made sweeps for `run`, the files of lab/config/presets/, which are part of the
 * program.
 *
 * A new one is one file there: it begins with a comment of one line that says what it is for.
 */
#ifndef QKVLAB_LAB_PRESET_H
#define QKVLAB_LAB_PRESET_H

#include <stddef.h>

struct preset {
    const char *name;
    const char *text; /* YAML, see config_file.h */
    size_t size;      /* of the text */
};

/* preset_at returns the i-th preset in alphabetical order, NULL past the last; preset_find the one
 * of a name, or NULL. */
const struct preset *preset_at(size_t i);
const struct preset *preset_find(const char *name);

/* preset_nearest returns the name of the preset that a misspelt one may mean, or NULL. */
const char *preset_nearest(const char *name);

/* preset_summary writes the text's first comment. */
#define PRESET_SUMMARY_SIZE 128
void preset_summary(const struct preset *preset, char summary[PRESET_SUMMARY_SIZE]);

#endif

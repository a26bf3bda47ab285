/* sizes: the columns that tell settings apart: their number, and the sizes that differ. */
#ifndef QKVLAB_REPORT_SIZES_H
#define QKVLAB_REPORT_SIZES_H

#include "base/table.h"
#include "report/frame/group.h"

enum size { SIZE_WIDTH, SIZE_LAYERS, SIZE_HEADS, SIZE_LENGTH, SIZE_STEPS, SIZE_COUNT };

/* size_letter is "d", "L", "H", "T" or "steps", size_title "width d", "layers L", ... */
const char *size_letter(enum size size);
const char *size_title(enum size size);

/* size_of returns a size of a run; of SIZE_STEPS those of its group, since a diverged run made
 * fewer. */
size_t size_of(const struct group *group, enum size size);
size_t size_of_run(const struct run *run, enum size size);

/* Which sizes differ between settings, and whether anything else does. */
struct sizes {
    bool differs[SIZE_COUNT];
    bool number; /* the number of the setting is told, too */
};

/* sizes_of compares the settings of a group. */
struct sizes sizes_of(const struct group *group);
void sizes_columns(const struct sizes *sizes, struct table *table);
void sizes_cells(const struct sizes *sizes, struct table *table, const struct group *setting);

#endif

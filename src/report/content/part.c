#include "report/content/part.h"

#include <string.h>

struct part part_make(const struct group *group)
{
    return (struct part){.group = group,
                         .variants = groups_by(group, FACTOR_BIT(VARIANT)),
                         .tasks = groups_by(group, FACTOR_BIT(TASK)),
                         .cells = groups_by(group, FACTOR_BIT(VARIANT) | FACTOR_BIT(TASK))};
}

const struct run *part_variant(const struct part *part, size_t variant)
{
    return part->variants.group[variant].run[0];
}

const struct run *part_task(const struct part *part, size_t task)
{
    return part->tasks.group[task].run[0];
}

const struct group *part_cell(const struct part *part, size_t variant, size_t task)
{
    return groups_beside(&part->cells, &part->variants.group[variant], FACTOR_TASK,
                         part->tasks.group[task].level[FACTOR_TASK]);
}

size_t part_find_variant(const struct part *part, const char *id)
{
    size_t i = 0;
    while (i < part->variants.n_group && strcmp(part_variant(part, i)->variant_id, id) != 0) {
        i++;
    }
    return i;
}

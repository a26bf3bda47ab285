/* facets: which runs something speaks of: a level of each factor, or any. They are kept as the tag
 * of a table's row or column, of a plot's panel or line, of a sheet's panel; so every number of a
 * report leads to its runs, and a reader's filter knows what to leave out.
 */
#ifndef QKVLAB_REPORT_FACETS_H
#define QKVLAB_REPORT_FACETS_H

#include <stdint.h>

#define FACET_ANY (-1)

struct facets {
    int task, variant, setting; /* levels of frame.h's factors, or FACET_ANY */
    int seed;                   /* a level, too: place among the frame's seeds */
};

#define FACETS_ANY ((struct facets){FACET_ANY, FACET_ANY, FACET_ANY, FACET_ANY})

/* A tag of 0 is FACETS_ANY. */
static inline uint64_t facets_tag(struct facets facets)
{
    return (uint64_t)(uint16_t)(facets.task + 1) | (uint64_t)(uint16_t)(facets.variant + 1) << 16 |
           (uint64_t)(uint16_t)(facets.setting + 1) << 32 |
           (uint64_t)(uint16_t)(facets.seed + 1) << 48;
}

static inline struct facets facets_of(uint64_t tag)
{
    return (struct facets){(int)(uint16_t)tag - 1, (int)(uint16_t)(tag >> 16) - 1,
                           (int)(uint16_t)(tag >> 32) - 1, (int)(uint16_t)(tag >> 48) - 1};
}

#endif

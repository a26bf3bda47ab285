/* allocations: a limit on how many times jansson is given memory. */
#ifndef QKVLAB_TESTS_BASE_ALLOCATIONS_H
#define QKVLAB_TESTS_BASE_ALLOCATIONS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/expect.h"

static size_t allocations_left, allocations_live;

static inline void *allocations_malloc(size_t size)
{
    if (allocations_left == 0) {
        return NULL;
    }
    allocations_left--;
    void *memory = malloc(size);
    allocations_live += memory != NULL;
    return memory;
}

static inline void allocations_free(void *memory)
{
    allocations_live -= memory != NULL;
    free(memory);
}

/* From allocation number k on, all of jansson's fail. */
static inline void allocations_limit(size_t k)
{
    allocations_left = k;
    allocations_live = 0;
    json_set_alloc_funcs(allocations_malloc, allocations_free);
}

/* Ends that; whether fewer than k were asked for. All must have been given back. */
static inline bool allocations_were_enough(void)
{
    json_set_alloc_funcs(malloc, free);
    expect_size(allocations_live, 0, "number of leaked allocations");
    return allocations_left > 0;
}

#endif

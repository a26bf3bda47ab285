/* arena: one block of memory, handed out in 64-byte aligned pieces, given back all at once.
 *
 * The training loop's buffers live in arenas, so that it allocates nothing. An arena without memory
 * (ARENA_MEASURE) only counts: placing the same buffers in it first tells the size that is needed.
 * Under AddressSanitizer, touching bytes between two pieces is an error.
 */
#ifndef QKVLAB_BASE_ARENA_H
#define QKVLAB_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

#define ARENA_ALIGNMENT 64

struct arena {
    unsigned char *base; /* NULL in a measuring arena */
    size_t size;         /* bytes owned; 0 in a measuring arena */
    size_t used;         /* bytes handed out, alignment included */
    bool failed;         /* sticky: some arena_alloc did not fit, or its size overflowed */
};

#define ARENA_MEASURE ((struct arena){0})

/* arena_create allocates size bytes (zeroed, rounded up to ARENA_ALIGNMENT). Caller frees with
 * arena_free. */
enum status arena_create(struct arena *arena, size_t size, struct error *err);

/* arena_alloc returns count * element_size zeroed bytes, aligned to ARENA_ALIGNMENT. In a measuring
 * arena it returns NULL and only counts; on overflow or when full it returns NULL and sets failed.
 */
void *arena_alloc(struct arena *arena, size_t count, size_t element_size);

/* arena_floats is arena_alloc for floats. */
float *arena_floats(struct arena *arena, size_t count);

void arena_free(struct arena *arena);

#endif

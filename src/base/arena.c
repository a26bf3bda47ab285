/* Every piece is rounded up to the alignment in the same way whether the arena measures or gives,
 * so a measured size always suffices. Under AddressSanitizer all that was not asked for is
 * poisoned.
 */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(data, size) ((void)(data), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(data, size) ((void)(data), (void)(size))
#endif

/* Returns false where the rounded size overflows. */
static bool round_up(size_t size, size_t *rounded)
{
    if (size > SIZE_MAX - (ARENA_ALIGNMENT - 1)) {
        return false;
    }
    *rounded = (size + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
    return true;
}

/* Large arenas lie on huge pages where the system gives them: walking megabytes of activations
 * otherwise misses the translation cache at every row. */
#define HUGE_PAGE ((size_t)2 << 20)

static unsigned char *allocate(size_t size)
{
    if (size < 2 * HUGE_PAGE || size > SIZE_MAX - HUGE_PAGE) {
        return aligned_alloc(ARENA_ALIGNMENT, size);
    }
    size_t whole = (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    unsigned char *base = aligned_alloc(HUGE_PAGE, whole);
#ifdef MADV_HUGEPAGE
    if (base) {
        madvise(base, whole, MADV_HUGEPAGE); /* a wish: refused, nothing is lost */
    }
#endif
    return base;
}

enum status arena_create(struct arena *arena, size_t size, struct error *err)
{
    /* A failed arena must not pass for a measuring one, nor an empty one. */
    *arena = (struct arena){.failed = true};
    size_t rounded;
    unsigned char *base = NULL;
    if (round_up(size > 0 ? size : 1, &rounded)) {
        base = allocate(rounded);
    }
    if (!base) {
        return error_set(
            err, STATUS_MEMORY,
            "out of memory: an arena takes %zu bytes; make the model, the batch or the "
            "number of lanes smaller",
            size);
    }
    memset(base, 0, rounded);
    ASAN_POISON_MEMORY_REGION(base, rounded);
    *arena = (struct arena){.base = base, .size = rounded};
    return STATUS_OK;
}

void *arena_alloc(struct arena *arena, size_t count, size_t element_size)
{
    bool overflows = element_size > 0 && count > SIZE_MAX / element_size;
    size_t limit = arena->base ? arena->size : SIZE_MAX;
    size_t size = 0;
    if (arena->failed || overflows || !round_up(count * element_size, &size) ||
        size > limit - arena->used) {
        arena->failed = true;
        return NULL;
    }
    unsigned char *piece = arena->base ? arena->base + arena->used : NULL;
    arena->used += size;
    if (piece) {
        ASAN_UNPOISON_MEMORY_REGION(piece, count * element_size);
    }
    return piece;
}

float *arena_floats(struct arena *arena, size_t count)
{
    return arena_alloc(arena, count, sizeof(float));
}

void arena_free(struct arena *arena)
{
    if (arena->base) {
        ASAN_UNPOISON_MEMORY_REGION(arena->base, arena->size);
    }
    free(arena->base);
    *arena = (struct arena){.failed = true};
}

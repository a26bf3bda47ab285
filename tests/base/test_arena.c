#include <stdint.h>

#include "base/arena.h"
#include "base/expect.h"
#include "testing.h"

TEST(pieces_are_aligned_zeroed_and_apart)
{
    struct arena arena;
    struct error err;
    expect_ok(arena_create(&arena, 4096, &err), &err);
    unsigned char *previous_end = NULL;
    static const size_t sizes[] = {1, 63, 64, 65, 200};
    for (size_t i = 0; i < 5; i++) {
        unsigned char *piece = arena_alloc(&arena, sizes[i], 1);
        ck_assert_msg(piece && (uintptr_t)piece % ARENA_ALIGNMENT == 0, "piece %zu is %p", i,
                      (void *)piece);
        ck_assert_msg(piece >= previous_end, "piece %zu overlaps the one before", i);
        for (size_t j = 0; j < sizes[i]; j++) {
            ck_assert_msg(piece[j] == 0, "piece %zu, byte %zu is %d", i, j, piece[j]);
            piece[j] = 0xff;
        }
        previous_end = piece + sizes[i];
    }
    expect_size(arena.used, 64 + 64 + 64 + 128 + 256, "used");
    arena_free(&arena);
}

/* Takes some buffers, the same from any arena. */
static void place(struct arena *arena)
{
    arena_floats(arena, 3);
    arena_alloc(arena, 0, 8);
    arena_alloc(arena, 129, 2);
    arena_floats(arena, 16);
    arena_alloc(arena, 7, 0);
    arena_floats(arena, 1001);
}

TEST(a_measured_size_just_suffices)
{
    struct arena measure = ARENA_MEASURE, arena;
    struct error err;
    place(&measure);
    ck_assert_msg(!measure.failed && measure.used > 0, "measured %zu", measure.used);
    expect_ok(arena_create(&arena, measure.used, &err), &err);
    place(&arena);
    ck_assert_msg(!arena.failed, "size %zu, used %zu", arena.size, arena.used);
    expect_size(arena.used, measure.used, "used");
    ck_assert_msg(!arena_alloc(&arena, 1, 1) && arena.failed, "one byte more still fits");
    arena_free(&arena);

    expect_ok(arena_create(&arena, measure.used - 1, &err), &err);
    expect_size(arena.size, measure.used, "a size is rounded up");
    arena_free(&arena);
}

TEST(failure_is_sticky)
{
    struct arena arena;
    struct error err;
    expect_ok(arena_create(&arena, 128, &err), &err);
    ck_assert_msg(!arena_alloc(&arena, 129, 1), "129 bytes fit in 128");
    ck_assert_msg(arena.failed, "not marked as failed");
    ck_assert_msg(!arena_alloc(&arena, 1, 1), "gives memory after a failure");
    arena_free(&arena);
}

TEST(overflow_fails_in_every_arena)
{
    static const size_t claims[][2] = {
        {SIZE_MAX / 2 + 1, 2}, {SIZE_MAX, 1}, {SIZE_MAX / 4 + 1, 4}, {SIZE_MAX - 62, 1}};
    for (size_t i = 0; i < 4; i++) {
        struct arena measure = ARENA_MEASURE, arena;
        struct error err;
        ck_assert_msg(!arena_alloc(&measure, claims[i][0], claims[i][1]) && measure.failed,
                      "measuring %zu x %zu", claims[i][0], claims[i][1]);
        expect_ok(arena_create(&arena, 64, &err), &err);
        ck_assert_msg(!arena_alloc(&arena, claims[i][0], claims[i][1]) && arena.failed,
                      "taking %zu x %zu", claims[i][0], claims[i][1]);
        arena_free(&arena);
    }
    struct arena sum = ARENA_MEASURE;
    arena_alloc(&sum, SIZE_MAX / 2, 1);
    arena_alloc(&sum, SIZE_MAX / 2, 1);
    arena_alloc(&sum, SIZE_MAX / 2, 1);
    ck_assert_msg(sum.failed, "a sum above SIZE_MAX: used %zu", sum.used);
}

TEST(an_empty_arena_is_not_a_measuring_one)
{
    struct arena arena;
    struct error err;
    expect_ok(arena_create(&arena, 0, &err), &err);
    ck_assert_msg(arena.base != NULL, "an empty arena counts only");
    arena_free(&arena);
    ck_assert_msg(!arena.base && arena.failed, "a freed arena must not measure");
}

TEST(impossible_sizes_are_refused)
{
    struct arena arena;
    struct error err;
    expect_error(arena_create(&arena, SIZE_MAX - 10, &err), STATUS_MEMORY, &err, "out of memory");
    ck_assert_msg(!arena_alloc(&arena, 1, 1) && arena.used == 0, "a failed arena counts");
    arena_free(&arena);
}

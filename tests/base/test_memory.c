#include "testing.h"

#include <string.h>

#include "base/clock.h"
#include "base/memory.h"

#define SIZE ((size_t)64 << 20)
#define SLACK ((size_t)8 << 20)

/* Holds SIZE bytes for a moment. */
static void hold_and_free(void)
{
    volatile char *block = malloc(SIZE);
    ck_assert_ptr_nonnull((void *)block);
    for (size_t i = 0; i < SIZE; i += 512) {
        block[i] = 1;
    }
    free((void *)block);
}

TEST(peak_is_seen_and_forgotten)
{
    if (memory_resident() == 0) {
        return; /* no Linux */
    }
    memory_reset_peak();
    size_t before = memory_resident();
    ck_assert_uint_ge(memory_peak() + SLACK, before);
    ck_assert_uint_lt(memory_peak(), before + SLACK);
    hold_and_free();
    ck_assert_uint_ge(memory_peak(), before + SIZE - SLACK);
    memory_reset_peak();
#ifndef __SANITIZE_ADDRESS__ /* which keeps freed memory in quarantine */
    ck_assert_uint_lt(memory_peak(), before + SIZE / 2);
#endif
}

TEST(clock_never_goes_backwards)
{
    double last = clock_seconds(), first = last;
    while (last - first < 1e-3) {
        double now = clock_seconds();
        ck_assert_double_ge(now, last);
        last = now;
    }
}

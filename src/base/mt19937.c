#include "base/mt19937.h"

#define M 397

struct mt19937 mt19937_make(uint32_t seed)
{
    struct mt19937 mt = {.state = {seed}, .next = MT19937_N};
    for (uint32_t i = 1; i < MT19937_N; i++) {
        uint32_t before = mt.state[i - 1];
        mt.state[i] = 1812433253u * (before ^ before >> 30) + i;
    }
    return mt;
}

static void renew(struct mt19937 *mt)
{
    for (size_t i = 0; i < MT19937_N; i++) {
        uint32_t joined =
            (mt->state[i] & 0x80000000u) | (mt->state[(i + 1) % MT19937_N] & 0x7fffffffu);
        mt->state[i] = mt->state[(i + M) % MT19937_N] ^ joined >> 1 ^ (joined & 1) * 0x9908b0dfu;
    }
    mt->next = 0;
}

uint32_t mt19937_next(struct mt19937 *mt)
{
    if (mt->next == MT19937_N) {
        renew(mt);
    }
    uint32_t y = mt->state[mt->next++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

/* Philox 4x32-10 as in J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, "Parallel random
 * numbers: as easy as 1, 2, 3", SC 2011; checked against the known answers of their Random123
 * library.
 */
#include "base/rng.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define N_ROUND 10
#define PURPOSE_SIZE 512

/* The finaliser of splitmix64: a bijection whose output bits all depend on all input bits. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* FNV-1a, 64 bits. */
static uint64_t hash_text(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++) {
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    }
    return hash;
}

struct rng rng_make(uint64_t seed, const char *purpose_format, ...)
{
    char purpose[PURPOSE_SIZE];
    va_list args;
    va_start(args, purpose_format);
    int length = vsnprintf(purpose, sizeof purpose, purpose_format, args);
    va_end(args);
    assert(length >= 0 && length < PURPOSE_SIZE);
    (void)length;
    /* The seed is mixed on its own first, or small seeds would only flip low bits of the hash. */
    uint64_t key = mix(hash_text(purpose) ^ mix(seed + 0x9e3779b97f4a7c15u));
    return (struct rng){{(uint32_t)key, (uint32_t)(key >> 32)}};
}

void rng_philox(const uint32_t key[2], const uint32_t counter[4], uint32_t word[4])
{
    uint32_t k0 = key[0], k1 = key[1];
    uint32_t x0 = counter[0], x1 = counter[1], x2 = counter[2], x3 = counter[3];
    for (int round = 0; round < N_ROUND; round++) {
        uint64_t a = (uint64_t)x0 * 0xd2511f53u;
        uint64_t b = (uint64_t)x2 * 0xcd9e8d57u;
        x0 = (uint32_t)(b >> 32) ^ x1 ^ k0;
        x1 = (uint32_t)b;
        x2 = (uint32_t)(a >> 32) ^ x3 ^ k1;
        x3 = (uint32_t)a;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    word[0] = x0;
    word[1] = x1;
    word[2] = x2;
    word[3] = x3;
}

void rng_block(struct rng rng, uint64_t index, uint32_t word[4])
{
    const uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), 0, 0};
    rng_philox(rng.key, counter, word);
}

static uint64_t join(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

uint64_t rng_bits(struct rng rng, uint64_t index)
{
    uint32_t word[4];
    rng_block(rng, index, word);
    return join(word[0], word[1]);
}

double rng_uniform(struct rng rng, uint64_t index)
{
    return (double)(rng_bits(rng, index) >> 11) * 0x1p-53;
}

double rng_normal(struct rng rng, uint64_t index)
{
    const double pi = 3.14159265358979323846;
    uint32_t word[4];
    rng_block(rng, index, word);
    /* In (0, 1], where the logarithm is finite. */
    double u = (double)((join(word[0], word[1]) >> 11) + 1) * 0x1p-53;
    double v = (double)(join(word[2], word[3]) >> 11) * 0x1p-53;
    return sqrt(-2.0 * log(u)) * cos(2.0 * pi * v);
}

uint32_t rng_below(struct rng rng, uint64_t index, uint32_t n)
{
    assert(n >= 1);
    /* The upper half of the 96-bit product bits * n. */
    uint64_t bits = rng_bits(rng, index);
    uint64_t low = (bits & 0xffffffffu) * n;
    uint64_t high = (bits >> 32) * n;
    return (uint32_t)((high + (low >> 32)) >> 32);
}

void rng_permutation(struct rng rng, size_t n, uint32_t *order)
{
    assert(n <= UINT32_MAX);
    for (size_t i = 0; i < n; i++) {
        order[i] = (uint32_t)i;
    }
    for (size_t i = n; i > 1; i--) {
        size_t j = rng_below(rng, i - 1, (uint32_t)i);
        uint32_t swapped = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swapped;
    }
}

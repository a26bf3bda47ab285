/* rng: counter-based random numbers (Philox 4x32-10, Salmon et al., SC 2011).
 *
 * A number is a pure function of (seed, purpose, index). There is no state to advance, so no
 * variant, lane or thread can shift another's numbers, and a resumed run needs no saved generator.
 * Purposes are paths such as "init/head.weight", "data/train", "shuffle/3".
 */
#ifndef QKVLAB_BASE_RNG_H
#define QKVLAB_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng {
    uint32_t key[2];
};

/* rng_make derives the stream of a purpose (printf style) under a seed. */
struct rng rng_make(uint64_t seed, const char *purpose_format, ...)
    __attribute__((format(printf, 2, 3)));

/* rng_block fills four independent 32-bit words for an index. */
void rng_block(struct rng rng, uint64_t index, uint32_t word[4]);

/* rng_philox is the bare generator, for its known answers; rng_block uses counter = (index, 0). */
void rng_philox(const uint32_t key[2], const uint32_t counter[4], uint32_t word[4]);

/* rng_bits returns 64 uniform bits. */
uint64_t rng_bits(struct rng rng, uint64_t index);

/* rng_uniform returns a multiple of 2^-53 in [0, 1). */
double rng_uniform(struct rng rng, uint64_t index);

/* rng_normal returns a standard normal number (Box-Muller on the block of the index). */
double rng_normal(struct rng rng, uint64_t index);

/* rng_below returns an integer in [0, n), n >= 1; its bias is below n / 2^64. */
uint32_t rng_below(struct rng rng, uint64_t index, uint32_t n);

/* rng_permutation fills order with a random permutation of 0..n-1 (Fisher-Yates). */
void rng_permutation(struct rng rng, size_t n, uint32_t *order);

#endif

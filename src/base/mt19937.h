/* mt19937: the Mersenne Twister (Matsumoto and Nishimura, 1998), a sequence of 32-bit numbers.
 *
 * Only what others drew with it is drawn with it here: a number depends on all numbers before it.
 * Everything else uses rng.h.
 */
#ifndef QKVLAB_BASE_MT19937_H
#define QKVLAB_BASE_MT19937_H

#include <stddef.h>
#include <stdint.h>

#define MT19937_N 624

struct mt19937 {
    uint32_t state[MT19937_N];
    size_t next;
};

/* mt19937_make is init_genrand of the published code. */
struct mt19937 mt19937_make(uint32_t seed);

/* mt19937_next returns the next number. */
uint32_t mt19937_next(struct mt19937 *mt);

#endif

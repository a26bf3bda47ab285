/* Dropout masks: Philox blocks computed a vector at a time, and 16 bits of them for each column.
 * What the numbers are is said once more, element by element, in tests/nn/oracle. */
#include "nn/kernels/level.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

/* Blocks of random numbers that are drawn at a time, and the columns they serve: a block gives four
 * words, a word two 16-bit numbers. */
#define MASK_BLOCKS 8
#define MASK_COLUMNS (8 * MASK_BLOCKS)

typedef uint32_t words __attribute__((vector_size(VECTOR * sizeof(float))));
typedef uint64_t wide_words __attribute__((vector_size(VECTOR * sizeof(float))));

/* multiply_low multiplies the low halves of 64-bit lanes; what the high ones hold is no matter. */
static inline __attribute__((always_inline)) wide_words multiply_low(wide_words a, wide_words b)
{
#if defined(__AVX512F__)
    return (wide_words)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (wide_words)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#else
    return (a & 0xffffffffu) * (b & 0xffffffffu);
#endif
}

/* The keys of the ten rounds, the same for every block. */
struct round_keys {
    uint64_t key[10][2];
};

static struct round_keys round_keys_of(const uint32_t key[2])
{
    struct round_keys keys;
    for (uint32_t round = 0; round < 10; round++) {
        keys.key[round][0] = (uint32_t)(key[0] + round * 0x9e3779b9u);
        keys.key[round][1] = (uint32_t)(key[1] + round * 0xbb67ae85u);
    }
    return keys;
}

/* philox computes the blocks from first on (Philox 4x32-10, see base/rng.c), a block a 64-bit lane,
 * of which only the low half means something. */
static inline __attribute__((always_inline)) void philox(const struct round_keys *keys,
                                                         uint64_t first, wide_words x[4])
{
    static const uint64_t lanes[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    wide_words x0, x1, x2 = {0}, x3 = {0};
    memcpy(&x0, lanes, sizeof x0);
    x0 += first;
    x1 = x0 >> 32;
    const wide_words m0 = (wide_words){0} + 0xd2511f53u, m2 = (wide_words){0} + 0xcd9e8d57u;
#pragma GCC unroll 10
    for (int round = 0; round < 10; round++) {
        wide_words a = multiply_low(x0, m0), c = multiply_low(x2, m2);
        x0 = (c >> 32) ^ x1 ^ keys->key[round][0];
        x1 = c;
        x2 = (a >> 32) ^ x3 ^ keys->key[round][1];
        x3 = a;
    }
    x[0] = x0;
    x[1] = x1;
    x[2] = x2;
    x[3] = x3;
}

/* draw_mask fills MASK_COLUMNS columns, in four stretches of 16: column c takes block c % 16 / 2
 * behind first, of it word c / 32 * 2 + c % 2, and of that the low half where c / 16 is even. */
static inline __attribute__((always_inline)) void draw_mask(const struct dropout_law *law,
                                                            const struct round_keys *keys,
                                                            uint64_t first,
                                                            float mask[MASK_COLUMNS])
{
    const words kept = (words)((vector){0} + law->kept);
    for (size_t b = 0; b < MASK_BLOCKS; b += VECTOR / 2) {
        wide_words x[4];
        philox(keys, first + b, x);
        for (size_t pair = 0; pair < 2; pair++) {
            words both = (words)((x[2 * pair] & 0xffffffffu) | x[2 * pair + 1] << 32);
            words low = (words)((both & 0xffffu) >= law->threshold) & kept;
            words high = (words)((both >> 16) >= law->threshold) & kept;
            store(mask + 32 * pair + 2 * b, (vector)low);
            store(mask + 32 * pair + 16 + 2 * b, (vector)high);
        }
    }
}

/* each_row writes the mask (x and y NULL), or multiplies x and y by it. A row's blocks begin at row
 * * (blocks of a row). */
static inline __attribute__((always_inline)) void each_row(size_t n_row, size_t n_col,
                                                           const struct dropout_law *law,
                                                           size_t first_row, float *restrict mask,
                                                           float *restrict x, float *restrict y)
{
    const struct round_keys keys = round_keys_of(law->key);
    size_t groups = (n_col + MASK_COLUMNS - 1) / MASK_COLUMNS;
    for (size_t i = 0; i < n_row; i++) {
        for (size_t g = 0; g < groups; g++) {
            float part[MASK_COLUMNS];
            draw_mask(law, &keys, ((uint64_t)(first_row + i) * groups + g) * MASK_BLOCKS, part);
            size_t column = g * MASK_COLUMNS, at = i * n_col + column;
            size_t n = n_col - column < MASK_COLUMNS ? n_col - column : MASK_COLUMNS;
#pragma omp simd
            for (size_t c = 0; c < n; c++) {
                if (mask != NULL) {
                    mask[at + c] = part[c];
                } else {
                    x[at + c] *= part[c];
                    y[at + c] *= part[c];
                }
            }
        }
    }
}

void LEVEL_NAME(dropout_mask_, KERNEL_LEVEL)(size_t n_row, size_t n_col,
                                             const struct dropout_law *law, size_t first_row,
                                             float *mask)
{
    each_row(n_row, n_col, law, first_row, mask, NULL, NULL);
}

void LEVEL_NAME(dropout_both_, KERNEL_LEVEL)(size_t n_row, size_t n_col,
                                             const struct dropout_law *law, size_t first_row,
                                             float *x, float *y)
{
    each_row(n_row, n_col, law, first_row, NULL, x, y);
}

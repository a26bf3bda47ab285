/* The masks once more, element by element, from the numbers of base/rng.h. A row has 8 blocks for
 * every 64 columns, begun or full; column c takes of its row block c / 64 * 8 + c % 16 / 2, of that
 * word c % 64 / 32 * 2 + c % 2, and of that the low 16 bits where c / 16 is even, else the high
 * ones.
 */
#include "reference_model.h"

#include "base/rng.h"

void reference_dropout(const struct dropout *dropout, double rate, size_t site, size_t first_row,
                       size_t n_row, size_t n_col, double *x)
{
    struct rng rng =
        rng_make(dropout->seed, "dropout/%llu/%zu", (unsigned long long)dropout->step, site);
    size_t blocks_of_row = (n_col + 63) / 64 * 8;
    for (size_t r = 0; r < n_row; r++) {
        for (size_t c = 0; c < n_col; c++) {
            uint32_t word[4];
            rng_block(rng, (first_row + r) * blocks_of_row + c / 64 * 8 + c % 16 / 2, word);
            uint32_t both = word[c % 64 / 32 * 2 + c % 2];
            uint32_t bits = c / 16 % 2 == 0 ? both & 0xffff : both >> 16;
            bool dropped = bits < (uint32_t)(rate * 65536.0 + 0.5);
            x[r * n_col + c] *= dropped ? 0.0 : 1.0 / (1.0 - rate);
        }
    }
}

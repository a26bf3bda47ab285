/* Matrix products for the sizes a small transformer has: tens to hundreds of rows and columns.
 *
 * A general library packs both operands of every call, which costs as much as the arithmetic when a
 * side is 64. Here B is read as panels of PANEL columns, packed once a step for weights and at most
 * once a product for activations, and A is read where it lies, through two strides, so that A and
 * its transpose are the same code. The innermost block keeps its sums in registers.
 */
#include "nn/kernels/level.h"

/* Rows of a block with two vectors of columns, as many sums as registers allow, and with one. */
#if VECTOR == 16
#define WIDE_ROWS 12
#define NARROW_ROWS 16
#elif VECTOR == 8
#define WIDE_ROWS 6
#define NARROW_ROWS 8
#else
#define WIDE_ROWS 4
#define NARROW_ROWS 8
#endif
#define PANEL_VECTORS 2
#define PANEL (PANEL_VECTORS * VECTOR)
/* Depth of a panel that is packed on the stack. */
#define DEPTH 256
/* Floats of B that stay close enough to be read in place again and again (measured). */
#define CACHED 16384

_Static_assert(PANEL <= PRODUCT_MAX_PANEL, "packed sizes are computed for the widest panel");

/* A, read as a[i * row + l * depth] for row i of C and depth l. */
struct left {
    const float *at;
    size_t row, depth;
};

struct output {
    float *at;
    size_t ld;
    bool accumulate;
};

/* block computes rows x (vectors * VECTOR) elements of C, of which n_col are stored. All of rows
 * and vectors are constants where it is inlined, so the sums live in registers. */
static inline __attribute__((always_inline)) void block(size_t rows, size_t vectors, size_t n_col,
                                                        size_t depth, struct left a, const float *b,
                                                        size_t ldb, struct output c)
{
    vector sum[NARROW_ROWS][PANEL_VECTORS] = {{{0}}};
    /* A pointer for every third row: the others are one or two row strides away, which x86
     * addresses for free. A pointer a row would not fit into the registers. */
    const float *third[(NARROW_ROWS + 2) / 3];
#pragma GCC unroll 16
    for (size_t g = 0; g < (rows + 2) / 3; g++) {
        third[g] = a.at + 3 * g * a.row;
    }
    /* C is needed at the end: fetched now, it arrives while the sums are made. */
#pragma GCC unroll 16
    for (size_t i = 0; i < rows; i++) {
#pragma GCC unroll 4
        for (size_t v = 0; v < vectors; v++) {
            __builtin_prefetch(c.at + i * c.ld + v * VECTOR, 1);
        }
    }
    for (size_t l = 0; l < depth; l++) {
        vector right[PANEL_VECTORS];
        for (size_t v = 0; v < vectors; v++) {
            right[v] = load(b + v * VECTOR);
        }
#pragma GCC unroll 16
        for (size_t i = 0; i < rows; i++) {
            float left = third[i / 3][i % 3 * a.row];
#pragma GCC unroll 4
            for (size_t v = 0; v < vectors; v++) {
                sum[i][v] += left * right[v];
            }
        }
#pragma GCC unroll 16
        for (size_t g = 0; g < (rows + 2) / 3; g++) {
            third[g] += a.depth;
        }
        b += ldb;
    }
#pragma GCC unroll 16
    for (size_t i = 0; i < rows; i++) {
#pragma GCC unroll 4
        for (size_t v = 0; v < vectors; v++) {
            float *out = c.at + i * c.ld + v * VECTOR;
            vector value = sum[i][v];
            if (n_col >= (v + 1) * VECTOR) {
                store(out, c.accumulate ? load(out) + value : value);
            } else {
                float part[VECTOR];
                store(part, value);
                for (size_t j = v * VECTOR; j < n_col; j++) {
                    out[j - v * VECTOR] =
                        part[j - v * VECTOR] + (c.accumulate ? out[j - v * VECTOR] : 0.0f);
                }
            }
        }
    }
}

/* One case for every number of rows, so that it is a constant inside. */
#define CASE_WIDE(r)                                                                               \
    case r:                                                                                        \
        block(r, 2, n_col, depth, a, b, ldb, c);                                                   \
        break;
#define CASE_NARROW(r)                                                                             \
    case r:                                                                                        \
        block(r, 1, n_col, depth, a, b, ldb, c);                                                   \
        break;
#define CASES_4(X) X(1) X(2) X(3) X(4)
#define CASES_6(X) CASES_4(X) X(5) X(6)
#define CASES_8(X) CASES_6(X) X(7) X(8)
#define CASES_12(X) CASES_8(X) X(9) X(10) X(11) X(12)
#define CASES_16(X) CASES_12(X) X(13) X(14) X(15) X(16)
#define CASES_PASTE(n) CASES_##n
#define CASES(n) CASES_PASTE(n)

static void block_wide(size_t rows, size_t n_col, size_t depth, struct left a, const float *b,
                       size_t ldb, struct output c)
{
    switch (rows) {
        CASES(WIDE_ROWS)(CASE_WIDE) default : break;
    }
}

static void block_narrow(size_t rows, size_t n_col, size_t depth, struct left a, const float *b,
                         size_t ldb, struct output c)
{
    switch (rows) {
        CASES(NARROW_ROWS)(CASE_NARROW) default : break;
    }
}

/* panel_product multiplies all of A by one panel of B, in row blocks of one size but for the last:
 * a branch that always goes the same way costs nothing. */
static void panel_product(size_t m, size_t n_col, size_t depth, struct left a, const float *b,
                          size_t ldb, struct output c)
{
    bool wide = n_col > VECTOR;
    size_t most = wide ? WIDE_ROWS : NARROW_ROWS;
    size_t n_block = (m + most - 1) / most, rows = (m + n_block - 1) / n_block;
    for (size_t first = 0; first < m; first += rows) {
        struct left a_block = {a.at + first * a.row, a.row, a.depth};
        struct output c_block = {c.at + first * c.ld, c.ld, c.accumulate};
        size_t n = m - first < rows ? m - first : rows;
        if (wide) {
            block_wide(n, n_col, depth, a_block, b, ldb, c_block);
        } else {
            block_narrow(n, n_col, depth, a_block, b, ldb, c_block);
        }
    }
}

/* copy_panel copies depth rows of n_col <= PANEL columns to a panel, with zeros behind them. */
static void copy_panel(size_t depth, size_t n_col, const float *b, size_t ldb, float *panel)
{
    for (size_t l = 0; l < depth; l++) {
        if (n_col == PANEL) {
            memcpy(panel + l * PANEL, b + l * ldb, PANEL * sizeof *panel);
        } else {
            memset(panel + l * PANEL, 0, PANEL * sizeof *panel);
            memcpy(panel + l * PANEL, b + l * ldb, n_col * sizeof *panel);
        }
    }
}

static void product_general(size_t m, size_t n, size_t k, const float *a, size_t a_row,
                            size_t a_depth, const float *b, size_t ldb, bool accumulate, float *c,
                            size_t ldc)
{
    float packed[DEPTH * PANEL] __attribute__((aligned(64)));
    for (size_t j = 0; j < n; j += PANEL) {
        size_t n_col = n - j < PANEL ? n - j : PANEL;
        /* A panel is copied where its rows would not stay cached for all of A, or
         * where its last columns must be filled up with zeros. */
        bool pack = (m > 2 * WIDE_ROWS && k * ldb > CACHED) || n_col % VECTOR != 0;
        for (size_t l = 0; l < k; l += DEPTH) {
            size_t depth = k - l < DEPTH ? k - l : DEPTH;
            const float *panel = b + l * ldb + j;
            if (pack) {
                copy_panel(depth, n_col, panel, ldb, packed);
            }
            struct left left = {a + l * a_depth, a_row, a_depth};
            struct output out = {c + j, ldc, accumulate || l > 0};
            panel_product(m, n_col, depth, left, pack ? packed : panel, pack ? PANEL : ldb, out);
        }
    }
}

static void pack(size_t n, size_t k, const float *b, size_t row, size_t column, float *packed)
{
    for (size_t j = 0; j < n; j += PANEL) {
        size_t n_col = n - j < PANEL ? n - j : PANEL;
        float *panel = packed + j * k;
        for (size_t l = 0; l < k; l++) {
            for (size_t q = 0; q < PANEL; q++) {
                panel[l * PANEL + q] = q < n_col ? b[l * row + (j + q) * column] : 0.0f;
            }
        }
    }
}

static void product_packed(size_t m, size_t n, size_t k, const float *a, size_t lda,
                           const float *packed, bool accumulate, float *c, size_t ldc)
{
    for (size_t j = 0; j < n; j += PANEL) {
        size_t n_col = n - j < PANEL ? n - j : PANEL;
        for (size_t l = 0; l < k; l += DEPTH) {
            size_t depth = k - l < DEPTH ? k - l : DEPTH;
            struct left left = {a + l, lda, 1};
            struct output out = {c + j, ldc, accumulate || l > 0};
            panel_product(m, n_col, depth, left, packed + j * k + l * PANEL, PANEL, out);
        }
    }
}

const struct product_kernels LEVEL_NAME(product_kernels_, KERNEL_LEVEL) = {
    .general = product_general,
    .pack = pack,
    .packed = product_packed,
};

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
/* Columns from which on a transposed A is copied (measured), and floats of it copied at a time. */
#define WIDE_LEFT 256
#define LEFT_SIZE 65536
/* Depth of the stretches of a block between which memory is asked for. */
#define STRETCH 16
#define LINE (64 / sizeof(float))

_Static_assert(PANEL <= PRODUCT_MAX_PANEL, "packed sizes are computed for the widest panel");

/* Blocks of rows of A: element l of row i is at[i * ld + l], or at[i + l * ld] where A is
 * transposed (tn). The next block begins step further on. */
struct left {
    const float *at;
    size_t ld, step;
};

struct output {
    float *at;
    size_t ld;
    bool accumulate;
};

/* Rows of the panel of B that is read next, to be asked for meanwhile; n_row 0: none. */
struct next {
    const float *at;
    size_t ld, n_row;
};

/* fetch_next asks for the first n rows, and moves on. */
static inline __attribute__((always_inline)) void fetch_next(struct next *next, size_t n)
{
    for (; n > 0 && next->n_row > 0; n--, next->n_row--, next->at += next->ld) {
        for (size_t q = 0; q < PANEL; q += LINE) {
            __builtin_prefetch(next->at + q, 0, 2);
        }
    }
}

/* block computes rows x (vectors * VECTOR) elements of C, of which n_col are stored. All of rows,
 * vectors and tn are constants where it is inlined, so the sums live in registers. C and a share of
 * the next panel are asked for bit by bit: a processor waits for a dozen lines at a time, and needs
 * some for A. */
static inline __attribute__((always_inline)) void block(size_t rows, size_t vectors, bool tn,
                                                        size_t n_col, size_t depth, struct left a,
                                                        const float *b, size_t ldb, struct output c,
                                                        struct next next)
{
    vector sum[NARROW_ROWS][PANEL_VECTORS] = {{{0}}};
    /* A pointer for every third row: the others are one or two row strides away, which x86
     * addresses for free. A pointer a row would not fit into the registers. */
    const float *third[(NARROW_ROWS + 2) / 3];
#pragma GCC unroll 16
    for (size_t g = 0; g < (rows + 2) / 3; g++) {
        third[g] = a.at + 3 * g * (tn ? 1 : a.ld);
    }
    size_t n_stretch = (depth + STRETCH - 1) / STRETCH;
    size_t c_rows = (rows + n_stretch - 1) / n_stretch, c_row = 0;
    size_t next_rows = (next.n_row + n_stretch - 1) / n_stretch;
    for (size_t start = 0; start < depth; start += STRETCH) {
        for (size_t n = c_rows; n > 0 && c_row < rows; n--, c_row++) {
            for (size_t q = 0; q < vectors * VECTOR; q += LINE) {
                __builtin_prefetch(c.at + c_row * c.ld + q, 1);
            }
        }
        fetch_next(&next, next_rows);
        for (size_t l = depth - start < STRETCH ? depth - start : STRETCH; l > 0; l--) {
            vector right[PANEL_VECTORS];
            for (size_t v = 0; v < vectors; v++) {
                right[v] = load(b + v * VECTOR);
            }
#pragma GCC unroll 16
            for (size_t i = 0; i < rows; i++) {
                float left = tn ? third[0][i] : third[i / 3][i % 3 * a.ld];
#pragma GCC unroll 4
                for (size_t v = 0; v < vectors; v++) {
                    sum[i][v] += left * right[v];
                }
            }
#pragma GCC unroll 16
            for (size_t g = 0; g < (rows + 2) / 3; g++) {
                third[g] += tn ? a.ld : 1;
            }
            b += ldb;
        }
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
        block(r, 2, tn, n_col, depth, a, b, ldb, c, next);                                         \
        break;
#define CASE_NARROW(r)                                                                             \
    case r:                                                                                        \
        block(r, 1, tn, n_col, depth, a, b, ldb, c, next);                                         \
        break;
#define CASES_4(X) X(1) X(2) X(3) X(4)
#define CASES_6(X) CASES_4(X) X(5) X(6)
#define CASES_8(X) CASES_6(X) X(7) X(8)
#define CASES_12(X) CASES_8(X) X(9) X(10) X(11) X(12)
#define CASES_16(X) CASES_12(X) X(13) X(14) X(15) X(16)
#define CASES_PASTE(n) CASES_##n
#define CASES(n) CASES_PASTE(n)

/* any_block is block with a number of rows known only now. */
static inline __attribute__((always_inline)) void any_block(bool tn, size_t rows, size_t n_col,
                                                            size_t depth, struct left a,
                                                            const float *b, size_t ldb,
                                                            struct output c, struct next next)
{
    if (n_col > VECTOR) {
        switch (rows) {
            CASES(WIDE_ROWS)(CASE_WIDE) default : break;
        }
    } else {
        switch (rows) {
            CASES(NARROW_ROWS)(CASE_NARROW) default : break;
        }
    }
}

static __attribute__((noinline)) void block_nn(size_t rows, size_t n_col, size_t depth,
                                               struct left a, const float *b, size_t ldb,
                                               struct output c, struct next next)
{
    any_block(false, rows, n_col, depth, a, b, ldb, c, next);
}

static __attribute__((noinline)) void block_tn(size_t rows, size_t n_col, size_t depth,
                                               struct left a, const float *b, size_t ldb,
                                               struct output c, struct next next)
{
    any_block(true, rows, n_col, depth, a, b, ldb, c, next);
}

/* block_rows cuts m rows into blocks of one size but for the last: a branch that always goes the
 * same way costs nothing. */
static size_t block_rows(size_t m, size_t n_col)
{
    size_t most = n_col > VECTOR ? WIDE_ROWS : NARROW_ROWS, n_block = (m + most - 1) / most;
    return (m + n_block - 1) / n_block;
}

/* panel_product multiplies m rows of A, in blocks of rows, by one panel of B. */
static void panel_product(bool tn, size_t m, size_t rows, size_t n_col, size_t depth, struct left a,
                          const float *b, size_t ldb, struct output c, struct next next)
{
    size_t n_block = (m + rows - 1) / rows, share = (next.n_row + n_block - 1) / n_block;
    for (size_t first = 0; first < m; first += rows) {
        size_t n = m - first < rows ? m - first : rows;
        struct next now = next;
        now.n_row = next.n_row < share ? next.n_row : share;
        next.at += now.n_row * next.ld;
        next.n_row -= now.n_row;
        if (tn) {
            block_tn(n, n_col, depth, a, b, ldb, c, now);
        } else {
            block_nn(n, n_col, depth, a, b, ldb, c, now);
        }
        a.at += a.step;
        c.at += rows * c.ld;
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

/* copy_left copies the m rows of a transposed A, block by block of rows. */
static void copy_left(size_t m, size_t rows, size_t depth, const float *a, size_t lda,
                      float *packed)
{
    for (size_t first = 0; first < m; first += rows) {
        size_t n = m - first < rows ? m - first : rows;
        for (size_t l = 0; l < depth; l++) {
            if (n == WIDE_ROWS) {
                memcpy(packed + l * rows, a + l * lda + first, WIDE_ROWS * sizeof *packed);
            } else {
                memcpy(packed + l * rows, a + l * lda + first, n * sizeof *packed);
            }
        }
        packed += rows * depth;
    }
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* product_general reads A and, where that is near enough, B in place. */
static void product_general(bool tn, size_t m, size_t n, size_t k, const float *a, size_t lda,
                            const float *b, size_t ldb, bool accumulate, float *c, size_t ldc)
{
    float packed[DEPTH * PANEL] __attribute__((aligned(64)));
    for (size_t j = 0; j < n; j += PANEL) {
        size_t n_col = least(n - j, PANEL), rows = block_rows(m, n_col);
        /* A panel is copied where its rows would not stay cached for all of A, or
         * where its last columns must be filled up with zeros. */
        bool pack = (m > 2 * WIDE_ROWS && k * ldb > CACHED) || n_col % VECTOR != 0;
        for (size_t l = 0; l < k; l += DEPTH) {
            size_t depth = least(k - l, DEPTH);
            const float *panel = b + l * ldb + j;
            struct next next = {0};
            if (pack) {
                copy_panel(depth, n_col, panel, ldb, packed);
                if (l + depth < k) {
                    next = (struct next){panel + depth * ldb, ldb, least(k - l - depth, DEPTH)};
                } else if (j + PANEL < n) {
                    next = (struct next){b + j + PANEL, ldb, least(k, DEPTH)};
                }
            }
            struct left left = {tn ? a + l * lda : a + l, lda, tn ? rows : rows * lda};
            struct output out = {c + j, ldc, accumulate || l > 0};
            panel_product(tn, m, rows, n_col, depth, left, pack ? packed : panel,
                          pack ? PANEL : ldb, out, next);
        }
    }
}

static void product_nn(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b,
                       size_t ldb, bool accumulate, float *c, size_t ldc)
{
    product_general(false, m, n, k, a, lda, b, ldb, accumulate, c, ldc);
}

/* product_tn_copied is for a wide A, whose columns would be read line by line from far away again
 * for each panel: it is copied, group by group of rows. */
static void product_tn_copied(size_t m, size_t n, size_t k, const float *a, size_t lda,
                              const float *b, size_t ldb, bool accumulate, float *c, size_t ldc)
{
    float left_packed[LEFT_SIZE] __attribute__((aligned(64)));
    float packed[DEPTH * PANEL] __attribute__((aligned(64)));
    for (size_t l = 0; l < k; l += DEPTH) {
        size_t depth = least(k - l, DEPTH);
        size_t group = LEFT_SIZE / depth / WIDE_ROWS * WIDE_ROWS;
        for (size_t first = 0; first < m; first += group) {
            size_t n_row = least(m - first, group), rows = block_rows(n_row, PANEL);
            copy_left(n_row, rows, depth, a + l * lda + first, lda, left_packed);
            for (size_t j = 0; j < n; j += PANEL) {
                size_t n_col = least(n - j, PANEL);
                const float *panel = b + l * ldb + j;
                copy_panel(depth, n_col, panel, ldb, packed);
                struct next next = {panel + PANEL, ldb, j + PANEL < n ? depth : 0};
                struct left left = {left_packed, rows, rows * depth};
                struct output out = {c + first * ldc + j, ldc, accumulate || l > 0};
                panel_product(true, n_row, rows, n_col, depth, left, packed, PANEL, out, next);
            }
        }
    }
}

static void product_tn(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b,
                       size_t ldb, bool accumulate, float *c, size_t ldc)
{
    if (lda >= WIDE_LEFT && n >= 4 * PANEL) {
        product_tn_copied(m, n, k, a, lda, b, ldb, accumulate, c, ldc);
    } else {
        product_general(true, m, n, k, a, lda, b, ldb, accumulate, c, ldc);
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
        size_t n_col = least(n - j, PANEL), rows = block_rows(m, n_col);
        for (size_t l = 0; l < k; l += DEPTH) {
            size_t depth = least(k - l, DEPTH);
            const float *panel = packed + j * k + l * PANEL;
            bool last = l + depth == k && j + PANEL >= n;
            struct next next = {panel + depth * PANEL, PANEL, last ? 0 : depth};
            struct left left = {a + l, lda, rows * lda};
            struct output out = {c + j, ldc, accumulate || l > 0};
            panel_product(false, m, rows, n_col, depth, left, panel, PANEL, out, next);
        }
    }
}

const struct product_kernels LEVEL_NAME(product_kernels_, KERNEL_LEVEL) = {
    .nn = product_nn,
    .tn = product_tn,
    .pack = pack,
    .packed = product_packed,
};

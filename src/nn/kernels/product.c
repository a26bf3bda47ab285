/* Matrix products for the sizes a small transformer has: tens to hundreds of rows and columns.
 *
 * A general library packs both operands of every call, which costs as much as the arithmetic when a
 * side is 64. Here B is read as panels of PANEL columns, packed once a step for weights and at most
 * once a product for activations, and A is read where it lies, also transposed, unless that means
 * to fetch it from afar for every panel. The innermost block keeps its sums in registers. Wide
 * models do not fit the caches: their weights and gradients are asked for while earlier sums are
 * made.
 */
#include "nn/kernels/level.h"

/* Rows of a block with two vectors of columns, as many sums as registers allow, and with one. */
#if VECTOR == 16
#define WIDE_ROWS 14
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
/* Floats of B from which on a model's weights are not expected to stay in the second-level cache
 * from one use to the next, and depth after which such memory is asked for (measured). */
#define FAR 32768
#define STRETCH 16
#define LINE (64 / sizeof(float))

_Static_assert(PANEL <= PRODUCT_MAX_PANEL, "packed sizes are computed for the widest panel");

static inline size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* What the blocks of one panel of B share. Element l of row i of A is at a[i * lda + l], or at
 * a[i + l * lda] where A is transposed (tn). */
struct panel {
    size_t depth, n_col;
    size_t lda, ldb, ldc;
    const float *b;
    const float *bias; /* added to every row of C; NULL: none */
    /* Memory that is asked for while the sums are made, after each stretch of the depth: rows of C,
     * and of the panel that is read next. Where all is near, the stretch is the whole depth. */
    size_t stretch, c_rows, next_rows, next_left;
    /* Where the block at work is: in memory, to leave registers to its sums. */
    size_t depth_left, c_row;
    const float *next;
    size_t next_ld;
};

/* fetch asks for n_row rows of n_col columns. */
static inline __attribute__((always_inline)) void fetch(size_t n_row, size_t n_col, const float *at,
                                                        size_t ld)
{
    for (size_t i = 0; i < n_row; i++) {
        for (size_t q = 0; q < n_col; q += LINE) {
            __builtin_prefetch(at + i * ld + q, 0, 2);
        }
    }
}

/* look_ahead asks for what the next blocks need, bit by bit: a processor waits for a dozen lines at
 * a time, and needs some for A. */
static inline __attribute__((always_inline)) void look_ahead(struct panel *panel, size_t rows,
                                                             const float *c)
{
    size_t n = least(rows - panel->c_row, panel->c_rows);
    fetch(n, panel->n_col, c + panel->c_row * panel->ldc, panel->ldc);
    panel->c_row += n;
    n = least(panel->next_left, panel->next_rows);
    fetch(n, PANEL, panel->next, panel->next_ld);
    panel->next += n * panel->next_ld;
    panel->next_left -= n;
}

/* store_part stores the first n_col columns of rows of sums. */
static __attribute__((noinline)) void store_part(size_t rows, const struct panel *panel,
                                                 const float *sum, const float *base, float *c)
{
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < panel->n_col; j++) {
            float rest = panel->bias ? panel->bias[j] : 0.0f;
            rest += base ? base[i * panel->ldc + j] : 0.0f;
            c[i * panel->ldc + j] = sum[i * PANEL + j] + rest;
        }
    }
}

/* block computes rows x (vectors * VECTOR) elements of C, of which n_col are stored, as A B + bias
 * + base; base NULL: nothing. All of rows, vectors and tn are constants where it is inlined, so the
 * sums live in registers. */
static inline __attribute__((always_inline)) void block(size_t rows, size_t vectors, bool tn,
                                                        struct panel *panel, const float *a,
                                                        const float *base, float *c)
{
    vector sum[NARROW_ROWS][PANEL_VECTORS] = {{{0}}};
    size_t lda = panel->lda, ldb = panel->ldb;
    const float *b = panel->b;
    /* A pointer for every third row: the others are one or two row strides away, which x86
     * addresses for free. A pointer a row would not fit into the registers. */
    const float *third[(NARROW_ROWS + 2) / 3];
#pragma GCC unroll 16
    for (size_t g = 0; g < (rows + 2) / 3; g++) {
        third[g] = a + 3 * g * (tn ? 1 : lda);
    }
    panel->depth_left = panel->depth;
    panel->c_row = 0;
    for (;;) {
        size_t stretch = least(panel->depth_left, panel->stretch);
        panel->depth_left -= stretch;
        for (; stretch > 0; stretch--) {
            vector right[PANEL_VECTORS];
            for (size_t v = 0; v < vectors; v++) {
                right[v] = load(b + v * VECTOR);
            }
#pragma GCC unroll 16
            for (size_t i = 0; i < rows; i++) {
                float left = tn ? third[0][i] : third[i / 3][i % 3 * lda];
#pragma GCC unroll 4
                for (size_t v = 0; v < vectors; v++) {
                    sum[i][v] += left * right[v];
                }
            }
#pragma GCC unroll 16
            for (size_t g = 0; g < (rows + 2) / 3; g++) {
                third[g] += tn ? lda : 1;
            }
            b += ldb;
        }
        if (panel->depth_left == 0) {
            break;
        }
        look_ahead(panel, rows, c);
    }
    if (panel->n_col < vectors * VECTOR) {
        float part[NARROW_ROWS * PANEL];
#pragma GCC unroll 16
        for (size_t i = 0; i < rows; i++) {
#pragma GCC unroll 4
            for (size_t v = 0; v < vectors; v++) {
                store(part + i * PANEL + v * VECTOR, sum[i][v]);
            }
        }
        store_part(rows, panel, part, base, c);
        return;
    }
#pragma GCC unroll 16
    for (size_t i = 0; i < rows; i++) {
#pragma GCC unroll 4
        for (size_t v = 0; v < vectors; v++) {
            size_t at = i * panel->ldc + v * VECTOR;
            vector value = sum[i][v];
            value = panel->bias ? value + load(panel->bias + v * VECTOR) : value;
            store(c + at, base ? value + load(base + at) : value);
        }
    }
}

/* One case for every number of rows, so that it is a constant inside. */
#define CASE_WIDE(r)                                                                               \
    case r:                                                                                        \
        block(r, 2, tn, panel, a, base, c);                                                        \
        break;
#define CASE_NARROW(r)                                                                             \
    case r:                                                                                        \
        block(r, 1, tn, panel, a, base, c);                                                        \
        break;
#define CASES_4(X) X(1) X(2) X(3) X(4)
#define CASES_6(X) CASES_4(X) X(5) X(6)
#define CASES_8(X) CASES_6(X) X(7) X(8)
#define CASES_12(X) CASES_8(X) X(9) X(10) X(11) X(12)
#define CASES_14(X) CASES_12(X) X(13) X(14)
#define CASES_16(X) CASES_14(X) X(15) X(16)
#define CASES_PASTE(n) CASES_##n
#define CASES(n) CASES_PASTE(n)

/* any_block is block with a number of rows known only now. */
static inline __attribute__((always_inline)) void
any_block(bool tn, size_t rows, struct panel *panel, const float *a, const float *base, float *c)
{
    if (panel->n_col > VECTOR) {
        switch (rows) {
            CASES(WIDE_ROWS)(CASE_WIDE) default : break;
        }
    } else {
        switch (rows) {
            CASES(NARROW_ROWS)(CASE_NARROW) default : break;
        }
    }
}

static __attribute__((noinline)) void block_nn(size_t rows, struct panel *panel, const float *a,
                                               const float *base, float *c)
{
    any_block(false, rows, panel, a, base, c);
}

static __attribute__((noinline)) void block_tn(size_t rows, struct panel *panel, const float *a,
                                               const float *base, float *c)
{
    any_block(true, rows, panel, a, base, c);
}

/* block_rows cuts m rows into blocks of one size but for the last: a branch that always goes the
 * same way costs nothing. */
static size_t block_rows(size_t m, size_t n_col)
{
    size_t most = n_col > VECTOR ? WIDE_ROWS : NARROW_ROWS, n_block = (m + most - 1) / most;
    return (m + n_block - 1) / n_block;
}

/* panel_product multiplies m rows of A, in blocks of rows that lie step apart, by one panel of B.
 * far: C and the next panel are far away. */
static void panel_product(bool tn, bool far, size_t m, size_t rows, struct panel panel,
                          const float *a, size_t step, const float *base, float *c)
{
    size_t n_block = (m + rows - 1) / rows;
    panel.stretch = panel.depth;
    if (far) {
        size_t n_pause = panel.depth > STRETCH ? (panel.depth - 1) / STRETCH : 1;
        panel.stretch = STRETCH;
        panel.c_rows = (rows + n_pause - 1) / n_pause;
        panel.next_rows = (panel.next_left + n_block * n_pause - 1) / (n_block * n_pause);
    }
    for (size_t first = 0; first < m; first += rows) {
        size_t n = least(m - first, rows);
        if (tn) {
            block_tn(n, &panel, a, base, c);
        } else {
            block_nn(n, &panel, a, base, c);
        }
        a += step;
        base = base ? base + rows * panel.ldc : NULL;
        c += rows * panel.ldc;
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
            const float *from = b + l * ldb + j;
            struct panel panel = {.depth = depth,
                                  .n_col = n_col,
                                  .lda = lda,
                                  .ldb = pack ? PANEL : ldb,
                                  .ldc = ldc,
                                  .b = pack ? packed : from};
            if (pack) {
                copy_panel(depth, n_col, from, ldb, packed);
            }
            panel_product(tn, false, m, rows, panel, tn ? a + l * lda : a + l,
                          tn ? rows : rows * lda, accumulate || l > 0 ? c + j : NULL, c + j);
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
    float left[LEFT_SIZE] __attribute__((aligned(64)));
    float packed[DEPTH * PANEL] __attribute__((aligned(64)));
    for (size_t l = 0; l < k; l += DEPTH) {
        size_t depth = least(k - l, DEPTH), group = LEFT_SIZE / depth / WIDE_ROWS * WIDE_ROWS;
        for (size_t first = 0; first < m; first += group) {
            size_t n_row = least(m - first, group), rows = block_rows(n_row, PANEL);
            copy_left(n_row, rows, depth, a + l * lda + first, lda, left);
            for (size_t j = 0; j < n; j += PANEL) {
                const float *from = b + l * ldb + j;
                struct panel panel = {.depth = depth,
                                      .n_col = least(n - j, PANEL),
                                      .lda = rows,
                                      .ldb = PANEL,
                                      .ldc = ldc,
                                      .b = packed,
                                      .next = from + PANEL,
                                      .next_left = j + PANEL < n ? depth : 0,
                                      .next_ld = ldb};
                copy_panel(depth, panel.n_col, from, ldb, packed);
                float *out = c + first * ldc + j;
                panel_product(true, true, n_row, rows, panel, left, rows * depth,
                              accumulate || l > 0 ? out : NULL, out);
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
                           const float *packed, const float *bias, const float *base, float *c,
                           size_t ldc)
{
    bool far = n * k >= FAR;
    for (size_t j = 0; j < n; j += PANEL) {
        size_t n_col = least(n - j, PANEL), rows = block_rows(m, n_col);
        for (size_t l = 0; l < k; l += DEPTH) {
            size_t depth = least(k - l, DEPTH);
            const float *at = packed + j * k + l * PANEL;
            bool last = l + depth == k && j + PANEL >= n;
            struct panel panel = {.depth = depth,
                                  .n_col = n_col,
                                  .lda = lda,
                                  .ldb = PANEL,
                                  .ldc = ldc,
                                  .b = at,
                                  .bias = bias && l == 0 ? bias + j : NULL,
                                  .next = at + depth * PANEL,
                                  .next_left = last ? 0 : depth,
                                  .next_ld = PANEL};
            const float *under = l > 0 ? c : base;
            panel_product(false, far, m, rows, panel, a + l, rows * lda, under ? under + j : NULL,
                          c + j);
        }
    }
}

const struct product_kernels LEVEL_NAME(product_kernels_, KERNEL_LEVEL) = {
    .nn = product_nn,
    .tn = product_tn,
    .pack = pack,
    .packed = product_packed,
};

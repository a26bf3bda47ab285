/* flips: an exchange is a pattern of bits, one a seed. The signed sum of a row under a pattern is
 * one look-up for eight seeds, whose 256 signed sums are tabled.
 */
#include "report/statistics/flips.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/rng.h"
#include "report/frame/stats.h"

#define Z_95 1.959963984540054    /* two-sided 5 % */
#define Z_POWER 0.841621233572914 /* power 80 % */
#define TIE 1e-9 /* statistics that are this near are equal: sums of the same in another order */
#define BITS 8
#define N_PATTERN 256
#define WORDS 4 /* random words a block */
#define MAX_ALL_SUBSETS 11
#define N_SUBSET 2047 /* 2^11 - 1 */

struct tested {
    struct flip_row *row;
    double *table;    /* [n_table][N_PATTERN], over the root of the sum of squares */
    double statistic; /* observed */
    size_t n_row_as_large,
        n_any_as_large; /* exchanges in which it, or a row from it on, is as large */
};

struct test {
    struct tested *tested; /* [n_tested], by falling statistic */
    size_t n_tested, n_seed, n_table;
    double *table;
};

static size_t count_seeds(const struct flip_row *row, size_t n_seed)
{
    size_t n = 0;
    for (size_t i = 0; i < n_seed; i++) {
        n += row->unit[i].n > 0;
    }
    return n;
}

static double root_of_squares(const struct flip_row *row, size_t n_seed)
{
    double squares = 0;
    for (size_t i = 0; i < n_seed; i++) {
        squares += row->unit[i].sum * row->unit[i].sum;
    }
    return sqrt(squares);
}

/* ---- exchanges ---- */

static void fill_table(const struct test *t, const struct flip_row *row, double *table)
{
    double root = root_of_squares(row, t->n_seed);
    for (size_t i = 0; i < t->n_seed; i++) {
        double value = root > 0 ? row->unit[i].sum / root : 0;
        double *eight = table + i / BITS * N_PATTERN;
        for (size_t pattern = 0; pattern < N_PATTERN; pattern++) {
            eight[pattern] += pattern >> i % BITS & 1 ? -value : value;
        }
    }
}

static double statistic(const struct test *t, const struct tested *tested, const uint8_t *pattern)
{
    double sum = 0;
    for (size_t i = 0; i < t->n_table; i++) {
        sum += tested->table[i * N_PATTERN + pattern[i]];
    }
    return fabs(sum);
}

/* Step down: a row has to stand against those that are not more conspicuous. */
static void count(struct test *t, const uint8_t *pattern)
{
    double largest = 0;
    for (size_t i = t->n_tested; i-- > 0;) {
        struct tested *tested = &t->tested[i];
        double here = statistic(t, tested, pattern), least = tested->statistic * (1 - TIE);
        largest = fmax(largest, here);
        tested->n_row_as_large += here >= least;
        tested->n_any_as_large += largest >= least;
    }
}

/* The last seed's names need no exchange: turning all signs changes no statistic. */
static size_t try_all(struct test *t, uint8_t *pattern)
{
    size_t n = (size_t)1 << (t->n_seed - 1);
    for (size_t bits = 0; bits < n; bits++) {
        for (size_t i = 0; i < t->n_table; i++) {
            pattern[i] = (uint8_t)(bits >> BITS * i);
        }
        count(t, pattern);
    }
    return n;
}

static size_t try_random(struct test *t, uint8_t *pattern)
{
    struct rng rng = rng_make(0, "report/flips");
    uint64_t block = 0;
    count(t, pattern); /* the observed one */
    for (size_t i = 0; i < FLIPS_N_RANDOM; i++) {
        uint32_t word[WORDS];
        for (size_t k = 0; k < t->n_table; k++) {
            size_t byte = k % sizeof word;
            if (byte == 0) {
                rng_block(rng, block++, word);
            }
            pattern[k] = (uint8_t)(word[byte / sizeof *word] >> byte % sizeof *word * BITS);
        }
        count(t, pattern);
    }
    return FLIPS_N_RANDOM + 1;
}

static int compare_tested(const void *left, const void *right)
{
    const struct tested *a = left, *b = right;
    int order = (a->statistic < b->statistic) - (a->statistic > b->statistic);
    return order ? order : (a->row > b->row) - (a->row < b->row);
}

/* ---- intervals ---- */

/* Whether the i-th subset has the k-th seed: all subsets of few seeds in turn, random ones of more.
 */
static bool is_in_subset(struct rng rng, bool all, size_t n, uint64_t i, size_t k)
{
    uint64_t bits = all ? i + 1 : rng_bits(rng, i * (n / 64 + 1) + k / 64);
    return bits >> k % 64 & 1;
}

static void set_interval(struct flip_row *row, size_t n_seed, double *mean)
{
    size_t n = count_seeds(row, n_seed), n_mean = 0;
    bool all = n <= MAX_ALL_SUBSETS;
    struct rng rng = rng_make(0, "report/subsets");
    for (uint64_t i = 0; n_mean < (all ? ((size_t)1 << n) - 1 : N_SUBSET); i++) {
        double sum = 0;
        size_t n_pair = 0;
        for (size_t seed = 0, k = 0; seed < n_seed; seed++) {
            if (row->unit[seed].n > 0 && is_in_subset(rng, all, n, i, k++)) {
                sum += row->unit[seed].sum;
                n_pair += row->unit[seed].n;
            }
        }
        if (n_pair > 0) {
            mean[n_mean++] = sum / (double)n_pair;
        }
    }
    qsort(mean, n_mean, sizeof *mean, stats_compare);
    size_t outside = (size_t)(FLIPS_LEVEL / 2 * (double)(n_mean + 1));
    row->low = mean[outside - 1];
    row->high = mean[n_mean - outside];
}

/* ---- the whole ---- */

static enum status test_create(struct test *t, struct flip_row *row, size_t n_row, size_t n_seed,
                               struct error *err)
{
    size_t n_table = (n_seed + BITS - 1) / BITS;
    *t = (struct test){.n_seed = n_seed,
                       .n_table = n_table,
                       .tested = calloc(n_row + 1, sizeof *t->tested),
                       .table = calloc(n_row * n_table * N_PATTERN + 1, sizeof *t->table)};
    if (!t->tested || !t->table) {
        return error_memory(err, "testing %zu differences", n_row);
    }
    for (size_t i = 0; i < n_row; i++) {
        row[i].p = row[i].p_corrected = row[i].low = row[i].high = NAN;
        if (count_seeds(&row[i], n_seed) >= FLIPS_MIN_SEED) {
            struct tested *tested = &t->tested[t->n_tested];
            *tested = (struct tested){.row = &row[i],
                                      .table = t->table + t->n_tested++ * n_table * N_PATTERN};
            fill_table(t, &row[i], tested->table);
        }
    }
    return STATUS_OK;
}

static void read_off(struct test *t, size_t n_exchange)
{
    double largest = 0;
    for (size_t i = 0; i < t->n_tested; i++) {
        const struct tested *tested = &t->tested[i];
        largest = fmax(largest, (double)tested->n_any_as_large / (double)n_exchange);
        tested->row->p = (double)tested->n_row_as_large / (double)n_exchange;
        tested->row->p_corrected = largest;
    }
}

static enum status run_test(struct test *t, bool exact, struct error *err)
{
    uint8_t *pattern = calloc(t->n_table + 1, sizeof *pattern);
    double *mean = malloc((N_SUBSET + 1) * sizeof *mean);
    if (!pattern || !mean) {
        free(pattern);
        free(mean);
        return error_memory(err, "testing %zu differences", t->n_tested);
    }
    for (size_t i = 0; i < t->n_tested; i++) {
        t->tested[i].statistic = statistic(t, &t->tested[i], pattern);
    }
    qsort(t->tested, t->n_tested, sizeof *t->tested, compare_tested);
    read_off(t, exact ? try_all(t, pattern) : try_random(t, pattern));
    for (size_t i = 0; i < t->n_tested; i++) {
        set_interval(t->tested[i].row, t->n_seed, mean);
    }
    free(pattern);
    free(mean);
    return STATUS_OK;
}

enum status flips_test(struct flip_row *row, size_t n_row, size_t n_seed, bool *exact,
                       struct error *err)
{
    struct test t;
    *exact = n_seed <= FLIPS_MAX_EXACT;
    enum status status = test_create(&t, row, n_row, n_seed, err);
    if (status == STATUS_OK && t.n_tested > 0) {
        status = run_test(&t, *exact, err);
    }
    free(t.tested);
    free(t.table);
    return status;
}

size_t flips_n_needed(double mean, double sd)
{
    double ratio = (Z_95 + Z_POWER) * sd / fabs(mean);
    if (!(mean != 0) || !(ratio * ratio < 1e15)) {
        return SIZE_MAX;
    }
    return (size_t)fmax(FLIPS_MIN_SEED, ceil(ratio * ratio));
}

/* resample: all random numbers come from a counter, so that the same units give the same answer in
 * every report. A bootstrap sample costs one number a unit; a sign pattern costs one bit a unit and
 * one look-up for eight units, whose 256 signed sums are tabled.
 */
#include "report/statistics/resample.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/rng.h"
#include "report/frame/stats.h"

#define Z_95 1.959963984540054    /* two-sided 5 % */
#define Z_POWER 0.841621233572914 /* power 80 % */
#define LEVEL 0.05
#define WORDS 4 /* random words a block */

/* The sum over all units, or that of their magnitudes. */
static double total(const struct resample_unit *unit, size_t n_unit, bool of_magnitudes)
{
    double sum = 0;
    for (size_t i = 0; i < n_unit; i++) {
        sum += of_magnitudes ? fabs(unit[i].sum) : unit[i].sum;
    }
    return sum;
}

/* Sums that are this near are equal: the same numbers added in another order. */
static double tie(const struct resample_unit *unit, size_t n_unit)
{
    return 1e-12 * total(unit, n_unit, true);
}

static double mean_of(const struct resample_unit *unit, size_t n_unit)
{
    size_t n_pair = 0;
    for (size_t i = 0; i < n_unit; i++) {
        n_pair += unit[i].n_pair;
    }
    return total(unit, n_unit, false) / (double)n_pair;
}

static size_t stratum_end(const struct resample_unit *unit, size_t n_unit, size_t first)
{
    size_t end = first;
    while (end < n_unit && unit[end].stratum == unit[first].stratum) {
        end++;
    }
    return end;
}

/* ---- the normal and the t distribution ---- */

static double normal_probability(double z)
{
    return erfc(-z / sqrt(2)) / 2;
}

static double normal_quantile(double probability)
{
    double low = -9, high = 9;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (normal_probability(middle) < probability) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (low + high) / 2;
}

/* The 97.5 % quantile of Student's t by Fisher and Cornish's (1960) expansion: 0.003 too small with
 * 5 degrees of freedom, less with more. */
static double t_quantile(double freedom)
{
    double z = Z_95, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom * freedom * freedom);
}

/* ---- bootstrap ---- */

/* One bootstrap sample's mean; its random numbers start at block. */
static double draw_mean(const struct resample_unit *unit, size_t n_unit, struct rng rng,
                        uint64_t block)
{
    double sum = 0;
    size_t n_pair = 0;
    uint32_t word[WORDS];
    for (size_t first = 0, end; first < n_unit; first = end) {
        end = stratum_end(unit, n_unit, first);
        for (size_t i = first; i < end; i++) {
            if (i % WORDS == 0) {
                rng_block(rng, block + i / WORDS, word);
            }
            size_t drawn = first + (size_t)((uint64_t)word[i % WORDS] * (end - first) >> 32);
            sum += unit[drawn].sum;
            n_pair += unit[drawn].n_pair;
        }
    }
    return sum / (double)n_pair;
}

/* Skewness of the units' influence on the mean, sum l^3 / (6 (sum l^2)^1.5). */
static double acceleration(const struct resample_unit *unit, size_t n_unit)
{
    double squares = 0, cubes = 0;
    for (size_t first = 0, end; first < n_unit; first = end) {
        end = stratum_end(unit, n_unit, first);
        double mean = mean_of(unit + first, end - first);
        for (size_t i = first; i < end; i++) {
            double influence = unit[i].sum - mean * (double)unit[i].n_pair;
            squares += influence * influence;
            cubes += influence * influence * influence;
        }
    }
    return squares > 0 ? cubes / (6 * pow(squares, 1.5)) : 0;
}

/* How far the bootstrap's median lies from the mean, in standard deviations. */
static double bias(const double *sorted, double mean, double tolerance)
{
    double n_below = 0;
    for (size_t i = 0; i < RESAMPLE_N_BOOTSTRAP; i++) {
        double distance = sorted[i] - mean;
        n_below += distance < -tolerance ? 1 : distance <= tolerance ? 0.5 : 0;
    }
    double share = n_below / RESAMPLE_N_BOOTSTRAP, edge = 0.5 / RESAMPLE_N_BOOTSTRAP;
    return normal_quantile(fmin(fmax(share, edge), 1 - edge));
}

static double value_at(const double *sorted, double share)
{
    double place = share * RESAMPLE_N_BOOTSTRAP;
    size_t index = place < 1 ? 0 : (size_t)place;
    return sorted[index < RESAMPLE_N_BOOTSTRAP ? index : RESAMPLE_N_BOOTSTRAP - 1];
}

static size_t count_strata(const struct resample_unit *unit, size_t n_unit)
{
    size_t n = 0;
    for (size_t first = 0; first < n_unit; first = stratum_end(unit, n_unit, first)) {
        n++;
    }
    return n;
}

/* BCa at the expanded level: in place of z, t sqrt(n / (n - 1)). A bootstrap's spread is too small
 * by the second factor, and does not know that it was estimated, which t does. */
static void bca(const struct resample_unit *unit, size_t n_unit, const double *sorted, double *low,
                double *high)
{
    double freedom = (double)(n_unit - count_strata(unit, n_unit));
    double z = t_quantile(freedom) * sqrt((double)n_unit / freedom);
    double centre = bias(sorted, mean_of(unit, n_unit), tie(unit, n_unit));
    double skew = acceleration(unit, n_unit);
    double below = centre - z, above = centre + z;
    *low = value_at(sorted, normal_probability(centre + below / (1 - skew * below)));
    *high = value_at(sorted, normal_probability(centre + above / (1 - skew * above)));
}

enum status resample_interval(const struct resample_unit *unit, size_t n_unit, double *low,
                              double *high, struct error *err)
{
    double *mean;
    TRY_CALLOC(err, mean, RESAMPLE_N_BOOTSTRAP, "drawing bootstrap samples");
    struct rng rng = rng_make(0, "report/bootstrap");
    uint64_t n_block = (n_unit + WORDS - 1) / WORDS;
    for (size_t i = 0; i < RESAMPLE_N_BOOTSTRAP; i++) {
        mean[i] = draw_mean(unit, n_unit, rng, i * n_block);
    }
    qsort(mean, RESAMPLE_N_BOOTSTRAP, sizeof *mean, stats_compare);
    bca(unit, n_unit, mean, low, high);
    free(mean);
    return STATUS_OK;
}

/* ---- sign flips ---- */

#define BITS 8
#define N_PATTERN 256

/* The signed sums of up to eight units for each of their sign patterns. */
static void fill_table(const struct resample_unit *unit, size_t n_unit, double *table)
{
    for (size_t pattern = 0; pattern < N_PATTERN; pattern++) {
        table[pattern] = 0;
        for (size_t i = 0; i < n_unit; i++) {
            table[pattern] += pattern >> i & 1 ? -unit[i].sum : unit[i].sum;
        }
    }
}

static double make_tables(const struct resample_unit *unit, size_t n_unit, double *table)
{
    for (size_t first = 0; first < n_unit; first += BITS) {
        size_t n = n_unit - first < BITS ? n_unit - first : BITS;
        fill_table(unit + first, n, table + first / BITS * N_PATTERN);
    }
    return fabs(total(unit, n_unit, false)) - tie(unit, n_unit);
}

static double exact_p(const double *table, size_t n_unit, double observed)
{
    size_t n_pattern = (size_t)1 << n_unit, n_extreme = 0;
    for (size_t pattern = 0; pattern < n_pattern; pattern++) {
        double sum = table[pattern % N_PATTERN];
        if (n_unit > BITS) {
            sum += table[N_PATTERN + pattern / N_PATTERN];
        }
        n_extreme += fabs(sum) >= observed;
    }
    return (double)n_extreme / (double)n_pattern;
}

static double random_p(const double *table, size_t n_table, double observed)
{
    struct rng rng = rng_make(0, "report/flip");
    size_t n_extreme = 1; /* the observed pattern */
    uint64_t block = 0;
    for (size_t i = 0; i < RESAMPLE_N_FLIP; i++) {
        double sum = 0;
        uint32_t word[WORDS];
        for (size_t j = 0; j < n_table; j++) {
            size_t byte = j % (WORDS * sizeof *word);
            if (byte == 0) {
                rng_block(rng, block++, word);
            }
            size_t pattern = word[byte / sizeof *word] >> byte % sizeof *word * BITS;
            sum += table[j * N_PATTERN + pattern % N_PATTERN];
        }
        n_extreme += fabs(sum) >= observed;
    }
    return (double)n_extreme / (RESAMPLE_N_FLIP + 1);
}

enum status resample_flip_p(const struct resample_unit *unit, size_t n_unit, double *p, bool *exact,
                            struct error *err)
{
    size_t n_table = (n_unit + BITS - 1) / BITS;
    double *table;
    TRY_CALLOC(err, table, (n_table + 1) * N_PATTERN, "flipping the signs of %zu units", n_unit);
    double observed = make_tables(unit, n_unit, table);
    *exact = n_unit < 8 * sizeof(size_t) && (size_t)1 << n_unit <= RESAMPLE_N_EXACT;
    *p = *exact ? exact_p(table, n_unit, observed) : random_p(table, n_table, observed);
    free(table);
    return STATUS_OK;
}

/* ---- how many, and how often asked ---- */

size_t resample_min_unit(size_t n_comparison)
{
    size_t n = 1;
    for (double p = 1; p * (double)n_comparison > LEVEL; p /= 2) {
        n++;
    }
    return n;
}

size_t resample_n_needed(double mean, double sd)
{
    double ratio = (Z_95 + Z_POWER) * sd / fabs(mean);
    if (!(mean != 0) || !(ratio * ratio < 1e15)) {
        return SIZE_MAX;
    }
    return (size_t)fmax(1, ceil(ratio * ratio));
}

struct ranked {
    double p;
    size_t place;
};

static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    int order = (a->p > b->p) - (a->p < b->p);
    return order ? order : (a->place > b->place) - (a->place < b->place);
}

enum status resample_holm(const double *p, size_t n_p, double *adjusted, struct error *err)
{
    struct ranked *ranked;
    TRY_CALLOC(err, ranked, n_p, "correcting %zu comparisons", n_p);
    size_t n = 0;
    for (size_t i = 0; i < n_p; i++) {
        if (isfinite(p[i])) {
            ranked[n++] = (struct ranked){p[i], i};
        } else {
            adjusted[i] = NAN;
        }
    }
    qsort(ranked, n, sizeof *ranked, compare_ranked);
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        largest = fmin(1, fmax(largest, (double)(n - i) * ranked[i].p));
        adjusted[ranked[i].place] = largest;
    }
    free(ranked);
    return STATUS_OK;
}

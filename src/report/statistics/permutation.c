/* With values centred over all units, a relabelling is known by the sum S of its second group: the
 * means differ by S (1/n + 1/m), and what the groups explain of the squares is S^2 (1/n + 1/m).
 */
#include "report/statistics/permutation.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/rng.h"
#include "report/frame/stats.h"

/* Statistics that are this near are equal: sums of the same numbers in another order. */
#define TIE 1e-9

struct test {
    size_t n_quantity, n_unit, n_first, n_second;
    double *centred; /* [n_quantity, n_unit] */
    double *squares; /* [n_quantity] of them */
    const struct permutation_quantity *quantity;
    double *largest; /* [n_relabelling] */
    size_t n_relabelling;
};

static double n_choices(size_t n_first, size_t n_second)
{
    double n = 1;
    for (size_t i = 1; i <= n_second; i++) {
        n = n * (double)(n_first + i) / (double)i;
    }
    return round(n);
}

double permutation_least_p(size_t n_first, size_t n_second)
{
    double n = n_choices(n_first, n_second);
    double least = n_first == n_second ? 2 : 1; /* the mirrored one is as extreme */
    return n <= PERMUTATION_MOST ? least / n : 1.0 / PERMUTATION_MOST;
}

static double inverse_counts(const struct test *t)
{
    return 1.0 / (double)t->n_first + 1.0 / (double)t->n_second;
}

static double pooled_sd(const struct test *t, size_t q, double sum)
{
    double within = t->squares[q] - sum * sum * inverse_counts(t);
    return sqrt(fmax(within, 0) / (double)(t->n_unit - 2));
}

static double sum_of(const struct test *t, size_t q, const size_t *second)
{
    double sum = 0;
    for (size_t i = 0; i < t->n_second; i++) {
        sum += t->centred[q * t->n_unit + second[i]];
    }
    return sum;
}

static double statistic(const struct test *t, size_t q, double sum)
{
    double error = pooled_sd(t, q, sum) + t->quantity[q].floor;
    return error > 0 ? fabs(sum) * sqrt(inverse_counts(t)) / error : 0;
}

static double largest_statistic(const struct test *t, const size_t *second)
{
    double largest = 0;
    for (size_t q = 0; q < t->n_quantity; q++) {
        largest = fmax(largest, statistic(t, q, sum_of(t, q, second)));
    }
    return largest;
}

/* ---- relabellings ---- */

/* next_choice steps through the choices of n_second ascending units. */
static bool next_choice(const struct test *t, size_t *second)
{
    size_t n = t->n_second, i = n;
    while (i > 0 && second[i - 1] == t->n_unit - n + i - 1) {
        i--;
    }
    if (i == 0) {
        return false;
    }
    second[i - 1]++;
    for (size_t k = i; k < n; k++) {
        second[k] = second[k - 1] + 1;
    }
    return true;
}

static void try_all(struct test *t, size_t *second)
{
    for (size_t i = 0; i < t->n_second; i++) {
        second[i] = i;
    }
    t->n_relabelling = 0;
    do {
        t->largest[t->n_relabelling++] = largest_statistic(t, second);
    } while (next_choice(t, second));
}

/* The first relabelling is the observed one. */
static void try_random(struct test *t, size_t *second, size_t *order)
{
    struct rng rng = rng_make(0, "report/permutation");
    for (size_t i = 0; i < t->n_unit; i++) {
        order[i] = i;
    }
    for (size_t i = 0; i < t->n_second; i++) {
        second[i] = t->n_first + i;
    }
    uint64_t n_drawn = 0;
    for (t->n_relabelling = 0; t->n_relabelling < PERMUTATION_MOST; t->n_relabelling++) {
        t->largest[t->n_relabelling] = largest_statistic(t, second);
        for (size_t i = 0; i < t->n_second; i++) {
            size_t k = i + rng_below(rng, n_drawn++, (uint32_t)(t->n_unit - i));
            size_t moved = order[k];
            order[k] = order[i];
            order[i] = second[i] = moved;
        }
    }
}

/* The share of relabellings whose largest statistic is at least this. */
static double share_above(const struct test *t, double value)
{
    size_t n = t->n_relabelling;
    while (n > 0 && t->largest[n - 1] >= value * (1 - TIE)) {
        n--;
    }
    return (double)(t->n_relabelling - n) / (double)t->n_relabelling;
}

/* The smallest largest statistic that is significant. */
static double critical_value(const struct test *t, double level)
{
    double critical = INFINITY;
    for (size_t i = t->n_relabelling; i > 0 && share_above(t, t->largest[i - 1]) <= level; i--) {
        critical = t->largest[i - 1];
    }
    return critical;
}

static void read_off(const struct test *t, double level, struct permutation_quantity *quantity,
                     struct permutation_result *result)
{
    double largest = 0;
    result->n_relabelling = t->n_relabelling;
    result->critical = critical_value(t, level);
    for (size_t q = 0; q < t->n_quantity; q++) {
        double sum = 0;
        for (size_t i = t->n_first; i < t->n_unit; i++) {
            sum += t->centred[q * t->n_unit + i];
        }
        double error = pooled_sd(t, q, sum) + quantity[q].floor;
        quantity[q].difference = sum * inverse_counts(t);
        quantity[q].statistic = statistic(t, q, sum);
        quantity[q].half = result->critical * error * sqrt(inverse_counts(t));
        quantity[q].p = share_above(t, quantity[q].statistic);
        largest = fmax(largest, quantity[q].statistic);
    }
    result->p = share_above(t, largest);
}

static void centre(struct test *t, const double *value)
{
    for (size_t q = 0; q < t->n_quantity; q++) {
        const double *from = value + q * t->n_unit;
        double *to = t->centred + q * t->n_unit, mean = 0;
        for (size_t i = 0; i < t->n_unit; i++) {
            mean += from[i] / (double)t->n_unit;
        }
        t->squares[q] = 0;
        for (size_t i = 0; i < t->n_unit; i++) {
            to[i] = from[i] - mean;
            t->squares[q] += to[i] * to[i];
        }
    }
}

enum status permutation_test(const double *value, size_t n_quantity, size_t n_first,
                             size_t n_second, double level, struct permutation_quantity *quantity,
                             struct permutation_result *result, struct error *err)
{
    struct test t = {.n_quantity = n_quantity,
                     .n_unit = n_first + n_second,
                     .n_first = n_first,
                     .n_second = n_second,
                     .quantity = quantity};
    t.centred = malloc((n_quantity * t.n_unit + 1) * sizeof(double));
    t.squares = malloc((n_quantity + 1) * sizeof(double));
    t.largest = malloc(PERMUTATION_MOST * sizeof(double));
    size_t *second = malloc((2 * t.n_unit + 1) * sizeof *second);
    enum status status = STATUS_OK;
    if (t.centred && t.squares && t.largest && second) {
        centre(&t, value);
        if (n_choices(n_first, n_second) <= PERMUTATION_MOST) {
            try_all(&t, second);
        } else {
            try_random(&t, second, second + t.n_unit);
        }
        qsort(t.largest, t.n_relabelling, sizeof(double), stats_compare);
        read_off(&t, level, quantity, result);
    } else {
        status = error_set(err, STATUS_MEMORY, "out of memory for %zu quantities of %zu units",
                           n_quantity, t.n_unit);
    }
    free(t.centred);
    free(t.squares);
    free(t.largest);
    free(second);
    return status;
}

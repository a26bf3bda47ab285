/* Are the new curves drawn from the law of the old ones? One max-T test (permutation.h) answers for
 * all rows of the table together, those of all parts too, so the share of false alarms of a check
 * is the level, however much is compared; and where it alarms, each row that is over the critical
 * value is known to have moved.
 *
 * Two things are a difference by themselves, without a test, where no old run did them: a new run
 * that diverged, and one that ended early. What moves because runs diverge is not told beside that.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/training/train.h"
#include "report/check/band_table.h"
#include "report/check/compare.h"
#include "report/statistics/permutation.h"

#define FLOOR_SHARE 0.1 /* of the usual deviation of a kind, as floor of each */

static enum status out_of_memory(struct error *err)
{
    return error_memory(err, "comparing");
}

/* ---- the test ---- */

static double mean_of(const double *value, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += value[i];
    }
    return sum / (double)n;
}

static double deviation_of(const double *value, size_t n)
{
    double mean = mean_of(value, n), squares = 0;
    for (size_t i = 0; i < n; i++) {
        squares += (value[i] - mean) * (value[i] - mean);
    }
    return sqrt(squares / (double)(n - 1));
}

/* The root mean square of the deviations of a kind, over all units: the same for all labels. */
static double usual_deviation(const struct band_table *table, size_t row)
{
    double squares = 0;
    size_t n = 0;
    for (size_t i = 0; i < table->n_row; i++) {
        if (band_same_kind(&table->point[i], &table->point[row])) {
            double deviation = deviation_of(table->value + i * table->n_unit, table->n_unit);
            squares += deviation * deviation;
            n++;
        }
    }
    return sqrt(squares / (double)n);
}

static enum status run_test(struct band_table *table, struct comparison *comparison,
                            struct error *err)
{
    struct permutation_result result = {.p = 1};
    struct permutation_quantity *quantity = calloc(table->n_row + 1, sizeof *quantity);
    if (!quantity) {
        return out_of_memory(err);
    }
    for (size_t i = 0; i < table->n_row; i++) {
        quantity[i].floor = FLOOR_SHARE * usual_deviation(table, i);
    }
    enum status status = permutation_test(table->value, table->n_row, table->n_base, table->n_fresh,
                                          COMPARE_LEVEL, quantity, &result, err);
    for (size_t i = 0; i < table->n_row; i++) {
        struct band_point *point = &table->point[i];
        const double *value = table->value + i * table->n_unit;
        point->base = mean_of(value, table->n_base);
        point->fresh = mean_of(value + table->n_base, table->n_fresh);
        point->half = quantity[i].half;
        point->statistic = quantity[i].statistic;
        point->p = quantity[i].p;
    }
    comparison->p = result.p;
    comparison->n_relabelling = result.n_relabelling;
    free(quantity);
    return status;
}

/* ---- what moved ---- */

/* A point that is a whole curve's mean, rather than a stretch of it. */
static bool is_whole(const struct comparison *comparison, size_t i)
{
    const struct band_point *point = &comparison->band[i];
    return point->quantity == BAND_NUMBER ||
           (i > 0 && band_same_kind(point, point - 1) && point->first < point[-1].first);
}

/* Up to twice as much is told in per cent. */
static void say_means(const struct band_point *point, struct difference *d)
{
    size_t n = strlen(d->text);
    double change = point->fresh - point->base;
    if (point->n_infinite[0] + point->n_infinite[1] > 0) {
        snprintf(d->text + n, sizeof d->text - n, "infinite in %zu new and %zu old runs",
                 point->n_infinite[1], point->n_infinite[0]);
        d->expected = d->found = d->size = d->limit = NAN;
        return;
    }
    n += (size_t)snprintf(d->text + n, sizeof d->text - n, "%.4g, and was %.4g", d->found,
                          d->expected);
    if (point->is_log && fabs(change) < log(2)) {
        snprintf(d->text + n, sizeof d->text - n, " (%+.2g %%)", 100 * expm1(change));
    } else if (point->is_log) {
        snprintf(d->text + n, sizeof d->text - n, " (%.2g times as much)", exp(change));
    }
}

static struct difference describe(const struct comparison *comparison,
                                  const struct baseline *baseline, size_t i, double peak)
{
    const struct band_point *point = &comparison->band[i];
    bool whole = is_whole(comparison, i), higher = point->fresh > point->base;
    struct difference d = {.part = baseline->part[point->part].name,
                           .step = whole ? -1 : (long)point->first,
                           .expected = point->is_log ? exp(point->base) : point->base,
                           .found = point->is_log ? exp(point->fresh) : point->fresh,
                           .size = fabs(point->fresh - point->base),
                           .limit = point->half,
                           .p = point->p};
    snprintf(d.what, sizeof d.what, "%s%s", point->name,
             whole && point->quantity != BAND_NUMBER ? " of all steps" : "");
    size_t n = 0;
    if (!whole) {
        n = (size_t)snprintf(d.text, sizeof d.text, "from step %zu: ", point->first);
    }
    snprintf(d.text + n, sizeof d.text - n, "%s %s: ", d.what, higher ? "higher" : "lower");
    say_means(point, &d);
    n = strlen(d.text);
    snprintf(d.text + n, sizeof d.text - n, ", p = %.2g", peak);
    return d;
}

/* Of each kind the first stretch that moved is told; of the whole curve only where none did. */
static bool add_kind(struct comparison *comparison, const struct baseline *baseline, size_t first,
                     size_t end)
{
    size_t moved = SIZE_MAX;
    double p = 1;
    for (size_t i = first; i < end; i++) {
        if (comparison->band[i].p <= COMPARE_LEVEL && !comparison->band[i].after_divergence) {
            moved = moved == SIZE_MAX ? i : moved;
            p = fmin(p, comparison->band[i].p);
        }
    }
    if (moved == SIZE_MAX) {
        return true;
    }
    struct difference difference = describe(comparison, baseline, moved, p);
    return comparison_add(comparison, &difference);
}

static bool add_moved(struct comparison *comparison, const struct baseline *baseline)
{
    bool enough = true;
    for (size_t first = 0, end; first < comparison->n_band && enough; first = end) {
        end = first + 1;
        while (end < comparison->n_band &&
               band_same_kind(&comparison->band[first], &comparison->band[end])) {
            end++;
        }
        enough = add_kind(comparison, baseline, first, end);
    }
    return enough;
}

/* ---- runs that did not end as the old ones ---- */

/* A run that another program wrote down every tenth step may end nine steps early. */
static bool ends_before(const struct baseline_run *run, size_t step)
{
    size_t last = band_last_step(run);
    size_t gap = run->n_point > 1 ? last - baseline_step(run, run->n_point - 2) : 1;
    return !run->diverged && last + gap <= step;
}

/* The step that all old runs came to. */
static size_t shortest_end(const struct baseline_part *base)
{
    size_t end = SIZE_MAX;
    for (size_t r = 0; r < base->n_run; r++) {
        size_t last = band_last_step(&base->run[r]);
        end = last < end ? last : end;
    }
    return end;
}

struct ends {
    size_t n;
    const struct baseline_run *first; /* NULL: none */
};

static void count_end(struct ends *ends, const struct baseline_run *run)
{
    const struct baseline_run *first = ends->first;
    ends->n++;
    ends->first = first && band_last_step(first) <= band_last_step(run) ? first : run;
}

static struct ends diverged_of(const struct baseline_part *part)
{
    struct ends ends = {0};
    for (size_t r = 0; r < part->n_run; r++) {
        if (part->run[r].diverged) {
            count_end(&ends, &part->run[r]);
        }
    }
    return ends;
}

static struct ends ended_before(const struct baseline_part *part, size_t step)
{
    struct ends ends = {0};
    for (size_t r = 0; r < part->n_run; r++) {
        if (ends_before(&part->run[r], step)) {
            count_end(&ends, &part->run[r]);
        }
    }
    return ends;
}

static struct difference difference_of_ends(const struct baseline_part *base, const char *what,
                                            const struct ends *ends, size_t n_of)
{
    struct difference d = {.part = base->name,
                           .step = ends->first ? (long)band_last_step(ends->first) : -1,
                           .expected = 0,
                           .found = (double)ends->n / (double)n_of,
                           .size = NAN,
                           .limit = NAN,
                           .p = NAN,
                           .n_seed = ends->n,
                           .n_of = n_of};
    snprintf(d.what, sizeof d.what, "%s", what);
    return d;
}

/* Which number ended it: " (loss nan)". */
static void say_cause(const struct baseline_run *run, char cause[40])
{
    size_t last = run->n_point - 1;
    double loss = run->loss[last];
    cause[0] = '\0';
    if (isnan(loss)) {
        snprintf(cause, 40, " (loss nan)"); /* printf writes -nan of some */
    } else if (!(fabs(loss) <= TRAIN_DIVERGED_LOSS)) {
        snprintf(cause, 40, " (loss %.4g)", loss);
    } else if (run->grad_norm && !isfinite(run->grad_norm[last])) {
        snprintf(cause, 40, " (gradient norm %s)", isnan(run->grad_norm[last]) ? "nan" : "inf");
    }
}

static bool add_divergence(const struct baseline_part *base, const struct baseline_part *fresh,
                           struct comparison *comparison)
{
    char cause[40];
    struct ends ends = diverged_of(fresh);
    if (ends.n == 0) {
        return true;
    }
    struct difference d = difference_of_ends(base, "divergence", &ends, fresh->n_run);
    say_cause(ends.first, cause);
    snprintf(d.text, sizeof d.text,
             "seed %llu diverged at step %zu%s, %zu of %zu runs in all; no old run did",
             (unsigned long long)ends.first->seed, band_last_step(ends.first), cause, ends.n,
             fresh->n_run);
    return comparison_add(comparison, &d);
}

static bool add_early_end(const struct baseline_part *base, const struct baseline_part *fresh,
                          struct comparison *comparison)
{
    size_t end = shortest_end(base);
    struct ends ends = ended_before(fresh, end);
    if (ends.n == 0) {
        return true;
    }
    struct difference d = difference_of_ends(base, "length", &ends, fresh->n_run);
    snprintf(d.text, sizeof d.text,
             "ended: seed %llu at step %zu, %zu of %zu runs in all; those of the baseline go on to "
             "step %zu",
             (unsigned long long)ends.first->seed, band_last_step(ends.first), ends.n, fresh->n_run,
             end);
    return comparison_add(comparison, &d);
}

static void say_share(const char *which, const struct baseline_part *part, char text[80])
{
    struct ends ends = diverged_of(part);
    size_t n = (size_t)snprintf(text, 80, "%zu of %zu %s", ends.n, part->n_run, which);
    if (ends.first) {
        snprintf(text + n, 80 - n, ", first at step %zu", band_last_step(ends.first));
    }
}

/* Where old runs diverged too, the test has to say whether the new ones do it otherwise. */
static bool add_divergence_moved(const struct baseline_part *base,
                                 const struct baseline_part *fresh, size_t part,
                                 struct comparison *comparison)
{
    char now[80], before[80];
    double p = 1;
    for (size_t i = 0; i < comparison->n_band; i++) {
        const struct band_point *point = &comparison->band[i];
        p = point->part == part && point->after_divergence ? fmin(p, point->p) : p;
    }
    if (p > COMPARE_LEVEL) {
        return true;
    }
    struct ends ends = diverged_of(fresh);
    struct difference d = difference_of_ends(base, "divergence", &ends, fresh->n_run);
    d.expected = (double)diverged_of(base).n / (double)base->n_run;
    d.p = p;
    say_share("runs", fresh, now);
    say_share("old ones", base, before);
    snprintf(d.text, sizeof d.text, "diverged: %s; and %s, p = %.2g", now, before, p);
    return comparison_add(comparison, &d);
}

static bool add_ends_of_parts(const struct band_table *table, struct comparison *comparison)
{
    bool enough = true;
    for (size_t p = 0; p < table->baseline->n_part && enough; p++) {
        const struct baseline_part *base = &table->baseline->part[p];
        const struct baseline_part *fresh = baseline_find_part(table->fresh, base->name);
        if (fresh) {
            comparison->n_part++;
            comparison->n_run += table->n_fresh;
        }
        if (fresh && diverged_of(base).n == 0) {
            enough =
                add_divergence(base, fresh, comparison) && add_early_end(base, fresh, comparison);
        } else if (fresh) {
            enough = add_divergence_moved(base, fresh, p, comparison);
        }
    }
    return enough;
}

/* ---- all of it ---- */

size_t compare_band_needs(size_t n_base)
{
    size_t n = 1;
    while (permutation_least_p(n_base, n) > COMPARE_LEVEL) {
        n++;
    }
    return n;
}

enum status compare_band_enough(size_t n_base, size_t n_fresh, struct error *err)
{
    if (n_base == 0 || n_fresh == 0) {
        return error_set(err, STATUS_DATA,
                         "the baseline and the new curves have no part in common, or no seed that "
                         "is in all of its parts");
    }
    if (permutation_least_p(n_base, n_fresh) <= COMPARE_LEVEL) {
        return STATUS_OK;
    }
    size_t needed = compare_band_needs(n_base);
    return error_set(err, STATUS_DATA,
                     "too few seeds: %zu new one%s beside the baseline's %zu cannot differ at p = "
                     "%g, whatever %s; it takes %zu new ones, or a baseline of %d seeds and as "
                     "many new ones",
                     n_fresh, n_fresh == 1 ? "" : "s", n_base, COMPARE_LEVEL,
                     n_fresh == 1 ? "it shows" : "they show", needed, COMPARE_BAND_SEEDS);
}

static enum status compare_table(struct band_table *table, struct comparison *comparison,
                                 struct error *err)
{
    enum status status = compare_band_enough(table->n_base, table->n_fresh, err);
    if (status == STATUS_OK) {
        status = band_table_fill(table, err);
    }
    if (status == STATUS_OK) {
        status = run_test(table, comparison, err);
    }
    if (status != STATUS_OK) {
        return status;
    }
    memcpy(comparison->note, table->note, sizeof comparison->note);
    comparison->band = table->point;
    comparison->n_band = table->n_row;
    table->point = NULL;
    if (!add_ends_of_parts(table, comparison) || !add_moved(comparison, table->baseline)) {
        return out_of_memory(err);
    }
    comparison_sort(comparison);
    return STATUS_OK;
}

enum status compare_band(const struct baseline *baseline, const struct baseline *fresh,
                         struct comparison *comparison, struct error *err)
{
    struct band_table table;
    *comparison = (struct comparison){.tier = TIER_BAND, .p = NAN};
    enum status status = band_table_units(&table, baseline, fresh, err);
    if (status == STATUS_OK) {
        comparison->n_base = table.n_base;
        comparison->n_fresh = table.n_fresh;
        status = compare_table(&table, comparison, err);
    }
    band_table_free(&table);
    return status;
}

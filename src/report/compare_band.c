/* Are the new curves drawn from the law of the old ones? A unit is a seed, with the curves of all
 * parts. What is compared of it: the logarithms of loss and gradient norm and the batch's accuracy,
 * averaged over stretches of steps that lengthen as training goes on, and a few numbers of the run
 * as a whole. One max-T test (permutation.h) answers for all of them together, so the share of
 * false alarms is the level, however many there are; and where it alarms, each quantity that is
 * over the critical value is known to have moved.
 *
 * A run that diverged counts as one with the largest loss there is from then on. Where no old run
 * did, it is a difference by itself, without a test.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/metrics.h"
#include "lab/train.h"
#include "report/compare.h"
#include "report/permutation.h"

#define N_SINGLE 4      /* steps at the beginning that are a stretch each */
#define GROWTH 1.3      /* of the stretches behind them */
#define N_LATE 24       /* a stretch is at most this part of all steps */
#define FLOOR_SHARE 0.1 /* of the usual deviation of a kind, as floor of each */
#define LOSS_MIN 1e-12

/* The runs of a part, old ones first, in the order of the units. */
struct curves {
    const struct baseline_run **run; /* [n_unit] */
    size_t *step;                    /* [n_step] that all have */
    size_t n_step;
    bool has_grad_norm, has_accuracy;
};

struct table {
    const struct baseline *baseline, *fresh;
    uint64_t *seed; /* [n_unit] of the units, old ones first */
    size_t n_base, n_fresh, n_unit;
    double *value;           /* [n_row, n_unit] */
    struct band_point *band; /* [n_row] */
    size_t n_row, capacity;
    bool failed; /* out of memory */
};

/* ---- units ---- */

static bool in_all_parts(const struct baseline *runs, const struct baseline *other, uint64_t seed)
{
    for (size_t p = 0; p < runs->n_part; p++) {
        if (baseline_find_part(other, runs->part[p].name) &&
            !baseline_find_run(&runs->part[p], seed)) {
            return false;
        }
    }
    return true;
}

/* The seeds of the first part both have that are in all such parts. */
static size_t list_seeds(const struct baseline *runs, const struct baseline *other, uint64_t *seed)
{
    size_t n = 0, p = 0;
    while (p < runs->n_part && !baseline_find_part(other, runs->part[p].name)) {
        p++;
    }
    for (size_t r = 0; p < runs->n_part && r < runs->part[p].n_run; r++) {
        if (in_all_parts(runs, other, runs->part[p].run[r].seed)) {
            seed[n++] = runs->part[p].run[r].seed;
        }
    }
    return n;
}

static size_t most_runs(const struct baseline *runs)
{
    size_t n = 0;
    for (size_t p = 0; p < runs->n_part; p++) {
        n = runs->part[p].n_run > n ? runs->part[p].n_run : n;
    }
    return n;
}

/* ---- steps in common ---- */

static bool find_step(const struct baseline_run *run, size_t step, size_t *point)
{
    size_t low = 0, high = run->n_point;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (baseline_step(run, middle) < step) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *point = low;
    return low < run->n_point && baseline_step(run, low) == step;
}

static size_t last_step(const struct baseline_run *run)
{
    return baseline_step(run, run->n_point - 1);
}

/* A diverged run has every step behind its end. */
static bool has_step(const struct baseline_run *run, size_t step)
{
    size_t point;
    return (run->diverged && step >= last_step(run)) || find_step(run, step, &point);
}

static void find_common_steps(struct curves *curves, size_t n_unit)
{
    const struct baseline_run *longest = curves->run[0];
    for (size_t u = 0; u < n_unit; u++) {
        longest = last_step(curves->run[u]) > last_step(longest) ? curves->run[u] : longest;
        curves->has_grad_norm = curves->has_grad_norm && curves->run[u]->grad_norm;
        curves->has_accuracy = curves->has_accuracy && curves->run[u]->accuracy;
    }
    for (size_t i = 0; i < longest->n_point; i++) {
        size_t step = baseline_step(longest, i), u = 0;
        while (u < n_unit && has_step(curves->run[u], step)) {
            u++;
        }
        if (u == n_unit) {
            curves->step[curves->n_step++] = step;
        }
    }
}

/* ---- rows of the table ---- */

/* add_row returns the values of a new row to fill in; NULL: out of memory. */
static double *add_row(struct table *table, const struct band_point *point)
{
    if (table->n_row == table->capacity) {
        size_t capacity = 2 * table->capacity + 64;
        double *value = realloc(table->value, capacity * table->n_unit * sizeof *value);
        table->value = value ? value : table->value;
        struct band_point *band = realloc(table->band, capacity * sizeof *band);
        table->band = band ? band : table->band;
        table->failed = table->failed || !value || !band;
        if (table->failed) {
            return NULL;
        }
        table->capacity = capacity;
    }
    table->band[table->n_row] = *point;
    return table->value + table->n_row++ * table->n_unit;
}

/* A row with a value that is not finite, or with the same value everywhere, says nothing. */
static void drop_empty_row(struct table *table)
{
    const double *value = table->value + (table->n_row - 1) * table->n_unit;
    bool varies = false;
    for (size_t u = 0; u < table->n_unit; u++) {
        varies = varies || value[u] != value[0];
        if (!isfinite(value[u])) {
            table->n_row--;
            return;
        }
    }
    table->n_row -= !varies;
}

static double value_at(const struct baseline_run *run, enum band_quantity quantity, size_t step)
{
    size_t point;
    bool ended = run->diverged && step >= last_step(run);
    if (!ended && !find_step(run, step, &point)) {
        return NAN;
    }
    switch (quantity) {
    case BAND_LOSS:
        return log(ended ? TRAIN_DIVERGED_LOSS : fmax(run->loss[point], LOSS_MIN));
    case BAND_GRAD_NORM:
        return log(ended ? TRAIN_DIVERGED_LOSS : fmax(run->grad_norm[point], LOSS_MIN));
    default:
        return ended ? 0 : run->accuracy[point];
    }
}

static void add_stretch(struct table *table, const struct curves *curves, struct band_point point,
                        size_t first, size_t end)
{
    point.first = curves->step[first];
    point.last = curves->step[end - 1];
    double *value = add_row(table, &point);
    for (size_t u = 0; value && u < table->n_unit; u++) {
        value[u] = 0;
        for (size_t i = first; i < end; i++) {
            value[u] +=
                value_at(curves->run[u], point.quantity, curves->step[i]) / (double)(end - first);
        }
    }
    if (value) {
        drop_empty_row(table);
    }
}

static void add_curve(struct table *table, const struct curves *curves, struct band_point point)
{
    double wide = 1, most = fmax((double)curves->n_step / N_LATE, 1);
    for (size_t first = 0, n; first < curves->n_step; first += n) {
        n = first < N_SINGLE ? 1 : (size_t)wide;
        n = n < curves->n_step - first ? n : curves->n_step - first;
        add_stretch(table, curves, point, first, first + n);
        wide = first < N_SINGLE ? wide : fmin(wide * GROWTH + 0.3, most);
    }
    if (curves->n_step > 0) {
        add_stretch(table, curves, point, 0, curves->n_step);
    }
}

typedef double number_of(const struct baseline_run *run, double n_step);

static double escape_step(const struct baseline_run *run, double n_step)
{
    return run->escape_step == STEP_NEVER ? n_step : (double)run->escape_step;
}

static double half_right_step(const struct baseline_run *run, double n_step)
{
    return run->accuracy ? (isnan(run->reaches[0]) ? n_step : run->reaches[0]) : NAN;
}

static double test_loss(const struct baseline_run *run, double n_step)
{
    (void)n_step;
    if (run->diverged) {
        return log(TRAIN_DIVERGED_LOSS);
    }
    return run->n_evaluation == 0
               ? NAN
               : log(fmax(run->evaluation[run->n_evaluation - 1].loss, LOSS_MIN));
}

static double test_accuracy(const struct baseline_run *run, double n_step)
{
    (void)n_step;
    return run->diverged            ? 0
           : run->n_evaluation == 0 ? NAN
                                    : run->evaluation[run->n_evaluation - 1].accuracy;
}

static double first_test_loss(const struct baseline_run *run, double n_step)
{
    (void)n_step;
    return run->n_evaluation == 0 ? NAN : log(fmax(run->evaluation[0].loss, LOSS_MIN));
}

static double divergence(const struct baseline_run *run, double n_step)
{
    (void)n_step;
    return run->diverged;
}

static const struct {
    const char *name;
    bool is_log;
    number_of *of;
} numbers[] = {{"escape step", false, escape_step},
               {"step at which half is right", false, half_right_step},
               {"test loss", true, test_loss},
               {"test accuracy", false, test_accuracy},
               {"test loss before training", true, first_test_loss},
               {"share of runs that diverge", false, divergence}};

static void add_numbers(struct table *table, const struct curves *curves, size_t part)
{
    double n_step = curves->n_step > 0 ? (double)curves->step[curves->n_step - 1] + 1 : 0;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct band_point point = {.part = part,
                                   .quantity = BAND_NUMBER,
                                   .name = numbers[i].name,
                                   .is_log = numbers[i].is_log,
                                   .last = n_step > 0 ? (size_t)n_step - 1 : 0};
        double *value = add_row(table, &point);
        for (size_t u = 0; value && u < table->n_unit; u++) {
            value[u] = numbers[i].of(curves->run[u], n_step);
        }
        if (value) {
            drop_empty_row(table);
        }
    }
}

static void add_part(struct table *table, size_t p, const struct baseline_part *fresh)
{
    const struct baseline_part *base = &table->baseline->part[p];
    struct curves curves = {.has_grad_norm = true, .has_accuracy = true};
    size_t n_step = 1;
    curves.run = calloc(table->n_unit, sizeof(struct baseline_run *));
    for (size_t u = 0; curves.run && u < table->n_unit; u++) {
        curves.run[u] = baseline_find_run(u < table->n_base ? base : fresh, table->seed[u]);
        n_step = curves.run[u]->n_point > n_step ? curves.run[u]->n_point : n_step;
    }
    curves.step = malloc(n_step * sizeof *curves.step);
    if (curves.run && curves.step) {
        find_common_steps(&curves, table->n_unit);
        add_curve(
            table, &curves,
            (struct band_point){.part = p, .quantity = BAND_LOSS, .name = "loss", .is_log = true});
        if (curves.has_grad_norm) {
            add_curve(table, &curves,
                      (struct band_point){.part = p,
                                          .quantity = BAND_GRAD_NORM,
                                          .name = "gradient norm",
                                          .is_log = true});
        }
        if (curves.has_accuracy) {
            add_curve(
                table, &curves,
                (struct band_point){.part = p, .quantity = BAND_ACCURACY, .name = "accuracy"});
        }
        add_numbers(table, &curves, p);
    } else {
        table->failed = true;
    }
    free(curves.run);
    free(curves.step);
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

static bool same_kind(const struct band_point *a, const struct band_point *b)
{
    return a->part == b->part && a->quantity == b->quantity &&
           (a->quantity != BAND_NUMBER || a->name == b->name);
}

/* The root mean square of the deviations of a kind, over all units: the same for all labels. */
static double usual_deviation(const struct table *table, size_t row)
{
    double squares = 0;
    size_t n = 0;
    for (size_t i = 0; i < table->n_row; i++) {
        if (same_kind(&table->band[i], &table->band[row])) {
            double deviation = deviation_of(table->value + i * table->n_unit, table->n_unit);
            squares += deviation * deviation;
            n++;
        }
    }
    return sqrt(squares / (double)n);
}

static enum status run_test(struct table *table, struct comparison *comparison, struct error *err)
{
    struct permutation_result result = {.p = 1};
    struct permutation_quantity *quantity = calloc(table->n_row + 1, sizeof *quantity);
    if (!quantity || table->failed) {
        free(quantity);
        return error_set(err, STATUS_MEMORY, "out of memory while comparing");
    }
    for (size_t i = 0; i < table->n_row; i++) {
        quantity[i].floor = FLOOR_SHARE * usual_deviation(table, i);
    }
    enum status status = permutation_test(table->value, table->n_row, table->n_base, table->n_fresh,
                                          COMPARE_LEVEL, quantity, &result, err);
    for (size_t i = 0; i < table->n_row; i++) {
        struct band_point *point = &table->band[i];
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
           (i > 0 && same_kind(point, point - 1) && point->first < point[-1].first);
}

static void say_means(const struct band_point *point, struct difference *d)
{
    size_t n = strlen(d->text);
    if (point->is_log) {
        snprintf(d->text + n, sizeof d->text - n, "%.4g, and was %.4g (%+.2g %%)", d->found,
                 d->expected, 100 * expm1(point->fresh - point->base));
    } else {
        snprintf(d->text + n, sizeof d->text - n, "%.4g, and was %.4g", d->found, d->expected);
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
        if (comparison->band[i].p <= COMPARE_LEVEL) {
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
               same_kind(&comparison->band[first], &comparison->band[end])) {
            end++;
        }
        enough = add_kind(comparison, baseline, first, end);
    }
    return enough;
}

static bool add_divergence(const struct baseline_part *base, const struct baseline_part *fresh,
                           struct comparison *comparison)
{
    size_t n_old = 0, n_new = 0;
    const struct baseline_run *first = NULL;
    for (size_t r = 0; r < base->n_run; r++) {
        n_old += base->run[r].diverged;
    }
    for (size_t r = 0; r < fresh->n_run; r++) {
        if (fresh->run[r].diverged) {
            n_new++;
            first = first && last_step(first) <= last_step(&fresh->run[r]) ? first : &fresh->run[r];
        }
    }
    if (n_new == 0 || n_old > 0) {
        return true;
    }
    struct difference d = {.part = base->name,
                           .what = "divergence",
                           .step = (long)last_step(first),
                           .expected = 0,
                           .found = (double)n_new / (double)fresh->n_run,
                           .size = NAN,
                           .limit = NAN,
                           .p = NAN,
                           .n_seed = n_new,
                           .n_of = fresh->n_run};
    snprintf(d.text, sizeof d.text,
             "diverged: seed %llu at step %zu, %zu of %zu runs in all; none of the baseline's did",
             (unsigned long long)first->seed, last_step(first), n_new, fresh->n_run);
    return comparison_add(comparison, &d);
}

/* ---- all of it ---- */

static enum status check_sizes(const struct table *table, struct error *err)
{
    size_t needed = 1;
    if (table->n_base == 0 || table->n_fresh == 0) {
        return error_set(err, STATUS_DATA,
                         "the baseline and the new curves have no part in common, or no seed that "
                         "is in all of its parts");
    }
    if (permutation_least_p(table->n_base, table->n_fresh) <= COMPARE_LEVEL) {
        return STATUS_OK;
    }
    while (needed < 1000 && permutation_least_p(table->n_base, needed) > COMPARE_LEVEL) {
        needed++;
    }
    if (needed == 1000) {
        return error_set(err, STATUS_USAGE,
                         "too few seeds: a baseline of %zu and any number of new curves can never "
                         "differ at p = %g; record 5 seeds or more",
                         table->n_base, COMPARE_LEVEL);
    }
    return error_set(err, STATUS_USAGE,
                     "too few seeds: %zu new ones beside the baseline's %zu cannot differ at p = "
                     "%g, whatever they show; %zu new ones can",
                     table->n_fresh, table->n_base, COMPARE_LEVEL, needed);
}

static void note_left_out(const struct table *table, struct comparison *comparison)
{
    size_t n = 0;
    for (size_t p = 0; p < table->baseline->n_part; p++) {
        const char *name = table->baseline->part[p].name;
        if (!baseline_find_part(table->fresh, name) && n < sizeof comparison->note) {
            n += (size_t)snprintf(
                comparison->note + n, sizeof comparison->note - n, "%s%s",
                n > 0 ? ", " : "not compared, since there are no new curves: ", name);
        }
    }
}

static enum status fill_table(struct table *table, struct comparison *comparison, struct error *err)
{
    bool enough = true;
    for (size_t p = 0; p < table->baseline->n_part; p++) {
        const struct baseline_part *base = &table->baseline->part[p];
        const struct baseline_part *fresh = baseline_find_part(table->fresh, base->name);
        if (fresh) {
            enough = enough && add_divergence(base, fresh, comparison);
            add_part(table, p, fresh);
            comparison->n_part++;
            comparison->n_run += table->n_fresh;
        }
    }
    enum status status = enough ? run_test(table, comparison, err)
                                : error_set(err, STATUS_MEMORY, "out of memory while comparing");
    comparison->band = table->band;
    comparison->n_band = table->n_row;
    if (status == STATUS_OK && !add_moved(comparison, table->baseline)) {
        status = error_set(err, STATUS_MEMORY, "out of memory while comparing");
    }
    comparison_sort(comparison);
    return status;
}

enum status compare_band(const struct baseline *baseline, const struct baseline *fresh,
                         struct comparison *comparison, struct error *err)
{
    *comparison = (struct comparison){.tier = TIER_BAND, .p = NAN};
    struct table table = {.baseline = baseline, .fresh = fresh};
    table.seed = calloc(most_runs(baseline) + most_runs(fresh) + 1, sizeof *table.seed);
    if (!table.seed) {
        return error_set(err, STATUS_MEMORY, "out of memory while comparing");
    }
    table.n_base = list_seeds(baseline, fresh, table.seed);
    table.n_fresh = list_seeds(fresh, baseline, table.seed + table.n_base);
    table.n_unit = table.n_base + table.n_fresh;
    comparison->n_base = table.n_base;
    comparison->n_fresh = table.n_fresh;
    note_left_out(&table, comparison);
    enum status status = check_sizes(&table, err);
    if (status == STATUS_OK) {
        status = fill_table(&table, comparison, err);
    }
    free(table.value);
    free(table.seed);
    return status;
}

/* Are the new curves drawn from the law of the old ones? One max-T test (permutation.h) answers for
 * all rows of the table together, those of all cohorts too, so the share of false alarms of a check
 * is the level, however much is compared; and where it alarms, each row that is over the critical
 * value is known to have moved.
 *
 * Two things are a difference by themselves, without a test, where no old training did them: a new
 * one that diverged, and one that ended early. From the step of a divergence on, the rows of the
 * table move because of it alone, so that no difference is made of them.
 */
#include "check/tier.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "check/band_table.h"
#include "lab/training/train.h"
#include "report/statistics/permutation.h"

#define FLOOR_SHARE 0.1 /* of the usual deviation of a kind, as floor of each */

/* ---- the test ---- */

static double mean_of(const double *value, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += value[i];
    }
    return sum / (double)n;
}

static double variance_of(const double *value, size_t n)
{
    double mean = mean_of(value, n), squares = 0;
    for (size_t i = 0; i < n; i++) {
        squares += (value[i] - mean) * (value[i] - mean);
    }
    return squares / (double)(n - 1);
}

/* The floor of a kind's deviations: a share of their root mean square over all units, which is the
 * same whichever units are the new ones. */
static void set_floors(const struct band_table *table, struct permutation_quantity *quantity)
{
    for (size_t first = 0, end; first < table->n_row; first = end) {
        double squares = 0;
        end = band_kind_end(table->row, table->n_row, first);
        for (size_t i = first; i < end; i++) {
            squares += variance_of(table->value + i * table->n_unit, table->n_unit);
        }
        for (size_t i = first; i < end; i++) {
            quantity[i].floor = FLOOR_SHARE * sqrt(squares / (double)(end - first));
        }
    }
}

static enum status run_test(struct band_table *table, struct verdict *verdict, struct error *err)
{
    struct permutation_result result = {.p = 1};
    struct permutation_quantity *quantity;
    TRY_CALLOC(err, quantity, table->n_row, "comparing");
    set_floors(table, quantity);
    enum status status = permutation_test(table->value, table->n_row, table->n_old, table->n_new,
                                          BAND_LEVEL, quantity, &result, err);
    for (size_t i = 0; i < table->n_row; i++) {
        struct band_row *row = &table->row[i];
        const double *value = table->value + i * table->n_unit;
        row->old = mean_of(value, table->n_old);
        row->new = mean_of(value + table->n_old, table->n_new);
        row->half = quantity[i].half;
        row->statistic = quantity[i].statistic;
        row->p = quantity[i].p;
    }
    verdict->p = result.p;
    verdict->n_relabelling = result.n_relabelling;
    free(quantity);
    return status;
}

/* ---- what moved ---- */

/* Up to twice as much is told in per cent. */
static void say_means(const struct band_row *row, struct difference *d)
{
    double change = row->new - row->old;
    if (row->n_infinite_old + row->n_infinite_new > 0) {
        text_append(&d->text, "infinite in %zu new and %zu old runs", row->n_infinite_new,
                    row->n_infinite_old);
        return;
    }
    d->expected = row->is_log ? exp(row->old) : row->old;
    d->found = row->is_log ? exp(row->new) : row->new;
    d->size = fabs(change);
    d->limit = row->half;
    text_append(&d->text, "%.4g, and was %.4g", d->found, d->expected);
    if (row->is_log && fabs(change) < log(2)) {
        text_append(&d->text, " (%+.2g %%)", 100 * expm1(change));
    } else if (row->is_log) {
        text_append(&d->text, " (%.2g times as much)", exp(change));
    }
}

/* Of each kind the first stretch that moved is told, with the least p of the kind; of the whole
 * curve only where no stretch did. */
static void add_kind(struct verdict *verdict, const struct traces *old, size_t first, size_t end)
{
    const struct band_row *moved = NULL;
    double p = 1;
    for (size_t i = first; i < end; i++) {
        const struct band_row *row = &verdict->band[i];
        if (row->p <= BAND_LEVEL && !row->after_divergence) {
            moved = moved ? moved : row;
            p = fmin(p, row->p);
        }
    }
    if (!moved) {
        return;
    }
    bool all_steps = moved->whole && moved->curve != CURVE_COUNT;
    struct difference d =
        difference_make(&old->cohort[moved->cohort], moved->whole ? -1 : (long)moved->first, "%s%s",
                        moved->name, all_steps ? " of all steps" : "");
    d.p = moved->p;
    if (!moved->whole) {
        text_append(&d.text, "from step %zu: ", moved->first);
    }
    text_append(&d.text, "%s %s: ", d.what, moved->new > moved->old ? "higher" : "lower");
    say_means(moved, &d);
    text_append(&d.text, ", p = %.2g", p);
    verdict_add(verdict, &d);
}

/* ---- trainings that did not end as the old ones ---- */

/* How many traces of a cohort ended in some way, and the first one that did. */
struct ends {
    size_t n;
    const struct trace *first; /* NULL: none */
};

/* Those that diverged, or else those that ended before a step. One that another program wrote down
 * every tenth step may end nine steps early. */
static struct ends count_ends(const struct cohort *cohort, bool diverged, size_t step)
{
    struct ends ends = {0};
    for (size_t i = 0; i < cohort->n_trace; i++) {
        const struct trace *trace = &cohort->trace[i];
        size_t last = trace_last_step(trace);
        size_t gap = trace->n_point > 1 ? last - trace_step(trace, trace->n_point - 2) : 1;
        if (trace->diverged == diverged && (diverged || last + gap <= step)) {
            bool earlier = !ends.first || last < trace_last_step(ends.first);
            ends.first = earlier ? trace : ends.first;
            ends.n++;
        }
    }
    return ends;
}

static struct ends diverged_of(const struct cohort *cohort)
{
    return count_ends(cohort, true, 0);
}

/* The step that all old traces came to. */
static size_t shortest_end(const struct cohort *old)
{
    size_t end = SIZE_MAX;
    for (size_t i = 0; i < old->n_trace; i++) {
        size_t last = trace_last_step(&old->trace[i]);
        end = last < end ? last : end;
    }
    return end;
}

static struct difference difference_of_ends(const struct cohort *old, const char *what,
                                            const struct ends *ends, size_t n_of)
{
    long step = ends->first ? (long)trace_last_step(ends->first) : -1;
    struct difference d = difference_make(old, step, "%s", what);
    d.expected = 0;
    d.found = (double)ends->n / (double)n_of;
    d.n_seed = ends->n;
    d.n_of = n_of;
    return d;
}

/* Which number ended it: " (loss nan)". */
static void say_cause(const struct trace *trace, struct text *text)
{
    size_t last = trace->n_point - 1;
    double loss = trace->curve[CURVE_LOSS][last];
    const double *norm = trace->curve[CURVE_GRAD_NORM];
    if (isnan(loss)) {
        text_append(text, " (loss nan)"); /* printf writes -nan of some */
    } else if (!(fabs(loss) <= TRAIN_DIVERGED_LOSS)) {
        text_append(text, " (loss %.4g)", loss);
    } else if (norm && !isfinite(norm[last])) {
        text_append(text, " (gradient norm %s)", isnan(norm[last]) ? "nan" : "inf");
    }
}

static void add_divergence(const struct cohort *old, const struct cohort *new,
                           struct verdict *verdict)
{
    struct ends ends = diverged_of(new);
    if (ends.n == 0) {
        return;
    }
    struct difference d = difference_of_ends(old, "divergence", &ends, new->n_trace);
    text_append(&d.text, "seed %llu diverged at step %zu", (unsigned long long)ends.first->seed,
                trace_last_step(ends.first));
    say_cause(ends.first, &d.text);
    text_append(&d.text, ", %zu of %zu runs in all; no old run did", ends.n, new->n_trace);
    verdict_add(verdict, &d);
}

static void add_early_end(const struct cohort *old, const struct cohort *new,
                          struct verdict *verdict)
{
    size_t end = shortest_end(old);
    struct ends ends = count_ends(new, false, end);
    if (ends.n == 0) {
        return;
    }
    struct difference d = difference_of_ends(old, "length", &ends, new->n_trace);
    text_append(&d.text,
                "ended: seed %llu at step %zu, %zu of %zu runs in all; those of the baseline go on "
                "to step %zu",
                (unsigned long long)ends.first->seed, trace_last_step(ends.first), ends.n,
                new->n_trace, end);
    verdict_add(verdict, &d);
}

static void say_share(const char *which, const struct cohort *cohort, struct text *text)
{
    struct ends ends = diverged_of(cohort);
    text_append(text, "%zu of %zu %s", ends.n, cohort->n_trace, which);
    if (ends.first) {
        text_append(text, ", first at step %zu", trace_last_step(ends.first));
    }
}

/* Where old trainings diverged too, the test has to say whether the new ones do it otherwise. */
static void add_divergence_moved(const struct cohort *old, const struct cohort *new, size_t cohort,
                                 struct verdict *verdict)
{
    double p = 1;
    for (size_t i = 0; i < verdict->n_band; i++) {
        const struct band_row *row = &verdict->band[i];
        p = row->cohort == cohort && row->after_divergence ? fmin(p, row->p) : p;
    }
    if (p > BAND_LEVEL) {
        return;
    }
    struct ends ends = diverged_of(new);
    struct difference d = difference_of_ends(old, "divergence", &ends, new->n_trace);
    d.expected = (double)diverged_of(old).n / (double)old->n_trace;
    d.p = p;
    text_append(&d.text, "diverged: ");
    say_share("runs", new, &d.text);
    text_append(&d.text, "; and ");
    say_share("old ones", old, &d.text);
    text_append(&d.text, ", p = %.2g", p);
    verdict_add(verdict, &d);
}

static void add_ends(const struct band_table *table, struct verdict *verdict)
{
    for (size_t p = 0; p < table->old->n_cohort; p++) {
        const struct cohort *old = &table->old->cohort[p],
                            *new = traces_cohort(table->new, old->name);
        if (!new) {
            continue;
        }
        verdict->n_cohort++;
        verdict->n_trace += table->n_new;
        if (diverged_of(old).n == 0) {
            add_divergence(old, new, verdict);
            add_early_end(old, new, verdict);
        } else {
            add_divergence_moved(old, new, p, verdict);
        }
    }
}

/* ---- all of it ---- */

size_t band_needs(size_t n_old)
{
    size_t n = 1;
    while (permutation_least_p(n_old, n) > BAND_LEVEL) {
        n++;
    }
    return n;
}

enum status band_enough(size_t n_old, size_t n_new, struct error *err)
{
    if (n_old == 0 || n_new == 0) {
        return error_set(err, STATUS_DATA,
                         "the baseline and the new curves have no part in common, or no seed that "
                         "is in all of its parts");
    }
    if (permutation_least_p(n_old, n_new) <= BAND_LEVEL) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_DATA,
                     "too few seeds: %zu new one%s beside the baseline's %zu cannot differ at p = "
                     "%g, whatever %s; it takes %zu new ones, or a baseline of %d seeds and as "
                     "many new ones",
                     n_new, plural(n_new), n_old, BAND_LEVEL, n_new == 1 ? "it shows" : "they show",
                     band_needs(n_old), BAND_SEEDS);
}

static enum status compare_table(struct band_table *table, struct verdict *verdict,
                                 struct error *err)
{
    if (table->failed) {
        return error_memory(err, "comparing");
    }
    verdict->n_old = table->n_old;
    verdict->n_new = table->n_new;
    TRY(band_enough(table->n_old, table->n_new, err));
    TRY(band_table_fill(table, err));
    TRY(run_test(table, verdict, err));
    verdict->note = table->note;
    verdict->band = table->row;
    verdict->n_band = table->n_row;
    table->note = (struct text){0};
    table->row = NULL;
    add_ends(table, verdict);
    for (size_t first = 0, end; first < verdict->n_band; first = end) {
        end = band_kind_end(verdict->band, verdict->n_band, first);
        add_kind(verdict, table->old, first, end);
    }
    return STATUS_OK;
}

enum status band_compare(const struct traces *old, const struct traces *new,
                         struct verdict *verdict, struct error *err)
{
    struct band_table table;
    band_table_units(&table, old, new);
    enum status status = compare_table(&table, verdict, err);
    band_table_free(&table);
    return status;
}

/* Loss and gradient norm are compared by their logarithms, the batch's accuracy as it is. Stretches
 * lengthen as training goes on, for learning is fastest at its beginning; behind them comes the
 * whole curve, whose mean sees a small shift of all steps.
 *
 * A training that diverged counts as one with the largest loss there is from then on, so it has
 * every step. What another program did not write down at a step is compared at the other steps.
 */
#include "check/band_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "lab/training/metrics.h"
#include "lab/training/train.h"

#define N_SINGLE 4 /* steps at the beginning that are a stretch each */
#define GROWTH 1.3 /* of the stretches behind them */
#define N_LATE 24  /* a stretch is at most this part of all steps */
#define N_LAST 10  /* batches at the end that the test split is held against */
#define LOSS_MIN 1e-12

static const struct {
    const char *name;
    bool is_log;
    double diverged; /* what stands for it from the step of divergence on */
} curves[CURVE_COUNT] = {
    [CURVE_LOSS] = {"loss", true, TRAIN_DIVERGED_LOSS},
    [CURVE_GRAD_NORM] = {"gradient norm", true, TRAIN_DIVERGED_LOSS},
    [CURVE_ACCURACY] = {"accuracy", false, 0},
};

/* A curve of all units of a cohort, at the steps at which all of them have it. */
struct shared_curve {
    double *step;  /* [n_step] */
    double *value; /* [n_unit, capacity] */
    size_t n_step, capacity;
};

/* The traces of one cohort. */
struct sample {
    size_t cohort;              /* of the old */
    const struct trace **trace; /* [n_unit] */
    struct shared_curve curve[CURVE_COUNT];
    size_t diverged_from; /* the first step at which one of them had diverged, or SIZE_MAX */
};

void band_table_free(struct band_table *table)
{
    free(table->seed);
    free(table->unit);
    free(table->value);
    free(table->row);
    text_free(&table->note);
    *table = (struct band_table){0};
}

size_t band_kind_end(const struct band_row *row, size_t n_row, size_t first)
{
    size_t end = first;
    while (end < n_row && row[end].cohort == row[first].cohort &&
           strcmp(row[end].name, row[first].name) == 0) {
        end++;
    }
    return end;
}

/* ---- units ---- */

static bool in_all_cohorts(const struct traces *traces, const struct traces *other, uint64_t seed)
{
    for (size_t p = 0; p < traces->n_cohort; p++) {
        if (traces_cohort(other, traces->cohort[p].name) &&
            !cohort_trace(&traces->cohort[p], seed)) {
            return false;
        }
    }
    return true;
}

/* The seeds of the first cohort both have that are in all such cohorts. */
static size_t list_seeds(const struct traces *traces, const struct traces *other, uint64_t *seed)
{
    size_t n = 0, p = 0;
    while (p < traces->n_cohort && !traces_cohort(other, traces->cohort[p].name)) {
        p++;
    }
    for (size_t i = 0; p < traces->n_cohort && i < traces->cohort[p].n_trace; i++) {
        if (in_all_cohorts(traces, other, traces->cohort[p].trace[i].seed)) {
            seed[n++] = traces->cohort[p].trace[i].seed;
        }
    }
    return n;
}

void band_table_units(struct band_table *table, const struct traces *old, const struct traces *new)
{
    *table = (struct band_table){.old = old, .new = new};
    table->seed = calloc(traces_count(old) + traces_count(new) + 1, sizeof *table->seed);
    if (!table->seed) {
        table->failed = true;
        return;
    }
    table->n_old = list_seeds(old, new, table->seed);
    table->n_new = list_seeds(new, old, table->seed + table->n_old);
    table->n_unit = table->n_old + table->n_new;
    table->unit = calloc(table->n_unit + 1, sizeof *table->unit);
    table->failed = !table->unit;
}

/* ---- curves ---- */

/* value_at returns NaN where the trace has nothing at the step; *point is that of the step, or
 * behind it, and moves on with the steps. */
static double value_at(const struct trace *trace, size_t c, size_t step, size_t *point)
{
    if (trace->diverged && step >= trace_last_step(trace)) {
        return curves[c].diverged;
    }
    while (*point < trace->n_point && trace_step(trace, *point) < step) {
        ++*point;
    }
    bool there = *point < trace->n_point && trace_step(trace, *point) == step;
    return there ? trace->curve[c][*point] : NAN;
}

/* Every step that all have is one of the longest trace. */
static void fill_curve(struct shared_curve *curve, const struct trace *const *trace, size_t n_unit,
                       size_t c, const struct trace *longest, size_t *point)
{
    for (size_t i = 0; i < longest->n_point; i++) {
        size_t step = trace_step(longest, i), u = 0;
        for (; u < n_unit; u++) {
            double value = value_at(trace[u], c, step, &point[u]);
            if (isnan(value)) {
                break;
            }
            curve->value[u * curve->capacity + curve->n_step] = value;
        }
        if (u == n_unit) {
            curve->step[curve->n_step++] = (double)step;
        }
    }
}

/* share_curve finds no step where one of the traces has not the curve at all. */
static void share_curve(struct band_table *table, struct sample *sample, size_t c)
{
    const struct trace *longest = sample->trace[0];
    for (size_t u = 0; u < table->n_unit; u++) {
        const struct trace *trace = sample->trace[u];
        if (!trace->curve[c]) {
            return;
        }
        longest = trace_last_step(trace) > trace_last_step(longest) ? trace : longest;
    }
    struct shared_curve *curve = &sample->curve[c];
    size_t *point = calloc(table->n_unit, sizeof *point);
    curve->capacity = longest->n_point;
    curve->step = malloc(curve->capacity * sizeof *curve->step);
    curve->value = malloc(table->n_unit * curve->capacity * sizeof *curve->value);
    if (point && curve->step && curve->value) {
        fill_curve(curve, sample->trace, table->n_unit, c, longest, point);
    } else {
        table->failed = true;
    }
    free(point);
}

/* ---- rows ---- */

/* add_row adds a row of what is in table->unit. A row with a value that is not finite, or with the
 * same value everywhere, says nothing and is left out. */
static void add_row(struct band_table *table, const struct band_row *row)
{
    bool varies = false, finite = true;
    for (size_t u = 0; u < table->n_unit; u++) {
        varies = varies || table->unit[u] != table->unit[0];
        finite = finite && isfinite(table->unit[u]);
    }
    if (!varies || !finite || table->failed) {
        return;
    }
    if (table->n_row == table->capacity) {
        size_t capacity = 2 * table->capacity + 64;
        double *value = realloc(table->value, capacity * table->n_unit * sizeof *value);
        table->value = value ? value : table->value;
        struct band_row *grown = realloc(table->row, capacity * sizeof *grown);
        table->row = grown ? grown : table->row;
        table->failed = !value || !grown;
        if (table->failed) {
            return;
        }
        table->capacity = capacity;
    }
    memcpy(table->value + table->n_row * table->n_unit, table->unit,
           table->n_unit * sizeof *table->unit);
    table->row[table->n_row++] = *row;
}

static double usable(double value, bool is_log)
{
    double finite = isinf(value) ? TRAIN_DIVERGED_LOSS : value;
    return is_log ? log(fmax(finite, LOSS_MIN)) : finite;
}

/* add_stretch adds the means of points first to end - 1 of a curve. */
static void add_stretch(struct band_table *table, const struct sample *sample, size_t c,
                        size_t first, size_t end, bool whole)
{
    const struct shared_curve *curve = &sample->curve[c];
    struct band_row row = {.cohort = sample->cohort,
                           .curve = (enum trace_curve)c,
                           .name = curves[c].name,
                           .is_log = curves[c].is_log,
                           .whole = whole,
                           .first = (size_t)curve->step[first],
                           .last = (size_t)curve->step[end - 1],
                           .after_divergence =
                               curve->step[end - 1] >= (double)sample->diverged_from};
    for (size_t u = 0; u < table->n_unit; u++) {
        const double *value = curve->value + u * curve->capacity;
        bool infinite = false;
        table->unit[u] = 0;
        for (size_t i = first; i < end; i++) {
            infinite = infinite || isinf(value[i]);
            table->unit[u] += usable(value[i], row.is_log) / (double)(end - first);
        }
        row.n_infinite_old += infinite && u < table->n_old;
        row.n_infinite_new += infinite && u >= table->n_old;
    }
    add_row(table, &row);
}

static void add_curve(struct band_table *table, const struct sample *sample, size_t c)
{
    size_t n_step = sample->curve[c].n_step;
    double wide = 1, most = fmax((double)n_step / N_LATE, 1);
    for (size_t first = 0, n; first < n_step; first += n) {
        n = first < N_SINGLE ? 1 : (size_t)wide;
        n = n < n_step - first ? n : n_step - first;
        add_stretch(table, sample, c, first, first + n, false);
        wide = first < N_SINGLE ? wide : fmin(wide * GROWTH + 0.3, most);
    }
    if (n_step > 0) {
        add_stretch(table, sample, c, 0, n_step, true);
    }
}

/* ---- numbers of a training as a whole ---- */

/* What never happened counts as happening behind the last step. */
static double end_of(const struct shared_curve *curve)
{
    return curve->step[curve->n_step - 1] + 1;
}

/* What is read off a curve is read off the steps that all have: a trace with fewer points would
 * seem to be later. */
static struct trace settled(const struct shared_curve *curve, enum trace_curve c, size_t u)
{
    struct trace trace = {.n_point = curve->n_step, .step = curve->step};
    trace.curve[CURVE_LOSS] = trace.curve[c] = curve->value + u * curve->capacity;
    trace_settle(&trace);
    return trace;
}

static double escape_step(const struct sample *sample, size_t u)
{
    const struct shared_curve *curve = &sample->curve[CURVE_LOSS];
    long step = settled(curve, CURVE_LOSS, u).escape_step;
    return step == STEP_NEVER ? end_of(curve) : (double)step;
}

static double half_right_step(const struct sample *sample, size_t u)
{
    const struct shared_curve *curve = &sample->curve[CURVE_ACCURACY];
    double step = curve->n_step > 0 ? settled(curve, CURVE_ACCURACY, u).reaches[0] : NAN;
    return curve->n_step > 0 && isnan(step) ? end_of(curve) : step;
}

static double log_of(double loss)
{
    return log(fmax(loss, LOSS_MIN));
}

static double first_test_loss(const struct sample *sample, size_t u)
{
    const struct trace *trace = sample->trace[u];
    return trace->n_evaluation > 0 ? log_of(trace->evaluation[0].loss) : NAN;
}

static double test_loss(const struct sample *sample, size_t u)
{
    const struct trace *trace = sample->trace[u];
    return trace->n_evaluation == 0 ? NAN
           : trace->diverged        ? log_of(TRAIN_DIVERGED_LOSS)
                                    : log_of(trace->evaluation[trace->n_evaluation - 1].loss);
}

static double test_accuracy(const struct sample *sample, size_t u)
{
    const struct trace *trace = sample->trace[u];
    return trace->n_evaluation == 0 ? NAN
           : trace->diverged        ? 0
                                    : trace->evaluation[trace->n_evaluation - 1].accuracy;
}

/* The test split against the batches trained on last. Seeds differ in when they learn; by then both
 * losses have fallen, so that this tells what is wrong in evaluation alone. */
static double test_excess(const struct sample *sample, size_t u)
{
    const struct shared_curve *loss = &sample->curve[CURVE_LOSS];
    size_t n = loss->n_step < N_LAST ? loss->n_step : N_LAST;
    const double *last = loss->value + u * loss->capacity + loss->n_step - n;
    double mean = 0;
    for (size_t i = 0; i < n; i++) {
        mean += log_of(last[i]) / (double)n;
    }
    return test_loss(sample, u) - mean;
}

static double divergence(const struct sample *sample, size_t u)
{
    return sample->trace[u]->diverged;
}

static const struct {
    const char *name;
    bool is_log, before_training;
    double (*of)(const struct sample *sample, size_t u);
} numbers[] = {{"escape step", false, false, escape_step},
               {"step at which half is right", false, false, half_right_step},
               {"test loss", true, false, test_loss},
               {"test accuracy", false, false, test_accuracy},
               {"test loss over that of the last batches", true, false, test_excess},
               {"test loss before training", true, true, first_test_loss},
               {"share of runs that diverge", false, false, divergence}};

static void add_numbers(struct band_table *table, const struct sample *sample)
{
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct band_row row = {.cohort = sample->cohort,
                               .curve = CURVE_COUNT,
                               .name = numbers[i].name,
                               .is_log = numbers[i].is_log,
                               .whole = true,
                               .last = (size_t)end_of(&sample->curve[CURVE_LOSS]) - 1,
                               .after_divergence = !numbers[i].before_training &&
                                                   sample->diverged_from != SIZE_MAX};
        for (size_t u = 0; u < table->n_unit; u++) {
            table->unit[u] = numbers[i].of(sample, u);
        }
        add_row(table, &row);
    }
}

/* ---- cohorts ---- */

/* note_cohort says what is compared at fewer steps than every trace has, or not at all. */
static void note_cohort(const struct band_table *table, const struct sample *sample,
                        const struct cohort *new, struct text *note)
{
    size_t fewest = SIZE_MAX, n_step = sample->curve[CURVE_LOSS].n_step;
    for (size_t u = 0; u < table->n_unit; u++) {
        const struct trace *trace = sample->trace[u];
        fewest = !trace->diverged && trace->n_point < fewest ? trace->n_point : fewest;
    }
    if (fewest != SIZE_MAX && n_step < fewest) {
        text_append(note, "compared at the %zu steps that all curves have", n_step);
    }
    const char *joint =
        note->data ? ", and not all new curves have the " : "not all new curves have the ";
    for (size_t c = CURVE_GRAD_NORM; c < CURVE_COUNT; c++) {
        if (sample->curve[c].n_step == 0 && sample->trace[0]->curve[c]) {
            text_append(note, "%s%s", joint, curves[c].name);
            joint = " and the ";
        }
    }
    size_t n_left_out = table->old->cohort[sample->cohort].n_trace + new->n_trace - table->n_unit;
    if (n_left_out > 0) {
        text_append(note, "%s%zu run%s left out, of seeds that another part has not",
                    note->data ? ", " : "", n_left_out, plural(n_left_out));
    }
}

/* One clause for all cohorts of which the same is said; said[p] is what is said of cohort p. */
static void join_notes(struct band_table *table, struct text *said)
{
    for (size_t p = 0; p < table->old->n_cohort; p++) {
        const char *joint = table->note.data ? "; " : "";
        for (size_t i = p; said[p].data && i < table->old->n_cohort; i++) {
            if (said[i].data && strcmp(said[i].data, said[p].data) == 0) {
                text_append(&table->note, "%s%s", joint, table->old->cohort[i].name);
                joint = ", ";
                if (i > p) {
                    text_free(&said[i]);
                }
            }
        }
        if (said[p].data) {
            text_append(&table->note, ": %s", said[p].data);
        }
        table->failed = table->failed || said[p].failed;
    }
}

static enum status add_rows(struct band_table *table, const struct sample *sample,
                            struct error *err)
{
    if (table->failed) {
        return STATUS_OK; /* told in the end */
    }
    if (sample->curve[CURVE_LOSS].n_step == 0) {
        const struct trace *old = sample->trace[0], *new = sample->trace[table->n_old];
        return error_set(err, STATUS_DATA,
                         "%s: no step is in all curves, old (first step %zu, last %zu) and new "
                         "(first %zu, last %zu), so nothing can be compared: log the same steps",
                         table->old->cohort[sample->cohort].name, trace_step(old, 0),
                         trace_last_step(old), trace_step(new, 0), trace_last_step(new));
    }
    for (size_t c = 0; c < CURVE_COUNT; c++) {
        add_curve(table, sample, c);
    }
    add_numbers(table, sample);
    return STATUS_OK;
}

static enum status add_cohort(struct band_table *table, size_t p, const struct cohort *new,
                              struct text *note, struct error *err)
{
    struct sample sample = {.cohort = p, .diverged_from = SIZE_MAX};
    TRY_CALLOC(err, sample.trace, table->n_unit, "comparing");
    for (size_t u = 0; u < table->n_unit; u++) {
        const struct cohort *cohort = u < table->n_old ? &table->old->cohort[p] : new;
        const struct trace *trace = sample.trace[u] = cohort_trace(cohort, table->seed[u]);
        if (trace->diverged && trace_last_step(trace) < sample.diverged_from) {
            sample.diverged_from = trace_last_step(trace);
        }
    }
    for (size_t c = 0; c < CURVE_COUNT; c++) {
        share_curve(table, &sample, c);
    }
    enum status status = add_rows(table, &sample, err);
    note_cohort(table, &sample, new, note);
    for (size_t c = 0; c < CURVE_COUNT; c++) {
        free(sample.curve[c].step);
        free(sample.curve[c].value);
    }
    free(sample.trace);
    return status;
}

enum status band_table_fill(struct band_table *table, struct error *err)
{
    enum status status = STATUS_OK;
    struct text *said;
    TRY_CALLOC(err, said, table->old->n_cohort, "comparing");
    for (size_t p = 0; p < table->old->n_cohort && status == STATUS_OK; p++) {
        const struct cohort *new = traces_cohort(table->new, table->old->cohort[p].name);
        status = new ? add_cohort(table, p, new, &said[p], err) : STATUS_OK;
    }
    join_notes(table, said);
    for (size_t p = 0; p < table->old->n_cohort; p++) {
        text_free(&said[p]);
    }
    free(said);
    bool failed = table->failed || table->note.failed;
    return status == STATUS_OK && failed ? error_memory(err, "comparing") : status;
}

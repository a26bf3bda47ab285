/* Loss and gradient norm are compared by their logarithms, the batch's accuracy as it is. Stretches
 * lengthen as training goes on, for learning is fastest at its beginning; behind them comes the
 * whole curve, whose mean sees a small shift of all steps.
 *
 * A run that diverged counts as one with the largest loss there is from then on, so it has every
 * step. What another program did not write down at a step is compared at the other steps.
 */
#include "report/check/band_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/training/metrics.h"
#include "lab/training/train.h"

#define N_SINGLE 4 /* steps at the beginning that are a stretch each */
#define GROWTH 1.3 /* of the stretches behind them */
#define N_LATE 24  /* a stretch is at most this part of all steps */
#define N_LAST 10  /* batches at the end that the test split is held against */
#define LOSS_MIN 1e-12
#define NOTE_SIZE 256

static const struct {
    const char *name;
    bool is_log;
} curve_kinds[] = {
    [BAND_LOSS] = {"loss", true},
    [BAND_GRAD_NORM] = {"gradient norm", true},
    [BAND_ACCURACY] = {"accuracy", false},
};
#define N_CURVE (sizeof curve_kinds / sizeof curve_kinds[0])

/* One quantity of the runs of a part, at the steps at which all of them have it. */
struct curves {
    size_t *step;  /* [n_step] */
    double *value; /* [n_unit, capacity] */
    size_t n_step, capacity;
    size_t diverged_from; /* the first step at which one of the runs had diverged, or SIZE_MAX */
};

static enum status out_of_memory(struct error *err)
{
    return error_memory(err, "comparing");
}

void band_table_free(struct band_table *table)
{
    free(table->seed);
    free(table->value);
    free(table->point);
    *table = (struct band_table){0};
}

bool band_same_kind(const struct band_point *a, const struct band_point *b)
{
    return a->part == b->part && a->quantity == b->quantity &&
           (a->quantity != BAND_NUMBER || a->name == b->name);
}

size_t band_last_step(const struct baseline_run *run)
{
    return baseline_step(run, run->n_point - 1);
}

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

enum status band_table_units(struct band_table *table, const struct baseline *baseline,
                             const struct baseline *fresh, struct error *err)
{
    *table = (struct band_table){.baseline = baseline, .fresh = fresh};
    table->seed = calloc(most_runs(baseline) + most_runs(fresh) + 1, sizeof *table->seed);
    if (!table->seed) {
        return out_of_memory(err);
    }
    table->n_base = list_seeds(baseline, fresh, table->seed);
    table->n_fresh = list_seeds(fresh, baseline, table->seed + table->n_base);
    table->n_unit = table->n_base + table->n_fresh;
    return STATUS_OK;
}

/* ---- curves ---- */

static const double *array_of(const struct baseline_run *run, size_t kind)
{
    return kind == BAND_LOSS ? run->loss : kind == BAND_GRAD_NORM ? run->grad_norm : run->accuracy;
}

static bool all_have(const struct baseline_run *const *run, size_t n_unit, size_t kind)
{
    for (size_t u = 0; u < n_unit; u++) {
        if (!array_of(run[u], kind)) {
            return false;
        }
    }
    return true;
}

/* value_at returns NaN where the run has nothing at the step; *point is that of the step, or behind
 * it, and moves on with the steps. */
static double value_at(const struct baseline_run *run, size_t kind, size_t step, size_t *point)
{
    if (run->diverged && step >= band_last_step(run)) {
        return kind == BAND_ACCURACY ? 0 : TRAIN_DIVERGED_LOSS;
    }
    while (*point < run->n_point && baseline_step(run, *point) < step) {
        ++*point;
    }
    if (*point == run->n_point || baseline_step(run, *point) != step) {
        return NAN;
    }
    return array_of(run, kind)[*point];
}

static void fill_curves(struct curves *curves, const struct baseline_run *const *run, size_t n_unit,
                        size_t kind, const struct baseline_run *longest, size_t *point)
{
    for (size_t i = 0; i < longest->n_point; i++) {
        size_t step = baseline_step(longest, i), u = 0;
        for (; u < n_unit; u++) {
            double value = value_at(run[u], kind, step, &point[u]);
            if (isnan(value)) {
                break;
            }
            curves->value[u * curves->capacity + curves->n_step] = value;
        }
        if (u == n_unit) {
            curves->step[curves->n_step++] = step;
        }
    }
}

static void curves_free(struct curves *curves)
{
    free(curves->step);
    free(curves->value);
    *curves = (struct curves){0};
}

/* curves_make has no step where one of the runs has not the quantity at all. false: out of memory.
 */
static bool curves_make(struct curves *curves, const struct baseline_run *const *run, size_t n_unit,
                        size_t kind)
{
    *curves = (struct curves){.diverged_from = SIZE_MAX};
    if (!all_have(run, n_unit, kind)) {
        return true;
    }
    const struct baseline_run *longest = run[0];
    for (size_t u = 1; u < n_unit; u++) {
        longest = band_last_step(run[u]) > band_last_step(longest) ? run[u] : longest;
    }
    for (size_t u = 0; u < n_unit; u++) {
        size_t last = band_last_step(run[u]);
        curves->diverged_from =
            run[u]->diverged && last < curves->diverged_from ? last : curves->diverged_from;
    }
    size_t *point = calloc(n_unit, sizeof *point);
    curves->capacity = longest->n_point;
    curves->step = malloc(curves->capacity * sizeof *curves->step);
    curves->value = malloc(n_unit * curves->capacity * sizeof *curves->value);
    bool enough = point && curves->step && curves->value;
    if (enough) {
        fill_curves(curves, run, n_unit, kind, longest, point);
    }
    free(point);
    return enough;
}

/* ---- rows ---- */

/* add_row returns the values of a new row to fill in; NULL: out of memory. */
static double *add_row(struct band_table *table, const struct band_point *point)
{
    if (table->n_row == table->capacity) {
        size_t capacity = 2 * table->capacity + 64;
        double *value = realloc(table->value, capacity * table->n_unit * sizeof *value);
        table->value = value ? value : table->value;
        struct band_point *grown = realloc(table->point, capacity * sizeof *grown);
        table->point = grown ? grown : table->point;
        if (!value || !grown) {
            return NULL;
        }
        table->capacity = capacity;
    }
    table->point[table->n_row] = *point;
    return table->value + table->n_row++ * table->n_unit;
}

/* A row with a value that is not finite, or with the same value everywhere, says nothing. */
static void drop_empty_row(struct band_table *table)
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

static double usable(double value, bool is_log)
{
    double finite = isinf(value) ? TRAIN_DIVERGED_LOSS : value;
    return is_log ? log(fmax(finite, LOSS_MIN)) : finite;
}

static bool add_stretch(struct band_table *table, const struct curves *curves,
                        struct band_point point, size_t first, size_t end)
{
    point.first = curves->step[first];
    point.last = curves->step[end - 1];
    point.after_divergence = point.last >= curves->diverged_from;
    for (size_t u = 0; u < table->n_unit; u++) {
        const double *value = curves->value + u * curves->capacity;
        bool infinite = false;
        for (size_t i = first; i < end; i++) {
            infinite = infinite || isinf(value[i]);
        }
        point.n_infinite[u >= table->n_base] += infinite;
    }
    double *mean = add_row(table, &point);
    if (!mean) {
        return false;
    }
    for (size_t u = 0; u < table->n_unit; u++) {
        const double *value = curves->value + u * curves->capacity;
        mean[u] = 0;
        for (size_t i = first; i < end; i++) {
            mean[u] += usable(value[i], point.is_log) / (double)(end - first);
        }
    }
    drop_empty_row(table);
    return true;
}

static bool add_curve(struct band_table *table, const struct curves *curves, size_t part,
                      size_t kind)
{
    struct band_point point = {.part = part,
                               .quantity = (enum band_quantity)kind,
                               .name = curve_kinds[kind].name,
                               .is_log = curve_kinds[kind].is_log};
    double wide = 1, most = fmax((double)curves->n_step / N_LATE, 1);
    bool enough = true;
    for (size_t first = 0, n; first < curves->n_step && enough; first += n) {
        n = first < N_SINGLE ? 1 : (size_t)wide;
        n = n < curves->n_step - first ? n : curves->n_step - first;
        enough = add_stretch(table, curves, point, first, first + n);
        wide = first < N_SINGLE ? wide : fmin(wide * GROWTH + 0.3, most);
    }
    return enough && (curves->n_step == 0 || add_stretch(table, curves, point, 0, curves->n_step));
}

/* ---- numbers of a run as a whole ---- */

/* What is read off a curve is read off the steps that all have: a run with fewer points would seem
 * to be later. */
static struct baseline_run run_of(const struct curves *curves, size_t u)
{
    double *value = curves->value + u * curves->capacity;
    struct baseline_run run = {
        .n_point = curves->n_step, .step = curves->step, .loss = value, .accuracy = value};
    baseline_settle(&run);
    return run;
}

/* What never happened counts as happening behind the last step. */
static double end_of(const struct curves *curves)
{
    return (double)curves->step[curves->n_step - 1] + 1;
}

typedef double number_of(const struct baseline_run *run, const struct curves *curve, size_t u);

static double escape_step(const struct baseline_run *run, const struct curves *curve, size_t u)
{
    (void)run;
    long step = run_of(&curve[BAND_LOSS], u).escape_step;
    return step == STEP_NEVER ? end_of(&curve[BAND_LOSS]) : (double)step;
}

static double half_right_step(const struct baseline_run *run, const struct curves *curve, size_t u)
{
    (void)run;
    if (curve[BAND_ACCURACY].n_step == 0) {
        return NAN;
    }
    double step = run_of(&curve[BAND_ACCURACY], u).reaches[0];
    return isnan(step) ? end_of(&curve[BAND_ACCURACY]) : step;
}

static double test_loss(const struct baseline_run *run, const struct curves *curve, size_t u)
{
    (void)curve, (void)u;
    if (run->n_evaluation == 0) {
        return NAN;
    }
    return log(run->diverged ? TRAIN_DIVERGED_LOSS
                             : fmax(run->evaluation[run->n_evaluation - 1].loss, LOSS_MIN));
}

static double test_accuracy(const struct baseline_run *run, const struct curves *curve, size_t u)
{
    (void)curve, (void)u;
    return run->n_evaluation == 0 ? NAN
           : run->diverged        ? 0
                                  : run->evaluation[run->n_evaluation - 1].accuracy;
}

/* The test split against the batches trained on last. Seeds differ in when they learn; by then both
 * losses have fallen, so that this tells what is wrong in evaluation alone. */
static double test_excess(const struct baseline_run *run, const struct curves *curve, size_t u)
{
    const struct curves *loss = &curve[BAND_LOSS];
    size_t n = loss->n_step < N_LAST ? loss->n_step : N_LAST;
    const double *last = loss->value + u * loss->capacity + loss->n_step - n;
    double mean = 0;
    for (size_t i = 0; i < n; i++) {
        mean += log(fmax(last[i], LOSS_MIN)) / (double)n;
    }
    return test_loss(run, curve, u) - mean;
}

static double first_test_loss(const struct baseline_run *run, const struct curves *curve, size_t u)
{
    (void)curve, (void)u;
    return run->n_evaluation == 0 ? NAN : log(fmax(run->evaluation[0].loss, LOSS_MIN));
}

static double divergence(const struct baseline_run *run, const struct curves *curve, size_t u)
{
    (void)curve, (void)u;
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
               {"test loss over that of the last batches", true, test_excess},
               {"test loss before training", true, first_test_loss},
               {"share of runs that diverge", false, divergence}};

static bool add_numbers(struct band_table *table, const struct baseline_run *const *run,
                        const struct curves *curve, size_t part)
{
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        bool before_training = numbers[i].of == first_test_loss;
        struct band_point point = {.part = part,
                                   .after_divergence = !before_training &&
                                                       curve[BAND_LOSS].diverged_from != SIZE_MAX,
                                   .quantity = BAND_NUMBER,
                                   .name = numbers[i].name,
                                   .is_log = numbers[i].is_log,
                                   .last = (size_t)end_of(&curve[BAND_LOSS]) - 1};
        double *value = add_row(table, &point);
        if (!value) {
            return false;
        }
        for (size_t u = 0; u < table->n_unit; u++) {
            value[u] = numbers[i].of(run[u], curve, u);
        }
        drop_empty_row(table);
    }
    return true;
}

/* ---- parts ---- */

/* One clause for all parts of which the same is said; parts[p] is what is said of part p, or "". */
static void join_notes(struct band_table *table, char (*parts)[NOTE_SIZE])
{
    char *note = table->note;
    for (size_t p = 0; p < table->baseline->n_part; p++) {
        const char *joint = note[0] ? "; " : "";
        for (size_t i = p; parts[p][0] && i < table->baseline->n_part; i++) {
            size_t n = strlen(note);
            if (strcmp(parts[i], parts[p]) == 0) {
                snprintf(note + n, sizeof table->note - n, "%s%s", joint,
                         table->baseline->part[i].name);
                joint = ", ";
                parts[i][0] = i == p ? parts[i][0] : '\0';
            }
        }
        size_t n = strlen(note);
        if (parts[p][0]) {
            snprintf(note + n, sizeof table->note - n, ": %s", parts[p]);
        }
    }
}

static size_t fewest_points(const struct baseline_run *const *run, size_t n_unit)
{
    size_t fewest = SIZE_MAX;
    for (size_t u = 0; u < n_unit; u++) {
        fewest = !run[u]->diverged && run[u]->n_point < fewest ? run[u]->n_point : fewest;
    }
    return fewest;
}

/* note_missing says what is compared at fewer steps than every run has, or not at all. */
static void note_missing(const struct band_table *table, const struct baseline_run *const *run,
                         const struct curves *curve, char note[NOTE_SIZE])
{
    size_t fewest = fewest_points(run, table->n_unit), n_step = curve[BAND_LOSS].n_step, n = 0;
    if (fewest != SIZE_MAX && n_step < fewest) {
        n = (size_t)snprintf(note, NOTE_SIZE, "compared at the %zu steps that all curves have",
                             n_step);
    }
    const char *joint =
        n > 0 ? ", and not all new curves have the " : "not all new curves have the ";
    for (size_t kind = BAND_GRAD_NORM; kind < N_CURVE; kind++) {
        if (curve[kind].n_step == 0 && array_of(run[0], kind)) {
            n += (size_t)snprintf(note + n, NOTE_SIZE - n, "%s%s", joint, curve_kinds[kind].name);
            joint = " and the ";
        }
    }
}

static void note_left_out(const struct band_table *table, const struct baseline_part *base,
                          const struct baseline_part *fresh, char note[NOTE_SIZE])
{
    size_t n_run = base->n_run - table->n_base + fresh->n_run - table->n_fresh, n = strlen(note);
    if (n_run > 0) {
        snprintf(note + n, NOTE_SIZE - n,
                 "%s%zu run%s left out, of seeds that another part has not", n > 0 ? ", " : "",
                 n_run, n_run == 1 ? "" : "s");
    }
}

static enum status add_rows(struct band_table *table, const struct baseline_run *const *run,
                            const struct curves *curve, size_t part, char note[NOTE_SIZE],
                            struct error *err)
{
    const char *name = table->baseline->part[part].name;
    if (curve[BAND_LOSS].n_step == 0) {
        return error_set(err, STATUS_DATA,
                         "%s: no step is in all curves, old (first step %zu, last %zu) and new "
                         "(first %zu, last %zu), so nothing can be compared: log the same steps",
                         name, baseline_step(run[0], 0), band_last_step(run[0]),
                         baseline_step(run[table->n_base], 0), band_last_step(run[table->n_base]));
    }
    bool enough = true;
    for (size_t kind = 0; kind < N_CURVE && enough; kind++) {
        enough = add_curve(table, &curve[kind], part, kind);
    }
    enough = enough && add_numbers(table, run, curve, part);
    note_missing(table, run, curve, note);
    return enough ? STATUS_OK : out_of_memory(err);
}

static enum status add_part(struct band_table *table, size_t part,
                            const struct baseline_part *fresh, char note[NOTE_SIZE],
                            struct error *err)
{
    const struct baseline_part *base = &table->baseline->part[part];
    struct curves curve[N_CURVE] = {{0}};
    const struct baseline_run **run = calloc(table->n_unit, sizeof(struct baseline_run *));
    bool enough = run != NULL;
    for (size_t u = 0; enough && u < table->n_unit; u++) {
        run[u] = baseline_find_run(u < table->n_base ? base : fresh, table->seed[u]);
    }
    for (size_t kind = 0; kind < N_CURVE && enough; kind++) {
        enough = curves_make(&curve[kind], run, table->n_unit, kind);
    }
    enum status status = enough ? add_rows(table, run, curve, part, note, err) : out_of_memory(err);
    note_left_out(table, base, fresh, note);
    for (size_t kind = 0; kind < N_CURVE; kind++) {
        curves_free(&curve[kind]);
    }
    free(run);
    return status;
}

enum status band_table_fill(struct band_table *table, struct error *err)
{
    enum status status = STATUS_OK;
    char(*note)[NOTE_SIZE] = calloc(table->baseline->n_part + 1, sizeof *note);
    if (!note) {
        return out_of_memory(err);
    }
    for (size_t p = 0; p < table->baseline->n_part && status == STATUS_OK; p++) {
        const char *name = table->baseline->part[p].name;
        const struct baseline_part *fresh = baseline_find_part(table->fresh, name);
        status = fresh ? add_part(table, p, fresh, note[p], err) : STATUS_OK;
    }
    if (status == STATUS_OK) {
        join_notes(table, note);
    }
    free(note);
    return status;
}

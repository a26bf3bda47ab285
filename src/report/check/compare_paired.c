/* Every value of every run has a limit of its own, so a fault shows where rounding is smallest: in
 * the gradient and the weights of the first steps, and in the loss before training amplifies
 * anything. Of each kind of value the first one in time that is over its limit is told.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lab/baseline/baseline_tolerance.h"
#include "report/check/compare.h"

struct over {
    size_t value; /* the first one over its limit */
    size_t n_seed, n_higher, n_lower;
    double size, limit;     /* at that value, of the run that is farthest over */
    double expected, found; /* of that run; NaN of tensors */
};

static double number_at(const struct baseline_run *run, enum tolerance_kind kind, size_t value)
{
    switch (kind) {
    case TOLERANCE_LOSS:
        return run->loss[value];
    case TOLERANCE_GRAD_NORM:
        return run->grad_norm[value];
    case TOLERANCE_EVALUATION_LOSS:
        return run->evaluation[value].loss;
    case TOLERANCE_EVALUATION_ACCURACY:
        return run->evaluation[value].accuracy;
    default:
        return NAN;
    }
}

/* printf writes -nan of some. */
static double plain(double number)
{
    return isnan(number) ? (double)NAN : number;
}

/* first_over returns the first value over its limit, SIZE_MAX if there is none. What a run that
 * ended early does not have is no matter here. */
static size_t first_over(const struct baseline_part *base, const struct baseline_run *old,
                         const struct baseline_run *new, enum tolerance_kind kind)
{
    size_t n = tolerance_n_value(base, old, kind), n_new = tolerance_n_value(base, new, kind);
    for (size_t value = 0; value < n && value < n_new; value++) {
        if (tolerance_difference(base, old, new, kind, value) >
            tolerance_limit(base->tolerance, kind, value)) {
            return value;
        }
    }
    return SIZE_MAX;
}

static void count_over(const struct baseline_part *base, const struct baseline_run *old,
                       const struct baseline_run *new, enum tolerance_kind kind, struct over *over)
{
    size_t value = first_over(base, old, new, kind);
    if (value == SIZE_MAX) {
        return;
    }
    double size = tolerance_difference(base, old, new, kind, value);
    double expected = plain(number_at(old, kind, value)),
           found = plain(number_at(new, kind, value));
    over->n_seed++;
    over->n_higher += found > expected;
    over->n_lower += found < expected;
    if (over->n_seed == 1 || value < over->value || (value == over->value && size > over->size)) {
        over->value = value;
        over->size = size;
        over->limit = tolerance_limit(base->tolerance, kind, value);
        over->expected = expected;
        over->found = found;
    }
}

/* ---- words ---- */

static long step_of(const struct baseline_part *part, const struct baseline_run *run,
                    enum tolerance_kind kind, size_t value)
{
    switch (kind) {
    case TOLERANCE_LOSS:
    case TOLERANCE_GRAD_NORM:
        return (long)baseline_step(run, value);
    case TOLERANCE_EVALUATION_LOSS:
    case TOLERANCE_EVALUATION_ACCURACY:
        return (long)run->evaluation[value].n_done;
    case TOLERANCE_GRADIENT:
        return 0;
    default:
        return (long)run->weights[value / part->n_tensor].n_done;
    }
}

static void name_kind(const struct baseline_part *part, enum tolerance_kind kind, size_t value,
                      char what[COMPARE_WHAT_SIZE])
{
    static const char *const names[TOLERANCE_COUNT] = {[TOLERANCE_LOSS] = "loss",
                                                       [TOLERANCE_GRAD_NORM] = "gradient norm",
                                                       [TOLERANCE_EVALUATION_LOSS] = "test loss",
                                                       [TOLERANCE_EVALUATION_ACCURACY] =
                                                           "test accuracy",
                                                       [TOLERANCE_GRADIENT] = "gradient",
                                                       [TOLERANCE_WEIGHTS] = "weights"};
    bool tensors = kind == TOLERANCE_GRADIENT || kind == TOLERANCE_WEIGHTS;
    snprintf(what, COMPARE_WHAT_SIZE, "%s%s%s", names[kind], tensors ? " of " : "",
             tensors ? part->tensor[value % part->n_tensor] : "");
}

/* say_when writes "from step 3: " of a step, "after 3 steps: " of the weights that it leaves. */
static size_t say_when(enum tolerance_kind kind, struct difference *d)
{
    bool of_step =
        kind == TOLERANCE_LOSS || kind == TOLERANCE_GRAD_NORM || kind == TOLERANCE_GRADIENT;
    if (of_step) {
        return (size_t)snprintf(d->text, sizeof d->text, "from step %ld: ", d->step);
    }
    if (d->step == 0) {
        return (size_t)snprintf(d->text, sizeof d->text, "before the first step: ");
    }
    return (size_t)snprintf(d->text, sizeof d->text, "after %ld step%s: ", d->step,
                            d->step == 1 ? "" : "s");
}

static void say(enum tolerance_kind kind, const struct over *over, size_t n_of,
                struct difference *d)
{
    size_t n = say_when(kind, d);
    if (isfinite(over->expected)) {
        n += (size_t)snprintf(d->text + n, sizeof d->text - n, "%s %.7g, and was %.7g, off",
                              d->what, over->found, over->expected);
    } else {
        n += (size_t)snprintf(d->text + n, sizeof d->text - n, "%s off", d->what);
    }
    n += (size_t)snprintf(d->text + n, sizeof d->text - n,
                          " by %.2g, where rounding explains %.2g; %zu of %zu seeds", over->size,
                          over->limit, over->n_seed, n_of);
    if (over->n_higher == over->n_seed || over->n_lower == over->n_seed) {
        snprintf(d->text + n, sizeof d->text - n, ", %s", over->n_higher > 0 ? "higher" : "lower");
    }
}

static struct difference describe(const struct baseline_part *part, enum tolerance_kind kind,
                                  const struct over *over, size_t n_of)
{
    struct difference d = {.part = part->name,
                           .step = step_of(part, &part->run[0], kind, over->value),
                           .expected = over->expected,
                           .found = over->found,
                           .size = over->size,
                           .limit = over->limit,
                           .p = NAN,
                           .n_seed = over->n_seed,
                           .n_of = n_of};
    name_kind(part, kind, over->value, d.what);
    say(kind, over, n_of, &d);
    return d;
}

/* A run that ended elsewhere than the old one did, be it that it diverged or that it is shorter. */
static bool add_ends(const struct baseline_part *base, const struct baseline_part *fresh,
                     struct comparison *comparison)
{
    size_t n_seed = 0, n_of = 0;
    const struct baseline_run *old = NULL, *new = NULL;
    for (size_t r = 0; r < fresh->n_run; r++) {
        const struct baseline_run *run = baseline_find_run(base, fresh->run[r].seed);
        n_of += run != NULL;
        if (run && (run->diverged != fresh->run[r].diverged ||
                    (!run->diverged && run->n_point != fresh->run[r].n_point))) {
            n_seed++;
            old = old ? old : run;
            new = new ? new : &fresh->run[r];
        }
    }
    if (n_seed == 0) {
        return true;
    }
    struct difference d = {.part = base->name,
                           .step = (long)new->n_point - 1,
                           .expected = (double)old->n_point,
                           .found = (double)new->n_point,
                           .size = NAN,
                           .limit = NAN,
                           .p = NAN,
                           .n_seed = n_seed,
                           .n_of = n_of};
    snprintf(d.what, sizeof d.what, "%s", old->diverged != new->diverged ? "divergence" : "length");
    snprintf(d.text, sizeof d.text,
             "seed %llu %s at step %zu, and %s at step %zu before; %zu of "
             "%zu seeds",
             (unsigned long long)new->seed, new->diverged ? "diverged" : "ended", new->n_point - 1,
             old->diverged ? "diverged" : "ended", old->n_point - 1, n_seed, n_of);
    return comparison_add(comparison, &d);
}

static bool compare_kind(const struct baseline_part *base, const struct baseline_part *fresh,
                         enum tolerance_kind kind, struct comparison *comparison, size_t *n_of)
{
    struct over over = {.value = SIZE_MAX};
    *n_of = 0;
    for (size_t r = 0; r < fresh->n_run; r++) {
        const struct baseline_run *old = baseline_find_run(base, fresh->run[r].seed);
        if (old) {
            ++*n_of;
            count_over(base, old, &fresh->run[r], kind, &over);
        }
    }
    if (over.n_seed == 0) {
        return true;
    }
    struct difference difference = describe(base, kind, &over, *n_of);
    return comparison_add(comparison, &difference);
}

static bool compare_part(const struct baseline_part *base, const struct baseline_part *fresh,
                         struct comparison *comparison)
{
    struct difference difference;
    bool same_tensors = compare_same_tensors(base, fresh, &difference);
    bool enough = same_tensors || comparison_add(comparison, &difference);
    size_t n_of = 0;
    for (size_t k = 0; k < TOLERANCE_COUNT && enough; k++) {
        enum tolerance_kind kind = (enum tolerance_kind)k;
        if (same_tensors || (kind != TOLERANCE_GRADIENT && kind != TOLERANCE_WEIGHTS)) {
            enough = compare_kind(base, fresh, kind, comparison, &n_of);
        }
    }
    comparison->n_run += n_of;
    comparison->n_part += n_of > 0;
    return enough && add_ends(base, fresh, comparison);
}

enum status compare_paired(const struct baseline *baseline, const struct baseline *fresh,
                           struct comparison *comparison, struct error *err)
{
    *comparison = (struct comparison){.tier = TIER_PAIRED, .p = NAN};
    for (size_t p = 0; p < fresh->n_part; p++) {
        const struct baseline_part *base = baseline_find_part(baseline, fresh->part[p].name);
        if (base && !base->tolerance) {
            return error_set(err, STATUS_DATA,
                             "the baseline has no tolerances (recorded with --no-paired, or from "
                             "curves): only the tiers exact and band can use it");
        }
        if (base && !compare_part(base, &fresh->part[p], comparison)) {
            return error_memory(err, "comparing");
        }
    }
    if (comparison->n_run == 0) {
        return error_set(
            err, STATUS_DATA,
            "no run of the baseline has a part and a seed in common with the new ones");
    }
    comparison_sort(comparison);
    return STATUS_OK;
}

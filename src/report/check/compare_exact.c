/* The first difference in time is the one that tells: everything behind it follows from it. A state
 * of the weights comes before what is computed with them: weights after n steps, the evaluation of
 * them, then step n itself with its loss and gradient.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/check/compare.h"

enum order { PLACE_WEIGHTS, PLACE_EVALUATION, PLACE_STEP, PLACE_NONE };

struct first {
    size_t n_done;
    enum order place;
    const char *number;      /* "loss", ... of a step or evaluation; NULL: tensors */
    double expected, found;  /* of the number; of a gradient: the loss of its step */
    size_t tensor, n_tensor; /* the first one that differs, and how many do */
    size_t farthest;         /* the one that differs most, */
    double distance;         /* and by which share of its norm */
};

static bool is_before(const struct first *a, const struct first *b)
{
    return a->place != PLACE_NONE && (b->place == PLACE_NONE || a->n_done < b->n_done ||
                                      (a->n_done == b->n_done && a->place < b->place));
}

static void keep_first(struct first *first, const struct first *other)
{
    if (is_before(other, first)) {
        *first = *other;
    }
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* compare_tensors fills in which of n tensors differ; PLACE_NONE: none does. */
static struct first compare_tensors(const struct fingerprint *base, const struct fingerprint *fresh,
                                    size_t n, size_t n_done, enum order place)
{
    struct first first = {.place = PLACE_NONE, .n_done = n_done};
    for (size_t i = 0; i < n; i++) {
        if (strcmp(base[i].hash, fresh[i].hash) == 0) {
            continue;
        }
        double distance = baseline_distance(&base[i], &fresh[i], 1e-30);
        if (first.n_tensor++ == 0) {
            first.place = place;
            first.tensor = first.farthest = i;
            first.distance = distance;
        }
        if (!(distance <= first.distance)) {
            first.farthest = i;
            first.distance = distance;
        }
    }
    return first;
}

static struct first number_differs(size_t n_done, enum order place, const char *number,
                                   double expected, double found)
{
    return (struct first){.n_done = n_done,
                          .place = same(expected, found) ? PLACE_NONE : place,
                          .number = number,
                          .expected = isnan(expected) ? (double)NAN : expected, /* never -nan */
                          .found = isnan(found) ? (double)NAN : found};
}

static struct first first_of_curves(const struct baseline_run *base,
                                    const struct baseline_run *fresh)
{
    struct first first = {.place = PLACE_NONE};
    size_t n = base->n_point < fresh->n_point ? base->n_point : fresh->n_point;
    for (size_t i = 0; i < n && first.place == PLACE_NONE; i++) {
        size_t step = baseline_step(base, i);
        first = number_differs(step, PLACE_STEP, "next step written down", (double)step,
                               (double)baseline_step(fresh, i));
        if (first.place == PLACE_NONE) {
            first = number_differs(step, PLACE_STEP, "loss", base->loss[i], fresh->loss[i]);
        }
        if (first.place == PLACE_NONE && base->grad_norm && fresh->grad_norm) {
            first = number_differs(step, PLACE_STEP, "gradient norm", base->grad_norm[i],
                                   fresh->grad_norm[i]);
        }
        if (first.place == PLACE_NONE && base->accuracy && fresh->accuracy) {
            first =
                number_differs(step, PLACE_STEP, "accuracy", base->accuracy[i], fresh->accuracy[i]);
        }
    }
    if (first.place == PLACE_NONE) {
        first = number_differs(baseline_step(base, n - 1) + 1, PLACE_STEP, "number of steps",
                               (double)base->n_point, (double)fresh->n_point);
    }
    return first;
}

/* first_tensors is the first difference of gradient or weights. */
static struct first first_tensors(const struct baseline_run *base, const struct baseline_run *fresh,
                                  size_t n_tensor)
{
    struct first first = {.place = PLACE_NONE}, other;
    for (size_t i = 0; n_tensor > 0 && i < base->n_weights && i < fresh->n_weights; i++) {
        other = compare_tensors(base->weights[i].tensor, fresh->weights[i].tensor, n_tensor,
                                base->weights[i].n_done, PLACE_WEIGHTS);
        keep_first(&first, &other);
    }
    if (n_tensor > 0 && base->gradient && fresh->gradient) {
        other = compare_tensors(base->gradient, fresh->gradient, n_tensor, 0, PLACE_STEP);
        other.expected = base->loss[0];
        other.found = fresh->loss[0];
        keep_first(&first, &other);
    }
    return first;
}

/* Of the first step the gradient's tensors say more than its loss. */
static struct first first_of_run(const struct baseline_run *base, const struct baseline_run *fresh,
                                 const struct first *tensors)
{
    struct first first = first_of_curves(base, fresh), other;
    if (tensors->place != PLACE_NONE && !is_before(&first, tensors)) {
        first = *tensors;
    }
    for (size_t i = 0; i < base->n_evaluation && i < fresh->n_evaluation; i++) {
        const struct baseline_evaluation *a = &base->evaluation[i], *b = &fresh->evaluation[i];
        other = number_differs(a->n_done, PLACE_EVALUATION, "test loss", a->loss, b->loss);
        keep_first(&first, &other);
        other =
            number_differs(a->n_done, PLACE_EVALUATION, "test accuracy", a->accuracy, b->accuracy);
        keep_first(&first, &other);
    }
    return first;
}

/* ---- words ---- */

static void say_tensors(const struct baseline_part *part, const struct first *first,
                        struct difference *d)
{
    bool gradient = first->place == PLACE_STEP;
    const char *name = part->tensor[first->tensor];
    snprintf(d->what, sizeof d->what, "%s of %s", gradient ? "gradient" : "weights", name);
    size_t n =
        (size_t)snprintf(d->text, sizeof d->text, "%s differ%s first in %s, in %zu of %zu tensors",
                         gradient ? "the gradient" : "the weights", gradient ? "s" : "", name,
                         first->n_tensor, part->n_tensor);
    n +=
        (size_t)snprintf(d->text + n, sizeof d->text - n, "; most in %s, by about %.2g of its norm",
                         part->tensor[first->farthest], first->distance);
    if (gradient && same(first->expected, first->found)) {
        snprintf(d->text + n, sizeof d->text - n, "; the loss is the same");
    } else if (gradient) {
        snprintf(d->text + n, sizeof d->text - n, "; the loss is %.9g, and was %.9g", first->found,
                 first->expected);
    }
}

static void say_number(const struct first *first, struct difference *d)
{
    snprintf(d->what, sizeof d->what, "%s", first->number);
    double change = first->found - first->expected;
    size_t n = (size_t)snprintf(d->text, sizeof d->text, "the %s is %.9g, and was %.9g",
                                first->number, first->found, first->expected);
    if (isfinite(change)) {
        snprintf(d->text + n, sizeof d->text - n, " (%+.2g)", change);
    }
}

static void say_where(const struct first *first, size_t n_seed, size_t n_of, struct difference *d)
{
    char body[COMPARE_TEXT_SIZE];
    memcpy(body, d->text, sizeof body);
    if (first->place == PLACE_STEP) {
        snprintf(d->text, sizeof d->text, "from step %zu: %.480s", first->n_done, body);
    } else if (first->n_done == 0) {
        snprintf(d->text, sizeof d->text, "before the first step: %.480s", body);
    } else {
        snprintf(d->text, sizeof d->text, "after %zu step%s: %.480s", first->n_done,
                 first->n_done == 1 ? "" : "s", body);
    }
    size_t n = strlen(d->text);
    snprintf(d->text + n, sizeof d->text - n, "; %zu of %zu seeds differ", n_seed, n_of);
}

static struct difference describe(const struct baseline_part *part, const struct first *first,
                                  size_t n_seed, size_t n_of)
{
    bool tensors = !first->number;
    struct difference d = {.part = part->name,
                           .step = (long)first->n_done,
                           .expected = tensors ? NAN : first->expected,
                           .found = tensors ? NAN : first->found,
                           .size = tensors ? first->distance : first->found - first->expected,
                           .limit = 0,
                           .p = NAN,
                           .n_seed = n_seed,
                           .n_of = n_of};
    if (tensors) {
        say_tensors(part, first, &d);
    } else {
        say_number(first, &d);
    }
    say_where(first, n_seed, n_of, &d);
    return d;
}

static bool add(struct comparison *comparison, const struct baseline_part *part,
                const struct first *first, size_t n_seed, size_t n_of)
{
    if (first->place == PLACE_NONE) {
        return true;
    }
    struct difference difference = describe(part, first, n_seed, n_of);
    return comparison_add(comparison, &difference);
}

static bool compare_part(const struct baseline_part *base, const struct baseline_part *fresh,
                         struct comparison *comparison)
{
    struct difference difference;
    struct first first = {.place = PLACE_NONE}, tensors = first;
    bool same_tensors = compare_same_tensors(base, fresh, &difference);
    size_t n_seed = 0, n_of = 0, n_tensor_seed = 0;
    if (!same_tensors && !comparison_add(comparison, &difference)) {
        return false;
    }
    for (size_t r = 0; r < fresh->n_run; r++) {
        const struct baseline_run *new = &fresh->run[r];
        const struct baseline_run *old = baseline_find_run(base, new->seed);
        if (!old) {
            continue;
        }
        struct first own_tensors = first_tensors(old, new, same_tensors ? base->n_tensor : 0);
        struct first own = first_of_run(old, new, &own_tensors);
        keep_first(&first, &own);
        keep_first(&tensors, &own_tensors);
        n_seed += own.place != PLACE_NONE;
        n_tensor_seed += own_tensors.place != PLACE_NONE;
        n_of++;
    }
    comparison->n_run += n_of;
    comparison->n_part += n_of > 0;
    bool enough = add(comparison, base, &first, n_seed, n_of);
    return enough && first.number ? add(comparison, base, &tensors, n_tensor_seed, n_of) : enough;
}

enum status compare_exact(const struct baseline *baseline, const struct baseline *fresh,
                          struct comparison *comparison, struct error *err)
{
    *comparison = (struct comparison){.tier = TIER_EXACT, .p = NAN};
    for (size_t p = 0; p < fresh->n_part; p++) {
        const struct baseline_part *base = baseline_find_part(baseline, fresh->part[p].name);
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

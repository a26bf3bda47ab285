/* Exact and paired ask the same: where does a trace first differ from the old one of its seed? In
 * exact any other bit is a difference, in paired what is over its limit.
 *
 * In exact the first difference in time is the one that tells: everything behind it follows from
 * it. In paired every value of every trace has a limit of its own, so a fault shows where rounding
 * is smallest: in gradient and weights of the first steps, and in the loss before training
 * amplifies anything. Of each quantity the first value in time that is over its limit is told.
 */
#include "base/text.h"
#include "check/tier.h"

#include <math.h>
#include <string.h>

/* A cohort of both. */
struct sides {
    const struct cohort *old, *new;
    size_t n_pair;     /* new traces with an old one of their seed */
    bool same_tensors; /* so that fingerprints can be compared */
};

/* A value that differs. */
struct spot {
    const struct trace *old_trace, *new_trace; /* NULL: nothing differs */
    enum quantity quantity;
    size_t i, n_done;
    struct value old, new;
};

static struct spot spot_at(const struct trace *old, const struct trace *new, enum quantity quantity,
                           size_t i)
{
    struct spot spot = {.old_trace = old, .new_trace = new, .quantity = quantity, .i = i};
    spot.old = trace_value(old, quantity, i);
    spot.new = trace_value(new, quantity, i);
    spot.n_done = spot.old.n_done;
    if (quantity == QUANTITY_LENGTH && spot.new.n_done < spot.n_done) {
        spot.n_done = spot.new.n_done;
    }
    return spot;
}

typedef bool difference_test(const struct cohort *old, const struct spot *spot);

/* find_first returns the first value of a quantity in which a new trace differs from the old one of
 * its seed. What a training that ended early does not have is no matter here. */
static struct spot find_first(const struct sides *sides, const struct trace *new,
                              enum quantity quantity, difference_test *differs)
{
    const struct trace *old = cohort_trace(sides->old, new->seed);
    bool comparable = old && (sides->same_tensors || !quantities[quantity].of_tensors);
    size_t n_old = comparable ? trace_n_value(old, quantity) : 0;
    size_t n_new = trace_n_value(new, quantity);
    for (size_t i = 0; i < n_old && i < n_new; i++) {
        struct spot spot = spot_at(old, new, quantity, i);
        if (differs(sides->old, &spot)) {
            return spot;
        }
    }
    return (struct spot){0};
}

/* printf writes -nan of some. */
static double plain(double number)
{
    return isnan(number) ? (double)NAN : number;
}

/* begin_difference begins its sentence: "from step 3: " of a step, "after 3 steps: " of the weights
 * that it leaves. */
static struct difference begin_difference(const struct sides *sides, const struct spot *spot,
                                          size_t n_seed)
{
    const struct quantity_row *row = &quantities[spot->quantity];
    const char *of = row->of_tensors ? " of " : "";
    const char *tensor = row->of_tensors ? sides->old->tensor[spot->i % sides->old->n_tensor] : "";
    struct difference d =
        difference_make(sides->old, (long)spot->n_done, "%s%s%s", row->title, of, tensor);
    d.expected = plain(spot->old.number);
    d.found = plain(spot->new.number);
    d.n_seed = n_seed;
    d.n_of = sides->n_pair;
    if (row->place == PLACE_STEP) {
        text_append(&d.text, "from step %zu: ", spot->n_done);
    } else if (spot->n_done == 0) {
        text_append(&d.text, "before the first step: ");
    } else {
        text_append(&d.text, "after %zu step%s: ", spot->n_done, plural(spot->n_done));
    }
    return d;
}

/* ---- exact ---- */

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool bits_differ(const struct cohort *old, const struct spot *spot)
{
    (void)old;
    return spot->old.print ? strcmp(spot->old.print->hash, spot->new.print->hash) != 0
                           : !same_number(spot->old.number, spot->new.number);
}

static void keep_earlier(struct spot *first, const struct spot *other)
{
    const struct quantity_row *a = &quantities[first->quantity], *b = &quantities[other->quantity];
    if (other->new_trace &&
        (!first->new_trace || other->n_done < first->n_done ||
         (other->n_done == first->n_done &&
          (b->place < a->place || (b->place == a->place && other->quantity < first->quantity))))) {
        *first = *other;
    }
}

/* How many tensors differ at the time of a spot, which is the first one, and which does most. */
static void say_tensors(const struct cohort *old, const struct spot *spot, struct difference *d)
{
    size_t n_tensor = old->n_tensor, first = spot->i - spot->i % n_tensor;
    size_t n_differ = 0, farthest = 0;
    d->size = -1;
    for (size_t t = 0; t < n_tensor; t++) {
        struct spot own = spot_at(spot->old_trace, spot->new_trace, spot->quantity, first + t);
        double distance = fingerprint_distance(own.old.print, own.new.print, 1e-30);
        if (bits_differ(old, &own)) {
            n_differ++;
            farthest = distance <= d->size ? farthest : t;
            d->size = distance <= d->size ? d->size : distance;
        }
    }
    text_append(&d->text,
                "the %s first in %s, in %zu of %zu tensors; most in %s, by about %.2g of its norm",
                spot->quantity == QUANTITY_GRADIENT ? "gradient differs" : "weights differ",
                old->tensor[spot->i - first], n_differ, n_tensor, old->tensor[farthest], d->size);
    if (spot->quantity == QUANTITY_GRADIENT) {
        struct spot loss = spot_at(spot->old_trace, spot->new_trace, QUANTITY_LOSS, 0);
        if (same_number(loss.old.number, loss.new.number)) {
            text_append(&d->text, "; the loss is the same");
        } else {
            text_append(&d->text, "; the loss is %.9g, and was %.9g", plain(loss.new.number),
                        plain(loss.old.number));
        }
    }
}

static void add_first(const struct sides *sides, const struct spot *spot, size_t n_seed,
                      struct verdict *verdict)
{
    if (!spot->new_trace) {
        return;
    }
    struct difference d = begin_difference(sides, spot, n_seed);
    d.limit = 0;
    if (spot->old.print) {
        say_tensors(sides->old, spot, &d);
    } else {
        d.size = d.found - d.expected;
        text_append(&d.text, "the %s is %.9g, and was %.9g", d.what, d.found, d.expected);
        if (isfinite(d.size)) {
            text_append(&d.text, " (%+.2g)", d.size);
        }
    }
    text_append(&d.text, "; %zu of %zu seeds differ", n_seed, sides->n_pair);
    verdict_add(verdict, &d);
}

/* The first difference of all, and where that is a number, also the first one of tensors. */
static void exact_cohort(const struct sides *sides, struct verdict *verdict)
{
    struct spot first = {0}, first_tensor = {0};
    size_t n_seed = 0, n_tensor_seed = 0;
    for (size_t i = 0; i < sides->new->n_trace; i++) {
        struct spot own = {0}, own_tensor = {0};
        for (size_t q = 0; q < QUANTITY_COUNT; q++) {
            struct spot spot =
                find_first(sides, &sides->new->trace[i], (enum quantity)q, bits_differ);
            keep_earlier(&own, &spot);
            if (quantities[q].of_tensors) {
                keep_earlier(&own_tensor, &spot);
            }
        }
        n_seed += own.new_trace != NULL;
        n_tensor_seed += own_tensor.new_trace != NULL;
        keep_earlier(&first, &own);
        keep_earlier(&first_tensor, &own_tensor);
    }
    add_first(sides, &first, n_seed, verdict);
    if (!first.old.print) {
        add_first(sides, &first_tensor, n_tensor_seed, verdict);
    }
}

/* ---- paired ---- */

static double size_of(const struct spot *spot)
{
    return trace_difference(spot->old_trace, spot->new_trace, spot->quantity, spot->i);
}

static bool is_over(const struct cohort *old, const struct spot *spot)
{
    return size_of(spot) > tolerance_limit(old->tolerance, spot->quantity, spot->i);
}

/* The first value of a quantity that is over its limit, of the trace that is farthest over there.
 */
static void paired_quantity(const struct sides *sides, enum quantity quantity,
                            struct verdict *verdict)
{
    struct spot first = {0};
    size_t n_seed = 0, n_higher = 0, n_lower = 0;
    for (size_t i = 0; i < sides->new->n_trace; i++) {
        struct spot spot = find_first(sides, &sides->new->trace[i], quantity, is_over);
        if (!spot.new_trace) {
            continue;
        }
        n_seed++;
        n_higher += spot.new.number > spot.old.number;
        n_lower += spot.new.number < spot.old.number;
        if (n_seed == 1 || spot.i < first.i ||
            (spot.i == first.i && size_of(&spot) > size_of(&first))) {
            first = spot;
        }
    }
    if (n_seed == 0) {
        return;
    }
    struct difference d = begin_difference(sides, &first, n_seed);
    d.size = size_of(&first);
    d.limit = tolerance_limit(sides->old->tolerance, quantity, first.i);
    text_append(&d.text, "%s", d.what);
    if (isfinite(d.expected)) {
        text_append(&d.text, " %.7g, and was %.7g,", d.found, d.expected);
    }
    text_append(&d.text, " off by %.2g, where rounding explains %.2g; %zu of %zu seeds%s", d.size,
                d.limit, n_seed, d.n_of,
                n_higher == n_seed  ? ", higher"
                : n_lower == n_seed ? ", lower"
                                    : "");
    verdict_add(verdict, &d);
}

static const char *how_ended(const struct trace *trace)
{
    return trace->diverged ? "diverged" : "ended";
}

/* Trainings that ended elsewhere than the old ones, be it that they diverged or that they are
 * shorter. */
static void paired_ends(const struct sides *sides, struct verdict *verdict)
{
    const struct trace *old = NULL, *new = NULL;
    size_t n_seed = 0;
    for (size_t i = sides->new->n_trace; i-- > 0;) {
        const struct trace *b = &sides->new->trace[i], *a = cohort_trace(sides->old, b->seed);
        if (a && (a->diverged != b->diverged || (!a->diverged && a->n_point != b->n_point))) {
            n_seed++;
            old = a;
            new = b;
        }
    }
    if (n_seed == 0) {
        return;
    }
    struct difference d = difference_make(sides->old, (long)trace_last_step(new), "%s",
                                          old->diverged != new->diverged ? "divergence" : "length");
    d.expected = (double)old->n_point;
    d.found = (double)new->n_point;
    d.n_seed = n_seed;
    d.n_of = sides->n_pair;
    text_append(&d.text, "seed %llu %s at step %zu, and %s at step %zu before; %zu of %zu seeds",
                (unsigned long long)new->seed, how_ended(new), trace_last_step(new), how_ended(old),
                trace_last_step(old), n_seed, d.n_of);
    verdict_add(verdict, &d);
}

static void paired_cohort(const struct sides *sides, struct verdict *verdict)
{
    for (size_t q = 0; q < QUANTITY_COUNT; q++) {
        if (quantities[q].floor > 0) {
            paired_quantity(sides, (enum quantity)q, verdict);
        }
    }
    paired_ends(sides, verdict);
}

/* ---- all cohorts ---- */

static bool have_same_tensors(const struct cohort *old, const struct cohort *new,
                              struct verdict *verdict)
{
    size_t i = 0;
    while (i < old->n_tensor && i < new->n_tensor &&strcmp(old->tensor[i], new->tensor[i]) == 0) {
        i++;
    }
    if (i == old->n_tensor && i == new->n_tensor) {
        return true;
    }
    struct difference d = difference_make(old, 0, "tensors");
    d.expected = (double)old->n_tensor;
    d.found = (double)new->n_tensor;
    d.n_seed = d.n_of = new->n_trace;
    text_append(&d.text, "the model has other tensors: number %zu is %s, and was %s", i,
                i < new->n_tensor ? new->tensor[i] : "missing",
                i < old->n_tensor ? old->tensor[i] : "missing");
    verdict_add(verdict, &d);
    return false;
}

static enum status compare_cohorts(const struct traces *old, const struct traces *new,
                                   void (*compare)(const struct sides *, struct verdict *),
                                   struct verdict *verdict, struct error *err)
{
    for (size_t p = 0; p < new->n_cohort; p++) {
        struct sides sides = {.old = traces_cohort(old, new->cohort[p].name),
                              .new = &new->cohort[p]};
        if (!sides.old) {
            continue;
        }
        for (size_t i = 0; i < sides.new->n_trace; i++) {
            sides.n_pair += cohort_trace(sides.old, sides.new->trace[i].seed) != NULL;
        }
        sides.same_tensors = have_same_tensors(sides.old, sides.new, verdict);
        compare(&sides, verdict);
        verdict->n_trace += sides.n_pair;
        verdict->n_cohort += sides.n_pair > 0;
    }
    return verdict->n_trace > 0
               ? STATUS_OK
               : error_set(
                     err, STATUS_DATA,
                     "no run of the baseline has a part and a seed in common with the new ones");
}

enum status exact_compare(const struct traces *old, const struct traces *new,
                          struct verdict *verdict, struct error *err)
{
    return compare_cohorts(old, new, exact_cohort, verdict, err);
}

enum status paired_compare(const struct traces *old, const struct traces *new,
                           struct verdict *verdict, struct error *err)
{
    for (size_t p = 0; p < new->n_cohort; p++) {
        const struct cohort *cohort = traces_cohort(old, new->cohort[p].name);
        if (cohort && !cohort->tolerance) {
            return error_set(err, STATUS_DATA,
                             "the baseline has no tolerances (recorded with --no-paired, or from "
                             "curves): only the tiers exact and band can use it");
        }
    }
    return compare_cohorts(old, new, paired_cohort, verdict, err);
}

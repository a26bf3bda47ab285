/* Exact and paired ask the same: where does a trace first differ from the old one of its seed? In
 * exact any other bit is a difference, in paired what is over its limit.
 *
 * In exact the first difference in time is the one that tells: everything behind it follows from
 * it. In paired every value of every trace has a limit of its own, so a fault shows where rounding
 * is smallest: in gradient and weights of the first steps, and in the loss before training
 * amplifies anything. Of each quantity the first value in time that is over its limit is told.
 */
#include "check/same_seeds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The traces of a part of which there is an old and a new one. */
struct pairs {
    const struct part *part;         /* of the old */
    const struct trace **old, **new; /* [n] */
    size_t n;
    bool same_tensors; /* so that fingerprints can be compared */
};

/* A value that differs. */
struct spot {
    size_t pair; /* NONE: nothing differs */
    enum quantity quantity;
    size_t i, n_done;
    struct value old, new;
};
#define NONE SIZE_MAX

static struct spot spot_at(const struct pairs *pairs, size_t pair, enum quantity quantity, size_t i)
{
    struct spot spot = {.pair = pair, .quantity = quantity, .i = i};
    spot.old = trace_value(pairs->old[pair], quantity, i);
    spot.new = trace_value(pairs->new[pair], quantity, i);
    spot.n_done = spot.old.n_done;
    if (quantity == QUANTITY_LENGTH && spot.new.n_done < spot.n_done) {
        spot.n_done = spot.new.n_done;
    }
    return spot;
}

typedef bool difference_test(const struct pairs *pairs, const struct spot *spot);

/* find_first returns the first value of a quantity that differs. What a training that ended early
 * does not have is no matter here. */
static struct spot find_first(const struct pairs *pairs, size_t pair, enum quantity quantity,
                              difference_test *differs)
{
    size_t n = trace_n_value(pairs->old[pair], quantity);
    size_t n_new = trace_n_value(pairs->new[pair], quantity);
    bool comparable = pairs->same_tensors || !quantities[quantity].of_tensors;
    for (size_t i = 0; i < n && i < n_new && comparable; i++) {
        struct spot spot = spot_at(pairs, pair, quantity, i);
        if (differs(pairs, &spot)) {
            return spot;
        }
    }
    return (struct spot){.pair = NONE};
}

/* printf writes -nan of some. */
static double plain(double number)
{
    return isnan(number) ? (double)NAN : number;
}

/* begin_difference begins its sentence: "from step 3: " of a step, "after 3 steps: " of the weights
 * that it leaves. */
static struct difference begin_difference(const struct pairs *pairs, const struct spot *spot)
{
    const struct quantity_row *row = &quantities[spot->quantity];
    const char *of = row->of_tensors ? " of " : "";
    const char *tensor =
        row->of_tensors ? pairs->part->tensor[spot->i % pairs->part->n_tensor] : "";
    struct difference d =
        difference_make(pairs->part, (long)spot->n_done, "%s%s%s", row->title, of, tensor);
    d.expected = plain(spot->old.number);
    d.found = plain(spot->new.number);
    d.n_of = pairs->n;
    if (row->place == PLACE_STEP) {
        text_append(&d.text, "from step %zu: ", spot->n_done);
    } else if (spot->n_done == 0) {
        text_append(&d.text, "before the first step: ");
    } else {
        text_append(&d.text, "after %zu step%s: ", spot->n_done, spot->n_done == 1 ? "" : "s");
    }
    return d;
}

/* ---- exact ---- */

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool bits_differ(const struct pairs *pairs, const struct spot *spot)
{
    (void)pairs;
    return spot->old.print ? strcmp(spot->old.print->hash, spot->new.print->hash) != 0
                           : !same_number(spot->old.number, spot->new.number);
}

static void keep_earlier(struct spot *first, const struct spot *other)
{
    const struct quantity_row *a = &quantities[first->quantity], *b = &quantities[other->quantity];
    if (other->pair != NONE &&
        (first->pair == NONE || other->n_done < first->n_done ||
         (other->n_done == first->n_done &&
          (b->place < a->place || (b->place == a->place && other->quantity < first->quantity))))) {
        *first = *other;
    }
}

/* How many tensors differ at the time of a spot, which is the first one, and which does most. */
static void say_tensors(const struct pairs *pairs, const struct spot *spot, struct difference *d)
{
    size_t n_tensor = pairs->part->n_tensor, first = spot->i - spot->i % n_tensor;
    size_t n_differ = 0, farthest = 0;
    d->size = -1;
    for (size_t t = 0; t < n_tensor; t++) {
        struct spot own = spot_at(pairs, spot->pair, spot->quantity, first + t);
        double distance = fingerprint_distance(own.old.print, own.new.print, 1e-30);
        if (bits_differ(pairs, &own)) {
            n_differ++;
            farthest = distance <= d->size ? farthest : t;
            d->size = distance <= d->size ? d->size : distance;
        }
    }
    text_append(&d->text,
                "the %s first in %s, in %zu of %zu tensors; most in %s, by about %.2g of its norm",
                spot->quantity == QUANTITY_GRADIENT ? "gradient differs" : "weights differ",
                pairs->part->tensor[spot->i - first], n_differ, n_tensor,
                pairs->part->tensor[farthest], d->size);
    if (spot->quantity == QUANTITY_GRADIENT) {
        struct spot loss = spot_at(pairs, spot->pair, QUANTITY_LOSS, 0);
        if (same_number(loss.old.number, loss.new.number)) {
            text_append(&d->text, "; the loss is the same");
        } else {
            text_append(&d->text, "; the loss is %.9g, and was %.9g", plain(loss.new.number),
                        plain(loss.old.number));
        }
    }
}

static void add_first(const struct pairs *pairs, const struct spot *spot, size_t n_seed,
                      struct verdict *verdict)
{
    if (spot->pair == NONE) {
        return;
    }
    struct difference d = begin_difference(pairs, spot);
    d.limit = 0;
    d.n_seed = n_seed;
    if (spot->old.print) {
        say_tensors(pairs, spot, &d);
    } else {
        d.size = d.found - d.expected;
        text_append(&d.text, "the %s is %.9g, and was %.9g", d.what, d.found, d.expected);
        if (isfinite(d.size)) {
            text_append(&d.text, " (%+.2g)", d.size);
        }
    }
    text_append(&d.text, "; %zu of %zu seeds differ", n_seed, pairs->n);
    verdict_add(verdict, &d);
}

/* The first difference of all, and where that is a number, also the first one of tensors. */
static void exact_part(const struct pairs *pairs, struct verdict *verdict)
{
    struct spot first = {.pair = NONE}, first_tensor = {.pair = NONE};
    size_t n_seed = 0, n_tensor_seed = 0;
    for (size_t pair = 0; pair < pairs->n; pair++) {
        struct spot own = {.pair = NONE}, own_tensor = {.pair = NONE};
        for (size_t q = 0; q < QUANTITY_COUNT; q++) {
            struct spot spot = find_first(pairs, pair, (enum quantity)q, bits_differ);
            keep_earlier(&own, &spot);
            if (quantities[q].of_tensors) {
                keep_earlier(&own_tensor, &spot);
            }
        }
        n_seed += own.pair != NONE;
        n_tensor_seed += own_tensor.pair != NONE;
        keep_earlier(&first, &own);
        keep_earlier(&first_tensor, &own_tensor);
    }
    add_first(pairs, &first, n_seed, verdict);
    if (first.pair != NONE && !first.old.print) {
        add_first(pairs, &first_tensor, n_tensor_seed, verdict);
    }
}

/* ---- paired ---- */

static double size_of(const struct pairs *pairs, const struct spot *spot)
{
    return trace_difference(pairs->old[spot->pair], pairs->new[spot->pair], spot->quantity,
                            spot->i);
}

static double limit_of(const struct pairs *pairs, const struct spot *spot)
{
    return tolerance_limit(pairs->part->tolerance, spot->quantity, spot->i);
}

static bool is_over(const struct pairs *pairs, const struct spot *spot)
{
    return size_of(pairs, spot) > limit_of(pairs, spot);
}

/* The first value of a quantity that is over its limit, of the trace that is farthest over there.
 */
static void paired_quantity(const struct pairs *pairs, enum quantity quantity,
                            struct verdict *verdict)
{
    struct spot first = {.pair = NONE};
    size_t n_seed = 0, n_higher = 0, n_lower = 0;
    for (size_t pair = 0; pair < pairs->n; pair++) {
        struct spot spot = find_first(pairs, pair, quantity, is_over);
        if (spot.pair == NONE) {
            continue;
        }
        n_seed++;
        n_higher += spot.new.number > spot.old.number;
        n_lower += spot.new.number < spot.old.number;
        if (first.pair == NONE || spot.i < first.i ||
            (spot.i == first.i && size_of(pairs, &spot) > size_of(pairs, &first))) {
            first = spot;
        }
    }
    if (n_seed == 0) {
        return;
    }
    struct difference d = begin_difference(pairs, &first);
    d.size = size_of(pairs, &first);
    d.limit = limit_of(pairs, &first);
    d.n_seed = n_seed;
    text_append(&d.text, "%s", d.what);
    if (isfinite(d.expected)) {
        text_append(&d.text, " %.7g, and was %.7g,", d.found, d.expected);
    }
    text_append(&d.text, " off by %.2g, where rounding explains %.2g; %zu of %zu seeds%s", d.size,
                d.limit, n_seed, pairs->n,
                n_higher == n_seed  ? ", higher"
                : n_lower == n_seed ? ", lower"
                                    : "");
    verdict_add(verdict, &d);
}

/* A training that ended elsewhere than the old one, be it that it diverged or that it is shorter.
 */
static void paired_ends(const struct pairs *pairs, struct verdict *verdict)
{
    const struct trace *old = NULL, *new = NULL;
    size_t n_seed = 0;
    for (size_t pair = pairs->n; pair-- > 0;) {
        const struct trace *a = pairs->old[pair], *b = pairs->new[pair];
        if (a->diverged != b->diverged || (!a->diverged && a->n_point != b->n_point)) {
            n_seed++;
            old = a;
            new = b;
        }
    }
    if (n_seed == 0) {
        return;
    }
    struct difference d = difference_make(pairs->part, (long)trace_last_step(new), "%s",
                                          old->diverged != new->diverged ? "divergence" : "length");
    d.expected = (double)old->n_point;
    d.found = (double)new->n_point;
    d.n_seed = n_seed;
    d.n_of = pairs->n;
    text_append(&d.text, "seed %llu %s at step %zu, and %s at step %zu before; %zu of %zu seeds",
                (unsigned long long)new->seed, new->diverged ? "diverged" : "ended",
                trace_last_step(new), old->diverged ? "diverged" : "ended", trace_last_step(old),
                n_seed, pairs->n);
    verdict_add(verdict, &d);
}

static void paired_part(const struct pairs *pairs, struct verdict *verdict)
{
    for (size_t q = 0; q < QUANTITY_COUNT; q++) {
        if (quantities[q].floor > 0) {
            paired_quantity(pairs, (enum quantity)q, verdict);
        }
    }
    paired_ends(pairs, verdict);
}

/* ---- all parts ---- */

static bool have_same_tensors(const struct part *old, const struct part *new,
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

static enum status compare_part(const struct part *old, const struct part *new,
                                void (*compare)(const struct pairs *, struct verdict *),
                                struct verdict *verdict, struct error *err)
{
    const struct trace **list = calloc(2 * new->n_trace + 1, sizeof(struct trace *));
    if (!list) {
        return error_memory(err, "comparing");
    }
    struct pairs pairs = {.part = old, .old = list, .new = list + new->n_trace};
    pairs.same_tensors = have_same_tensors(old, new, verdict);
    for (size_t i = 0; i < new->n_trace; i++) {
        const struct trace *partner = part_trace(old, new->trace[i].seed);
        if (partner) {
            pairs.old[pairs.n] = partner;
            pairs.new[pairs.n++] = &new->trace[i];
        }
    }
    compare(&pairs, verdict);
    verdict->n_trace += pairs.n;
    verdict->n_part += pairs.n > 0;
    free(list);
    return STATUS_OK;
}

static enum status compare_parts(const struct traces *old, const struct traces *new,
                                 void (*compare)(const struct pairs *, struct verdict *),
                                 struct verdict *verdict, struct error *err)
{
    for (size_t p = 0; p < new->n_part; p++) {
        const struct part *part = traces_part(old, new->part[p].name);
        if (part) {
            TRY(compare_part(part, &new->part[p], compare, verdict, err));
        }
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
    return compare_parts(old, new, exact_part, verdict, err);
}

enum status paired_compare(const struct traces *old, const struct traces *new,
                           struct verdict *verdict, struct error *err)
{
    for (size_t p = 0; p < new->n_part; p++) {
        const struct part *part = traces_part(old, new->part[p].name);
        if (part && !part->tolerance) {
            return error_set(err, STATUS_DATA,
                             "the baseline has no tolerances (recorded with --no-paired, or from "
                             "curves): only the tiers exact and band can use it");
        }
    }
    return compare_parts(old, new, paired_part, verdict, err);
}

/* tier: in which of three ways old and new traces are compared.
 *
 *     exact    the same seeds on the same class of machine by the same build: every bit must agree
 *     paired   the same seeds by the same engine, elsewhere: curves agree to rounding, within the
 *              tolerance that the baseline brings along
 *     band     other seeds, or another program: do the new curves come from where the old ones do?
 *              A permutation test; see band.c
 *
 * A tier is a row of one table, the strictest first. Pure: traces in, a verdict out; nothing
 * trains, nothing prints.
 */
#ifndef QKVLAB_CHECK_TIER_H
#define QKVLAB_CHECK_TIER_H

#include "base/status.h"
#include "base/text.h"
#include "check/traces.h"
#include "check/verdict.h"

struct tier {
    const char *name;
    const char *agreement; /* what it means where nothing differs */
    bool same_seeds;       /* a new trace is compared with the old one of its seed */
    /* What it needs. can: both are of one kind; appends to why as half a sentence why (not).
     * enough: so many seeds on each side; STATUS_DATA says how many it takes. NULL: one is enough.
     */
    bool (*can)(const struct traces *old, const struct traces *new, struct text *why);
    enum status (*enough)(size_t n_old, size_t n_new, struct error *err);
    /* What it compares, and what it finds: tier_compare. */
    enum status (*compare)(const struct traces *old, const struct traces *new,
                           struct verdict *verdict, struct error *err);
};

/* tier_at returns NULL past the last; tier_named returns NULL for a name that is none. */
const struct tier *tier_at(size_t i);
const struct tier *tier_named(const char *name);

/* tier_choose returns the strictest tier that both allow, and appends why. */
const struct tier *tier_choose(const struct traces *old, const struct traces *new,
                               struct text *why);

/* tier_compare compares the cohorts that both have. Caller frees with verdict_free, also on
 * failure. Errors: STATUS_DATA where they have nothing in common, or lack what the tier needs. */
enum status tier_compare(const struct tier *tier, const struct traces *old,
                         const struct traces *new, struct verdict *verdict, struct error *err);

/* tier_covers: there are new traces of the cohort that the tier can compare. */
bool tier_covers(const struct tier *tier, const struct cohort *old, const struct traces *new);

/* ---- what the tiers compare with: rows of the table ---- */

enum status exact_compare(const struct traces *old, const struct traces *new,
                          struct verdict *verdict, struct error *err);
enum status paired_compare(const struct traces *old, const struct traces *new,
                           struct verdict *verdict, struct error *err);
enum status band_compare(const struct traces *old, const struct traces *new,
                         struct verdict *verdict, struct error *err);

/* The tier band alarms where p is at most this. It is the share of false alarms over pairs of a
 * baseline and new seeds, of trainings that neither diverge nor end early. To check one baseline
 * twice with the same seeds is to see the same answer twice. */
#define BAND_LEVEL 0.01

/* band_needs returns the fewest new seeds beside n_old ones with which the tier can alarm,
 * band_enough refuses fewer (STATUS_DATA), and BAND_SEEDS old and as many new ones are enough. */
#define BAND_SEEDS 5
size_t band_needs(size_t n_old);
enum status band_enough(size_t n_old, size_t n_new, struct error *err);

#endif

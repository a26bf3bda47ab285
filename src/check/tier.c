#include "check/tier.h"

#include <math.h>
#include <string.h>

/* ---- what is the same ---- */

static const char *fact(const json_t *object, const char *key)
{
    return json_get_text(object, key, "unknown");
}

static bool same_task_versions(const struct traces *old, const struct traces *new)
{
    for (size_t p = 0; p < new->n_cohort; p++) {
        const struct cohort *cohort = traces_cohort(old, new->cohort[p].name);
        if (cohort && cohort->task_version != new->cohort[p].task_version) {
            return false;
        }
    }
    return true;
}

static bool has_seeds(const struct traces *old, const struct traces *new)
{
    for (size_t p = 0; p < new->n_cohort; p++) {
        const struct cohort *cohort = traces_cohort(old, new->cohort[p].name);
        for (size_t i = 0; cohort && i < new->cohort[p].n_trace; i++) {
            if (!cohort_trace(cohort, new->cohort[p].trace[i].seed)) {
                return false;
            }
        }
    }
    return true;
}

static bool has_tolerances(const struct traces *traces)
{
    for (size_t p = 0; p < traces->n_cohort; p++) {
        if (!traces->cohort[p].tolerance) {
            return false;
        }
    }
    return true;
}

/* The first of compiler, flags and SIMD level that differ; NULL: none. */
static const char *build_difference(const struct traces *old, const struct traces *new)
{
    static const char *const keys[] = {"compiler", "flags", "simd"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(fact(old->build, keys[i]), fact(new->build, keys[i])) != 0) {
            return keys[i];
        }
    }
    return NULL;
}

/* ---- what the tiers need ---- */

/* Why the same seed need not be the same training; NULL: it is. */
static const char *obstacle(const struct traces *old, const struct traces *new)
{
    if (old->engine == 0 || new->engine == 0) {
        return "the curves are another program's";
    }
    if (old->engine != new->engine || !same_task_versions(old, new)) {
        return "the baseline is of another version of the engine or of a task";
    }
    return has_seeds(old, new) ? NULL : "the seeds are not those of the baseline";
}

static bool exact_can(const struct traces *old, const struct traces *new, struct text *why)
{
    const char *was = fact(old->machine, "class"), *is = fact(new->machine, "class");
    const char *build = build_difference(old, new), *other = obstacle(old, new);
    if (other) {
        text_append(why, "%s", other);
    } else if (strcmp(was, is) != 0) {
        text_append(why, "same seeds and engine version, but the machine class is %.80s, not %.80s",
                    is, was);
    } else if (build) {
        text_append(why,
                    "same seeds, engine version and machine class, but another %s of the build",
                    build);
    } else {
        text_append(why, "same seeds, engine version, machine class (%.80s), compiler and flags",
                    was);
        return true;
    }
    return false;
}

/* Why it is not exact has been said, and is the reason for this tier too. */
static bool paired_can(const struct traces *old, const struct traces *new, struct text *why)
{
    if (obstacle(old, new)) {
        return false;
    }
    if (!has_tolerances(old)) {
        text_append(why, "; and the baseline was recorded without tolerances");
        return false;
    }
    return true;
}

static bool band_can(const struct traces *old, const struct traces *new, struct text *why)
{
    (void)old, (void)new, (void)why;
    return true;
}

static const struct tier tiers[] = {
    {"exact", "every bit agrees", true, exact_can, NULL, exact_compare},
    {"paired", "what differs is rounding", true, paired_can, NULL, paired_compare},
    {"band", "the new curves may well come from where the old ones do", false, band_can,
     band_enough, band_compare},
};
#define N_TIER (sizeof tiers / sizeof tiers[0])

const struct tier *tier_at(size_t i)
{
    return i < N_TIER ? &tiers[i] : NULL;
}

const struct tier *tier_named(const char *name)
{
    for (size_t i = 0; i < N_TIER; i++) {
        if (strcmp(tiers[i].name, name) == 0) {
            return &tiers[i];
        }
    }
    return NULL;
}

const struct tier *tier_choose(const struct traces *old, const struct traces *new, struct text *why)
{
    const struct tier *tier = tiers;
    while (!tier->can(old, new, why)) {
        tier++; /* the last one always can */
    }
    return tier;
}

bool tier_covers(const struct tier *tier, const struct cohort *old, const struct traces *new)
{
    const struct cohort *cohort = traces_cohort(new, old->name);
    for (size_t i = 0; cohort && i < cohort->n_trace; i++) {
        if (!tier->same_seeds || cohort_trace(old, cohort->trace[i].seed)) {
            return true;
        }
    }
    return false;
}

enum status tier_compare(const struct tier *tier, const struct traces *old,
                         const struct traces *new, struct verdict *verdict, struct error *err)
{
    *verdict = (struct verdict){.tier = tier, .p = NAN};
    TRY(tier->compare(old, new, verdict, err));
    verdict_sort(verdict);
    return verdict->failed || verdict->note.failed ? error_memory(err, "comparing") : STATUS_OK;
}

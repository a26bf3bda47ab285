#include "report/check/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *tier_name(enum tier tier)
{
    static const char *const names[TIER_COUNT] = {"exact", "paired", "band"};
    return names[tier];
}

/* ---- which tier ---- */

static const char *fact(const json_t *object, const char *key)
{
    return json_get_text(object, key, "unknown");
}

static bool same_seeds(const struct baseline *baseline, const struct baseline *fresh)
{
    for (size_t p = 0; p < fresh->n_part; p++) {
        const struct baseline_part *part = baseline_find_part(baseline, fresh->part[p].name);
        for (size_t r = 0; part && r < fresh->part[p].n_run; r++) {
            if (!baseline_find_run(part, fresh->part[p].run[r].seed)) {
                return false;
            }
        }
    }
    return true;
}

static bool same_tasks(const struct baseline *baseline, const struct baseline *fresh)
{
    for (size_t p = 0; p < fresh->n_part; p++) {
        const struct baseline_part *part = baseline_find_part(baseline, fresh->part[p].name);
        if (part && part->task_version != fresh->part[p].task_version) {
            return false;
        }
    }
    return true;
}

static bool has_tolerances(const struct baseline *baseline)
{
    for (size_t p = 0; p < baseline->n_part; p++) {
        if (!baseline->part[p].tolerance) {
            return false;
        }
    }
    return true;
}

/* The first of compiler, flags and SIMD level that differ; NULL: none. */
static const char *build_difference(const struct baseline *baseline, const struct baseline *fresh)
{
    static const char *const keys[] = {"compiler", "flags", "simd"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(fact(baseline->build, keys[i]), fact(fresh->build, keys[i])) != 0) {
            return keys[i];
        }
    }
    return NULL;
}

enum tier compare_tier(const struct baseline *baseline, const struct baseline *fresh,
                       char reason[COMPARE_REASON_SIZE])
{
    const char *class[] = {fact(baseline->machine, "class"), fact(fresh->machine, "class")};
    if (baseline->engine == 0 || fresh->engine == 0) {
        snprintf(reason, COMPARE_REASON_SIZE, "the curves are another program's");
        return TIER_BAND;
    }
    if (baseline->engine != fresh->engine || !same_tasks(baseline, fresh)) {
        snprintf(reason, COMPARE_REASON_SIZE,
                 "the baseline is of another version of the engine or of a task");
        return TIER_BAND;
    }
    if (!same_seeds(baseline, fresh)) {
        snprintf(reason, COMPARE_REASON_SIZE, "the seeds are not those of the baseline");
        return TIER_BAND;
    }
    const char *build = build_difference(baseline, fresh);
    if (strcmp(class[0], class[1]) == 0 && !build) {
        snprintf(reason, COMPARE_REASON_SIZE,
                 "same seeds, engine version, machine class (%.80s), compiler and flags", class[0]);
        return TIER_EXACT;
    }
    if (strcmp(class[0], class[1]) != 0) {
        snprintf(reason, COMPARE_REASON_SIZE,
                 "same seeds and engine version, but the machine class is %.80s, not %.80s",
                 class[1], class[0]);
    } else {
        snprintf(reason, COMPARE_REASON_SIZE,
                 "same seeds, engine version and machine class, but another %s of the build",
                 build);
    }
    if (!has_tolerances(baseline)) {
        size_t n = strlen(reason);
        snprintf(reason + n, COMPARE_REASON_SIZE - n,
                 "; and the baseline was recorded without tolerances");
        return TIER_BAND;
    }
    return TIER_PAIRED;
}

bool compare_covers(const struct baseline_part *base, const struct baseline *fresh, enum tier tier)
{
    const struct baseline_part *part = baseline_find_part(fresh, base->name);
    for (size_t r = 0; part && r < part->n_run; r++) {
        if (tier == TIER_BAND || baseline_find_run(base, part->run[r].seed)) {
            return true;
        }
    }
    return false;
}

/* ---- comparisons ---- */

void comparison_free(struct comparison *comparison)
{
    free(comparison->difference);
    free(comparison->band);
    *comparison = (struct comparison){0};
}

bool comparison_add(struct comparison *comparison, const struct difference *difference)
{
    size_t n = comparison->n_difference;
    struct difference *grown = realloc(comparison->difference, (n + 1) * sizeof *grown);
    if (!grown) {
        return false;
    }
    comparison->difference = grown;
    grown[n] = *difference;
    comparison->n_difference = n + 1;
    return true;
}

static int earlier(const void *left, const void *right)
{
    const struct difference *a = left, *b = right;
    unsigned long x = (unsigned long)a->step, y = (unsigned long)b->step; /* -1 is the last */
    if (x != y) {
        return x < y ? -1 : 1;
    }
    return strcmp(a->part, b->part);
}

/* Insertion keeps equal ones in the order in which they were found; there are a few dozen at most.
 */
void comparison_sort(struct comparison *comparison)
{
    struct difference *list = comparison->difference;
    for (size_t i = 1; i < comparison->n_difference; i++) {
        struct difference moved = list[i];
        size_t k = i;
        for (; k > 0 && earlier(&list[k - 1], &moved) > 0; k--) {
            list[k] = list[k - 1];
        }
        list[k] = moved;
    }
}

bool compare_same_tensors(const struct baseline_part *base, const struct baseline_part *fresh,
                          struct difference *difference)
{
    size_t n = base->n_tensor < fresh->n_tensor ? base->n_tensor : fresh->n_tensor, i = 0;
    while (i < n && strcmp(base->tensor[i], fresh->tensor[i]) == 0) {
        i++;
    }
    if (i == base->n_tensor && i == fresh->n_tensor) {
        return true;
    }
    *difference = (struct difference){.part = base->name,
                                      .what = "tensors",
                                      .expected = (double)base->n_tensor,
                                      .found = (double)fresh->n_tensor,
                                      .size = NAN,
                                      .limit = NAN,
                                      .p = NAN,
                                      .n_seed = fresh->n_run,
                                      .n_of = fresh->n_run};
    snprintf(difference->text, sizeof difference->text,
             "the model has other tensors: number %zu is %s, and was %s", i,
             i < fresh->n_tensor ? fresh->tensor[i] : "missing",
             i < base->n_tensor ? base->tensor[i] : "missing");
    return false;
}

#include "report/frame/group.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- where groups lie ---- */

struct cut {
    struct cut *before;
    max_align_t data[];
};

struct cuts {
    struct cut *last;
    bool failed;
};

struct cuts *cuts_create(void)
{
    return calloc(1, sizeof(struct cuts));
}

void cuts_free(struct cuts *cuts)
{
    while (cuts && cuts->last) {
        struct cut *cut = cuts->last;
        cuts->last = cut->before;
        free(cut);
    }
    free(cuts);
}

bool cuts_failed(const struct cuts *cuts)
{
    return cuts->failed;
}

/* Returns n zeroed elements, NULL after a failed allocation. */
static void *keep(struct cuts *cuts, size_t n, size_t size)
{
    struct cut *cut = calloc(1, sizeof *cut + n * size);
    if (!cut) {
        cuts->failed = true;
        return NULL;
    }
    cut->before = cuts->last;
    cuts->last = cut;
    return cut->data;
}

/* ---- cutting ---- */

/* qsort has no argument for the factors: the comparison gets them from the keyed run. */
struct keyed_run {
    const struct run *run;
    size_t place; /* in the parent, so that the order within a group is kept */
    unsigned factors;
};

static int compare_levels(const size_t *a, const size_t *b, unsigned factors)
{
    for (int factor = 0; factor < FACTOR_COUNT; factor++) {
        if ((factors & 1u << factor) && a[factor] != b[factor]) {
            return a[factor] < b[factor] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_keyed(const void *left, const void *right)
{
    const struct keyed_run *a = left, *b = right;
    int order = compare_levels(a->run->level, b->run->level, a->factors);
    return order ? order : (a->place > b->place) - (a->place < b->place);
}

static size_t count_groups(const struct keyed_run *keyed, size_t n, unsigned factors)
{
    size_t n_group = 0;
    for (size_t i = 0; i < n; i++) {
        n_group +=
            i == 0 || compare_levels(keyed[i - 1].run->level, keyed[i].run->level, factors) != 0;
    }
    return n_group;
}

/* Cuts sorted runs into n_group groups. */
static struct groups cut(const struct group *of, const struct keyed_run *keyed, size_t n_group,
                         unsigned factors)
{
    struct group *group = keep(of->cuts, n_group, sizeof *group), *last = NULL;
    const struct run **run = keep(of->cuts, of->n_run, sizeof *run);
    if (!group || !run) {
        return (struct groups){0};
    }
    for (size_t i = 0; i < of->n_run; i++) {
        run[i] = keyed[i].run;
        if (!last || compare_levels(run[i - 1]->level, run[i]->level, factors) != 0) {
            last = last ? last + 1 : group;
            *last = (struct group){.cuts = of->cuts, .run = &run[i]};
            for (int factor = 0; factor < FACTOR_COUNT; factor++) {
                last->level[factor] =
                    factors & 1u << factor ? run[i]->level[factor] : of->level[factor];
            }
        }
        last->n_run++;
        last->n_ok += run_is_ok(run[i]);
    }
    return (struct groups){group, n_group};
}

struct groups groups_by(const struct group *of, unsigned factors)
{
    struct groups groups = {0};
    struct keyed_run *keyed = calloc(of->n_run + 1, sizeof *keyed);
    of->cuts->failed |= !keyed;
    for (size_t i = 0; keyed && i < of->n_run; i++) {
        keyed[i] = (struct keyed_run){of->run[i], i, factors};
    }
    if (keyed) {
        qsort(keyed, of->n_run, sizeof *keyed, compare_keyed);
        groups = cut(of, keyed, count_groups(keyed, of->n_run, factors), factors);
    }
    free(keyed);
    return groups;
}

struct group group_where(const struct group *of, run_test *test)
{
    const struct run **run = keep(of->cuts, of->n_run, sizeof *run);
    struct group group = *of;
    group.run = run;
    group.n_run = group.n_ok = 0;
    for (size_t i = 0; run && i < of->n_run; i++) {
        if (test(of->run[i])) {
            run[group.n_run++] = of->run[i];
            group.n_ok += run_is_ok(of->run[i]);
        }
    }
    return group;
}

const struct group *groups_find(const struct groups *groups, const size_t level[FACTOR_COUNT])
{
    size_t low = 0, high = groups->n_group;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_levels(groups->group[middle].level, level, ~0u);
        if (order == 0) {
            return &groups->group[middle];
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

const struct group *groups_beside(const struct groups *groups, const struct group *group,
                                  enum factor factor, size_t level)
{
    size_t wanted[FACTOR_COUNT];
    memcpy(wanted, group->level, sizeof wanted);
    wanted[factor] = level;
    return groups_find(groups, wanted);
}

static int facet(const struct group *group, enum factor factor)
{
    return group->level[factor] == LEVEL_ANY ? FACET_ANY : (int)group->level[factor];
}

struct facets group_facets(const struct group *group)
{
    return (struct facets){facet(group, FACTOR_TASK), facet(group, FACTOR_VARIANT),
                           facet(group, FACTOR_SETTING), facet(group, FACTOR_SEED)};
}

/* ---- numbers ---- */

struct stats group_stats(const struct group *group, enum measure measure)
{
    struct stats stats = STATS_NONE;
    for (size_t i = 0; group && i < group->n_run; i++) {
        if (run_is_ok(group->run[i])) {
            stats_add(&stats, group->run[i]->measure[measure]);
        }
    }
    return stats;
}

const struct run *group_find_seed(const struct group *group, long long seed)
{
    for (size_t i = 0; group && i < group->n_run; i++) {
        if (run_seed(group->run[i]) == seed && run_is_ok(group->run[i])) {
            return group->run[i];
        }
    }
    return NULL;
}

bool group_has(const struct group *group, enum measure measure)
{
    if (measure != MEASURE_REACHES_50 && measure != MEASURE_REACHES_90 &&
        measure != MEASURE_REACHES_99) {
        return true;
    }
    for (size_t i = 0; group && i < group->n_run; i++) {
        if (group->run[i]->curve_accuracy) {
            return true;
        }
    }
    return false;
}

struct stats group_difference(const struct group *a, const struct group *b, enum measure measure)
{
    struct stats stats = STATS_NONE;
    for (size_t i = 0; a && i < a->n_run; i++) {
        const struct run *left = group_find_seed(a, run_seed(a->run[i]));
        const struct run *right = group_find_seed(b, run_seed(a->run[i]));
        if (left && right) {
            stats_add(&stats, left->measure[measure] - right->measure[measure]);
        }
    }
    return stats;
}

static bool has_curve(const struct run *run)
{
    return run_is_ok(run) && run->curve;
}

double *group_mean_curve(const struct group *group, size_t *n_step)
{
    size_t n_curve = 0;
    *n_step = 0;
    for (size_t i = 0; group && i < group->n_run; i++) {
        const struct run *run = group->run[i];
        if (!has_curve(run)) {
            continue;
        }
        if (n_curve == 0 || run->n_curve < *n_step) {
            *n_step = run->n_curve;
        }
        n_curve++;
    }
    double *mean = n_curve ? calloc(*n_step, sizeof *mean) : NULL;
    for (size_t i = 0; mean && i < group->n_run; i++) {
        for (size_t step = 0; has_curve(group->run[i]) && step < *n_step; step++) {
            mean[step] += group->run[i]->curve[step] / (double)n_curve;
        }
    }
    return mean;
}

struct spread group_spread(const struct group *group, enum measure measure)
{
    struct stats all = STATS_NONE, means = STATS_NONE;
    struct groups configurations =
        group ? groups_by(group, FACTOR_BIT(CONFIGURATION)) : (struct groups){0};
    double squares = 0;
    for (size_t i = 0; i < configurations.n_group; i++) {
        const struct group *here = &configurations.group[i];
        struct stats stats = group_stats(here, measure);
        for (size_t k = 0; k < here->n_run; k++) {
            if (run_is_ok(here->run[k])) {
                stats_add(&all, here->run[k]->measure[measure]);
            }
        }
        stats_add(&means, stats.mean);
        squares += stats.squares;
    }
    size_t freedom = all.n - means.n;
    return (struct spread){.n = all.n,
                           .n_configuration = means.n,
                           .mean = all.mean,
                           .between = means.sd,
                           .within = freedom > 0 ? sqrt(squares / (double)freedom) : NAN};
}

size_t group_n(const struct group *group, enum factor factor)
{
    return groups_by(group, 1u << factor).n_group;
}

size_t group_n_step(const struct group *group)
{
    size_t n_step = 0;
    for (size_t i = 0; i < group->n_run; i++) {
        n_step = group->run[i]->n_step > n_step ? group->run[i]->n_step : n_step;
    }
    return n_step;
}

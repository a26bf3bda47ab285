#include "report/frame/group.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void cut(struct groups *groups, const struct group *of, unsigned factors)
{
    for (size_t i = 0; i < of->n_run; i++) {
        const struct run *run = groups->run[i];
        bool first = i == 0 || compare_levels(groups->run[i - 1]->level, run->level, factors) != 0;
        if (first) {
            struct group *group = &groups->group[groups->n_group++];
            *group = (struct group){.run = &groups->run[i]};
            for (int factor = 0; factor < FACTOR_COUNT; factor++) {
                group->level[factor] =
                    factors & 1u << factor ? run->level[factor] : of->level[factor];
            }
        }
        struct group *group = &groups->group[groups->n_group - 1];
        group->n_run++;
        group->n_ok += run_is_ok(run);
    }
}

struct groups groups_by(const struct group *of, unsigned factors)
{
    struct groups groups = {.group = calloc(of->n_run + 1, sizeof *groups.group),
                            .run = calloc(of->n_run + 1, sizeof *groups.run)};
    struct keyed_run *keyed = calloc(of->n_run + 1, sizeof *keyed);
    groups.failed = !groups.group || !groups.run || !keyed;
    for (size_t i = 0; !groups.failed && i < of->n_run; i++) {
        keyed[i] = (struct keyed_run){of->run[i], i, factors};
    }
    if (!groups.failed) {
        qsort(keyed, of->n_run, sizeof *keyed, compare_keyed);
        for (size_t i = 0; i < of->n_run; i++) {
            groups.run[i] = keyed[i].run;
        }
        cut(&groups, of, factors);
    }
    free(keyed);
    return groups;
}

struct groups group_where(const struct group *of, run_test *test)
{
    struct groups groups = {.group = calloc(1, sizeof *groups.group),
                            .run = calloc(of->n_run + 1, sizeof *groups.run)};
    groups.failed = !groups.group || !groups.run;
    if (groups.failed) {
        return groups;
    }
    struct group *group = &groups.group[0];
    *group = (struct group){.run = groups.run};
    memcpy(group->level, of->level, sizeof group->level);
    for (size_t i = 0; i < of->n_run; i++) {
        if (test(of->run[i])) {
            groups.run[group->n_run++] = of->run[i];
            group->n_ok += run_is_ok(of->run[i]);
        }
    }
    groups.n_group = 1;
    return groups;
}

void groups_free(struct groups *groups)
{
    free(groups->group);
    free(groups->run);
    *groups = (struct groups){0};
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

const struct group *groups_at(const struct groups *groups, size_t variant, size_t task)
{
    for (size_t i = 0; i < groups->n_group; i++) {
        const size_t *level = groups->group[i].level;
        if (level[FACTOR_VARIANT] == variant && level[FACTOR_TASK] == task) {
            return &groups->group[i];
        }
    }
    return NULL;
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
    groups_free(&configurations);
    size_t freedom = all.n - means.n;
    return (struct spread){.n = all.n,
                           .n_configuration = means.n,
                           .mean = all.mean,
                           .between = means.sd,
                           .within = freedom > 0 ? sqrt(squares / (double)freedom) : NAN};
}

size_t group_n(const struct group *group, enum factor factor)
{
    struct groups levels = groups_by(group, 1u << factor);
    size_t n = levels.n_group;
    groups_free(&levels);
    return n;
}

size_t group_n_step(const struct group *group)
{
    size_t n_step = 0;
    for (size_t i = 0; i < group->n_run; i++) {
        n_step = group->run[i]->n_step > n_step ? group->run[i]->n_step : n_step;
    }
    return n_step;
}

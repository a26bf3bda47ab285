#include "report/content/values.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Also runs that diverged or got nowhere stand behind a cell. */
static void sum_up(struct table *table, const struct group *group, const struct stats *stats)
{
    table_sums_up(table, group ? group->n_run : 0, stats->min, stats->max);
}

void value_measure(struct table *table, const struct group *group, enum measure measure)
{
    value_measure_to(table, group, measure, measure_row(measure)->decimals);
}

void value_measure_to(struct table *table, const struct group *group, enum measure measure,
                      int n_decimal)
{
    const struct measure_row *row = measure_row(measure);
    struct stats stats = group_stats(group, measure);
    char number[STATS_TEXT_SIZE];
    if (row->unit == UNIT_STEP) {
        stats_step_text(&stats, group && group_has(group, measure) ? group->n_ok : 0, number);
    } else {
        stats_text(&stats, n_decimal, number);
    }
    size_t n_bad = group ? group->n_run - group->n_ok : 0;
    if (n_bad > 0) {
        table_shown(table, stats.mean, "%s (%zu diverged or failed)", number, n_bad);
    } else if (strcmp(number, "-") == 0) {
        table_missing(table);
    } else {
        table_shown(table, stats.mean, "%s", number);
    }
    sum_up(table, group, &stats);
}

/* Means over a grid differ by far more than the fourth digit. */
static int spread_decimals(const struct measure_row *row)
{
    return row->decimals < 3 ? row->decimals : 3;
}

void value_spread(struct table *table, const struct group *group, enum measure measure)
{
    const struct measure_row *row = measure_row(measure);
    struct stats stats = group_stats(group, measure);
    int decimals = spread_decimals(row);
    if (stats.n == 0) {
        bool never =
            row->unit == UNIT_STEP && group && group->n_ok > 0 && group_has(group, measure);
        if (never) {
            table_shown(table, NAN, "never");
        } else {
            table_missing(table);
        }
    } else if (stats.n < group->n_ok) {
        table_shown(table, stats.mean, "%.*f (%zu of %zu)", decimals,
                    stats_shown(stats.mean, decimals), stats.n, group->n_ok);
    } else {
        value_number(table, stats.mean, decimals);
    }
    sum_up(table, group, &stats);
}

void value_mean(struct table *table, const struct stats *stats, int n_decimal)
{
    value_number(table, stats->mean, n_decimal);
    table_sums_up(table, stats->n, stats->min, stats->max);
}

void value_number(struct table *table, double value, int n_decimal)
{
    if (isfinite(value)) {
        table_shown(table, value, "%.*f", n_decimal, stats_shown(value, n_decimal));
    } else {
        table_missing(table);
    }
}

void value_signed(struct table *table, double value, int n_decimal)
{
    char shown[STATS_TEXT_SIZE];
    if (isfinite(value)) {
        stats_signed_text(value, n_decimal, shown);
        table_shown(table, value, "%s", shown);
    } else {
        table_missing(table);
    }
}

void value_runs(struct table *table, const struct stats *share)
{
    if (share->n > 0) {
        table_shown(table, share->mean, "%.0f of %zu", share->mean * (double)share->n, share->n);
        table_sums_up(table, share->n, NAN, NAN);
    } else {
        table_missing(table);
    }
}

static void add_difference(struct table *table, const struct stats *difference, int n_decimal,
                           const char *then)
{
    char mean[STATS_TEXT_SIZE], low[STATS_TEXT_SIZE], high[STATS_TEXT_SIZE];
    if (difference->n == 0) {
        table_missing(table);
        return;
    }
    stats_signed_text(difference->mean, n_decimal, mean);
    stats_signed_text(difference->min, n_decimal, low);
    stats_signed_text(difference->max, n_decimal, high);
    if (difference->n == 1) {
        table_shown(table, difference->mean, "%s (1 pair)%s", mean, then);
    } else if (difference->min < difference->max) {
        table_shown(table, difference->mean, "%s (%s to %s)%s", mean, low, high, then);
    } else {
        table_shown(table, difference->mean, "%s%s", mean, then);
    }
    table_sums_up(table, difference->n, NAN, NAN); /* between which they lie it says itself */
}

void value_difference(struct table *table, const struct stats *difference, int n_decimal)
{
    add_difference(table, difference, n_decimal, "");
}

void value_difference_of(struct table *table, const struct stats *difference, int n_decimal)
{
    char then[32];
    snprintf(then, sizeof then, ", %zu pair%s", difference->n, plural(difference->n));
    add_difference(table, difference, n_decimal, then);
}

struct column column_variant(void)
{
    return (struct column){.title = "variant", .look = LOOK_HEAD};
}

struct column column_of(const char *title, const char *hint, struct facets facets)
{
    return (struct column){.title = title, .hint = hint, .tag = facets_tag(facets)};
}

char *values_convention(const struct groups *cells)
{
    bool few = false;
    for (size_t i = 0; i < cells->n_group; i++) {
        few |= cells->group[i].n_ok > 0 && cells->group[i].n_ok < STATS_BAR_MIN;
    }
    char text[512];
    int n =
        snprintf(text, sizeof text, "Mean ± sample standard deviation over seeds; `-`: not run.");
    if (few) {
        snprintf(text + n, sizeof text - (size_t)n,
                 " Cells marked (n=1) or (n=2) have fewer than %d seeds and therefore no error "
                 "bar.",
                 STATS_BAR_MIN);
    }
    return strdup(text);
}

bool group_any(const struct group *group, enum measure measure)
{
    for (size_t i = 0; group && i < group->n_run; i++) {
        if (isfinite(group->run[i]->measure[measure])) {
            return true;
        }
    }
    return false;
}

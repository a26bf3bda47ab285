/* stats: Welford's update, so that accuracies near 1 keep their spread and nothing is stored. */
#include "report/frame/stats.h"

#include <stdio.h>
#include <stdlib.h>

void stats_add(struct stats *stats, double value)
{
    if (!isfinite(value)) {
        return;
    }
    double before = stats->n == 0 ? 0 : stats->mean;
    stats->n++;
    stats->mean = before + (value - before) / (double)stats->n;
    stats->squares += (value - before) * (value - stats->mean);
    if (stats->n == 1) {
        stats->squares = 0;
    } else {
        stats->sd = sqrt(stats->squares / (double)(stats->n - 1));
    }
    stats->min = fmin(stats->min, value);
    stats->max = fmax(stats->max, value);
}

struct stats stats_of(const double *value, size_t n_value)
{
    struct stats stats = STATS_NONE;
    for (size_t i = 0; i < n_value; i++) {
        stats_add(&stats, value[i]);
    }
    return stats;
}

int stats_compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

bool stats_has_bar(const struct stats *stats)
{
    return stats->n >= STATS_BAR_MIN;
}

void stats_text(const struct stats *stats, int n_decimal, char text[STATS_TEXT_SIZE])
{
    if (stats->n == 0) {
        snprintf(text, STATS_TEXT_SIZE, "-");
    } else if (stats_has_bar(stats)) {
        snprintf(text, STATS_TEXT_SIZE, "%.*f ± %.*f", n_decimal,
                 stats_shown(stats->mean, n_decimal), n_decimal, stats->sd);
    } else {
        snprintf(text, STATS_TEXT_SIZE, "%.*f (n=%zu)", n_decimal,
                 stats_shown(stats->mean, n_decimal), stats->n);
    }
}

void stats_step_text(const struct stats *stats, size_t n_seed, char text[STATS_TEXT_SIZE])
{
    if (n_seed == 0) {
        snprintf(text, STATS_TEXT_SIZE, "-");
    } else if (stats->n == 0) {
        snprintf(text, STATS_TEXT_SIZE, "never (0 of %zu)", n_seed);
    } else if (stats->n < n_seed) {
        snprintf(text, STATS_TEXT_SIZE, "%.0f (%zu of %zu)", stats->mean, stats->n, n_seed);
    } else {
        stats_text(stats, 0, text);
    }
}

double stats_shown(double value, int n_decimal)
{
    char text[512];
    snprintf(text, sizeof(text), "%.*f", n_decimal, value);
    return strtod(text, NULL) == 0 ? 0 : value;
}

void stats_signed_text(double value, int n_decimal, char text[STATS_TEXT_SIZE])
{
    double shown = stats_shown(value, n_decimal);
    snprintf(text, STATS_TEXT_SIZE, shown == 0 ? "%.*f" : "%+.*f", n_decimal, shown);
}

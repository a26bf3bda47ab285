/* stats: Welford's update, so that accuracies near 1 keep their spread and nothing is stored. */
#include "report/runs/stats.h"

#include <stdio.h>

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

bool stats_has_bar(const struct stats *stats)
{
    return stats->n >= STATS_BAR_MIN;
}

void stats_text(const struct stats *stats, int n_decimal, char text[STATS_TEXT_SIZE])
{
    if (stats->n == 0) {
        snprintf(text, STATS_TEXT_SIZE, "-");
    } else if (stats_has_bar(stats)) {
        snprintf(text, STATS_TEXT_SIZE, "%.*f ± %.*f", n_decimal, stats->mean, n_decimal,
                 stats->sd);
    } else {
        snprintf(text, STATS_TEXT_SIZE, "%.*f (n=%zu)", n_decimal, stats->mean, stats->n);
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

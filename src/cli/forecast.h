/* forecast: how long the runs of a plan that are not done yet will take on this machine, and how
 * much memory, before any is made.
 */
#ifndef QKVLAB_CLI_FORECAST_H
#define QKVLAB_CLI_FORECAST_H

#include <stddef.h>

#include "base/status.h"
#include "lab/sweep/estimate.h"

struct plan; /* plan.h */

struct forecast {
    const struct plan *plan;
    struct estimator estimator;
    struct estimate total; /* seconds */
    double memory_mib;     /* of the largest runs that may be made at a time */
    double timing_seconds; /* it took to find out */
};

/* Time for measuring, of one sweep as of all presets. */
#define FORECAST_SECONDS 3.0

/* forecast_announce says on stderr that the measuring begins, and for how long. */
void forecast_announce(void);

/* forecast_warn says that other programs were at work meanwhile, if they took such a share of the
 * processors. */
void forecast_warn(double others);

/* forecast_make measures; the plan is borrowed. Caller frees the estimator, also on failure. */
enum status forecast_make(struct forecast *forecast, const struct plan *plan, struct error *err);

/* forecast_say prints the counts, time and memory on stderr, and where the time comes from. */
void forecast_say(const struct forecast *forecast);

/* forecast_range writes "12 to 25 min", forecast_duration "8.8 s", "52 min", "22.5 h" or "3.1 d".
 */
#define FORECAST_RANGE_SIZE 48
void forecast_range(struct estimate seconds, char text[FORECAST_RANGE_SIZE]);
void forecast_duration(double seconds, char text[FORECAST_RANGE_SIZE]);

/* forecast_memory_mib returns the memory of a run of threads threads, in whole MiB. */
double forecast_memory_mib(const struct config *config, int threads);

#endif

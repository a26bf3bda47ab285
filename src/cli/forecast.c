#include "cli/forecast.h"

#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "cli/plan.h"
#include "cli/startup.h"
#include "cli/terminal.h"
#include "lab/training/memory.h"

double forecast_memory_mib(const struct config *config, int threads)
{
    return ceil((double)memory_of_run(config, threads) / (1024.0 * 1024.0));
}

enum status forecast_make(struct forecast *forecast, const struct plan *plan, struct error *err)
{
    *forecast =
        (struct forecast){.plan = plan, .estimator = estimator_make(plan->threads, plan->jobs)};
    if (plan->n_done == plan->n_run) {
        return STATUS_OK;
    }
    if (!plan->arguments->quiet) {
        forecast_announce();
    }
    TRY(startup_compute(err));
    double start = clock_seconds(), largest = 0;
    TRY(estimator_time(&forecast->estimator, plan->config, plan->done, plan->n_run,
                       FORECAST_SECONDS, err));
    forecast->timing_seconds = clock_seconds() - start;
    forecast->total = estimator_sweep(&forecast->estimator, plan->config, plan->done, plan->n_run);
    for (size_t i = 0; i < plan->n_run; i++) {
        largest = plan->done[i]
                      ? largest
                      : fmax(largest, forecast_memory_mib(&plan->config[i], plan->threads));
    }
    forecast->memory_mib = (double)plan->jobs * largest;
    return STATUS_OK;
}

/* ---- as text ---- */

void forecast_announce(void)
{
    fprintf(stderr, "timing a few training steps on this machine, for about %.0f s at most\n",
            FORECAST_SECONDS);
}

/* Units and the seconds from which on the next one is used. */
static const struct unit {
    const char *name;
    double seconds, below;
} units[] = {{"s", 1, 100}, {"min", 60, 100 * 60}, {"h", 3600, 48 * 3600}, {"d", 86400, INFINITY}};

static const struct unit *unit_of(double seconds)
{
    const struct unit *unit = units;
    while (seconds >= unit->below) {
        unit++;
    }
    return unit;
}

void forecast_range(struct estimate seconds, char text[FORECAST_RANGE_SIZE])
{
    const struct unit *unit = unit_of(seconds.high);
    double low = seconds.low / unit->seconds, high = seconds.high / unit->seconds;
    int decimals = high < 10 && unit != units;
    if (unit == units && high < 2) {
        snprintf(text, FORECAST_RANGE_SIZE, "up to 2 s");
    } else {
        snprintf(text, FORECAST_RANGE_SIZE, "%.*f to %.*f %s", decimals, low, decimals, high,
                 unit->name);
    }
}

void forecast_duration(double seconds, char text[FORECAST_RANGE_SIZE])
{
    const struct unit *unit = unit_of(seconds);
    double amount = seconds / unit->seconds;
    snprintf(text, FORECAST_RANGE_SIZE, "%.*f %s", amount < 10, amount, unit->name);
}

void forecast_warn(double others)
{
    terminal_say_busy(others, "without them, runs take less time than said here");
}

/* Where the time comes from. */
static void say_source(const struct forecast *forecast)
{
    const struct estimator *estimator = &forecast->estimator;
    if (estimator->n_timed == 0) {
        fputs("(a guess: a step of any of these models is too long to be tried)\n", stderr);
        return;
    }
    fprintf(stderr,
            "(from training steps of %zu of %zu kind%s of models, made just now in %.1f s; runs "
            "of a kind differ by their FLOP)\n",
            estimator->n_timed, estimator->n_group, plural(estimator->n_group),
            forecast->timing_seconds);
}

void forecast_say(const struct forecast *forecast)
{
    const struct plan *plan = forecast->plan;
    size_t n_left = plan->n_run - plan->n_done;
    if (n_left > 0) {
        char range[FORECAST_RANGE_SIZE];
        forecast_range(forecast->total, range);
        fprintf(stderr,
                "%zu run%s to make, %zu at a time with %d thread%s: estimated time %s, memory "
                "%.0f MiB\n",
                n_left, plural(n_left), plan->jobs, plan->threads, plural((size_t)plan->threads),
                range, forecast->memory_mib);
        say_source(forecast);
        forecast_warn(forecast->estimator.others);
    }
    fprintf(stderr, "%zu run%s, %zu of them done; nothing was trained or written (--dry-run)\n",
            plan->n_run, plural(plan->n_run), plan->n_done);
}

#include "cli/forecast.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/threads.h"
#include "cli/busy.h"
#include "cli/plan.h"
#include "cli/startup.h"
#include "lab/record/record.h"
#include "lab/training/memory.h"

double forecast_memory_mib(const struct config *config, int threads)
{
    return ceil((double)memory_of_run(config, threads) / (1024.0 * 1024.0));
}

static enum status list_pending(struct forecast *forecast, const struct plan *plan,
                                struct error *err)
{
    forecast->pending = calloc(plan->n_run + 1, sizeof *forecast->pending);
    forecast->done = calloc(plan->n_run + 1, sizeof *forecast->done);
    if (!forecast->pending || !forecast->done) {
        return error_set(err, STATUS_MEMORY, "out of memory for %zu runs", plan->n_run);
    }
    for (size_t i = 0; i < plan->n_run; i++) {
        forecast->done[i] = record_is_done(plan->arguments->out, plan->config[i].id);
        if (forecast->done[i]) {
            forecast->n_done++;
        } else {
            forecast->pending[forecast->n_pending++] = plan->config[i];
        }
    }
    return STATUS_OK;
}

static double largest_memory(const struct forecast *forecast)
{
    double largest = 0;
    for (size_t i = 0; i < forecast->n_pending; i++) {
        largest = fmax(largest, forecast_memory_mib(&forecast->pending[i], forecast->threads));
    }
    return largest;
}

/* Several runs at a time share the threads, as in jobs.c. */
static void choose_jobs(struct forecast *forecast, const struct arguments *arguments)
{
    size_t n = arguments->jobs < forecast->n_pending ? arguments->jobs : forecast->n_pending;
    int threads = arguments->threads > 0 ? arguments->threads : threads_available();
    forecast->jobs = n > 1 ? n : 1;
    forecast->threads = threads / (int)forecast->jobs;
    if (forecast->threads < 1) {
        forecast->threads = 1;
    }
}

enum status forecast_make(struct forecast *forecast, const struct plan *plan, struct error *err)
{
    *forecast = (struct forecast){0};
    enum status status = list_pending(forecast, plan, err);
    if (status != STATUS_OK || forecast->n_pending == 0) {
        return status;
    }
    choose_jobs(forecast, plan->arguments);
    struct estimate_options options = {
        .threads = forecast->threads, .jobs = forecast->jobs, .seconds = FORECAST_SECONDS};
    if (!plan->arguments->quiet) {
        forecast_announce();
    }
    status = startup_compute(err);
    double start = clock_seconds();
    if (status == STATUS_OK) {
        status = estimator_create(&forecast->estimator, forecast->pending, forecast->n_pending,
                                  &options, err);
    }
    if (status != STATUS_OK) {
        return status;
    }
    forecast->measure_seconds = clock_seconds() - start;
    forecast->total = estimator_sweep(forecast->estimator, forecast->pending, forecast->n_pending);
    forecast->memory_mib = (double)forecast->jobs * largest_memory(forecast);
    return STATUS_OK;
}

void forecast_free(struct forecast *forecast)
{
    estimator_free(forecast->estimator);
    free(forecast->pending);
    free(forecast->done);
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

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

#define WORTH_A_FIGURE 1.2

void forecast_warn(const struct estimator *estimator)
{
    char consequence[128];
    double slowdown = estimator_slowdown(estimator);
    snprintf(consequence, sizeof consequence,
             slowdown < WORTH_A_FIGURE ? "with them at work, runs take longer than said here"
                                       : "with them at work, runs take about %.*f times as long "
                                         "as said here",
             slowdown < 10, slowdown);
    busy_warn(estimator_others(estimator), consequence);
}

/* Where the time comes from. */
static void say_source(const struct forecast *forecast)
{
    size_t n_group = estimator_n_group(forecast->estimator);
    size_t n_measured = estimator_n_measured(forecast->estimator);
    if (n_measured == 0) {
        fputs("(a guess: a step of any of these models is too long to be tried)\n", stderr);
        return;
    }
    fprintf(stderr,
            "(from training steps of %zu of %zu kind%s of models, made just now in %.1f s; runs "
            "of a kind differ by their FLOP)\n",
            n_measured, n_group, plural(n_group), forecast->measure_seconds);
}

void forecast_say(const struct forecast *forecast)
{
    size_t n_run = forecast->n_pending + forecast->n_done;
    if (forecast->n_pending > 0) {
        char range[FORECAST_RANGE_SIZE];
        forecast_range(forecast->total, range);
        fprintf(stderr,
                "%zu run%s to make, %zu at a time with %d thread%s: estimated time %s, memory "
                "%.0f MiB\n",
                forecast->n_pending, plural(forecast->n_pending), forecast->jobs, forecast->threads,
                plural((size_t)forecast->threads), range, forecast->memory_mib);
        say_source(forecast);
        forecast_warn(forecast->estimator);
    }
    fprintf(stderr, "%zu run%s, %zu of them done; nothing was trained or written (--dry-run)\n",
            n_run, plural(n_run), forecast->n_done);
}

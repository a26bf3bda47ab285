#include "cli/forecast.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/threads.h"
#include "cli/plan.h"
#include "cli/startup.h"
#include "lab/memory.h"
#include "lab/record.h"

double forecast_memory_mib(const struct config *config, int threads)
{
    return (double)memory_of_run(config, threads) / (1024.0 * 1024.0);
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
        char id[CONFIG_ID_SIZE];
        config_id(&plan->config[i], id);
        forecast->done[i] = record_is_done(plan->arguments->out, id);
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

void forecast_range(struct estimate seconds, char text[FORECAST_RANGE_SIZE])
{
    static const struct {
        const char *name;
        double seconds, below; /* which high ends it is used for */
    } units[] = {
        {"s", 1, 100}, {"min", 60, 100 * 60}, {"h", 3600, 100 * 3600}, {"days", 86400, INFINITY}};
    size_t u = 0;
    while (seconds.high >= units[u].below) {
        u++;
    }
    double low = seconds.low / units[u].seconds, high = seconds.high / units[u].seconds;
    int decimals = high < 10 && u > 0;
    if (u == 0 && high < 2) {
        snprintf(text, FORECAST_RANGE_SIZE, "up to 2 s");
    } else {
        snprintf(text, FORECAST_RANGE_SIZE, "%.*f to %.*f %s", decimals, low, decimals, high,
                 units[u].name);
    }
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

void forecast_say(const struct forecast *forecast)
{
    size_t n_run = forecast->n_pending + forecast->n_done;
    if (forecast->n_pending > 0) {
        char range[FORECAST_RANGE_SIZE];
        size_t n_group = estimator_n_group(forecast->estimator);
        size_t n_measured = estimator_n_measured(forecast->estimator);
        forecast_range(forecast->total, range);
        fprintf(stderr,
                "%zu run%s to make, %zu at a time with %d thread%s: estimated time %s, memory "
                "%.0f MiB\n",
                forecast->n_pending, plural(forecast->n_pending), forecast->jobs, forecast->threads,
                plural((size_t)forecast->threads), range, ceil(forecast->memory_mib));
        fprintf(
            stderr,
            "(from training steps of %zu of %zu kind%s of models, made just now in %.1f s; runs "
            "of a kind differ by their FLOP)\n",
            n_measured, n_group, plural(n_group), forecast->measure_seconds);
    }
    fprintf(stderr, "%zu run%s, %zu of them done; nothing was trained or written (--dry-run)\n",
            n_run, plural(n_run), forecast->n_done);
}

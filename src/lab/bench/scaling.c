/* Points are measured one after another, each alone in memory, so that the peak is its own.
 */
#include "lab/bench/scaling.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"

static const struct scaling_axis AXES[] = {
    {"seq_len", {16, 32, 64, 128, 256, 512}},
    {"n_embd", {32, 64, 128, 256}},
    {"n_layer", {1, 2, 4, 8}},
    {"batch_size", {32, 64, 128, 256}},
};

const struct scaling_axis *scaling_axis_at(size_t i)
{
    return i < sizeof AXES / sizeof AXES[0] ? &AXES[i] : NULL;
}

double scaling_exponent(size_t n, const double *x, const double *y)
{
    double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
    for (size_t i = 0; i < n; i++) {
        double log_x = log(x[i]), log_y = log(y[i]);
        sum_x += log_x;
        sum_y += log_y;
        sum_xx += log_x * log_x;
        sum_xy += log_x * log_y;
    }
    double determinant = (double)n * sum_xx - sum_x * sum_x;
    double exponent = ((double)n * sum_xy - sum_x * sum_y) / determinant;
    return isfinite(exponent) ? exponent : NAN;
}

/* ---- one point ---- */

/* Lanes and micro-batch are chosen anew for the changed shape, as they would be for a run. */
static enum status change_config(struct config *config, const char *key, size_t value,
                                 struct error *err)
{
    char text[32];
    snprintf(text, sizeof text, "%zu", value);
    config->lanes = config->micro_batch = 0;
    enum status status = config_set(config, key, text, err);
    if (status == STATUS_OK && config->n_position < config->seq_len) {
        config->n_position = config->seq_len;
    }
    if (status == STATUS_OK) {
        status = config_resolve(config, err);
    }
    if (status != STATUS_OK) {
        error_prefix(err, "scaling over %s", key);
    }
    return status;
}

static enum status measure_point(const struct config *config, const struct bench_options *options,
                                 struct scaling_point *point, struct error *err)
{
    struct bench_spread no_ceiling;
    memory_reset_peak();
    size_t before = memory_resident();
    enum status status = bench_run(config, 1, options, &point->result, &no_ceiling, err);
    size_t peak = memory_peak();
    point->memory = peak > before ? (double)(peak - before) : NAN;
    point->stated_memory = (double)bench_memory(config, options->threads);
    return status;
}

/* ---- one axis ---- */

static void fit(struct scaling *scaling)
{
    double x[SCALING_MAX_POINT], time[SCALING_MAX_POINT], flop[SCALING_MAX_POINT];
    double memory[SCALING_MAX_POINT], stated[SCALING_MAX_POINT];
    size_t n = scaling->n_point;
    for (size_t i = 0; i < n; i++) {
        const struct scaling_point *point = &scaling->point[i];
        x[i] = (double)point->value;
        time[i] = point->result.seconds.median;
        flop[i] = point->result.flop;
        memory[i] = point->memory;
        stated[i] = point->stated_memory;
    }
    scaling->exponent = (struct scaling_exponents){.time = scaling_exponent(n, x, time),
                                                   .flop = scaling_exponent(n, x, flop),
                                                   .memory = scaling_exponent(n, x, memory),
                                                   .stated_memory = scaling_exponent(n, x, stated)};
}

enum status scaling_measure(const struct config *config, const struct scaling_axis *axis,
                            const struct bench_options *options, struct scaling *scaling,
                            struct error *err)
{
    struct bench_options models_only = *options;
    models_only.ceiling = false;
    *scaling = (struct scaling){0};
    for (size_t i = 0; i < SCALING_MAX_POINT && axis->value[i]; i++) {
        struct config changed = *config;
        struct scaling_point *point = &scaling->point[scaling->n_point++];
        point->value = axis->value[i];
        TRY(change_config(&changed, axis->key, axis->value[i], err));
        TRY(measure_point(&changed, &models_only, point, err));
    }
    fit(scaling);
    return STATUS_OK;
}

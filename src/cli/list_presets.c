#include <math.h>
#include <stdio.h>

#include "base/threads.h"
#include "cli/command.h"
#include "cli/forecast.h"
#include "cli/grids.h"
#include "cli/startup.h"
#include "lab/config/preset.h"
#include "lab/sweep/estimate.h"

static void add_row(struct table *table, const struct preset *preset, const struct grids *grids,
                    const struct estimator *estimator)
{
    char summary[PRESET_SUMMARY_SIZE], range[FORECAST_RANGE_SIZE];
    struct estimate seconds = estimator_sweep(estimator, grids->config, NULL, grids->n_config);
    double memory = 0;
    for (size_t i = 0; i < grids->n_config; i++) {
        memory = fmax(memory, forecast_memory_mib(&grids->config[i], estimator->threads));
    }
    preset_summary(preset, summary);
    forecast_range(seconds, range);
    table_text(table, preset->name);
    table_integer(table, (long long)grids->n_config);
    table_text(table, range);
    table_number(table, seconds.low);
    table_number(table, seconds.high);
    table_number(table, memory);
    table_text(table, summary);
}

/* Each preset has the same share of the time for measuring: a small one is told as well as a large
 * one. */
static enum status add_presets(struct table *table, struct estimator *estimator,
                               const struct arguments *arguments, struct error *err)
{
    size_t n_preset = 0;
    while (preset_at(n_preset)) {
        n_preset++;
    }
    for (size_t i = 0; i < n_preset; i++) {
        struct grids grids;
        enum status status = grids_expand(&grids, arguments, preset_at(i)->name, err);
        if (status == STATUS_OK) {
            status = estimator_time(estimator, grids.config, NULL, grids.n_config,
                                    FORECAST_SECONDS / (double)n_preset, err);
        }
        if (status == STATUS_OK) {
            add_row(table, preset_at(i), &grids, estimator);
        }
        grids_free(&grids);
        TRY(status);
    }
    return STATUS_OK;
}

enum status list_presets(const struct arguments *arguments, struct error *err)
{
    static const struct column columns[] = {
        {"name", "name", 0},      {"runs", "runs", 0},       {NULL, "time", 0},
        {"seconds_low", NULL, 0}, {"seconds_high", NULL, 0}, {"memory_mib", "MiB", 0},
        {"summary", "what", 0},
    };
    forecast_announce();
    TRY(startup_compute(err));
    struct estimator estimator = estimator_make(threads_available(), 1);
    struct table *table = table_create(columns, sizeof columns / sizeof columns[0]);
    enum status status = add_presets(table, &estimator, arguments, err);
    if (status == STATUS_OK) {
        status = table_print(table, arguments->format, err);
        forecast_warn(estimator.others);
    }
    table_free(table);
    estimator_free(&estimator);
    return status;
}

enum status list_preset(const char *name, struct error *err)
{
    const struct preset *preset = preset_find(name);
    if (!preset) {
        return word_check(WORD_PRESET, name, err);
    }
    fwrite(preset->text, 1, preset->size, stdout);
    return STATUS_OK;
}

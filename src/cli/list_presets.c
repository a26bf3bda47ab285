#include "cli/list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "cli/forecast.h"
#include "cli/grids.h"
#include "cli/startup.h"
#include "lab/config/preset.h"
#include "lab/sweep/estimate.h"

/* The runs of all presets, one preset after the other. */
struct collection {
    struct config *config;
    size_t n_config;
    size_t *end; /* [n_preset] */
    size_t n_preset;
};

static enum status out_of_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "out of memory for the runs of all presets");
}

static enum status append(struct collection *all, const struct grids *grids, struct error *err)
{
    size_t n = all->n_config + grids->n_config;
    struct config *config = realloc(all->config, (n + 1) * sizeof *config);
    size_t *end = realloc(all->end, (all->n_preset + 1) * sizeof *end);
    all->config = config ? config : all->config;
    all->end = end ? end : all->end;
    if (!config || !end) {
        return out_of_memory(err);
    }
    memcpy(all->config + all->n_config, grids->config, grids->n_config * sizeof *config);
    all->n_config = n;
    all->end[all->n_preset++] = n;
    return STATUS_OK;
}

static enum status collect(struct collection *all, const struct arguments *arguments,
                           struct error *err)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; preset_at(i) && status == STATUS_OK; i++) {
        struct grids grids;
        status = grids_expand(&grids, arguments, preset_at(i)->name, err);
        if (status == STATUS_OK) {
            status = append(all, &grids, err);
        }
        grids_free(&grids);
    }
    return status;
}

static void add_preset(struct table *table, const struct preset *preset,
                       const struct estimator *estimator, const struct config *configs, size_t n)
{
    char summary[PRESET_SUMMARY_SIZE], range[FORECAST_RANGE_SIZE];
    struct estimate seconds = estimator_sweep(estimator, configs, n);
    double memory = 0;
    for (size_t i = 0; i < n; i++) {
        memory = fmax(memory, forecast_memory_mib(&configs[i], threads_available()));
    }
    preset_summary(preset, summary);
    forecast_range(seconds, range);
    table_text(table, preset->name);
    table_integer(table, (long long)n);
    table_text(table, range);
    table_number(table, seconds.low);
    table_number(table, seconds.high);
    table_number(table, memory);
    table_text(table, summary);
}

static enum status print_table(const struct collection *all, const struct estimator *estimator,
                               enum format format, struct error *err)
{
    static const struct column columns[] = {
        {"name", "name", 0},      {"runs", "runs", 0},       {NULL, "time", 0},
        {"seconds_low", NULL, 0}, {"seconds_high", NULL, 0}, {"memory_mib", "MiB", 0},
        {"summary", "what", 0},
    };
    struct table *table = table_create(columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < all->n_preset; i++) {
        size_t first = i > 0 ? all->end[i - 1] : 0;
        add_preset(table, preset_at(i), estimator, all->config + first, all->end[i] - first);
    }
    enum status status = table_print(table, format, err);
    table_free(table);
    return status;
}

enum status list_presets(const struct arguments *arguments, struct error *err)
{
    struct collection all = {0};
    struct estimator *estimator = NULL;
    enum status status = collect(&all, arguments, err);
    if (status == STATUS_OK) {
        forecast_announce();
        status = startup_compute(err);
    }
    if (status == STATUS_OK) {
        struct estimate_options options = {
            .jobs = 1, .seconds = FORECAST_SECONDS, .end = all.end, .n_sweep = all.n_preset};
        status = estimator_create(&estimator, all.config, all.n_config, &options, err);
    }
    if (status == STATUS_OK) {
        status = print_table(&all, estimator, arguments->format, err);
        forecast_warn(estimator);
    }
    estimator_free(estimator);
    free(all.config);
    free(all.end);
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

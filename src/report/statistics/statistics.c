/* statistics: one setting alone is the whole set, and is not compared twice. */
#include "report/statistics/statistics.h"

#include <stdlib.h>

bool statistics_tells_settings(const struct statistics *statistics)
{
    return statistics->set->n_setting <= STATISTICS_MAX_SETTING;
}

static bool is_papers(const struct run *run)
{
    return run->n_embd == 64 && run->n_layer == 2 && run->n_head == 4;
}

/* Whether a stands for a length rather than b. */
static bool goes_before(const struct setting *a, const struct setting *b)
{
    if (a->n_run != b->n_run) {
        return a->n_run > b->n_run;
    }
    return is_papers(a->run) && !is_papers(b->run);
}

bool statistics_draws_setting(const struct statistics *statistics, size_t setting)
{
    const struct setting *all = statistics->set->setting, *here = &all[setting];
    if (statistics_tells_settings(statistics)) {
        return true;
    }
    for (size_t i = 0; i < statistics->set->n_setting; i++) {
        if (all[i].run->n_token == here->run->n_token && i != setting &&
            (goes_before(&all[i], here) || (i < setting && !goes_before(here, &all[i])))) {
            return false;
        }
    }
    return true;
}

static enum status compare_settings(struct statistics *statistics,
                                    const struct baselines *baselines, struct error *err)
{
    const struct run_set *set = statistics->set;
    if (set->n_setting < 2 || !statistics_tells_settings(statistics)) {
        return STATUS_OK;
    }
    statistics->setting = calloc(set->n_setting, sizeof(*statistics->setting));
    enum status status = STATUS_OK;
    if (!statistics->setting) {
        return error_memory(err, "comparing variants");
    }
    for (size_t i = 0; status == STATUS_OK && i < set->n_setting; i++) {
        status = comparisons_make(set, &set->setting[i], baselines, &statistics->setting[i], err);
    }
    return status;
}

enum status statistics_make(const struct run_set *set, const struct baselines *baselines,
                            struct statistics *statistics, struct error *err)
{
    *statistics = (struct statistics){.set = set};
    enum status status = comparisons_make(set, NULL, baselines, &statistics->all, err);
    if (status == STATUS_OK) {
        status = compare_settings(statistics, baselines, err);
    }
    if (status == STATUS_OK) {
        status = overview_make(set, false, &statistics->tasks, err);
    }
    if (status == STATUS_OK) {
        status = overview_make(set, true, &statistics->images, err);
    }
    if (status == STATUS_OK) {
        findings_make_chance(set->setting, set->n_setting, set->n_image_ok ? " on a task" : "",
                             &statistics->findings);
        findings_make_comparisons(&statistics->all, &statistics->findings);
        findings_make_grid(set, &statistics->tasks, &statistics->findings);
    }
    return statistics->findings.failed ? error_memory(err, "comparing variants") : status;
}

void statistics_free(struct statistics *statistics)
{
    for (size_t i = 0; statistics->setting && i < statistics->set->n_setting; i++) {
        comparisons_free(&statistics->setting[i]);
    }
    free(statistics->setting);
    comparisons_free(&statistics->all);
    overview_free(&statistics->tasks);
    overview_free(&statistics->images);
    findings_free(&statistics->findings);
    *statistics = (struct statistics){0};
}

const struct comparisons *statistics_of_setting(const struct statistics *statistics, size_t setting)
{
    if (statistics->set->n_setting == 1) {
        return &statistics->all;
    }
    return statistics->setting ? &statistics->setting[setting] : NULL;
}

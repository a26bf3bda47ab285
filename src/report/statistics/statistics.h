/* statistics: everything a report says over more than one run that rests on pairs or on a grid:
 * made once, read by the pages and the tables for programs.
 */
#ifndef QKVLAB_REPORT_STATISTICS_H
#define QKVLAB_REPORT_STATISTICS_H

#include "report/statistics/comparisons.h"
#include "report/statistics/findings.h"
#include "report/statistics/overview.h"

/* With more settings than this a report has no part and no figure for each: nobody would read them,
 * and the grid as a whole is what was asked about. */
#define STATISTICS_MAX_SETTING 12

struct statistics {
    const struct run_set *set;     /* borrowed */
    struct comparisons all;        /* over all settings, and over runs on images */
    struct comparisons *setting;   /* [n_setting] where there are 2..STATISTICS_MAX_SETTING */
    struct overview tasks, images; /* averages over all configurations */
    struct findings findings;      /* what the tests say of all */
};

/* statistics_make compares (with the baselines; NULL: QKV) and averages. Caller frees with
 * statistics_free, also on failure; the set is borrowed. Errors: STATUS_MEMORY. */
enum status statistics_make(const struct run_set *set, const struct baselines *baselines,
                            struct statistics *statistics, struct error *err);
void statistics_free(struct statistics *statistics);

/* statistics_of_setting returns the comparisons within a setting, NULL where there are too many
 * settings for that. */
const struct comparisons *statistics_of_setting(const struct statistics *statistics,
                                                size_t setting);

/* statistics_draws_setting: the setting has figures: all where each has a part, else one for each
 * sequence length (of the most runs; then the papers' d 64, 2 layers, 4 heads; then the first). */
bool statistics_draws_setting(const struct statistics *statistics, size_t setting);

/* statistics_tells_settings: the report has a part for each setting. */
bool statistics_tells_settings(const struct statistics *statistics);

#endif

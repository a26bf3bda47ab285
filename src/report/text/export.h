/* export: the report for programs: CSV tables and one JSON document with the ids of the runs behind
 * each number.
 */
#ifndef QKVLAB_REPORT_EXPORT_H
#define QKVLAB_REPORT_EXPORT_H

#include "base/text.h"
#include "report/runs/run_set.h"
#include "report/statistics/findings.h"
#include "report/statistics/statistics.h"

/* export_runs: a row a run, also the ones that are not averaged (see status). export_heads: a row a
 * head of the last layer. export_cells: a row a cell, with n, mean, sd, min and max of each
 * measure. A number that is not there is an empty field; sd is empty below three values. */
void export_runs(struct text *text, const struct run_set *set);
void export_heads(struct text *text, const struct run_set *set);
void export_cells(struct text *text, const struct run_set *set);

/* export_comparisons: a row a comparison, over all settings (setting "all") and, where there are
 * several, within each. export_overview: a row a variant and task, over all configurations. */
void export_comparisons(struct text *text, const struct statistics *statistics);
void export_overview(struct text *text, const struct statistics *statistics);

/* The same as JSON: new arrays. */
json_t *export_comparisons_json(const struct comparisons *comparisons);
json_t *export_overview_json(const struct statistics *statistics);

/* export_json returns the whole report (new reference), NULL when out of memory. findings holds one
 * entry a setting. */
json_t *export_json(const struct run_set *set, const struct findings *findings,
                    const struct statistics *statistics);

/* setting_number returns the place of a run's or cell's setting in the report, from 1. */
size_t setting_number(const struct run_set *set, const struct run *run);

#endif

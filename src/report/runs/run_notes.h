/* run_notes: what a reader must know of the runs before any number: which are copies of others,
 * which are missing, and which could not be read. One sentence each, the same in every file of a
 * report.
 */
#ifndef QKVLAB_REPORT_RUN_NOTES_H
#define QKVLAB_REPORT_RUN_NOTES_H

#include "base/json.h"
#include "base/text.h"
#include "report/runs/run_set.h"

#define RUN_NOTES_MAX 8

/* run_notes_make writes the sentences and returns their number. Caller frees with run_notes_free.
 */
size_t run_notes_make(const struct run_set *set, struct text note[RUN_NOTES_MAX]);
/* How many runs lost their maps, and how many have no curve. */
size_t run_notes_without_maps(const struct run_set *set);
size_t run_notes_without_curve(const struct run_set *set);
void run_notes_free(struct text note[RUN_NOTES_MAX]);

/* run_notes_json returns the sentences as an array; new reference. */
json_t *run_notes_json(const struct run_set *set);

#endif

/* image_runs: the part of a report about runs on image data sets: a table for each data set and
 * configuration, with published numbers beside, and the confusions of one run a row.
 */
#ifndef QKVLAB_REPORT_IMAGE_RUNS_H
#define QKVLAB_REPORT_IMAGE_RUNS_H

#include "base/file.h"
#include "report/run_set.h"

/* image_runs_draw writes confusion-<run id>.png into folder for the first finished run of each
 * cell. */
enum status image_runs_draw(const struct run_set *set, const char *folder, struct error *err);

/* image_runs_append appends the section; nothing where no run is on images. */
void image_runs_append(struct text *text, const struct run_set *set);

#endif

/* image_runs: the part of a report about runs on image data sets: a table for each data set and
 * configuration, with published numbers beside, what the models look at, and the confusions of one
 * run a row.
 */
#ifndef QKVLAB_REPORT_IMAGE_RUNS_H
#define QKVLAB_REPORT_IMAGE_RUNS_H

#include "base/text.h"
#include "report/runs/run_set.h"

/* image_runs_draw writes confusion-<run id>.png into folder for the first finished run of each
 * cell, and what image_runs_draw_attention writes. */
enum status image_runs_draw(const struct run_set *set, const char *folder, struct error *err);

/* image_runs_draw_attention writes, for each table, the variants side by side on the same images as
 * class-token-<run id>-rollout.png and -last-layer.png, see figure_variants.h: the runs of the
 * first seed that kept samples, named for the first of these runs. *n_picture counts them. */
enum status image_runs_draw_attention(const struct run_set *set, const char *folder,
                                      size_t *n_picture, struct error *err);

/* image_runs_append_departures appends the settings in which a run was trained otherwise than
 * published, "epochs 1 (20), n_head 4 (2)", nothing where there is none: its numbers say little
 * beside the published. */
void image_runs_append_departures(struct text *text, const struct run *run);

/* image_runs_append appends the section; nothing where no run is on images. */
void image_runs_append(struct text *text, const struct run_set *set);

#endif

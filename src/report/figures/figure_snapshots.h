/* figure_snapshots: how the attention of one run came about: its snapshots side by side.
 */
#ifndef QKVLAB_REPORT_FIGURE_SNAPSHOTS_H
#define QKVLAB_REPORT_FIGURE_SNAPSHOTS_H

#include "report/runs/run.h"

/* figure_snapshots writes <run folder>/attention/training.png: steps across, layers down (the last
 * SNAPSHOTS_MAX_LAYER), mean over the probe and over heads, on one scale in multiples of the
 * uniform 1/T. *drawn false: the run kept one snapshot alone. Errors: STATUS_DATA names a broken
 * file. */
#define SNAPSHOTS_MAX_LAYER 4
enum status figure_snapshots(const struct run *run, bool *drawn, struct error *err);

#endif

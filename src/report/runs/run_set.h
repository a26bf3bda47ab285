/* run_set: all runs of an out folder, sorted and grouped.
 *
 * A cell holds the runs whose configuration, program and class of machine are identical except for
 * the seed; only they are averaged. A setting holds the cells that may share a table: variants
 * down, tasks across. Diverged and failed runs stay in their cell, counted and never averaged;
 * folders that cannot be read are listed with the reason. Runs that are copies of others are
 * counted once. Runs on images are kept apart: they have other measures, and a table for each data
 * set (image_runs.h).
 */
#ifndef QKVLAB_REPORT_RUN_SET_H
#define QKVLAB_REPORT_RUN_SET_H

#include "report/runs/run.h"
#include "report/runs/stats.h"

struct cell {
    const struct run *run; /* [n_run], seeds ascending */
    size_t n_run;
    size_t n_ok; /* of them, the finished ones that are averaged */
};

struct setting {
    const struct run *run; /* [n_run], the setting's runs */
    size_t n_run;
    const struct run **variant; /* [n_variant], one run for each row, in named-row order */
    const struct task **task;   /* [n_task], in alphabetical order */
    long long *seed;            /* [n_seed], ascending */
    const struct cell **cell;   /* [n_variant * n_task], NULL: no such run */
    size_t n_variant, n_task, n_seed;
    size_t n_step; /* of training; a diverged run made fewer */
};

struct left_out {
    char *name;   /* the folder's name */
    char *reason; /* one sentence */
};

struct run_set {
    struct run *run; /* [n_run], by setting, variant, task, seed */
    size_t n_run, n_ok;
    struct cell *cell;
    size_t n_cell;
    struct setting *setting;
    size_t n_setting;
    struct run *image_run; /* [n_image_run], by data set, setting, variant, seed */
    size_t n_image_run, n_image_ok;
    struct cell *image_cell;
    size_t n_image_cell;
    struct run
        *copy; /* [n_copy], runs that only look at the training of one above, see run_copies.h
                */
    size_t n_copy;
    size_t n_repeat; /* runs that repeat the training of another bit for bit: the copies, and those
                        above with a copy_of */
    struct left_out *left_out; /* folders that are not among the runs */
    size_t n_left_out;
    size_t n_partial; /* unfinished folders, skipped */
    size_t n_planned,
        n_missing;             /* runs that sweeps planned, and those of them that are not there */
    struct error plan_problem; /* why a plan could not be read, "" where all could */
};

/* run_set_load reads <out>/runs. Caller frees with run_set_free, also on failure. Errors:
 * STATUS_DATA when there is no such folder or no finished run in it. */
enum status run_set_load(const char *out, struct run_set *set, struct error *err);
void run_set_free(struct run_set *set);

/* setting_cell returns the cell of a row and a column, NULL where nothing was run. */
const struct cell *setting_cell(const struct setting *setting, size_t variant, size_t task);

/* setting_find_variant returns the row of a variant id, n_variant if it is not there. */
size_t setting_find_variant(const struct setting *setting, const char *variant_id);

/* cell_stats summarises a measure over the cell's finished runs; a NULL cell has none. */
struct stats cell_stats(const struct cell *cell, enum measure measure);

/* cell_find_seed returns the cell's finished run of a seed, or NULL. */
const struct run *cell_find_seed(const struct cell *cell, long long seed);

/* cell_tells: the cell's runs could have the measure. Older runs kept no accuracies of their
 * batches, so that nobody knows when they reached one: that is not "never". */
bool cell_tells(const struct cell *cell, enum measure measure);

/* cell_difference summarises a's measure minus b's, paired by seed; seeds that only one of them
 * has do not count. */
struct stats cell_difference(const struct cell *a, const struct cell *b, enum measure measure);

/* cell_mean_curve averages the training loss over the finished runs that have a curve, up to their
 * common length. Caller frees. NULL where there is none. */
double *cell_mean_curve(const struct cell *cell, size_t *n_step);

#endif

/* frame: all runs of an out folder as columns: for each run a level of every factor and a number
 * for every measure. Tables, figures and tests are groupings of it (group.h, pairs.h).
 *
 * Two runs have the same
 *   kind            where their work is of one kind (kinds.h)
 *   task            where they learn the same task or data set
 *   variant         where their variant's id is the same
 *   setting         where they may share a table: configuration, program and class of machine, with
 *                   task, variant and seed aside; a data set has settings of its own
 *   configuration   where the configurations are the same, with task, variant and seed aside,
 *                   whatever the program and the machine
 *   cell            where they may be averaged: everything the same but the seed
 *   seed            where their seeds are
 *
 * Folders that cannot be read are listed with the reason. Runs that repeat another bit for bit are
 * counted once (copies.h).
 */
#ifndef QKVLAB_REPORT_FRAME_H
#define QKVLAB_REPORT_FRAME_H

#include "report/frame/group.h"

struct left_out {
    char *name;   /* the folder's name */
    char *reason; /* one sentence */
};

struct frame {
    struct run *run;       /* [n_run + n_copy]: by kind, setting, variant, task, cell, seed; */
    size_t n_run;          /* behind them the copies that only look at the training of one of */
    size_t n_copy;         /* these, which are in no group */
    struct cuts *cuts;     /* all groups of these runs lie here */
    struct group all;      /* all runs */
    struct groups kind;    /* a group a kind that is there */
    struct groups setting; /* a group a setting, by level */
    const struct run **sample[FACTOR_COUNT]; /* one run of each level */
    size_t n_level[FACTOR_COUNT];
    const struct run **list; /* what `all` lies in */
    size_t n_repeat; /* runs that repeat the training of another bit for bit: the copies, and those
                        above with a copy_of */
    struct left_out *left_out; /* folders that are not among the runs */
    size_t n_left_out;
    size_t n_partial;          /* unfinished folders, skipped */
    size_t n_planned;          /* runs that sweeps planned, */
    size_t n_missing;          /* and those of them that are not there */
    struct error plan_problem; /* why a plan could not be read, "" where all could */
};

/* frame_load reads <out>/runs. Caller frees with frame_free, also on failure. Errors: STATUS_DATA
 * when there is no such folder or no finished run in it. */
enum status frame_load(const char *out, struct frame *frame, struct error *err);
void frame_free(struct frame *frame);

/* frame_kind returns the runs of a kind, NULL where there are none. */
const struct group *frame_kind(const struct frame *frame, enum measured_kind kind);

/* setting_title writes "d 64, 2 layers, 4 heads, T 16" of a setting's run, for images with the data
 * set in front and the patch. */
#define SETTING_TITLE_SIZE 160
void setting_title(const struct run *run, char title[SETTING_TITLE_SIZE]);

/* setting_name writes the title of one of the frame's settings, behind "Setting 2: " where there
 * are several: two may have one title. */
#define SETTING_NAME_SIZE (SETTING_TITLE_SIZE + 32)
void setting_name(const struct frame *frame, const struct group *setting,
                  char name[SETTING_NAME_SIZE]);

#endif

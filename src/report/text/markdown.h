/* markdown: report.md, the page a person reads. */
#ifndef QKVLAB_REPORT_MARKDOWN_H
#define QKVLAB_REPORT_MARKDOWN_H

#include "base/text.h"
#include "report/runs/run_set.h"
#include "report/statistics/findings.h"
#include "report/statistics/statistics.h"

#define REPORT_STEM_SIZE 32

/* What was made for one setting before the page is written. */
struct setting_report {
    char stem[REPORT_STEM_SIZE]; /* the beginning of its figures' names */
    bool *has_attention;         /* [n_seed] */
    bool has_curves;
    struct findings findings;
};

/* What was made for all settings together: figure_gap of each measure. */
#define GRID_N_GAP 2
extern const enum measure grid_gap_measure[GRID_N_GAP];
struct grid_report {
    bool has_gap[GRID_N_GAP];
};

/* markdown_append_report writes the page; reports holds one entry a setting. */
void markdown_append_report(struct text *text, const struct run_set *set,
                            const struct setting_report *reports,
                            const struct statistics *statistics, const struct grid_report *grid);

#endif

/* markdown: report.md, the page a person reads. */
#ifndef QKVLAB_REPORT_MARKDOWN_H
#define QKVLAB_REPORT_MARKDOWN_H

#include "base/file.h"
#include "report/findings.h"
#include "report/run_set.h"
#include "report/statistics.h"

#define REPORT_STEM_SIZE 32

/* What was made for one setting before the page is written. */
struct setting_report {
    char stem[REPORT_STEM_SIZE]; /* the beginning of its figures' names */
    bool *has_attention;         /* [n_seed] */
    bool has_curves;
    struct findings findings;
};

/* markdown_append_report writes the page; reports holds one entry a setting. */
void markdown_append_report(struct text *text, const struct run_set *set,
                            const struct setting_report *reports,
                            const struct statistics *statistics);

#endif

/* latex: the tables of a report for a paper, in the layout of arXiv 2606.04032: variants down,
 * tasks across, booktabs rules; one table environment a setting, and one over all of them.
 */
#ifndef QKVLAB_REPORT_LATEX_H
#define QKVLAB_REPORT_LATEX_H

#include "base/text.h"
#include "report/runs/run_set.h"
#include "report/statistics/statistics.h"

struct latex_table {
    const char *file, *title;
    struct text text; /* empty where there is nothing to show */
};

#define LATEX_N_TABLE 5
struct latex {
    struct latex_table table[LATEX_N_TABLE];
};

/* latex_make fills the tables. Caller frees with latex_free. */
void latex_make(const struct run_set *set, const struct statistics *statistics,
                struct latex *latex);
void latex_free(struct latex *latex);

/* latex_write writes the tables that are not empty as <folder>/<file>. Errors: STATUS_WRITE,
 * STATUS_MEMORY. */
enum status latex_write(const struct latex *latex, const char *folder, struct error *err);

/* latex_append_escaped appends a text so that LaTeX prints it. */
void latex_append_escaped(struct text *text, const char *value);

#endif

/* latex: the tables of a document that are FOR_LATEX, a file a group, with booktabs rules. */
#ifndef QKVLAB_REPORT_LATEX_H
#define QKVLAB_REPORT_LATEX_H

#include "base/text.h"
#include "report/document/document.h"

/* latex_append appends the tables of the group that begins at a block. */
void latex_append(struct text *text, const struct document *document, size_t begin);

/* latex_write writes <folder>/<file> of every group. Errors: STATUS_WRITE, STATUS_MEMORY. */
enum status latex_write(const struct document *document, const char *folder, struct error *err);

#endif

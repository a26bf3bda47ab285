/* markdown: a document as GitHub's Markdown, what is FOR_TEXT of it. Pictures are links to the
 * files that plots and sheets are drawn to.
 */
#ifndef QKVLAB_REPORT_MARKDOWN_H
#define QKVLAB_REPORT_MARKDOWN_H

#include "base/text.h"
#include "report/document/document.h"

void markdown_append(struct text *text, const struct document *document);

/* markdown_write writes <folder>/report.md. Errors: STATUS_WRITE, STATUS_MEMORY. */
enum status markdown_write(const struct document *document, const char *folder, struct error *err);

#endif

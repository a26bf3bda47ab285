/* page: a document as report.html, one file that opens offline, to be explored: tables sort and
 * filter, curves and maps are read by pointer and keyboard. What is FOR_PAGE of it.
 */
#ifndef QKVLAB_REPORT_PAGE_H
#define QKVLAB_REPORT_PAGE_H

#include "report/document/document.h"

/* What the document's facets mean: names of the levels, for the page's filter. Borrowed by the
 * caller's arrays. */
struct page_level {
    const char *name, *title; /* a setting's name is "" */
    const double *size;       /* of a setting: [n_size] */
};

struct page_levels {
    const char *lead; /* one sentence on what was run */
    struct page_level *task, *variant, *setting;
    size_t n_task, n_variant, n_setting;
    const char *const *size; /* [n_size] names of a setting's sizes */
    size_t n_size;
    const char
        *runs; /* the anchor of the section whose table has a row a run, where numbers lead */
};

/* page_write writes <folder>/report.html. Errors: STATUS_WRITE, STATUS_MEMORY. */
enum status page_write(const struct document *document, const struct page_levels *levels,
                       const char *folder, struct error *err);

#endif

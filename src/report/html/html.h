/* html: report.html, the page a person explores: one file that needs nothing beside it.
 *
 * The files in src/report/html/page/ are compiled into the program (scripts/cmake/embed.cmake); the
 * page is their template with style, script and the report's numbers as JSON in it. The script
 * renders; nothing is computed there that report.md computes too. A policy in the page allows that
 * one script and style, by their hashes, and no request at all.
 */
#ifndef QKVLAB_REPORT_HTML_H
#define QKVLAB_REPORT_HTML_H

#include "report/statistics/statistics.h"
#include "report/text/latex.h"
#include "report/text/markdown.h"

/* The page stays small whatever was run; what had to be left out is said in it. */
#define HTML_MAX_POINT 200                  /* of a curve */
#define HTML_CURVE_BUDGET ((size_t)6 << 20) /* characters of all curves */
#define HTML_MAP_BUDGET ((size_t)6 << 20)   /* of all attention maps */
#define HTML_COUNT_BUDGET ((size_t)1 << 20) /* of all confusions */

struct html_content {
    const struct run_set *set;
    const struct setting_report *reports; /* one entry a setting */
    const struct statistics *statistics;
    const struct latex *latex; /* tables that can be copied from the page */
};

/* html_write writes <folder>/report.html. Errors: STATUS_WRITE, STATUS_MEMORY. */
enum status html_write(const struct html_content *content, const char *folder, struct error *err);

#endif

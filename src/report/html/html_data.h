/* html_data: the numbers of a report as the JSON that report.html draws from. Private to html_*.c.
 *
 * Runs, cells and settings refer to each other by index. Runs on images belong to no setting of the
 * set: those that share a table become further settings, behind the set's own.
 */
#ifndef QKVLAB_REPORT_HTML_DATA_H
#define QKVLAB_REPORT_HTML_DATA_H

#include "report/html/html.h"
#include "report/html/html_parts.h"

struct html_index {
    const struct run_set *set;
    const struct run **variant; /* [n_variant] one run for each variant, in named-row order */
    const struct run **task;    /* [n_task] one run for each task, then for each data set */
    size_t n_variant, n_task;
    size_t *image_setting; /* [n_image_cell] */
    size_t n_setting;      /* with those of images */
};

/* html_index_make numbers what the page names. Caller frees with html_index_free, also on failure.
 * Errors: STATUS_MEMORY. */
enum status html_index_make(const struct run_set *set, struct html_index *index, struct error *err);
void html_index_free(struct html_index *index);

size_t html_n_cell(const struct html_index *index);
const struct cell *html_cell(const struct html_index *index, size_t cell);
size_t html_setting_of_cell(const struct html_index *index, size_t cell);

/* The places of a run's variant and task in the index. */
size_t html_variant(const struct html_index *index, const struct run *run);
size_t html_task(const struct html_index *index, const struct run *run);

/* html_run_number is a run's place among all runs, those on images last. */
size_t html_run_number(const struct html_index *index, const struct run *run);

/* The parts of the page, as new references. */
json_t *html_settings(const struct html_index *index, const struct html_content *content);
json_t *html_findings(const struct findings *findings);
json_t *html_cells(const struct html_index *index);
json_t *html_runs(const struct html_index *index);
json_t *html_published(void);
json_t *html_comparisons(const struct html_index *index, const struct comparisons *comparisons);
json_t *html_overviews(const struct html_index *index, const struct statistics *statistics);

/* These add a member to the cells [n_cell] that have such data, and return what the page says of
 * it: "curve" {n_step, bucket, loss, accuracy}, "maps", "epochs" and "confusion". */
json_t *html_add_curves(const struct html_index *index, json_t *cells);
json_t *html_add_maps(const struct html_index *index, json_t *cells);
json_t *html_add_images(const struct html_index *index, json_t *cells);

#endif

/* tables: the numbers of one setting as Markdown tables, variants down and tasks across. A missing
 * cell is "-"; a cell with fewer than three seeds shows n and no error bar; diverged and failed
 * runs are marked in their cell.
 */
#ifndef QKVLAB_REPORT_TABLES_H
#define QKVLAB_REPORT_TABLES_H

#include "base/text.h"
#include "report/runs/run_set.h"
#include "report/statistics/comparisons.h"
#include "report/statistics/overview.h"

void tables_append_accuracy(struct text *text, const struct setting *setting);
void tables_append_cost(struct text *text, const struct setting *setting);

/* tables_append_dynamics writes how each variant learned, a table a task, with the paired
 * differences of comparisons (of the setting, or of a set that holds it alone). */
void tables_append_dynamics(struct text *text, const struct setting *setting,
                            const struct comparisons *comparisons);

/* tables_append_attention writes the last layer's numbers averaged over heads, then every head of
 * every run, folded away. Nothing where no run kept them. */
void tables_append_attention(struct text *text, const struct setting *setting);

/* tables_append_comparisons writes the differences from the baseline: of accuracy, of runs solved
 * and of how they learned; of images top-1 and loss. A sentence where there is no pair. */
void tables_append_comparisons(struct text *text, const struct comparisons *comparisons,
                               bool images);

/* tables_append_overview writes the averages over all configurations. */
void tables_append_overview(struct text *text, const struct overview *overview);

/* tables_append_overview_dynamics writes how the variants learned, over all configurations. */
void tables_append_overview_dynamics(struct text *text, const struct overview *overview);

/* tables_append_by_setting writes a few measures of every setting, folded away by task. */
void tables_append_by_setting(struct text *text, const struct run_set *set,
                              const struct overview *tasks);

/* tables_append_published sets published numbers beside the measured ones, each with source and
 * conditions, and says where the conditions differ. */
void tables_append_published(struct text *text, const struct setting *setting);

/* tables_append_published_grid sets the published grid means beside those of a measured grid, and
 * the published means at one width and length beside those of the same width and length. */
void tables_append_published_grid(struct text *text, const struct run_set *set,
                                  const struct overview *tasks);

/* tables_append_signed writes a difference: the sign of what is rounded to zero still says on which
 * side it was, zero itself has none. */
void tables_append_signed(struct text *text, double value, int n_decimal);

/* tables_cell_text writes what a table shows of a cell (which may be NULL). */
#define TABLES_CELL_SIZE (STATS_TEXT_SIZE + 64)
void tables_cell_text(const struct cell *cell, enum measure measure, int n_decimal,
                      char text[TABLES_CELL_SIZE]);

#endif

/* gap: how far a variant is from its baseline at each value of one size of the model or of
 * training.
 *
 * The values must differ in that size alone, or a mean would tell of the others: averaged are only
 * those combinations of the other sizes that were run at every value.
 */
#ifndef QKVLAB_REPORT_GAP_H
#define QKVLAB_REPORT_GAP_H

#include "report/frame/pairs.h"
#include "report/frame/sizes.h"

struct gap_line {
    const struct paired *paired; /* borrowed */
    enum size size;
    size_t n_point, n_combination;
    double *value;      /* [n_point] of the size, ascending */
    double *mean;       /* [n_point] over the combinations */
    double *difference; /* [n_combination, n_point] means over seeds */
};

/* gap_make fills a line with the differences of a measure. No point where the size has one value,
 * no combination of the others has them all, or the configurations differ in more than sizes.
 * Caller frees with gap_free, also on failure. Errors: STATUS_MEMORY. */
enum status gap_make(const struct paired *paired, enum measure measure, enum size size,
                     struct gap_line *line, struct error *err);
void gap_free(struct gap_line *line);

/* gap_append_procedure appends what a run's configuration says beside variant, task, seed and
 * sizes: it must be the same before points may stand on one line. */
void gap_append_procedure(const struct run *run, struct text *text);

#endif

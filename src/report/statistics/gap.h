/* gap: how far a variant is from its baseline at each value of one size of the model or of
 * training.
 *
 * The values must differ in that size alone, or a mean would tell of the others: averaged are only
 * those combinations of the other sizes that were run at every value.
 */
#ifndef QKVLAB_REPORT_GAP_H
#define QKVLAB_REPORT_GAP_H

#include "report/frame/pairs.h"

enum gap_size { GAP_WIDTH, GAP_LAYERS, GAP_HEADS, GAP_LENGTH, GAP_STEPS, GAP_N_SIZE };

/* gap_size_title returns "width d", "layers L", ... */
const char *gap_size_title(enum gap_size size);

struct gap_point {
    size_t value;                 /* of the size */
    double mean, *of_combination; /* [n_combination] means over seeds, and the mean of those */
};

struct gap_line {
    const struct paired *paired; /* borrowed */
    enum gap_size size;
    struct gap_point *point; /* [n_point], values ascending */
    size_t n_point, n_combination;
};

/* gap_make fills a line with the differences of a measure. No point where the size has one value,
 * no combination of the others has them all, or the configurations differ in more than sizes.
 * Caller frees with gap_free, also on failure. Errors: STATUS_MEMORY. */
enum status gap_make(const struct paired *paired, enum measure measure, enum gap_size size,
                     struct gap_line *line, struct error *err);
void gap_free(struct gap_line *line);

/* gap_append_procedure appends what a run's configuration says beside variant, task, seed and
 * sizes: it must be the same before points may stand on one line. */
void gap_append_procedure(const struct run *run, struct text *text);

#endif

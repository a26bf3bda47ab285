/* copies: runs that repeat the training of another bit for bit.
 *
 * The hash of the final weights tells them. Such runs are one draw, however many folders they fill:
 * to look at a model more closely (n_probe, attention) changes no bit of its training, a gradient
 * that no bound clips is the same under every bound, and two programs may agree in every bit.
 */
#ifndef QKVLAB_REPORT_COPIES_H
#define QKVLAB_REPORT_COPIES_H

#include "report/frame/run.h"

/* copies_merge takes the runs of one cell and seed that are copies of each other out of sorted runs
 * [n_run] and puts them behind the others; the one that was looked at most closely stays. runs has
 * room for twice as many. Returns how many stay. */
size_t copies_merge(struct run *runs, size_t n_run);

/* copies_mark sets copy_of of every run that repeats an earlier one of its task and variant, in
 * another cell, and adds them to *n_repeat. Errors: STATUS_MEMORY. */
enum status copies_mark(struct run *runs, size_t n_run, size_t *n_repeat, struct error *err);

/* copies_same: both ended well, with the same task, variant and weights. */
bool copies_same(const struct run *a, const struct run *b);

#endif

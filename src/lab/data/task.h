/* task: a sequence-to-sequence exercise with a known answer, and the attention it takes to solve
 * it.
 *
 * x is T digits drawn independently and uniformly from 0..9 (keyed by seed and split, so every
 * variant sees the same), y has the same length. One file a task in tasks/: it defines `const
 * struct task task_<file name>`, and the build finds it.
 */
#ifndef QKVLAB_LAB_TASK_H
#define QKVLAB_LAB_TASK_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define TASK_N_SYMBOL 10
#define TASK_NO_KEY (-1)

struct task {
    const char *name;    /* "reverse", as in file name and configuration */
    const char *title;   /* "Reverse", for figures */
    const char *formula; /* "y_t = x_(T-1-t)" */
    const char *example; /* "3 1 4 5 -> 5 4 1 3", checked by a test */
    int version;         /* raise it when the same seed would give other data: ids of runs change */

    /* check refuses sequence lengths the task cannot have (STATUS_USAGE, with ones that work);
     * NULL: any length from 1 works. */
    enum status (*check)(size_t n_token, struct error *err);

    /* target fills y [T] from x [T]. */
    void (*target)(const int32_t *x, size_t n_token, int32_t *y);

    /* needed_key returns the position that output t must attend to, or TASK_NO_KEY where no single
     * one exists (sort). */
    int (*needed_key)(size_t t, size_t n_token);

    /* position_floor returns the accuracy of the best predictor that knows only the position; NULL:
     * 0.1. */
    double (*position_floor)(size_t n_token);
};

/* task_at returns the i-th task in alphabetical order of names, NULL past the last; task_find the
 * one of a name, NULL if there is none. */
const struct task *task_at(size_t i);
const struct task *task_find(const char *name);

double task_floor(const struct task *task, size_t n_token);

/* task_generate fills x and y [n_sequence,T] with sequences first..first+n_sequence-1 of a split
 * ("train", "test", "probe") under a seed. Splits are independent draws. */
void task_generate(const struct task *task, uint64_t seed, const char *split, size_t first,
                   size_t n_sequence, size_t n_token, int32_t *x, int32_t *y);

#endif

/* sequences: sequence-to-sequence exercises with a known answer, and the attention it takes to
 * solve them.
 *
 * x is T symbols drawn independently and uniformly from 0..n_answer-1 (keyed by seed and split, so
 * every variant sees the same), y has the same length. One file a task in tasks/: it defines `const
 * struct sequence_task task_<file name>`, and the build finds it.
 */
#ifndef QKVLAB_LAB_SEQUENCES_H
#define QKVLAB_LAB_SEQUENCES_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "lab/kind/kind.h"

extern const struct kind kind_sequences;
extern const struct source_kind source_sequences; /* where its batches come from */

struct sequence_task {
    struct task task; /* its summary is the formula; a test checks its example */
    bool reproduced;  /* a task of the published runs, whose random numbers are known */

    /* check refuses sequence lengths the task cannot have (STATUS_USAGE, with ones that work);
     * NULL: any length from 1 works. */
    enum status (*check)(size_t n_token, struct error *err);

    /* target fills y [T] from x [T]. */
    void (*target)(const int32_t *x, size_t n_token, int32_t *y);

    /* needed_key returns the position that output t must attend to, or TASK_NO_KEY where no single
     * one exists (sort). */
    int (*needed_key)(size_t t, size_t n_token);

    /* position_floor returns the accuracy of the best predictor that knows only the position; NULL:
     * 1 / n_answer. */
    double (*position_floor)(size_t n_token);
};

/* sequence_task_of returns a task's own part; NULL for a task of another kind. */
const struct sequence_task *sequence_task_of(const struct task *task);

/* sequences_generate fills x and y [n_sequence,T] with sequences first..first+n_sequence-1 of a
 * split ("train", "test", "probe") under a seed. Splits are independent draws. */
void sequences_generate(const struct sequence_task *task, uint64_t seed, const char *split,
                        size_t first, size_t n_sequence, size_t n_token, int32_t *x, int32_t *y);

/* sequences_seen counts the test sequences of a configuration that stand among its training
 * sequences, too; it takes no look where there are so many different ones that none is to be
 * expected. Errors: STATUS_MEMORY. */
enum status sequences_seen(const struct config *config, size_t *n_seen, struct error *err);

#endif

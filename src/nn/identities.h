/* identities: the exact relations between variants, measured on random weights in double precision.
 *
 * Each is computed twice with the plain attention of exact.h, once as the left and once as the
 * right side of its equation, so that what remains is rounding. Beside it stands a control: the
 * same measurement where the premise does not hold, which shows that the check could have failed.
 * Used by `qkvlab identities`.
 */
#ifndef QKVLAB_NN_IDENTITIES_H
#define QKVLAB_NN_IDENTITIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct identities_options {
    size_t n_embd, n_head, seq_len, pos_dim;
    uint64_t seed;
};

struct identity_result {
    const char *name;    /* "W_Q eliminated" */
    const char *formula; /* what is equal to what */
    const char *why;     /* one sentence */
    double condition;    /* of the matrix that is inverted; NaN where none is */
    double error;        /* largest difference, in units of the largest number compared */
    double bound;        /* what rounding may do */
    double control;      /* the same where the premise does not hold; NaN: not measured */
    bool passed;         /* error <= bound */
};

/* identities_check refuses sizes that cannot be, or would take more than seconds. STATUS_USAGE. */
enum status identities_check(const struct identities_options *options, struct error *err);

/* identities_count returns how many there are; identities_measure measures the i-th at checked
 * sizes. Errors: STATUS_MEMORY. */
size_t identities_count(void);
enum status identities_measure(const struct identities_options *options, size_t i,
                               struct identity_result *result, struct error *err);

#endif

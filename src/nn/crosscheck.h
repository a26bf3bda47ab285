/* crosscheck: compares the engine with the answers of an independent implementation.
 *
 * A bundle (tests/golden/README.md) holds a small model, one batch, and what another program
 * computed from them in double precision. The engine repeats it as it would in a training, with
 * lanes, micro-batches and threads: forward, loss, gradient, three Adam steps.
 */
#ifndef QKVLAB_NN_CROSSCHECK_H
#define QKVLAB_NN_CROSSCHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "nn/variant.h"

struct crosscheck_options {
    int threads;               /* 0: all there are */
    size_t lanes, micro_batch; /* 0: the engine's defaults for the shape */
};

/* One tensor. error = max |found - expected| / max(max |expected|, floor), where floor is 1e-3 of
 * the largest gradient in the bundle for gradients and 0 for all else. */
struct crosscheck_row {
    char tensor[96]; /* as in the bundle: "expect/logits", "grad/head.bias" */
    double error, tolerance;
    size_t worst;           /* flat index of the largest difference */
    double found, expected; /* there */
};

struct crosscheck_report {
    char name[64];                   /* the bundle's own name */
    char variant[VARIANT_TEXT_SIZE]; /* id */
    struct crosscheck_row *row;
    size_t n_row;
};

/* crosscheck_run compares one bundle. STATUS_OK says that the comparison was made, not
 * that it passed: see crosscheck_passed. A damaged or foreign file is STATUS_DATA. Caller
 * frees report with crosscheck_report_free; after an error there is nothing to free. */
enum status crosscheck_run(const char *path, const struct crosscheck_options *options,
                           struct crosscheck_report *report, struct error *err);
void crosscheck_report_free(struct crosscheck_report *report);

/* crosscheck_row_passed: the error is a number within the tolerance. */
bool crosscheck_row_passed(const struct crosscheck_row *row);

/* crosscheck_passed: something was compared, and every row passed. */
bool crosscheck_passed(const struct crosscheck_report *report);

/* crosscheck_worst returns the row with the largest error / tolerance, NULL if there are none. */
const struct crosscheck_row *crosscheck_worst(const struct crosscheck_report *report);

#endif

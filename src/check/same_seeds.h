/* same_seeds: the tiers exact and paired, which compare traces of the same seed value by value. */
#ifndef QKVLAB_CHECK_SAME_SEEDS_H
#define QKVLAB_CHECK_SAME_SEEDS_H

#include "base/status.h"
#include "check/traces.h"
#include "check/verdict.h"

/* Rows of tier.h. Errors: STATUS_DATA where no cohort and seed is in both, and for paired where a
 * cohort has no tolerance. */
enum status exact_compare(const struct traces *old, const struct traces *new,
                          struct verdict *verdict, struct error *err);
enum status paired_compare(const struct traces *old, const struct traces *new,
                           struct verdict *verdict, struct error *err);

#endif

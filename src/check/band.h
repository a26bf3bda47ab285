/* band: the tier that compares other seeds, or another program's, as two samples. */
#ifndef QKVLAB_CHECK_BAND_H
#define QKVLAB_CHECK_BAND_H

#include "base/status.h"
#include "check/traces.h"
#include "check/verdict.h"

/* A check alarms where p is at most this. It is the share of false alarms over pairs of a baseline
 * and new seeds, of trainings that neither diverge nor end early. To check one baseline twice with
 * the same seeds is to see the same answer twice. */
#define BAND_LEVEL 0.01

/* A row of tier.h. Errors: STATUS_DATA where there are too few seeds, or no step in common. */
enum status band_compare(const struct traces *old, const struct traces *new,
                         struct verdict *verdict, struct error *err);

/* band_needs returns the fewest new seeds beside n_old ones with which the tier can alarm,
 * band_enough refuses fewer (STATUS_DATA), and BAND_SEEDS old and as many new ones are enough. */
#define BAND_SEEDS 5
size_t band_needs(size_t n_old);
enum status band_enough(size_t n_old, size_t n_new, struct error *err);

#endif

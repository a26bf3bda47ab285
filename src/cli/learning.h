/* learning: what `baseline` and `check` have in common: training traces with a line of
 * progress, under signals, with the data sets that the options name.
 */
#ifndef QKVLAB_CLI_LEARNING_H
#define QKVLAB_CLI_LEARNING_H

#include "check/traces.h"
#include "cli/options.h"

/* The preset that is guarded where nothing else is asked for. */
#define LEARNING_PRESET "guard"

/* learning_train trains the traces of a plan, and with calibrate also measures their tolerances.
 * In a build with planted faults, --fault plants one. */
enum status learning_train(struct traces *traces, const struct arguments *arguments, bool calibrate,
                           struct error *err);

#endif

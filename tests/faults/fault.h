/* fault: planted errors, for measuring what `qkvlab check` notices. They exist only in builds with
 * -DQKVLAB_FAULTS=ON, and the code that trains knows nothing of them: the linker puts the functions
 * of fault.c in front of those that they spoil (`--wrap`, faults.cmake).
 *
 * Each is a mistake that really happens in training code, and leaves a model that still learns.
 */
#ifndef QKVLAB_FAULT_H
#define QKVLAB_FAULT_H

#include <stddef.h>

/* fault_name returns "none", "norm-epsilon", ...; NULL past the last. */
const char *fault_name(size_t i);

/* fault_plant plants the fault of a name, from now on; call it before anything computes. */
void fault_plant(const char *name);

#endif

/* provenance: on what a run was made and by which build, for run.json and --version. */
#ifndef QKVLAB_LAB_PROVENANCE_H
#define QKVLAB_LAB_PROVENANCE_H

#include <stddef.h>

#include "base/json.h"

/* provenance_class writes "<architecture>-<SIMD level>/<BLAS core>": runs of one class, version and
 * configuration agree in every bit. */
#define PROVENANCE_CLASS_SIZE 128
void provenance_class(char class[PROVENANCE_CLASS_SIZE]);

/* provenance_machine returns {class, cpu, processors, threads}; provenance_build {version, commit,
 * compiler, flags, blas, simd}. New references. */
json_t *provenance_machine(int threads);
json_t *provenance_build(void);

#endif

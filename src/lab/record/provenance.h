/* provenance: on what a run was made and by which build, for run.json, baselines and --version. */
#ifndef QKVLAB_LAB_PROVENANCE_H
#define QKVLAB_LAB_PROVENANCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"

/* provenance_class writes "<architecture>-<SIMD level>", which decides how sums are rounded: runs
 * of one class, version, compiler and configuration agree in every bit. */
#define PROVENANCE_CLASS_SIZE 128
void provenance_class(char class[PROVENANCE_CLASS_SIZE]);

/* provenance_machine returns {class, cpu, processors, threads}, threads being the run's own number;
 * provenance_build {version, commit, compiler, flags, simd}. New references. */
json_t *provenance_machine(int threads);
json_t *provenance_build(void);

/* Of a run: borrowed; NULL where it is not known. */
struct provenance {
    json_t *machine, *build;
};

/* provenance_fact walks their members in order, false past the last: section "machine" or "build",
 * key, and the value as text. */
#define PROVENANCE_TEXT_SIZE 1024
struct provenance_fact {
    const char *section, *key;
    char text[PROVENANCE_TEXT_SIZE];
};
bool provenance_fact(const struct provenance *provenance, size_t i, struct provenance_fact *fact);

/* provenance_forget_blas is for what older programs wrote, a run.json or a baseline: they named the
 * BLAS library in "build", and behind a slash in the class its core, as if training used it. Every
 * reader calls it, so that their runs belong with those of today. */
void provenance_forget_blas(json_t *root);

#endif

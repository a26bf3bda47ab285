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

/* Texts are borrowed; NULL and 0 where something is not known. */
struct provenance {
    /* the machine; threads: the run's own number */
    const char *class, *cpu;
    long processors, threads;
    /* the build */
    const char *version, *commit, *compiler, *flags, *simd;
};

/* provenance_here tells of this process. Its texts stay. */
struct provenance provenance_here(int threads);

/* A fact by name: section "machine" or "build", key as in run.json, the value as text ("-" if not
 * known). provenance_fact walks them in order, false past the last. */
#define PROVENANCE_TEXT_SIZE 1024
struct provenance_fact {
    const char *section, *key;
    char text[PROVENANCE_TEXT_SIZE];
};
bool provenance_fact(const struct provenance *provenance, size_t i, struct provenance_fact *fact);

/* provenance_json returns the object of a section (new reference); provenance_read takes the facts
 * out of one. */
json_t *provenance_json(const struct provenance *provenance, const char *section);
void provenance_read(struct provenance *provenance, const char *section, const json_t *object);

/* provenance_machine and provenance_build are the sections of this process. New references. */
json_t *provenance_machine(int threads);
json_t *provenance_build(void);

/* provenance_forget_blas is for what older programs wrote, a run.json or a baseline: they named the
 * BLAS library in "build", and behind a slash in the class its core, as if training used it. Every
 * reader calls it, so that their runs belong with those of today. */
void provenance_forget_blas(json_t *root);

#endif

/* probe_samples: the items of the probe whose own attention maps a run keeps, so that a report can
 * lay attention over images without the data set. Private to probe.c, but for the choice.
 */
#ifndef QKVLAB_LAB_PROBE_SAMPLES_H
#define QKVLAB_LAB_PROBE_SAMPLES_H

#include <stdint.h>

#include "base/status.h"
#include "lab/config/config.h"
#include "lab/record/run_record.h"
#include "lab/training/source.h"

/* A run keeps the maps of so many images, or fewer where these would take more than
 * PROBE_SAMPLE_BYTES on disk, but at least one. */
#define PROBE_MAX_SAMPLE 8
#define PROBE_SAMPLE_BYTES ((size_t)8 << 20)

struct probe_samples {
    const struct config *config;
    struct source *source;
    size_t n;                      /* 1 for tasks; 0 where no maps are kept */
    size_t item[PROBE_MAX_SAMPLE]; /* of the probe, ascending; the first is 0 */
    float *maps;                   /* [L,n,H,T,T] */
};

/* probe_samples_count returns n for a configuration whose probe has n_probe items. */
size_t probe_samples_count(const struct config *config, size_t n_probe);

/* probe_samples_choose picks n of n_probe labelled items: the first of each class, and then the
 * first of those that are left. Writes them in ascending order. */
void probe_samples_choose(const uint16_t *label, size_t n_probe, size_t n, size_t *item);

/* Borrows config and source. Caller frees with probe_samples_free, also on failure. */
enum status probe_samples_create(struct probe_samples *samples, const struct config *config,
                                 struct source *source, struct error *err);
void probe_samples_free(struct probe_samples *samples);

/* probe_samples_keep copies the maps of those samples that are among the n_sequence items from
 * first on. */
void probe_samples_keep(struct probe_samples *samples, const struct activations *act, size_t first,
                        size_t n_sequence);

/* probe_samples_write writes sample0_layer<l>.npy into the step's folder, and of images
 * samples_layer<l>.npy, and samples.npy into the folder above. */
enum status probe_samples_write(const struct probe_samples *samples, const char *attention_folder,
                                const char *step_folder, struct error *err);

/* probe_samples_predict fills sample [n] of images. STATUS_MEMORY. */
enum status probe_samples_predict(const struct probe_samples *samples, struct engine *engine,
                                  struct run_sample *sample, struct error *err);

#endif

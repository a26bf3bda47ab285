/* source_kind: what sources of different kinds have of their own. Private to source.c and to the
 * kinds.
 */
#ifndef QKVLAB_LAB_SOURCE_KIND_H
#define QKVLAB_LAB_SOURCE_KIND_H

#include "lab/training/source.h"

struct source_kind {
    /* Test items between two looks at the stop hook. Fixed, because sums follow the slices. */
    size_t slice;
    /* Allocates a source and fills its kind, config and counts. On failure *source is NULL or may
     * be given to source_free. */
    enum status (*create)(struct source **source, const struct config *config,
                          const struct dataset_options *data, int threads, struct error *err);
    void (*free)(struct source *source); /* its own members only */
    /* Bytes of the data and what else the source holds; what is held beside that while it is made,
     * NULL: nothing. */
    size_t (*memory)(const struct config *config, int threads);
    size_t (*memory_to_create)(const struct config *config);
    /* Fills source->order with the order of an epoch from 0 on, of other numbers than our own; NULL
     * where the kind knows no others. */
    void (*order)(struct source *source, size_t epoch);
    /* train gathers items of the training split; test and probe return consecutive ones */
    struct batch (*train)(struct source *source, const uint32_t *item, size_t n);
    /* the same without augmentation; NULL where nobody asks */
    struct batch (*plain)(struct source *source, const uint32_t *item, size_t n);
    struct batch (*test)(struct source *source, size_t first, size_t n);
    struct batch (*probe)(struct source *source, size_t first, size_t n);

    /* ---- of data from files; NULL for those that are drawn ---- */
    void (*describe)(struct source *source, struct run_data *data);
    /* Of test items that a report can show: their classes, and samples.npy. */
    const uint16_t *(*labels)(struct source *source);
    enum status (*write_items)(struct source *source, const size_t *item, size_t n,
                               const char *path, struct error *err);
};

/* First member of every source. */
struct source {
    const struct source_kind *kind;
    const struct config *config;
    size_t n_train, n_test, n_probe;
    size_t epoch;
    uint32_t *order; /* [n_train], the epoch's order */
    uint32_t *slice; /* [slice of the kind], items of a slice of the sample */
};

#endif

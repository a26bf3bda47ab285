/* source_kind: what the two kinds of source have of their own. Private to source*.c. */
#ifndef QKVLAB_LAB_SOURCE_KIND_H
#define QKVLAB_LAB_SOURCE_KIND_H

#include "lab/training/source.h"

struct source_kind {
    /* Test items between two looks at the stop hook. Fixed, because sums follow the slices. */
    size_t slice;
    /* train gathers items of the training split; test and probe return consecutive ones */
    struct batch (*train)(struct source *source, const uint32_t *item, size_t n);
    /* the same without augmentation; NULL where there is none */
    struct batch (*plain)(struct source *source, const uint32_t *item, size_t n);
    struct batch (*test)(struct source *source, size_t first, size_t n);
    struct batch (*probe)(struct source *source, size_t first, size_t n);
    void (*free)(struct source *source); /* its own members only */
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

/* Each allocates a source and fills kind, config and the counts. On failure *source is NULL or may
 * be given to source_free. */
enum status source_create_sequences(struct source **source, const struct config *config,
                                    struct error *err);
enum status source_create_images(struct source **source, const struct config *config,
                                 const struct dataset_options *data, int threads,
                                 struct error *err);

/* The image source's answers to the questions of source.h. */
enum status source_find_images(const struct config *config, const struct dataset_options *data,
                               struct error *err);
size_t source_memory_images(const struct config *config, int threads);
size_t source_memory_of_originals(const struct config *config);
struct image_data *source_image_data(struct source *source);
extern const struct source_kind source_kind_images;

size_t source_memory_sequences(const struct config *config);

#endif

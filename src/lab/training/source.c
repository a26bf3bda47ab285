/* The order of an epoch is what both kinds share; all else they answer themselves. */
#include "lab/training/source.h"

#include <stdlib.h>

#include "base/fault.h"
#include "base/rng.h"
#include "lab/training/source_kind.h"

enum status source_find(const struct config *config, const struct dataset_options *data,
                        struct error *err)
{
    return config_is_vision(config) ? source_find_images(config, data, err) : STATUS_OK;
}

enum status source_create(struct source **created, const struct config *config,
                          const struct dataset_options *data, int threads, struct error *err)
{
    struct source *source = NULL;
    *created = NULL;
    enum status status = config_is_vision(config)
                             ? source_create_images(&source, config, data, threads, err)
                             : source_create_sequences(&source, config, err);
    if (status == STATUS_OK) {
        source->order = malloc(source->n_train * sizeof *source->order);
        source->slice = malloc(source->kind->slice * sizeof *source->slice);
        if (!source->order || !source->slice) {
            status = error_set(err, STATUS_MEMORY, "out of memory for the order of %zu items",
                               source->n_train);
        }
    }
    if (status != STATUS_OK) {
        source_free(source);
        return status;
    }
    *created = source;
    return STATUS_OK;
}

void source_free(struct source *source)
{
    if (source) {
        source->kind->free(source);
        free(source->order);
        free(source->slice);
        free(source);
    }
}

size_t source_memory(const struct config *config, int threads)
{
    size_t data = config_is_vision(config) ? source_memory_images(config, threads)
                                           : source_memory_sequences(config);
    return data + config_n_train(config) * sizeof(uint32_t);
}

size_t source_memory_to_create(const struct config *config, int threads)
{
    size_t originals = config_is_vision(config) ? source_memory_of_originals(config) : 0;
    return source_memory(config, threads) + originals;
}

size_t source_n_step(const struct source *source)
{
    return config_epoch_steps(source->config, source->n_train);
}

size_t source_n_test(const struct source *source)
{
    return source->n_test;
}

size_t source_n_probe(const struct source *source)
{
    return source->n_probe;
}

void source_begin_epoch(struct source *source, size_t epoch)
{
    source->epoch = epoch;
    rng_permutation(rng_make(source->config->seed, "shuffle/%zu", epoch), source->n_train,
                    source->order);
    if (fault_is(FAULT_SWAPPED_SAMPLES) && epoch == 1) {
        fault_swap(&source->order[0], &source->order[source->n_train - 1]);
    }
}

static size_t at_most(size_t n, size_t most)
{
    return n < most ? n : most;
}

struct batch source_train_batch(struct source *source, size_t step)
{
    size_t size = source->config->batch_size, first = step * size;
    return source->kind->train(source, source->order + first,
                               at_most(source->n_train - first, size));
}

struct batch source_test_slice(struct source *source, size_t first)
{
    return source->kind->test(source, first, at_most(source->n_test - first, source->kind->slice));
}

size_t source_n_sample(const struct source *source)
{
    return at_most(source->n_train, SOURCE_SAMPLE);
}

struct batch source_sample_slice(struct source *source, size_t first)
{
    size_t n_sample = source_n_sample(source);
    size_t n = at_most(n_sample - first, source->kind->slice);
    for (size_t i = 0; i < n; i++) {
        source->slice[i] = (uint32_t)((uint64_t)(first + i) * source->n_train / n_sample);
    }
    return source->kind->plain(source, source->slice, n);
}

size_t source_slice_size(const struct source *source)
{
    return source->kind->slice;
}

struct batch source_probe_batch(struct source *source, size_t first, size_t n)
{
    return source->kind->probe(source, first, n);
}

struct image_data *source_images(struct source *source)
{
    return source->kind == &source_kind_images ? source_image_data(source) : NULL;
}

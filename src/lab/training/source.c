/* The order of an epoch is what all kinds share; all else they answer themselves. */
#include "lab/training/source.h"

#include <stdlib.h>

#include "base/rng.h"
#include "lab/training/source_kind.h"

static const struct source_kind *kind_of(const struct config *config)
{
    return config->task->kind->source;
}

static enum status create(struct source **source, const struct config *config,
                          const struct dataset_options *data, int threads, struct error *err)
{
    const struct source_kind *kind = kind_of(config);
    TRY(kind->create(source, config, data, threads, err));
    (*source)->order = malloc((*source)->n_train * sizeof *(*source)->order);
    (*source)->slice = malloc(kind->slice * sizeof *(*source)->slice);
    return (*source)->order && (*source)->slice
               ? STATUS_OK
               : error_memory(err, "ordering %zu items", (*source)->n_train);
}

enum status source_create(struct source **source, const struct config *config,
                          const struct dataset_options *data, int threads, struct error *err)
{
    *source = NULL;
    enum status status = create(source, config, data, threads, err);
    if (status != STATUS_OK) {
        source_free(*source);
        *source = NULL;
    }
    return status;
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
    return kind_of(config)->memory(config, threads) + config_n_train(config) * sizeof(uint32_t);
}

size_t source_memory_to_create(const struct config *config, int threads)
{
    size_t beside =
        kind_of(config)->memory_to_create ? kind_of(config)->memory_to_create(config) : 0;
    return source_memory(config, threads) + beside;
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
    if (source->config->numbers == NUMBERS_OWN) {
        rng_permutation(rng_make(source->config->seed, "shuffle/%zu", epoch), source->n_train,
                        source->order);
    } else {
        source->kind->order(source, epoch);
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

bool source_describe(struct source *source, struct run_data *data)
{
    if (source->kind->describe) {
        source->kind->describe(source, data);
    }
    return source->kind->describe != NULL;
}

bool source_shows_items(const struct config *config)
{
    return kind_of(config)->write_items != NULL;
}

const uint16_t *source_labels(struct source *source)
{
    return source->kind->labels(source);
}

enum status source_write_items(struct source *source, const size_t *item, size_t n,
                               const char *path, struct error *err)
{
    return source->kind->write_items(source, item, n, path, err);
}

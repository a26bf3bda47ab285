/* source: where the batches of a run come from, whatever its kind. Training, evaluation and the
 * probe see nothing else of it.
 *
 * What a batch holds depends on the configuration alone: epochs are ordered by seed and number,
 * images are augmented by seed, epoch and index. Threads only share the work.
 */
#ifndef QKVLAB_LAB_SOURCE_H
#define QKVLAB_LAB_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "lab/config/config.h"
#include "lab/data/dataset.h"
#include "lab/record/run_record.h"
#include "nn/model.h"

struct source;

/* source_create draws or reads all data of a resolved configuration; afterwards nothing is
 * allocated. Of data, root, n_root, cache, progress and context count. Borrows config. Caller frees
 * with source_free. Errors: STATUS_DATA, STATUS_USAGE for more images than there are,
 * STATUS_MEMORY.
 */
enum status source_create(struct source **source, const struct config *config,
                          const struct dataset_options *data, int threads, struct error *err);
void source_free(struct source *source);

/* source_memory returns the bytes of a source, with the data itself; source_memory_to_create what
 * is held at most while it is made: images that are resized are there in both sizes. */
size_t source_memory(const struct config *config, int threads);
size_t source_memory_to_create(const struct config *config, int threads);

/* source_n_step is the number of training steps of an epoch, source_n_test the size of the test
 * split, source_n_probe the size of the probe, which is smaller than n_probe where a test split has
 * fewer images. */
size_t source_n_step(const struct source *source);
size_t source_n_test(const struct source *source);
size_t source_n_probe(const struct source *source);

/* source_begin_epoch puts the training split in the order of an epoch. */
void source_begin_epoch(struct source *source, size_t epoch);

/* The batches below are valid until the next call with the same source. */

/* source_train_batch returns the batch of a step of the epoch. */
struct batch source_train_batch(struct source *source, size_t step);

/* source_test_slice returns the test items from first on, as many as are evaluated at once, which
 * are source_slice_size but for the last slice. */
struct batch source_test_slice(struct source *source, size_t first);
size_t source_slice_size(const struct source *source);

/* The sample are at most SOURCE_SAMPLE images of the training split, evenly spread over it, as they
 * are, without augmentation. source_sample_slice is for them what source_test_slice is. */
#define SOURCE_SAMPLE 10000
size_t source_n_sample(const struct source *source);
struct batch source_sample_slice(struct source *source, size_t first);

/* source_probe_batch returns the items [first, first + n) of the probe: sequences of their own, or
 * the first images of the test split. n is at most the configuration's micro-batch. */
struct batch source_probe_batch(struct source *source, size_t first, size_t n);

/* source_describe says which data these are; false: they are none of run.json's. Borrows from the
 * source. */
bool source_describe(struct source *source, struct run_data *data);

/* source_shows_items: items of the test split, which is the probe as well, can be shown beside
 * their attention, so that a run keeps several of them and their maps. source_labels returns their
 * classes, source_write_items writes them into an npy file. Errors: STATUS_WRITE, STATUS_MEMORY. */
bool source_shows_items(const struct config *config);
const uint16_t *source_labels(struct source *source);
enum status source_write_items(struct source *source, const size_t *item, size_t n,
                               const char *path, struct error *err);

#endif

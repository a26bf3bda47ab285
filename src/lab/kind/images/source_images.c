/* Images stay bytes, mapped or read once; a batch is made of them when it is needed: moved by the
 * augmentation, normalised through a table, cut into patches. An image is the work of one thread
 * and goes to a place of its own, so that threads decide nothing.
 */
#include "lab/kind/images/images.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/npy.h"
#include "base/threads.h"
#include "lab/data/image_noise.h"
#include "lab/training/source_kind.h"
#include "nn/patch.h"

#define SLICE 256

struct image_source {
    struct source base;
    struct image_data data;
    struct normalisation normalisation;
    enum augmentation augmentation;
    int threads;
    float *patches;    /* [n_room, T-1, C p p] */
    int32_t *targets;  /* [n_room] */
    uint8_t *moved;    /* [threads, C, H, W] */
    char warning[512]; /* see describe */
};

/* Most images of any batch. */
static size_t room_of(const struct config *config)
{
    size_t n = config->batch_size > SLICE ? config->batch_size : SLICE;
    return config->micro_batch > n ? config->micro_batch : n;
}

static size_t image_bytes(const struct config *config)
{
    size_t size = images_size(config);
    return dataset_of(config->task)->n_channel * size * size;
}

/* Numbers in the patches of an image, with what pads it. */
static size_t patch_numbers(const struct config *config)
{
    return (config->seq_len - 1) * dataset_of(config->task)->n_channel * config->patch *
           config->patch;
}

/* ---- batches ---- */

/* prepare puts image i of a batch into its place; stream NULL: as it is. */
static void prepare(struct image_source *self, const struct image_set *set, size_t image,
                    const struct rng *stream, size_t i)
{
    const struct config *config = self->base.config;
    const uint8_t *pixels = set->image[image];
    if (stream) {
        uint8_t *moved = self->moved + (size_t)omp_get_thread_num() * image_bytes(config);
        augment_apply(augment_draw(*stream, self->augmentation, image), pixels, set->n_channel,
                      set->height, set->width, moved);
        pixels = moved;
    }
    image_to_patches(&self->normalisation, pixels, set->n_channel, set->height, set->width,
                     config->patch, self->patches + i * patch_numbers(config));
    self->targets[i] = set->label[image];
}

static struct batch batch_of(const struct image_source *self, size_t n)
{
    return (struct batch){.n_sequence = n,
                          .n_token = self->base.config->seq_len,
                          .patches = self->patches,
                          .targets = self->targets};
}

/* gather makes a batch of training images; moves NULL: as they are. */
static struct batch gather(struct image_source *self, const uint32_t *item, size_t n,
                           const struct rng *moves)
{
#pragma omp parallel for num_threads(self->threads) schedule(static)
    for (size_t i = 0; i < n; i++) {
        prepare(self, &self->data.train, item[i], moves, i);
    }
    return batch_of(self, n);
}

static struct batch train(struct source *source, const uint32_t *item, size_t n)
{
    struct image_source *self = (struct image_source *)source;
    struct rng stream = augment_stream(source->config->seed, source->epoch);
    return gather(self, item, n, self->augmentation == AUGMENT_NONE ? NULL : &stream);
}

static struct batch plain(struct source *source, const uint32_t *item, size_t n)
{
    return gather((struct image_source *)source, item, n, NULL);
}

static struct batch test(struct source *source, size_t first, size_t n)
{
    struct image_source *self = (struct image_source *)source;
#pragma omp parallel for num_threads(self->threads) schedule(static)
    for (size_t i = 0; i < n; i++) {
        prepare(self, &self->data.test, first + i, NULL, i);
    }
    return batch_of(self, n);
}

static void free_images(struct source *source)
{
    struct image_source *self = (struct image_source *)source;
    image_data_free(&self->data);
    free(self->patches);
    free(self->targets);
    free(self->moved);
}

/* ---- reading ---- */

static struct dataset_options options_of(const struct config *config,
                                         const struct dataset_options *data, int threads)
{
    struct dataset_options options = data ? *data : (struct dataset_options){0};
    options.seed = config->seed;
    options.n_train = config->n_train;
    options.n_test = config->n_test;
    options.threads = threads;
    return options;
}

/* The model was shaped by what the data set says of itself; its files must agree. */
static enum status check_set(const struct config *config, const struct image_set *set,
                             const char *split, struct error *err)
{
    const struct dataset *dataset = dataset_of(config->task);
    size_t size = dataset->image_size;
    if (set->n_image == 0) {
        return error_set(err, STATUS_DATA, "%s has no %s images", dataset->task.title, split);
    }
    if (set->n_channel != dataset->n_channel || set->height != size || set->width != size) {
        return error_set(err, STATUS_DATA,
                         "%s: expected %s images of %zu channels and %zu x %zu px, found %zu "
                         "channels and %zu x %zu px",
                         dataset->task.title, split, dataset->n_channel, size, size, set->n_channel,
                         set->height, set->width);
    }
    if (set->n_class > dataset->task.n_answer) {
        return error_set(err, STATUS_DATA, "%s: expected at most %zu classes, found %zu",
                         dataset->task.title, dataset->task.n_answer, set->n_class);
    }
    return STATUS_OK;
}

static enum status load(struct image_source *self, const struct dataset_options *options,
                        struct error *err)
{
    const struct config *config = self->base.config;
    if (options->noise) {
        self->data.dataset = dataset_of(config->task);
        TRY(image_noise_make(options, &self->data, err));
    } else {
        struct dataset_place place;
        TRY(dataset_find(dataset_of(config->task), options, &place, err));
        TRY(dataset_load(&place, options, &self->data, err));
    }
    TRY(check_set(config, &self->data.train, "training", err));
    TRY(check_set(config, &self->data.test, "test", err));
    return config->image_size > 0
               ? image_data_resize(&self->data, config->image_size, self->threads, err)
               : STATUS_OK;
}

static enum status allocate(struct image_source *self, struct error *err)
{
    const struct config *config = self->base.config;
    size_t n_room = room_of(config);
    self->patches = malloc(n_room * patch_numbers(config) * sizeof *self->patches);
    self->targets = malloc(n_room * sizeof *self->targets);
    self->moved = malloc((size_t)self->threads * image_bytes(config));
    if (!self->patches || !self->targets || !self->moved) {
        return error_memory(err, "making room for a batch of %zu images", n_room);
    }
    return STATUS_OK;
}

static enum status create(struct source **source, const struct config *config,
                          const struct dataset_options *data, int threads, struct error *err)
{
    const struct dataset *dataset = dataset_of(config->task);
    struct image_source *self = calloc(1, sizeof *self);
    if (!self) {
        return error_memory(err, "making room for %s", dataset->task.title);
    }
    self->base = (struct source){.kind = &source_images, .config = config};
    self->augmentation = images_augmentation(config);
    self->threads = threads > 0 ? threads : threads_available();
    normalisation_make(&self->normalisation, dataset->mean, dataset->std, dataset->n_channel);
    *source = &self->base;
    struct dataset_options options = options_of(config, data, self->threads);
    TRY(allocate(self, err));
    TRY(load(self, &options, err));
    self->base.n_train = self->data.train.n_image;
    self->base.n_test = self->data.test.n_image;
    self->base.n_probe = config->n_probe < self->base.n_test ? config->n_probe : self->base.n_test;
    return STATUS_OK;
}

/* ---- questions ---- */

struct image_data *source_image_data(struct source *source)
{
    return &((struct image_source *)source)->data;
}

static void describe(struct source *source, struct run_data *description)
{
    struct image_source *self = (struct image_source *)source;
    struct image_data *data = &self->data;
    if (data->origin == IMAGES_OTHER) {
        const struct task *task = source->config->task;
        snprintf(self->warning, sizeof self->warning,
                 "the images found are not the published ones of %s (qkvlab data check %s tells "
                 "which file differs); the accuracy is comparable with no published one",
                 task->title, task->name);
    }
    *description = (struct run_data){.sha256 = image_data_hash(data),
                                     .n_train = (long)data->train.n_image,
                                     .n_test = (long)data->test.n_image,
                                     .class_name = (const char *const *)data->class_name,
                                     .n_class = data->n_class,
                                     .origin = data->origin,
                                     .warning = self->warning[0] ? self->warning : NULL};
}

static const uint16_t *labels(struct source *source)
{
    return source_image_data(source)->test.label;
}

/* interleave turns an image [C,H,W] into [H,W,C]. */
static void interleave(const uint8_t *image, size_t n_channel, size_t n_pixel, uint8_t *out)
{
    for (size_t c = 0; c < n_channel; c++) {
        for (size_t i = 0; i < n_pixel; i++) {
            out[i * n_channel + c] = image[c * n_pixel + i];
        }
    }
}

static enum status write_items(struct source *source, const size_t *item, size_t n,
                               const char *path, struct error *err)
{
    const struct image_set *set = &source_image_data(source)->test;
    size_t dim[4] = {n, set->height, set->width, set->n_channel};
    size_t n_pixel = set->height * set->width, n_byte = n_pixel * set->n_channel;
    uint8_t *bytes = malloc(n * n_byte);
    if (!bytes) {
        return error_memory(err, "writing %s", path);
    }
    for (size_t i = 0; i < n; i++) {
        interleave(set->image[item[i]], set->n_channel, n_pixel, bytes + i * n_byte);
    }
    enum status status = npy_write_bytes(path, bytes, dim, 4, err);
    free(bytes);
    return status;
}

/* Pixels, labels and pointers of the images, and a batch. */
static size_t memory(const struct config *config, int threads)
{
    size_t n_image = config_n_train(config) + config_n_test(config);
    size_t n_thread = (size_t)(threads > 0 ? threads : threads_available());
    size_t each = image_bytes(config) + sizeof(uint16_t) + sizeof(uint8_t *);
    return n_image * each + n_thread * image_bytes(config) +
           room_of(config) * (patch_numbers(config) * sizeof(float) + sizeof(int32_t));
}

/* Of images that are resized; the others are the originals. */
static size_t memory_of_originals(const struct config *config)
{
    size_t side = dataset_of(config->task)->image_size;
    size_t n_image = config_n_train(config) + config_n_test(config);
    return config->image_size > 0 ? n_image * dataset_of(config->task)->n_channel * side * side : 0;
}

const struct source_kind source_images = {.slice = SLICE,
                                          .create = create,
                                          .free = free_images,
                                          .memory = memory,
                                          .memory_to_create = memory_of_originals,
                                          .train = train,
                                          .plain = plain,
                                          .test = test,
                                          .probe = test,
                                          .describe = describe,
                                          .labels = labels,
                                          .write_items = write_items};

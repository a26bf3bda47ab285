/* Images stay bytes, mapped or read once; a batch is made of them when it is needed: moved by the
 * augmentation, normalised through a table, cut into patches. An image is the work of one thread
 * and goes to a place of its own, so that threads decide nothing.
 */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

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
    float *patches;   /* [n_room, T-1, C p p] */
    int32_t *targets; /* [n_room] */
    uint8_t *moved;   /* [threads, C, H, W] */
};

/* Most images of any batch. */
static size_t room_of(const struct config *config)
{
    size_t n = config->batch_size > SLICE ? config->batch_size : SLICE;
    return config->micro_batch > n ? config->micro_batch : n;
}

static size_t image_bytes(const struct config *config)
{
    size_t size = config_image_size(config);
    return config->dataset->n_channel * size * size;
}

/* Numbers in the patches of an image, with what pads it. */
static size_t patch_numbers(const struct config *config)
{
    return (config->seq_len - 1) * config->dataset->n_channel * config->patch * config->patch;
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

const struct source_kind source_kind_images = {.slice = SLICE,
                                               .train = train,
                                               .plain = plain,
                                               .test = test,
                                               .probe = test,
                                               .free = free_images};

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

enum status source_find_images(const struct config *config, const struct dataset_options *data,
                               struct error *err)
{
    struct dataset_options options = options_of(config, data, 1);
    struct dataset_place place;
    return dataset_find(config->dataset, &options, &place, err);
}

/* The model was shaped by what the data set says of itself; its files must agree. */
static enum status check_set(const struct config *config, const struct image_set *set,
                             const char *split, struct error *err)
{
    const struct dataset *dataset = config->dataset;
    size_t size = dataset->image_size;
    if (set->n_image == 0) {
        return error_set(err, STATUS_DATA, "%s has no %s images", dataset->title, split);
    }
    if (set->n_channel != dataset->n_channel || set->height != size || set->width != size) {
        return error_set(err, STATUS_DATA,
                         "%s: expected %s images of %zu channels and %zu x %zu px, found %zu "
                         "channels and %zu x %zu px",
                         dataset->title, split, dataset->n_channel, size, size, set->n_channel,
                         set->height, set->width);
    }
    if (set->n_class > dataset->n_class) {
        return error_set(err, STATUS_DATA, "%s: expected at most %zu classes, found %zu",
                         dataset->title, dataset->n_class, set->n_class);
    }
    return STATUS_OK;
}

static enum status load(struct image_source *self, const struct dataset_options *options,
                        struct error *err)
{
    const struct config *config = self->base.config;
    enum status status;
    if (options->noise) {
        self->data.dataset = config->dataset;
        status = image_noise_make(options, &self->data, err);
    } else {
        struct dataset_place place;
        status = dataset_find(config->dataset, options, &place, err);
        if (status == STATUS_OK) {
            status = dataset_load(&place, options, &self->data, err);
        }
    }
    if (status == STATUS_OK) {
        status = check_set(config, &self->data.train, "training", err);
    }
    if (status == STATUS_OK) {
        status = check_set(config, &self->data.test, "test", err);
    }
    return status == STATUS_OK && config->image_size > 0
               ? image_data_resize(&self->data, config->image_size, self->threads, err)
               : status;
}

static enum status allocate(struct image_source *self, struct error *err)
{
    const struct config *config = self->base.config;
    size_t n_room = room_of(config);
    self->patches = malloc(n_room * patch_numbers(config) * sizeof *self->patches);
    self->targets = malloc(n_room * sizeof *self->targets);
    self->moved = malloc((size_t)self->threads * image_bytes(config));
    if (!self->patches || !self->targets || !self->moved) {
        return error_set(err, STATUS_MEMORY, "out of memory for a batch of %zu images", n_room);
    }
    return STATUS_OK;
}

enum status source_create_images(struct source **source, const struct config *config,
                                 const struct dataset_options *data, int threads, struct error *err)
{
    const struct dataset *dataset = config->dataset;
    struct image_source *self = calloc(1, sizeof *self);
    if (!self) {
        return error_set(err, STATUS_MEMORY, "out of memory for %s", dataset->title);
    }
    self->base = (struct source){.kind = &source_kind_images, .config = config};
    self->augmentation = config_augmentation(config);
    self->threads = threads > 0 ? threads : threads_available();
    normalisation_make(&self->normalisation, dataset->mean, dataset->std, dataset->n_channel);
    *source = &self->base;
    struct dataset_options options = options_of(config, data, self->threads);
    enum status status = allocate(self, err);
    if (status == STATUS_OK) {
        status = load(self, &options, err);
    }
    if (status == STATUS_OK) {
        self->base.n_train = self->data.train.n_image;
        self->base.n_test = self->data.test.n_image;
        self->base.n_probe =
            config->n_probe < self->base.n_test ? config->n_probe : self->base.n_test;
    }
    return status;
}

/* ---- questions ---- */

struct image_data *source_image_data(struct source *source)
{
    return &((struct image_source *)source)->data;
}

/* Pixels, labels and pointers of the images, and a batch. */
size_t source_memory_images(const struct config *config, int threads)
{
    size_t n_image = config_n_train(config) + config_n_test(config);
    size_t n_thread = (size_t)(threads > 0 ? threads : threads_available());
    size_t each = image_bytes(config) + sizeof(uint16_t) + sizeof(uint8_t *);
    return n_image * each + n_thread * image_bytes(config) +
           room_of(config) * (patch_numbers(config) * sizeof(float) + sizeof(int32_t));
}

/* Of images that are resized; the others are the originals. */
size_t source_memory_of_originals(const struct config *config)
{
    size_t side = config->dataset->image_size;
    size_t n_image = config_n_train(config) + config_n_test(config);
    return config->image_size > 0 ? n_image * config->dataset->n_channel * side * side : 0;
}

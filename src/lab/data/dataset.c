/* The registry is generated from the files in datasets/, so that adding a data set touches one
 * file.
 */
#include "lab/data/dataset.h"

#include <stdlib.h>
#include <string.h>

#include "dataset_registry.h"
#include "lab/data/resize.h"

#define DECLARE(name) extern const struct dataset dataset_##name;
DATASET_REGISTRY(DECLARE)
#undef DECLARE

#define ADDRESS(name) &dataset_##name,
static const struct dataset *const registry[] = {DATASET_REGISTRY(ADDRESS)};
#undef ADDRESS

#define N_DATASET (sizeof registry / sizeof registry[0])

const struct dataset *dataset_at(size_t i)
{
    return i < N_DATASET ? registry[i] : NULL;
}

const struct dataset *dataset_find_name(const char *name)
{
    for (size_t i = 0; i < N_DATASET; i++) {
        if (strcmp(registry[i]->task.name, name) == 0) {
            return registry[i];
        }
    }
    return NULL;
}

size_t dataset_n_file(const struct dataset *dataset)
{
    size_t n = 0;
    while (n < DATASET_MAX_FILE && dataset->file[n].name) {
        n++;
    }
    return n;
}

/* ---- loaded data --------------------------------------------------------------------------- */

enum status image_set_create(struct image_set *set, size_t n_image, size_t n_channel, size_t size,
                             size_t n_class, struct error *err)
{
    *set = (struct image_set){.n_image = n_image,
                              .n_channel = n_channel,
                              .height = size,
                              .width = size,
                              .n_class = n_class};
    set->image = calloc(n_image, sizeof *set->image);
    set->label = calloc(n_image, sizeof *set->label);
    if (!set->image || !set->label) {
        return error_memory(err, "listing %zu images", n_image);
    }
    return STATUS_OK;
}

void image_data_keep(struct image_data *data, struct data_bytes bytes)
{
    data->memory[data->n_memory++] = bytes;
}

enum status image_data_name_classes(struct image_data *data, const char *const *name,
                                    size_t n_class, struct error *err)
{
    data->class_name = calloc(n_class, sizeof *data->class_name);
    data->n_class = data->class_name ? n_class : 0;
    bool complete = data->class_name != NULL;
    for (size_t i = 0; complete && i < n_class; i++) {
        data->class_name[i] = strdup(name[i]);
        complete = data->class_name[i] != NULL;
    }
    return complete ? STATUS_OK : error_memory(err, "naming classes");
}

static void image_set_free(struct image_set *set)
{
    free(set->image);
    free(set->label);
}

void image_data_free(struct image_data *data)
{
    image_set_free(&data->train);
    image_set_free(&data->test);
    for (size_t i = 0; i < data->n_class; i++) {
        free(data->class_name[i]);
    }
    free(data->class_name);
    for (size_t i = 0; i < data->n_memory; i++) {
        data_bytes_free(&data->memory[i]);
    }
    *data = (struct image_data){0};
}

/* Keeps the first so many images; the hash of a part is not that of the whole. */
static enum status cut(struct image_data *data, struct image_set *set, const char *key, size_t n,
                       struct error *err)
{
    if (n > set->n_image) {
        return error_set(err, STATUS_USAGE, "%s=%zu: %s has %zu such images; ask for fewer", key, n,
                         data->dataset->task.title, set->n_image);
    }
    if (n > 0 && n < set->n_image) {
        set->n_image = n;
        data->hash[0] = '\0';
    }
    return STATUS_OK;
}

/* A reader may have stopped at n images, if that was asked for. */
static bool is_other_count(size_t n_image, size_t n_published, size_t n_asked)
{
    return n_published > 0 && n_image != n_published && n_image != n_asked;
}

/* Tells whether the images are the published ones: by their hash, or by their number where that is
 * all that is known. */
static enum status recognise(struct image_data *data, const struct dataset_options *options,
                             struct error *err)
{
    const struct dataset *dataset = data->dataset;
    if (!dataset->sha256) {
        bool other = is_other_count(data->train.n_image, dataset->task.n_train, options->n_train) ||
                     is_other_count(data->test.n_image, dataset->task.n_test, options->n_test);
        data->origin = other && dataset_n_file(dataset) > 0 ? IMAGES_OTHER : IMAGES_UNKNOWN;
        return STATUS_OK;
    }
    const char *hash = image_data_hash(data);
    for (size_t i = 0; i < N_DATASET; i++) {
        const struct dataset *other = registry[i];
        if (other != dataset && other->sha256 && strcmp(other->sha256, hash) == 0) {
            return error_set(err, STATUS_DATA,
                             "the files found for %s hold the images of %s, whose files have the "
                             "same names; give each its own folder",
                             dataset->task.title, other->task.title);
        }
    }
    data->origin = strcmp(dataset->sha256, hash) == 0 ? IMAGES_PUBLISHED : IMAGES_OTHER;
    return STATUS_OK;
}

static enum status load(const struct dataset_place *place, const struct dataset_options *options,
                        struct image_data *data, struct error *err)
{
    const struct dataset *dataset = place->dataset;
    TRY(dataset->load(place, options, data, err));
    if (!data->class_name) {
        TRY(image_data_name_classes(data, dataset->class_name, dataset->task.n_answer, err));
    }
    TRY(recognise(data, options, err));
    TRY(cut(data, &data->train, "n_train", options->n_train, err));
    return cut(data, &data->test, "n_test", options->n_test, err);
}

enum status dataset_load(const struct dataset_place *place, const struct dataset_options *options,
                         struct image_data *data, struct error *err)
{
    *data = (struct image_data){.dataset = place->dataset};
    enum status status = load(place, options, data, err);
    if (status != STATUS_OK) {
        image_data_free(data);
    }
    return status;
}

/* ---- identity ------------------------------------------------------------------------------ */

static void hash_number(struct sha256 *sha256, uint64_t number, size_t n_byte)
{
    uint8_t byte[8];
    for (size_t i = 0; i < n_byte; i++) {
        byte[i] = (uint8_t)(number >> 8 * i);
    }
    sha256_add(sha256, byte, n_byte);
}

static void hash_set(struct sha256 *sha256, const struct image_set *set)
{
    const size_t dim[] = {set->n_image, set->n_channel, set->height, set->width, set->n_class};
    for (size_t i = 0; i < sizeof dim / sizeof dim[0]; i++) {
        hash_number(sha256, dim[i], 8);
    }
    for (size_t i = 0; i < set->n_image; i++) {
        hash_number(sha256, set->label[i], 2);
    }
    for (size_t i = 0; i < set->n_image; i++) {
        sha256_add(sha256, set->image[i], set->n_channel * set->height * set->width);
    }
}

const char *image_data_hash(struct image_data *data)
{
    if (!data->hash[0]) {
        struct sha256 sha256;
        sha256_begin(&sha256);
        hash_set(&sha256, &data->train);
        hash_set(&sha256, &data->test);
        sha256_end(&sha256, data->hash);
    }
    return data->hash;
}

/* ---- another size -------------------------------------------------------------------------- */

static void resize_set(struct image_set *set, size_t size, uint8_t *pixels, int threads)
{
    size_t n_byte = set->n_channel * size * size;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t i = 0; i < set->n_image; i++) {
        image_resize(set->image[i], set->n_channel, set->height, size, pixels + i * n_byte);
        set->image[i] = pixels + i * n_byte;
    }
    set->height = set->width = size;
}

static size_t bytes_of_size(const struct image_set *set, size_t size)
{
    return set->n_image * set->n_channel * size * size;
}

enum status image_data_resize(struct image_data *data, size_t size, int threads, struct error *err)
{
    size_t n_train_byte = bytes_of_size(&data->train, size);
    size_t n_byte = n_train_byte + bytes_of_size(&data->test, size);
    uint8_t *pixels = malloc(n_byte);
    if (!pixels) {
        return error_memory(err, "giving %zu images a size of %zu px",
                            data->train.n_image + data->test.n_image, size);
    }
    image_data_hash(data);
    resize_set(&data->train, size, pixels, threads);
    resize_set(&data->test, size, pixels + n_train_byte, threads);
    for (size_t i = 0; i < data->n_memory; i++) {
        data_bytes_free(&data->memory[i]);
    }
    data->n_memory = 0;
    image_data_keep(data, (struct data_bytes){.data = pixels, .size = n_byte});
    return STATUS_OK;
}

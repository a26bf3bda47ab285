#include "lab/data/image_noise.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

/* Different images. */
#define N_NOISE ((size_t)64)

static void draw(uint64_t seed, size_t n_byte, uint8_t *bytes)
{
    struct rng rng = rng_make(seed, "data/noise");
    for (size_t i = 0; i < n_byte; i += 8) {
        uint64_t bits = rng_bits(rng, i);
        memcpy(bytes + i, &bits, n_byte - i < 8 ? n_byte - i : 8);
    }
}

static enum status make_set(const struct dataset *dataset, size_t n_image, const uint8_t *noise,
                            struct image_set *set, struct error *err)
{
    size_t n_byte = dataset->n_channel * dataset->image_size * dataset->image_size;
    enum status status = image_set_create(set, n_image, dataset->n_channel, dataset->image_size,
                                          dataset->task.n_answer, err);
    for (size_t i = 0; i < n_image && status == STATUS_OK; i++) {
        set->image[i] = noise + i % N_NOISE * n_byte;
        set->label[i] = (uint16_t)(i % dataset->task.n_answer);
    }
    return status;
}

enum status image_noise_make(const struct dataset_options *options, struct image_data *data,
                             struct error *err)
{
    const struct dataset *dataset = data->dataset;
    size_t size = N_NOISE * dataset->n_channel * dataset->image_size * dataset->image_size;
    uint8_t *noise = malloc(size);
    if (!noise) {
        return error_memory(err, "drawing images of noise");
    }
    draw(options->seed, size, noise);
    image_data_keep(data, (struct data_bytes){.data = noise, .size = size});
    size_t n_train = options->n_train ? options->n_train : dataset->task.n_train;
    size_t n_test = options->n_test ? options->n_test : dataset->task.n_test;
    TRY(make_set(dataset, n_train, noise, &data->train, err));
    return make_set(dataset, n_test, noise, &data->test, err);
}

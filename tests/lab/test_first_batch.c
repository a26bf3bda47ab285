/* The first training batch, number by number: order of the epoch, crop, mirror image, normalisation
 * and patches. Over fixtures against naive code; over the published files, where $QKVLAB_DATA (or
 * the system) has them, against hashes that make_first_batches.py found without any of the
 * program's code. Parts of CIFAR-100 and TinyImageNet with their first 1,000 and 3,000 training
 * images are enough.
 */
#include "testing.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/sha256.h"
#include "config_fixture.h"
#include "data_fixture.h"
#include "lab/kind/images/images.h"
#include "lab/training/source.h"

#define MAX_BATCH 128

static struct config make_config(const char *task, size_t n_train, size_t batch_size)
{
    char text[100];
    snprintf(text, sizeof text, "task=%s n_train=%zu batch_size=%zu", task, n_train, batch_size);
    return config_of("", text);
}

/* ---- fixtures, naively ---- */

/* What the fixtures say of pixel i of record r. */
typedef uint8_t pixel_of(size_t record, size_t i);

static uint8_t cifar_pixel(size_t record, size_t i)
{
    return (uint8_t)(record % 4 + i + i / 256);
}

static uint8_t idx_pixel(size_t record, size_t i)
{
    return (uint8_t)((record * 784 + i) % 251);
}

/* A pixel of a training image after crop and flip; black around the image. */
static uint8_t moved_pixel(const struct dataset *dataset, pixel_of *pixel, size_t record, size_t c,
                           size_t y, size_t x)
{
    uint32_t word[4];
    long side = (long)dataset->image_size, row = (long)y, column = (long)x;
    if (dataset->augmentation == AUGMENT_CROP_FLIP) {
        rng_block(rng_make(0, "augment/0"), record, word);
        column = word[2] >= 0x80000000u ? side - 1 - column : column;
        row += (long)(word[0] / 4294967296.0 * 9) - 4;
        column += (long)(word[1] / 4294967296.0 * 9) - 4;
    }
    bool inside = row >= 0 && row < side && column >= 0 && column < side;
    return inside ? pixel(record, (c * (size_t)side + (size_t)row) * (size_t)side + (size_t)column)
                  : 0;
}

/* The order of epoch 0: swap each place, from the last on, with one at or before it. */
static void naive_order(size_t n, size_t *order)
{
    struct rng rng = rng_make(0, "shuffle/0");
    for (size_t i = 0; i < n; i++) {
        order[i] = i;
    }
    for (size_t last = n - 1; last > 0; last--) {
        size_t other = rng_below(rng, last, (uint32_t)last + 1), kept = order[last];
        order[last] = order[other];
        order[other] = kept;
    }
}

static void expect_naive_batch(const char *task, pixel_of *pixel, size_t n, size_t n_in_file)
{
    static const char *const root[] = {scratch};
    const struct dataset_options data = {.root = root, .n_root = 1};
    size_t order[MAX_BATCH], at = 0;
    struct config config = make_config(task, 0, n);
    const struct dataset *dataset = dataset_of(config.task);
    struct source *source;
    FINE(source_create(&source, &config, &data, 1, &err));
    source_begin_epoch(source, 0);
    struct batch batch = source_train_batch(source, 0);
    ck_assert_uint_eq(batch.n_sequence, n);
    naive_order(n, order);
    size_t side = dataset->image_size, p = config.patch, across = side / p;
    for (size_t i = 0; i < n; i++) {
        ck_assert_int_eq(batch.targets[i], (int)(order[i] % n_in_file));
        for (size_t k = 0; k < across * across * dataset->n_channel * p * p; k++, at++) {
            size_t square = k / (dataset->n_channel * p * p), c = k / (p * p) % dataset->n_channel;
            size_t y = square / across * p + k / p % p, x = square % across * p + k % p;
            uint8_t byte = moved_pixel(dataset, pixel, order[i], c, y, x);
            float value = ((float)byte / 255.0f - dataset->mean[c]) / dataset->std[c];
            if (batch.patches[at] !=
                value) { /* an assertion takes long, millions of them minutes */
                ck_abort_msg("%s: image %zu, number %zu: %.9g, not %.9g", task, i, k,
                             (double)batch.patches[at], (double)value);
            }
        }
    }
    source_free(source);
}

FIXTURE(scratch_make, scratch_remove)

TEST(fixtures_in_the_idx_format)
{
    fixture_mnist("%s-%s");
    expect_naive_batch("mnist", idx_pixel, 10, 10);
}

TEST(fixtures_in_both_cifar_formats)
{
    for (int i = 1; i <= 5; i++) {
        char name[64];
        snprintf(name, sizeof name, "cifar10/data_batch_%d.bin", i);
        fixture_cifar(name, 4, 1);
    }
    fixture_cifar("cifar10/test_batch.bin", 2, 1);
    fixture_cifar("cifar100/train.bin", 4, 2);
    fixture_cifar("cifar100/test.bin", 2, 2);
    expect_naive_batch("cifar10", cifar_pixel, 20, 4);
    expect_naive_batch("cifar100", cifar_pixel, 4, 4);
}

/* ---- published files ---- */

/* make_source loads a data set from $QKVLAB_DATA or the system; NULL where it is not there. */
static struct source *make_source(const struct config *config)
{
    const char *root[DATASET_MAX_FOLDER] = {getenv("QKVLAB_DATA")};
    struct dataset_options data = {.root = root, .n_root = root[0] && root[0][0]};
    for (size_t i = 0; dataset_system_folder[i] && data.n_root < DATASET_MAX_FOLDER; i++) {
        root[data.n_root++] = dataset_system_folder[i];
    }
    struct source *source = NULL;
    if (task_find_data(config->task, &data, NULL) != STATUS_OK) {
        printf("%s was not found and is not tested: set QKVLAB_DATA\n",
               dataset_of(config->task)->task.title);
        return NULL;
    }
    FINE(source_create(&source, config, &data, 1, &err));
    source_begin_epoch(source, 0);
    return source;
}

/* The byte that a normalised number was made of. */
static uint8_t byte_of(const struct dataset *dataset, size_t channel, float value)
{
    double byte = 255 * ((double)value * dataset->std[channel] + dataset->mean[channel]);
    if (fabs(byte - round(byte)) > 1e-3) {
        ck_abort_msg("%s: %.9g is no normalised byte", dataset->task.title, (double)value);
    }
    return (uint8_t)round(byte);
}

static void hash_labels(struct sha256 *sha256, const struct batch *batch)
{
    for (size_t i = 0; i < batch->n_sequence; i++) {
        uint8_t label = (uint8_t)batch->targets[i];
        sha256_add(sha256, &label, 1);
    }
}

TEST(published_files_give_the_stored_hashes)
{
    static const struct {
        const char *task;
        size_t n_train;
        const char *bytes, *floats; /* bytes: of the labels, then of the patches */
    } known[] = {
        {"mnist", 0, "3776e76bd7bbc806ad737eb924671e5f533dc52e2e0f74d2c1b51188abde6661",
         "2534d0f96b808f8dddc14b86bcd016547276b63e5d9f8b4e1087c8cc3167852c"},
        {"fashion_mnist", 0, "9df84c3cb10ed972effb5fa55346fa540c49addc68a738aa77e7d52859ca56b0",
         "cd58c368354e35ddaa2d4890c99a3e1fc6d41349330061b28f4525dbef16afac"},
        {"cifar10", 0, "aebda09772ec4bec4156bd388da481c4b86339aa44178b7d57fcc1d4ad8a2a00",
         "9052409bbd26d1975b2ee5845120d89129cf2d03e20a0c9ac200badf5d7ab768"},
        {"cifar100", 1000, "1085f41a9c199402217bdca51ca6d508c4323cd8ef73438d6bded83a62c0170e",
         "1aafa427e63d9e3c39186d320f85f8285ceaf62fba2cdd97b864115423241b45"},
    };
    for (size_t d = 0; d < sizeof known / sizeof known[0]; d++) {
        struct config config = make_config(known[d].task, known[d].n_train, 128);
        struct source *source = make_source(&config);
        if (!source) {
            continue;
        }
        struct batch batch = source_train_batch(source, 0);
        struct sha256 sha256;
        char hex[SHA256_HEX_SIZE];
        size_t patch_size = config.patch * config.patch,
               n_channel = dataset_of(config.task)->n_channel;
        size_t n = 128 * (batch.n_token - 1) * n_channel * patch_size;
        sha256_begin(&sha256);
        hash_labels(&sha256, &batch);
        for (size_t i = 0; i < n; i++) {
            size_t channel = i / patch_size % n_channel;
            uint8_t byte = byte_of(dataset_of(config.task), channel, batch.patches[i]);
            sha256_add(&sha256, &byte, 1);
        }
        sha256_end(&sha256, hex);
        ck_assert_str_eq(hex, known[d].bytes);
        sha256_hex(batch.patches, n * sizeof *batch.patches, hex);
        ck_assert_str_eq(hex, known[d].floats);
        source_free(source);
    }
}

/* Decoders of JPEG may differ in the last bit, so there is no hash of pixels: what does not depend
 * on one, the order of the images, has a hash by its labels; corners may differ by 1, means by 0.5.
 */
TEST(published_photographs_are_the_known_ones)
{
    static const struct {
        int first, last; /* red top left, blue bottom right */
        double mean;
    } known[32] = {
        {141, 35, 166.19},  {89, 162, 109.48},  {140, 188, 152.67}, {205, 81, 110.96},
        {84, 36, 81.75},    {24, 44, 72.81},    {93, 0, 80.07},     {42, 82, 61.06},
        {131, 143, 136.15}, {202, 78, 101.90},  {255, 92, 121.77},  {192, 19, 195.01},
        {20, 146, 115.73},  {104, 95, 119.08},  {101, 145, 126.06}, {4, 138, 57.21},
        {116, 189, 125.58}, {225, 163, 165.57}, {197, 53, 110.87},  {60, 166, 148.46},
        {137, 88, 100.31},  {55, 26, 88.67},    {15, 168, 99.61},   {77, 254, 161.80},
        {80, 177, 152.20},  {157, 118, 95.88},  {57, 40, 66.29},    {255, 255, 195.12},
        {194, 31, 105.96},  {162, 62, 155.84},  {6, 26, 68.47},     {144, 190, 133.31},
    };
    struct config config = make_config("tinyimagenet", 3000, 32);
    struct source *source = make_source(&config);
    if (!source) {
        return;
    }
    struct batch batch = source_train_batch(source, 0);
    const struct dataset *dataset = dataset_of(config.task);
    struct sha256 sha256;
    char hex[SHA256_HEX_SIZE];
    sha256_begin(&sha256);
    hash_labels(&sha256, &batch);
    sha256_end(&sha256, hex);
    ck_assert_str_eq(hex, "07e6dc9c839c3279a4471b0d76adede7a7284748cb6f1688149777c8608d86b2");
    for (size_t i = 0; i < 32; i++) {
        size_t n = 3 * 64 * 64;
        const float *image = batch.patches + i * n;
        double sum = 0;
        for (size_t k = 0; k < n; k++) {
            sum += byte_of(dataset, k / 64 % 3, image[k]);
        }
        ck_assert_int_le(abs(byte_of(dataset, 0, image[0]) - known[i].first), 1);
        ck_assert_int_le(abs(byte_of(dataset, 2, image[n - 1]) - known[i].last), 1);
        ck_assert_double_eq_tol(sum / (double)n, known[i].mean, 0.5);
    }
    source_free(source);
}

/* data_fixture: tiny data sets in a scratch folder, written byte by byte. */
#ifndef QKVLAB_TESTS_DATA_FIXTURE_H
#define QKVLAB_TESTS_DATA_FIXTURE_H

#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/file.h"
#include "base/folder.h"
#include "lab/data/dataset.h"
#include "testing.h"

/* fixture_write writes a file below the scratch folder, and the folders on the way. */
static inline void fixture_write(const char *name, const void *data, size_t size)
{
    char path[PATH_SIZE];
    scratch_path(path, name);
    char *slash = strrchr(path, '/');
    *slash = '\0';
    ck_assert_int_eq(folder_create(path, NULL), STATUS_OK);
    *slash = '/';
    scratch_write(path, data, size);
}

static inline void fixture_text(const char *name, const char *text)
{
    fixture_write(name, text, strlen(text));
}

static inline void fixture_remove(const char *name)
{
    char path[PATH_SIZE];
    scratch_path(path, name);
    ck_assert_int_eq(remove(path), 0);
}

/* ---- IDX ---- */

/* idx_bytes returns a file of n images of 28 x 28 (or of n labels), value i at place i modulo a
 * prime. Caller frees. */
static inline uint8_t *idx_bytes(size_t n, int images, size_t *size)
{
    size_t header = images ? 16 : 8, n_value = images ? n * 784 : n;
    const uint8_t image_header[16] = {0, 0,  8, 3, 0, 0, (uint8_t)(n >> 8), (uint8_t)n, 0, 0,
                                      0, 28, 0, 0, 0, 28};
    const uint8_t label_header[8] = {0, 0, 8, 1, 0, 0, (uint8_t)(n >> 8), (uint8_t)n};
    uint8_t *bytes = malloc(header + n_value);
    memcpy(bytes, images ? image_header : label_header, header);
    for (size_t i = 0; i < n_value; i++) {
        bytes[header + i] = (uint8_t)(i % (images ? 251 : 10));
    }
    *size = header + n_value;
    return bytes;
}

static inline void *gzip_bytes(const void *data, size_t size, size_t *packed_size)
{
    z_stream stream = {0};
    ck_assert_int_eq(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    size_t room = deflateBound(&stream, size) + 64;
    uint8_t *packed = malloc(room);
    stream.next_in = (Bytef *)(uintptr_t)data;
    stream.avail_in = (uInt)size;
    stream.next_out = packed;
    stream.avail_out = (uInt)room;
    ck_assert_int_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
    *packed_size = stream.total_out;
    deflateEnd(&stream);
    return packed;
}

static inline void fixture_gzip(const char *name, const void *data, size_t size)
{
    size_t packed_size;
    void *packed = gzip_bytes(data, size, &packed_size);
    fixture_write(name, packed, packed_size);
    free(packed);
}

static inline void fixture_idx(const char *name, size_t n, int images)
{
    size_t size, n_name = strlen(name);
    uint8_t *bytes = idx_bytes(n, images, &size);
    if (n_name > 3 && strcmp(name + n_name - 3, ".gz") == 0) {
        fixture_gzip(name, bytes, size);
    } else {
        fixture_write(name, bytes, size);
    }
    free(bytes);
}

/* fixture_mnist writes 10 training and 5 test images; pattern as in "MNIST/raw/%s-%s.gz". */
static inline void fixture_mnist(const char *pattern)
{
    static const struct {
        const char *stem, *kind;
        size_t n;
        int images;
    } files[] = {{"train-images", "idx3-ubyte", 10, 1},
                 {"train-labels", "idx1-ubyte", 10, 0},
                 {"t10k-images", "idx3-ubyte", 5, 1},
                 {"t10k-labels", "idx1-ubyte", 5, 0}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char name[256];
        snprintf(name, sizeof name, pattern, files[i].stem, files[i].kind);
        fixture_idx(name, files[i].n, files[i].images);
    }
}

/* ---- CIFAR ---- */

/* fixture_cifar writes n records; pixel i of record r is r + i + i / 256, the label bytes are r. */
static inline void fixture_cifar(const char *name, size_t n, size_t n_label)
{
    size_t record = n_label + 3072;
    uint8_t *bytes = malloc(n * record);
    for (size_t r = 0; r < n; r++) {
        memset(bytes + r * record, (int)r, n_label);
        for (size_t i = 0; i < 3072; i++) {
            bytes[r * record + n_label + i] = (uint8_t)(r + i + i / 256);
        }
    }
    fixture_write(name, bytes, n * record);
    free(bytes);
}

/* ---- loading ---- */

static struct error err;

/* fixture_load loads a data set from the scratch folder; what is wrong with it is in err. */
static inline enum status fixture_load_with(const char *name, struct dataset_options options,
                                            struct image_data *images)
{
    const char *roots[] = {scratch};
    static struct dataset_place place;
    options.root = roots;
    options.n_root = 1;
    options.threads = options.threads ? options.threads : 1;
    *images = (struct image_data){0};
    err.text[0] = '\0';
    TRY(dataset_find(dataset_find_name(name), &options, &place, &err));
    return dataset_load(&place, &options, images, &err);
}

static inline enum status fixture_load(const char *name, struct image_data *images)
{
    return fixture_load_with(name, (struct dataset_options){0}, images);
}

static inline void expect_loads(const char *name, size_t n_train, size_t n_test)
{
    struct image_data images;
    FINE(fixture_load(name, &images));
    ck_assert_uint_eq(images.train.n_image, n_train);
    ck_assert_uint_eq(images.test.n_image, n_test);
    image_data_free(&images);
}

/* expect_refused wants bad data and a sentence that contains both phrases. */
static inline void expect_refused(const char *name, const char *phrase, const char *other)
{
    struct image_data images;
    REFUSED(fixture_load(name, &images), STATUS_DATA, phrase);
    SAID(other);
}

#endif

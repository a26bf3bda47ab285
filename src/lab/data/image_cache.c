/* The cache is built inside a mapped temporary file whose blocks are reserved first (a full disk
 * must be an error, not a signal), then synced and renamed. The same builder fills plain memory
 * where no cache is wanted. Numbers are in the machine's order: a cache does not travel, and one
 * that did would fail its header's checksum.
 */
#include "lab/data/image_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "base/claim.h"
#include "base/file.h"
#include "base/folder.h"
#include "lab/data/jpeg.h"

#define MAGIC "qkvlab-images-1"
#define N_CHANNEL 3
#define ALIGNMENT 64
#define MAX_JPEG ((size_t)16 << 20)
#define MAX_COUNT UINT32_MAX
#define MAX_IMAGE_SIZE 4096

struct header {
    char magic[16];
    uint64_t n_train, n_test, n_class, image_size, names_size;
    char manifest[SHA256_HEX_SIZE], hash[SHA256_HEX_SIZE];
    uint32_t tables_crc; /* of labels, checksums and names */
    uint32_t header_crc; /* of all before it */
};

/* Where the parts are, in bytes from the beginning. */
struct layout {
    size_t labels, checksums, names, pixels, end;
};

static size_t align(size_t n)
{
    return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t image_bytes(const struct header *header)
{
    return N_CHANNEL * header->image_size * header->image_size;
}

/* The counts are bounded, so that nothing here overflows. */
static struct layout lay_out(const struct header *header)
{
    size_t n = header->n_train + header->n_test;
    struct layout layout = {.labels = align(sizeof *header)};
    layout.checksums = align(layout.labels + n * sizeof(uint16_t));
    layout.names = layout.checksums + n * sizeof(uint32_t);
    layout.pixels = align(layout.names + header->names_size);
    layout.end = layout.pixels + n * image_bytes(header);
    return layout;
}

static uint32_t checksum(const void *data, size_t size)
{
    return (uint32_t)crc32_z(crc32_z(0, NULL, 0), data, size);
}

static uint32_t header_checksum(const struct header *header)
{
    return checksum(header, offsetof(struct header, header_crc));
}

static uint32_t tables_checksum(const struct header *header, const uint8_t *memory)
{
    struct layout layout = lay_out(header);
    return checksum(memory + layout.labels, layout.names + header->names_size - layout.labels);
}

/* ---- a cache in memory --------------------------------------------------------------------- */

static bool header_is_valid(const struct header *header, const struct data_bytes *cache)
{
    return memcmp(header->magic, MAGIC, sizeof MAGIC) == 0 &&
           header->header_crc == header_checksum(header) && header->n_train <= MAX_COUNT &&
           header->n_test <= MAX_COUNT && header->n_class <= UINT16_MAX && header->n_class > 0 &&
           header->image_size <= MAX_IMAGE_SIZE && header->names_size <= MAX_COUNT &&
           !header->manifest[SHA256_HEX_SIZE - 1] && !header->hash[SHA256_HEX_SIZE - 1] &&
           lay_out(header).end == cache->size;
}

static bool images_are_whole(const struct header *header, const uint8_t *memory)
{
    struct layout layout = lay_out(header);
    const uint32_t *expected = (const uint32_t *)(const void *)(memory + layout.checksums);
    const size_t n = header->n_train + header->n_test, size = image_bytes(header);
    size_t i = 0;
    while (i < n && checksum(memory + layout.pixels + i * size, size) == expected[i]) {
        i++;
    }
    return i == n;
}

static bool labels_are_valid(const struct header *header, const uint16_t *label)
{
    size_t i = 0, n = header->n_train + header->n_test;
    while (i < n && label[i] < header->n_class) {
        i++;
    }
    return i == n;
}

/* Names lie one behind the other, each with its '\0'. */
static const char **list_names(const struct header *header, const char *names)
{
    const char **name = calloc(header->n_class, sizeof *name);
    const char *end = names + header->names_size;
    for (size_t i = 0; name && i < header->n_class; i++) {
        const char *zero = memchr(names, '\0', (size_t)(end - names));
        if (!zero) {
            free(name);
            return NULL;
        }
        name[i] = names;
        names = zero + 1;
    }
    return name;
}

static bool attach_set(const struct header *header, const uint8_t *memory, size_t first,
                       size_t n_image, struct image_set *set)
{
    struct layout layout = lay_out(header);
    if (image_set_create(set, n_image, N_CHANNEL, header->image_size, header->n_class, NULL)) {
        return false;
    }
    const uint8_t *pixels = memory + layout.pixels + first * image_bytes(header);
    for (size_t i = 0; i < n_image; i++) {
        set->image[i] = pixels + i * image_bytes(header);
    }
    memcpy(set->label, memory + layout.labels + first * sizeof(uint16_t),
           n_image * sizeof(uint16_t));
    return true;
}

static bool attach_all(struct image_data *data, const struct header *header, const uint8_t *memory)
{
    const char **name = list_names(header, (const char *)memory + lay_out(header).names);
    bool attached = name && attach_set(header, memory, 0, header->n_train, &data->train) &&
                    attach_set(header, memory, header->n_train, header->n_test, &data->test) &&
                    image_data_name_classes(data, name, header->n_class, NULL) == STATUS_OK;
    free(name);
    return attached;
}

bool image_cache_attach(struct image_data *data, const struct data_bytes *cache,
                        const char *manifest)
{
    struct header header;
    if (cache->size < sizeof header) {
        return false;
    }
    memcpy(&header, cache->data, sizeof header);
    if (!header_is_valid(&header, cache) || (manifest && strcmp(header.manifest, manifest) != 0) ||
        header.tables_crc != tables_checksum(&header, cache->data) ||
        !labels_are_valid(
            &header, (const uint16_t *)(const void *)(cache->data + lay_out(&header).labels)) ||
        !images_are_whole(&header, cache->data)) {
        return false;
    }
    struct image_data attached = {.dataset = data->dataset};
    if (!attach_all(&attached, &header, cache->data)) {
        image_data_free(&attached);
        return false;
    }
    memcpy(attached.hash, header.hash, sizeof attached.hash);
    *data = attached;
    return true;
}

/* ---- decoding ------------------------------------------------------------------------------ */

struct builder {
    const char *folder;
    const struct dataset_options *options;
    const struct image_folder *images;
    struct header header;
    uint8_t *memory; /* [lay_out(&header).end], zero */
};

static const struct image_file *file_at(const struct builder *builder, size_t i)
{
    const struct image_folder *images = builder->images;
    return i < images->train.n_file ? &images->train.file[i]
                                    : &images->test.file[i - images->train.n_file];
}

static enum status decode_file(const struct builder *builder, size_t i, struct error *err)
{
    char path[PATH_SIZE], *bytes = NULL;
    size_t size = 0;
    struct layout layout = lay_out(&builder->header);
    uint8_t *out = builder->memory + layout.pixels + i * image_bytes(&builder->header);
    uint32_t *sums = (uint32_t *)(void *)(builder->memory + layout.checksums);
    uint16_t *labels = (uint16_t *)(void *)(builder->memory + layout.labels);
    TRY(path_format(path, err, "%s/%s", builder->folder, file_at(builder, i)->path));
    TRY(file_read(path, MAX_JPEG, &bytes, &size, err));
    enum status status =
        jpeg_decode(path, (const uint8_t *)bytes, size, builder->header.image_size, out, err);
    free(bytes);
    TRY(status);
    sums[i] = checksum(out, image_bytes(&builder->header));
    labels[i] = file_at(builder, i)->label;
    return STATUS_OK;
}

/* Every thread decodes into places of its own; the calling thread alone reports. */
static enum status decode_all(const struct builder *builder, struct error *err)
{
    const struct dataset_options *options = builder->options;
    const size_t n = builder->header.n_train + builder->header.n_test;
    const int n_thread = options->threads > 0 ? options->threads : omp_get_num_procs();
    enum status worst = STATUS_OK;
    size_t n_done = 0;
#pragma omp parallel for schedule(dynamic, 16) num_threads(n_thread)
    for (size_t i = 0; i < n; i++) {
        struct error one = {0};
        enum status seen;
        size_t done;
#pragma omp atomic read
        seen = worst;
        if (seen != STATUS_OK) {
            continue;
        }
        enum status status = decode_file(builder, i, &one);
#pragma omp atomic capture
        done = ++n_done;
        if (status == STATUS_OK && omp_get_thread_num() == 0 && options->progress &&
            !options->progress(options->context, done, n)) {
            status =
                error_set(&one, STATUS_INTERRUPTED, "stopped while decoding %s", builder->folder);
        }
        if (status != STATUS_OK) {
#pragma omp critical
            {
                if (worst == STATUS_OK && err) {
                    *err = one;
                }
#pragma omp atomic write
                worst = status;
            }
        }
    }
    return worst;
}

static size_t names_size(const struct image_folder *images)
{
    size_t size = 0;
    for (size_t i = 0; i < images->n_class; i++) {
        size += strlen(images->class_name[i]) + 1;
    }
    return size;
}

static void write_names(const struct builder *builder)
{
    char *at = (char *)builder->memory + lay_out(&builder->header).names;
    for (size_t i = 0; i < builder->images->n_class; i++) {
        size_t size = strlen(builder->images->class_name[i]) + 1;
        memcpy(at, builder->images->class_name[i], size);
        at += size;
    }
}

static void write_header(struct builder *builder)
{
    builder->header.header_crc = header_checksum(&builder->header);
    memcpy(builder->memory, &builder->header, sizeof builder->header);
}

/* The header is the last thing written. */
static enum status fill(struct builder *builder, const struct dataset *dataset, struct error *err)
{
    TRY(decode_all(builder, err));
    write_names(builder);
    builder->header.tables_crc = tables_checksum(&builder->header, builder->memory);
    struct image_data data = {.dataset = dataset};
    if (!attach_all(&data, &builder->header, builder->memory)) {
        image_data_free(&data);
        return error_memory(err, "decoding %s", builder->folder);
    }
    memcpy(builder->header.hash, image_data_hash(&data), sizeof builder->header.hash);
    image_data_free(&data);
    write_header(builder);
    return STATUS_OK;
}

static struct builder builder_make(const struct dataset_place *place,
                                   const struct dataset_options *options,
                                   const struct image_folder *images)
{
    struct builder builder = {.folder = place->folder, .options = options, .images = images};
    memcpy(builder.header.magic, MAGIC, sizeof MAGIC);
    builder.header.n_train = images->train.n_file;
    builder.header.n_test = images->test.n_file;
    builder.header.n_class = images->n_class;
    builder.header.image_size = place->dataset->image_size;
    builder.header.names_size = names_size(images);
    memcpy(builder.header.manifest, images->manifest, sizeof builder.header.manifest);
    return builder;
}

/* ---- in memory ----------------------------------------------------------------------------- */

static enum status load_in_memory(struct builder *builder, struct image_data *data,
                                  struct error *err)
{
    size_t size = lay_out(&builder->header).end;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return error_memory(err, "decoding %s to %zu bytes", builder->folder, size);
    }
    struct data_bytes bytes = {.data = memory, .size = size, .mapped = true};
    builder->memory = memory;
    enum status status = fill(builder, data->dataset, err);
    if (status == STATUS_OK && !image_cache_attach(data, &bytes, NULL)) {
        status = error_memory(err, "decoding %s", builder->folder);
    }
    if (status != STATUS_OK) {
        data_bytes_free(&bytes);
        return status;
    }
    image_data_keep(data, bytes);
    return STATUS_OK;
}

/* ---- in a file ----------------------------------------------------------------------------- */

static bool try_cache(const char *path, const char *manifest, struct image_data *data)
{
    struct data_bytes bytes;
    if (data_bytes_map(path, &bytes, NULL) != STATUS_OK) {
        return false;
    }
    if (!image_cache_attach(data, &bytes, manifest)) {
        data_bytes_free(&bytes);
        return false;
    }
    image_data_keep(data, bytes);
    return true;
}

static enum status cannot_write(const char *path, size_t size, int failure, struct error *err)
{
    return error_set(err, STATUS_WRITE,
                     "cannot write the decoded images to %s (%zu bytes): %s; --cache DIR names "
                     "another folder",
                     path, size, strerror(failure));
}

static enum status fill_file(struct builder *builder, const struct dataset *dataset, int fd,
                             const char *path, struct error *err)
{
    size_t size = lay_out(&builder->header).end;
    int failure = posix_fallocate(fd, 0, (off_t)size);
    if (failure) {
        return cannot_write(path, size, failure, err);
    }
    builder->memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (builder->memory == MAP_FAILED) {
        return cannot_write(path, size, errno, err);
    }
    enum status status = fill(builder, dataset, err);
    if (status == STATUS_OK && (msync(builder->memory, size, MS_SYNC) != 0 || fsync(fd) != 0)) {
        status = cannot_write(path, size, errno, err);
    }
    munmap(builder->memory, size);
    return status;
}

/* Call it with the lock: the temporary file has a fixed name, so a killed builder leaves one. */
static enum status build_file(struct builder *builder, const struct dataset *dataset,
                              const char *path, struct error *err)
{
    char temporary[PATH_SIZE];
    TRY(path_format(temporary, err, "%s.partial", path));
    int fd = open(temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) {
        return cannot_write(path, lay_out(&builder->header).end, errno, err);
    }
    enum status status = fill_file(builder, dataset, fd, path, err);
    close(fd);
    if (status == STATUS_OK && rename(temporary, path) != 0) {
        status = cannot_write(path, lay_out(&builder->header).end, errno, err);
    }
    if (status != STATUS_OK) {
        unlink(temporary);
        return status;
    }
    return folder_sync(builder->options->cache, err);
}

/* Two folders of one data set have caches of their own. */
static enum status cache_path(const struct dataset_place *place, const char *cache,
                              char path[PATH_SIZE], struct error *err)
{
    char hex[SHA256_HEX_SIZE];
    char *real = realpath(place->folder, NULL);
    const char *folder = real ? real : place->folder;
    sha256_hex(folder, strlen(folder), hex);
    free(real);
    return path_format(path, err, "%s/%s-%.12s.images", cache, place->dataset->task.name, hex);
}

static enum status load_cached(struct builder *builder, const char *path, struct image_data *data,
                               struct error *err)
{
    char lock_path[PATH_SIZE];
    int lock;
    struct timespec now;
    const char *manifest = builder->images->manifest;
    if (try_cache(path, manifest, data)) {
        return STATUS_OK;
    }
    TRY(folder_create(builder->options->cache, err));
    TRY(path_format(lock_path, err, "%s.lock", path));
    TRY(lock_take(lock_path, &lock, &now, err));
    enum status status = STATUS_OK;
    if (!try_cache(path, manifest, data)) {
        status = build_file(builder, data->dataset, path, err);
        if (status == STATUS_OK && !try_cache(path, manifest, data)) {
            status = error_set(err, STATUS_WRITE,
                               "%s was written and reads back otherwise; --cache DIR names another "
                               "folder",
                               path);
        }
    }
    lock_give(lock);
    return status;
}

enum status image_cache_load(const struct dataset_place *place,
                             const struct dataset_options *options,
                             const struct image_folder *images, struct image_data *data,
                             struct error *err)
{
    struct builder builder = builder_make(place, options, images);
    if (builder.header.image_size > MAX_IMAGE_SIZE) {
        return error_set(err, STATUS_USAGE, "images of %zu pixels a side, expected at most %d",
                         place->dataset->image_size, MAX_IMAGE_SIZE);
    }
    if (!options->cache) {
        return load_in_memory(&builder, data, err);
    }
    char path[PATH_SIZE];
    TRY(cache_path(place, options->cache, path, err));
    return load_cached(&builder, path, data, err);
}

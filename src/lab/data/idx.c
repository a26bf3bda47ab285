/* A packed file is unpacked twice: its header first, so that the size it claims can be judged by
 * what gzip could hold before that much memory is asked for, and then the whole.
 */
#include "lab/data/idx.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define TYPE_BYTE 0x08
#define HEADER_SIZE(n_dim) (4 + 4 * (n_dim))

static const char *const dim_name[] = {"count", "rows", "columns"};

/* ---- header -------------------------------------------------------------------------------- */

static size_t read_big_endian(const uint8_t *byte)
{
    return (size_t)byte[0] << 24 | (size_t)byte[1] << 16 | (size_t)byte[2] << 8 | byte[3];
}

static enum status check_magic(const char *path, const uint8_t *data, size_t size, size_t n_dim,
                               struct error *err)
{
    const uint8_t magic[4] = {0, 0, TYPE_BYTE, (uint8_t)n_dim};
    size_t n = size < sizeof magic ? size : sizeof magic;
    if (memcmp(data, magic, n) != 0 || n < sizeof magic) {
        char found[DATA_BYTES_TEXT_SIZE];
        data_bytes_describe(data, size, found);
        return error_set(
            err, STATUS_DATA,
            "%s is not an IDX file of bytes with %zu dimension%s: at offset 0 expected "
            "bytes 00 00 08 %02zx, found %s; download it again",
            path, n_dim, plural(n_dim), n_dim, found);
    }
    return STATUS_OK;
}

/* Reads the dimensions; *n_value is their product. size is what there is of the header. */
static enum status read_header(const char *path, const uint8_t *data, size_t size, size_t n_dim,
                               struct idx *idx, size_t *n_value, struct error *err)
{
    *n_value = 1;
    TRY(check_magic(path, data, size, n_dim, err));
    for (size_t i = 0; i < n_dim; i++) {
        size_t offset = HEADER_SIZE(i);
        if (size < offset + 4) {
            return error_set(err, STATUS_DATA,
                             "%s ends early: got %zu bytes, and its header takes %zu (offset %zu: "
                             "%s)",
                             path, size, HEADER_SIZE(n_dim), offset, dim_name[i]);
        }
        idx->dim[i] = read_big_endian(data + offset);
        if (idx->dim[i] == 0) {
            return error_set(err, STATUS_DATA, "%s: the %s at offset %zu is 0", path, dim_name[i],
                             offset);
        }
        if (*n_value > (SIZE_MAX / 2) / idx->dim[i]) {
            return error_set(err, STATUS_DATA, "%s: the %s at offset %zu is %zu, too large", path,
                             dim_name[i], offset, idx->dim[i]);
        }
        *n_value *= idx->dim[i];
    }
    return STATUS_OK;
}

static enum status check_size(const char *path, size_t size, size_t n_dim, const struct idx *idx,
                              size_t n_value, struct error *err)
{
    size_t expected = HEADER_SIZE(n_dim) + n_value;
    if (size < expected) {
        return error_set(err, STATUS_DATA,
                         "%s ends early: got %zu of %zu bytes (count at offset 4: %zu); download "
                         "it again",
                         path, size, expected, idx->dim[0]);
    }
    if (size > expected) {
        return error_set(err, STATUS_DATA,
                         "%s is damaged: it goes on behind its end, expected %zu bytes (count at "
                         "offset 4: %zu); download it again",
                         path, expected, idx->dim[0]);
    }
    return STATUS_OK;
}

/* ---- files --------------------------------------------------------------------------------- */

/* Reads the whole plain file in idx->memory; value points into it. */
static enum status parse(const char *path, size_t n_dim, struct idx *idx, struct error *err)
{
    size_t n_value, size = idx->memory.size;
    TRY(read_header(path, idx->memory.data, size, n_dim, idx, &n_value, err));
    TRY(check_size(path, size, n_dim, idx, n_value, err));
    idx->value = idx->memory.data + HEADER_SIZE(n_dim);
    return STATUS_OK;
}

/* Replaces the packed bytes in idx->memory by the unpacked ones. */
static enum status unpack(const char *path, size_t n_dim, struct idx *idx, struct error *err)
{
    struct data_bytes packed = idx->memory;
    uint8_t header[HEADER_SIZE(IDX_MAX_DIM)];
    size_t n_header, n_value, n = 0;
    TRY(data_bytes_unpack(&packed, path, header, HEADER_SIZE(n_dim), &n_header, err));
    TRY(read_header(path, header, n_header, n_dim, idx, &n_value, err));
    size_t size = HEADER_SIZE(n_dim) + n_value;
    if (!data_bytes_can_unpack_to(&packed, size)) {
        return error_set(err, STATUS_DATA,
                         "%s: its header claims %zu bytes (count at offset 4: %zu), more than its "
                         "%zu packed bytes can hold",
                         path, size, idx->dim[0], packed.size);
    }
    uint8_t *data = malloc(size + 1); /* one more shows a file that goes on */
    if (!data) {
        return error_memory(err, "unpacking %s to %zu bytes", path, size);
    }
    enum status status = data_bytes_unpack(&packed, path, data, size + 1, &n, err);
    data_bytes_free(&packed);
    idx->memory = (struct data_bytes){.data = data, .size = n};
    return status;
}

static enum status read_file(const char *path, size_t n_dim, struct idx *idx, struct error *err)
{
    TRY(data_bytes_map(path, &idx->memory, err));
    if (data_bytes_are_gzip(&idx->memory)) {
        TRY(unpack(path, n_dim, idx, err));
    }
    return parse(path, n_dim, idx, err);
}

enum status idx_read(const char *path, size_t n_dim, struct idx *idx, struct error *err)
{
    *idx = (struct idx){0};
    enum status status = read_file(path, n_dim, idx, err);
    if (status != STATUS_OK) {
        data_bytes_free(&idx->memory);
    }
    return status;
}

/* ---- data sets ----------------------------------------------------------------------------- */

static enum status check_shape(const char *path, const struct idx *images, size_t size,
                               struct error *err)
{
    for (size_t i = 1; i < 3; i++) {
        if (images->dim[i] != size) {
            return error_set(err, STATUS_DATA, "%s: expected %zu %s at offset %zu, found %zu", path,
                             size, dim_name[i], HEADER_SIZE(i), images->dim[i]);
        }
    }
    return STATUS_OK;
}

static enum status fill_set(struct image_set *set, const struct idx *images,
                            const struct idx *labels, const char *label_path, struct error *err)
{
    size_t image_size = set->height * set->width;
    for (size_t i = 0; i < set->n_image; i++) {
        set->image[i] = images->value + i * image_size;
        set->label[i] = labels->value[i];
        if (set->label[i] >= set->n_class) {
            return error_set(err, STATUS_DATA,
                             "%s: label %zu, at offset %zu, is %u, expected 0 to %zu", label_path,
                             i, HEADER_SIZE((size_t)1) + i, set->label[i], set->n_class - 1);
        }
    }
    return STATUS_OK;
}

static enum status make_set(const struct dataset *dataset, const struct idx *images,
                            const struct idx *labels, const char *image_path,
                            const char *label_path, struct image_set *set, struct error *err)
{
    if (images->dim[0] != labels->dim[0]) {
        return error_set(err, STATUS_DATA,
                         "%s has %zu images and %s has %zu labels (count at offset 4 of both); "
                         "download both again",
                         image_path, images->dim[0], label_path, labels->dim[0]);
    }
    TRY(image_set_create(set, images->dim[0], dataset->n_channel, dataset->image_size,
                         dataset->task.n_answer, err));
    return fill_set(set, images, labels, label_path, err);
}

static enum status load_set(struct image_data *data, struct image_set *set, const char *image_path,
                            const char *label_path, struct error *err)
{
    const struct dataset *dataset = data->dataset;
    struct idx images, labels;
    TRY(idx_read(image_path, 3, &images, err));
    image_data_keep(data, images.memory);
    TRY(check_shape(image_path, &images, dataset->image_size, err));
    TRY(idx_read(label_path, 1, &labels, err));
    enum status status = make_set(dataset, &images, &labels, image_path, label_path, set, err);
    data_bytes_free(&labels.memory);
    return status;
}

enum status idx_load(const struct dataset_place *place, const struct dataset_options *options,
                     struct image_data *data, struct error *err)
{
    (void)options;
    TRY(load_set(data, &data->train, place->path[0], place->path[1], err));
    return load_set(data, &data->test, place->path[2], place->path[3], err);
}

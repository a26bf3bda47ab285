#include "lab/data/cifar.h"

#include <stdlib.h>

#include "lab/data/data_lines.h"

enum status cifar_count(const char *path, size_t size, const struct cifar_format *format,
                        size_t *n_record, struct error *err)
{
    size_t record = format->n_label + CIFAR_PIXELS;
    *n_record = size / record;
    if (size % record == 0) {
        return STATUS_OK;
    }
    if (size % CIFAR_PIXELS == 0) {
        return error_set(err, STATUS_DATA,
                         "%s has %zu bytes, records of %d pixels without labels; expected records "
                         "of %zu bytes, %zu of them labels",
                         path, size, CIFAR_PIXELS, record, format->n_label);
    }
    return error_set(err, STATUS_DATA,
                     "%s has %zu bytes, no multiple of a record's %zu: it ends %zu bytes into "
                     "record %zu; download it again",
                     path, size, record, size % record, *n_record);
}

enum status cifar_parse(const char *path, const uint8_t *data, size_t n_record,
                        const struct cifar_format *format, const uint8_t **image, uint16_t *label,
                        struct error *err)
{
    size_t record = format->n_label + CIFAR_PIXELS;
    for (size_t i = 0; i < n_record; i++) {
        const uint8_t *byte = data + i * record;
        for (size_t k = 0; k < format->n_label; k++) {
            if (byte[k] >= format->n_class[k]) {
                return error_set(err, STATUS_DATA,
                                 "%s: label byte %zu of record %zu, at offset %zu, is %u, expected "
                                 "0 to %zu",
                                 path, k, i, i * record + k, byte[k], format->n_class[k] - 1);
            }
        }
        image[i] = byte + format->n_label;
        label[i] = byte[format->n_label - 1];
    }
    return STATUS_OK;
}

/* Maps n_file files from path[first] on; returns their records. */
static enum status map_files(const struct dataset_place *place, const struct cifar_format *format,
                             size_t first, size_t n_file, struct image_data *data, size_t *n_record,
                             struct error *err)
{
    *n_record = 0;
    for (size_t i = first; i < first + n_file; i++) {
        struct data_bytes bytes;
        size_t n = 0;
        TRY(data_bytes_map(place->path[i], &bytes, err));
        image_data_keep(data, bytes);
        TRY(cifar_count(place->path[i], bytes.size, format, &n, err));
        *n_record += n;
    }
    return STATUS_OK;
}

/* data->memory[i] is the map of place->path[i]. */
static enum status load_set(const struct dataset_place *place, const struct cifar_format *format,
                            size_t first, size_t n_file, struct image_data *data,
                            struct image_set *set, struct error *err)
{
    size_t n_image, at = 0;
    TRY(map_files(place, format, first, n_file, data, &n_image, err));
    TRY(image_set_create(set, n_image, 3, CIFAR_SIZE, place->dataset->task.n_answer, err));
    for (size_t i = first; i < first + n_file; i++) {
        size_t n = data->memory[i].size / (format->n_label + CIFAR_PIXELS);
        TRY(cifar_parse(place->path[i], data->memory[i].data, n, format, set->image + at,
                        set->label + at, err));
        at += n;
    }
    return STATUS_OK;
}

static enum status load_names(const char *path, struct image_data *data, struct error *err)
{
    struct data_lines lines;
    size_t n_class = data->dataset->task.n_answer;
    enum status status = data_lines_read(path, &lines, err);
    if (status == STATUS_OK && lines.n_line != n_class) {
        status = error_set(err, STATUS_DATA, "%s names %zu classes, expected %zu", path,
                           lines.n_line, n_class);
    } else if (status == STATUS_OK) {
        status = image_data_name_classes(data, (const char *const *)lines.line, n_class, err);
    }
    data_lines_free(&lines);
    return status;
}

enum status cifar_load(const struct dataset_place *place, const struct cifar_format *format,
                       size_t n_train, struct image_data *data, struct error *err)
{
    const char *names = place->path[n_train + 1];
    TRY(load_set(place, format, 0, n_train, data, &data->train, err));
    TRY(load_set(place, format, n_train, 1, data, &data->test, err));
    return names[0] ? load_names(names, data, err) : STATUS_OK;
}

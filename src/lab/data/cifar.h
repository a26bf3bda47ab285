/* cifar: the binary form of CIFAR-10 and CIFAR-100: records of one or two label bytes and 3072
 * pixel bytes (channel, row, column), without any header. Files are mapped, never copied.
 */
#ifndef QKVLAB_LAB_CIFAR_H
#define QKVLAB_LAB_CIFAR_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "lab/data/dataset.h"

#define CIFAR_SIZE 32
#define CIFAR_PIXELS (3 * CIFAR_SIZE * CIFAR_SIZE)

/* The label bytes before the pixels; the last one is the label that is learned. */
struct cifar_format {
    size_t n_label;
    size_t n_class[2]; /* of each label byte */
};

/* cifar_count returns the number of records of a file in memory in *n_record. */
enum status cifar_count(const char *path, size_t size, const struct cifar_format *format,
                        size_t *n_record, struct error *err);

/* cifar_parse points image and label [n_record] at the records of a file in memory. */
enum status cifar_parse(const char *path, const uint8_t *data, size_t n_record,
                        const struct cifar_format *format, const uint8_t **image, uint16_t *label,
                        struct error *err);

/* cifar_load reads a data set whose first n_train files are training batches, the next one the test
 * batch and the one behind it (optional) the names of the classes. */
enum status cifar_load(const struct dataset_place *place, const struct cifar_format *format,
                       size_t n_train, struct image_data *data, struct error *err);

#endif

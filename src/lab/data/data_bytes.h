/* data_bytes: the bytes of a data file, mapped where they are plain, unpacked where they are gzip.
 * What is inside decides, not the name: browsers unpack files and leave the ".gz".
 */
#ifndef QKVLAB_LAB_DATA_BYTES_H
#define QKVLAB_LAB_DATA_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sha256.h"
#include "base/status.h"

struct data_bytes {
    const uint8_t *data;
    size_t size;
    bool mapped; /* else from malloc */
};

/* data_bytes_map maps a regular file. Caller frees with data_bytes_free. Errors: STATUS_DATA; an
 * empty file is one. */
enum status data_bytes_map(const char *path, struct data_bytes *bytes, struct error *err);
void data_bytes_free(struct data_bytes *bytes);

bool data_bytes_are_gzip(const struct data_bytes *bytes);

/* data_bytes_can_unpack_to: size is not more than gzip can pack into these bytes. */
bool data_bytes_can_unpack_to(const struct data_bytes *packed, size_t size);

/* data_bytes_unpack writes up to size unpacked bytes to out and counts them in *n_out; fewer than
 * size mean that the file ends there. Errors: STATUS_DATA for damage, path being what the sentence
 * calls the file. */
enum status data_bytes_unpack(const struct data_bytes *packed, const char *path, uint8_t *out,
                              size_t size, size_t *n_out, struct error *err);

/* data_bytes_hash writes the SHA-256 of a file's unpacked bytes and their number. */
enum status data_bytes_hash(const char *path, char hex[SHA256_HEX_SIZE], size_t *size,
                            struct error *err);

/* data_bytes_describe writes how a file begins, for sentences about files that are something else:
 * "'<!DOCTYPE html>' (a web page)". */
#define DATA_BYTES_TEXT_SIZE 96
void data_bytes_describe(const uint8_t *data, size_t size, char text[DATA_BYTES_TEXT_SIZE]);

#endif

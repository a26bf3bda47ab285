/* sha256: names for contents (final weights, configurations, data sets), on top of libmd. */
#ifndef QKVLAB_BASE_SHA256_H
#define QKVLAB_BASE_SHA256_H

#include <sha2.h>
#include <stddef.h>

#define SHA256_HEX_SIZE 65

/* sha256_hex writes the 64 lower-case hex digits of data's SHA-256 and a '\0'. */
void sha256_hex(const void *data, size_t size, char hex[SHA256_HEX_SIZE]);

/* The same for data in pieces: begin, any number of adds, end. */
struct sha256 {
    SHA2_CTX context;
};
void sha256_begin(struct sha256 *sha256);
void sha256_add(struct sha256 *sha256, const void *data, size_t size);
void sha256_end(struct sha256 *sha256, char hex[SHA256_HEX_SIZE]);

#endif

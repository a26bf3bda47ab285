/* sha256: names for contents (final weights, configurations), on top of libmd. */
#ifndef QKVLAB_BASE_SHA256_H
#define QKVLAB_BASE_SHA256_H

#include <stddef.h>

#define SHA256_HEX_SIZE 65

/* sha256_hex writes the 64 lower-case hex digits of data's SHA-256 and a '\0'. */
void sha256_hex(const void *data, size_t size, char hex[SHA256_HEX_SIZE]);

#endif

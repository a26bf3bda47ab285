/* libmd writes lower-case hex digits and the '\0' itself. */
#include "base/sha256.h"

_Static_assert(SHA256_HEX_SIZE == SHA256_DIGEST_STRING_LENGTH, "two sizes of one digest");

void sha256_hex(const void *data, size_t size, char hex[SHA256_HEX_SIZE])
{
    SHA256Data(data, size, hex);
}

void sha256_begin(struct sha256 *sha256)
{
    SHA256Init(&sha256->context);
}

void sha256_add(struct sha256 *sha256, const void *data, size_t size)
{
    SHA256Update(&sha256->context, data, size);
}

void sha256_end(struct sha256 *sha256, char hex[SHA256_HEX_SIZE])
{
    SHA256End(&sha256->context, hex);
}

/* libmd writes lower-case hex digits and the '\0' itself. */
#include "base/sha256.h"

#include <sha2.h>

_Static_assert(SHA256_HEX_SIZE == SHA256_DIGEST_STRING_LENGTH, "two sizes of one digest");

void sha256_hex(const void *data, size_t size, char hex[SHA256_HEX_SIZE])
{
    SHA256Data(data, size, hex);
}

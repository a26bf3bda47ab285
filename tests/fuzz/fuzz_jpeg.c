#include "fuzz.h"
#include "lab/data/jpeg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t out[3 * 64 * 64];
    struct error err;
    jpeg_decode("fuzz", data, size, 8, out, &err);
    jpeg_decode("fuzz", data, size, 64, out, &err);
    return 0;
}

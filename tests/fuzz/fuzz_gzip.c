#include "fuzz.h"
#include "lab/data/data_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t out[1 << 16];
    struct data_bytes packed = {.data = data, .size = size};
    struct error err;
    char text[DATA_BYTES_TEXT_SIZE];
    size_t n;
    data_bytes_unpack(&packed, "fuzz", out, sizeof out, &n, &err);
    data_bytes_unpack(&packed, "fuzz", out, 16, &n, &err);
    data_bytes_describe(data, size, text);
    return 0;
}

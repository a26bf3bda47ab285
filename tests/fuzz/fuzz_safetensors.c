#include "base/safetensors.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH_SIZE];
    int fd = fuzz_file(data, size, path);
    struct safetensors tensors;
    struct error err;
    if (safetensors_read(path, &tensors, &err) == STATUS_OK) {
        safetensors_find(&tensors, "x");
        safetensors_text(&tensors, "y", NULL);
        safetensors_free(&tensors);
    }
    close(fd);
    return 0;
}

#include "base/npy.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH_SIZE];
    int fd = fuzz_file(data, size, path);
    float *values;
    size_t dim[NPY_MAX_DIM], n_dim;
    struct error err;
    if (npy_read(path, &values, dim, &n_dim, &err) == STATUS_OK) {
        free(values);
    }
    close(fd);
    return 0;
}

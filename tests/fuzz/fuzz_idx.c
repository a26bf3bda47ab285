#include "fuzz.h"
#include "lab/data/idx.h"

/* Reads every byte, so that a pointer past the end shows. */
static void touch(const struct idx *idx, size_t n_dim)
{
    volatile uint8_t sum = 0;
    size_t n = 1;
    for (size_t i = 0; i < n_dim; i++) {
        n *= idx->dim[i];
    }
    for (size_t i = 0; i < n; i++) {
        sum = (uint8_t)(sum + idx->value[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH_SIZE];
    int fd = fuzz_file(data, size, path);
    for (size_t n_dim = 1; n_dim <= 3; n_dim += 2) {
        struct idx idx;
        struct error err;
        if (idx_read(path, n_dim, &idx, &err) == STATUS_OK) {
            touch(&idx, n_dim);
            data_bytes_free(&idx.memory);
        }
    }
    close(fd);
    return 0;
}

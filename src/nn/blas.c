#include "nn/blas.h"

#include <dlfcn.h>
#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* By its name first, so that LD_LIBRARY_PATH chooses; then the one that the build found. */
static void *open_library(void)
{
    static const char *const names[] = {"libopenblas.so.0", "libopenblas.dylib", OPENBLAS_LIBRARY};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !library; i++) {
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

/* find copies the address of a function, which ISO C does not let a cast do. */
static bool find(void *library, const char *name, void *function)
{
    void *address = library ? dlsym(library, name) : NULL;
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

enum status blas_load(const struct blas **loaded, struct error *err)
{
    static struct blas blas;
    *loaded = &blas;
    if (blas.sgemm) {
        return STATUS_OK;
    }
    __typeof__(openblas_get_config) *get_config;
    __typeof__(openblas_get_corename) *get_core;
    __typeof__(openblas_set_num_threads) *set_threads;
    omp_set_num_threads(1);                 /* what the OpenMP build asks before every product */
    setenv("OPENBLAS_NUM_THREADS", "1", 1); /* what the pthread build asks when it is loaded */
    void *library = open_library();
    if (!find(library, "openblas_get_config", &get_config) ||
        !find(library, "openblas_get_corename", &get_core) ||
        !find(library, "openblas_set_num_threads", &set_threads) ||
        !find(library, "cblas_sgemm", &blas.sgemm)) {
        return error_set(
            err, STATUS_FAILED,
            "OpenBLAS, which bench compares with, cannot be loaded (%s); on Debian and "
            "Ubuntu: apt-get install libopenblas0-serial",
            OPENBLAS_LIBRARY);
    }
    set_threads(1);
    blas.config = get_config();
    blas.core = get_core();
    return STATUS_OK;
}

/* Chooses among the levels kernels.c was compiled for. */
#include "nn/kernels/kernels.h"

extern const struct kernels kernels_generic;
#ifdef HAVE_KERNELS_v3
extern const struct kernels kernels_v3;
#endif
#ifdef HAVE_KERNELS_v4
extern const struct kernels kernels_v4;
#endif

const struct kernels *kernels_at(size_t i)
{
    const struct kernels *usable[3] = {&kernels_generic};
    size_t n = 1;
#ifdef HAVE_KERNELS_v3
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        usable[n++] = &kernels_v3;
    }
#endif
#ifdef HAVE_KERNELS_v4
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512cd")) {
        usable[n++] = &kernels_v4;
    }
#endif
    return i < n ? usable[i] : NULL;
}

static const struct kernels *active; /* until kernels_use, all threads write the same value */

const struct kernels *kernels_active(void)
{
    if (active == NULL) {
        for (size_t i = 0; kernels_at(i) != NULL; i++) {
            active = kernels_at(i);
        }
    }
    return active;
}

void kernels_use(const struct kernels *kernels)
{
    active = kernels;
}

const char *kernels_level(void)
{
    return kernels_active()->level;
}

/* Chooses among the levels kernels.c was compiled for. */
#include <stdatomic.h>

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

/* Chosen at the first question; threads that ask at once find the same. */
static _Atomic(const struct kernels *) active;

static const struct kernels *best_level(void)
{
    size_t n = 0;
    while (kernels_at(n + 1) != NULL) {
        n++;
    }
    return kernels_at(n);
}

const struct kernels *kernels_active(void)
{
    const struct kernels *kernels = atomic_load_explicit(&active, memory_order_relaxed);
    if (kernels == NULL) {
        kernels = best_level();
        atomic_store_explicit(&active, kernels, memory_order_relaxed);
    }
    return kernels;
}

void kernels_use(const struct kernels *kernels)
{
    atomic_store_explicit(&active, kernels, memory_order_relaxed);
}

const char *kernels_level(void)
{
    return kernels_active()->level;
}

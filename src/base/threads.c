/* The questions that only the machine can answer; where it does not, the answer is the safe one. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/threads.h"

#include <unistd.h>

#ifdef __linux__
#include <sched.h>
#endif

#ifdef __x86_64__
#include <xmmintrin.h>
#define MXCSR_FLUSH_TO_ZERO 0x8000u
#define MXCSR_DENORMALS_ARE_ZERO 0x0040u /* on every 64-bit x86 */
#endif

void threads_flush_denormals(void)
{
#ifdef __x86_64__
    _mm_setcsr(_mm_getcsr() | MXCSR_FLUSH_TO_ZERO | MXCSR_DENORMALS_ARE_ZERO);
#elif defined(__aarch64__)
    const unsigned long long flush_to_zero = 1ull << 24; /* FPCR.FZ: inputs and results */
    unsigned long long fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    __asm__ volatile("msr fpcr, %0" : : "r"(fpcr | flush_to_zero));
#endif
}

int threads_available(void)
{
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        return CPU_COUNT(&set);
    }
#endif
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

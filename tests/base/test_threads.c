#define _GNU_SOURCE /* sched_setaffinity */
#include <float.h>
#include <pthread.h>
#include <sched.h>

#include "base/expect.h"
#include "base/threads.h"
#include "testing.h"

struct halves {
    float before, after, input;
};

/* Computes on a thread of its own, so that the test's thread keeps its mode. */
static void *halve_smallest(void *result)
{
    struct halves *halves = result;
    volatile float smallest = FLT_MIN;
    volatile float denormal = smallest * 0.5f;
    halves->before = denormal;
    threads_flush_denormals();
    volatile float flushed = smallest * 0.5f;
    volatile float scaled = denormal * 4.0f;
    halves->after = flushed;
    halves->input = scaled;
    return NULL;
}

TEST(denormals_are_flushed)
{
    struct halves halves;
    pthread_t thread;
    ck_assert_msg(pthread_create(&thread, NULL, halve_smallest, &halves) == 0, "no thread");
    pthread_join(thread, NULL);
    ck_assert_msg(halves.before > 0, "denormals are off from the start: the test cannot fail");
#if defined(__x86_64__) || defined(__aarch64__)
    ck_assert_msg(halves.after == 0, "a denormal result is %g, expected 0", (double)halves.after);
    ck_assert_msg(halves.input == 0, "a denormal input counts: %g", (double)halves.input);
#endif
}

#ifdef __linux__
TEST(available_follows_the_affinity_mask)
{
    cpu_set_t all, one;
    ck_assert_msg(sched_getaffinity(0, sizeof all, &all) == 0, "cannot read the mask");
    int n = threads_available();
    ck_assert_msg(n == CPU_COUNT(&all), "%d processors, expected %d", n, CPU_COUNT(&all));
    int first = 0;
    while (!CPU_ISSET(first, &all)) {
        first++;
    }
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ck_assert_msg(sched_setaffinity(0, sizeof one, &one) == 0, "cannot narrow the mask");
    n = threads_available();
    sched_setaffinity(0, sizeof all, &all);
    ck_assert_msg(n == 1, "%d processors, expected 1", n);
}
#endif

#include "base/contention.h"

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/threads.h"
#include "testing.h"

#define MAX_CHILD 64

static void spin(double seconds)
{
    double end = clock_seconds() + seconds;
    while (clock_seconds() < end) {
    }
}

/* A process for each processor, that does nothing but work. */
static int start_others(pid_t child[MAX_CHILD])
{
    int n = threads_available() < MAX_CHILD ? threads_available() : MAX_CHILD;
    for (int i = 0; i < n; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            spin(60);
            _exit(0);
        }
        ck_assert_int_gt(child[i], 0);
    }
    return n;
}

static void end_others(const pid_t *child, int n)
{
    for (int i = 0; i < n; i++) {
        kill(child[i], SIGKILL);
        waitpid(child[i], NULL, 0);
    }
}

static bool is_known(void)
{
    struct contention contention = contention_begin();
    spin(0.2);
    return isfinite(contention_others(&contention));
}

TEST(other_programs_are_seen)
{
    pid_t child[MAX_CHILD];
    int n = start_others(child);
    struct contention contention = contention_begin();
    usleep(500000);
    double others = contention_others(&contention);
    end_others(child, n);
    ck_assert_msg(!is_known() || (others > 0.5 && others <= 1), "%g", others);
}

/* Whatever others do at the time: together no more than there is. */
TEST(own_work_is_not_that_of_others)
{
    struct contention contention = contention_begin();
    clock_t start = clock();
    spin(0.5);
    double own = (double)(clock() - start) / CLOCKS_PER_SEC / 0.5 / threads_available();
    double others = contention_others(&contention);
    ck_assert_msg(!isfinite(others) || own + others < 1.1, "%g and %g", own, others);
}

TEST(a_moment_is_too_short_to_tell)
{
    struct contention contention = contention_begin();
    ck_assert(isnan(contention_others(&contention)));
}

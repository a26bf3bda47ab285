/* Linux counts in /proc/stat how long each processor worked, for this process or for others, and
 * how long a hypervisor gave it to another machine, which is no different. Elsewhere nothing is
 * known: the load average is of minutes, and has this process in it.
 */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/contention.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#ifdef __linux__
#include <sched.h>
#endif

#include "base/clock.h"
#include "base/threads.h"

/* /proc/stat counts hundredths of a second. */
#define LEAST_SECONDS 0.1

#ifdef __linux__
/* add_line adds the time of "cpu3 user nice system idle iowait irq softirq steal ...". */
static void add_line(const char *line, const cpu_set_t *mine, double *ticks, int *n_found)
{
    unsigned processor;
    double user, nice, system, irq, softirq, steal;
    if (sscanf(line, "cpu%u %lf %lf %lf %*f %*f %lf %lf %lf", &processor, &user, &nice, &system,
               &irq, &softirq, &steal) == 7 &&
        processor < CPU_SETSIZE && CPU_ISSET(processor, mine)) {
        *ticks += user + nice + system + irq + softirq + steal;
        ++*n_found;
    }
}

static double busy_seconds(void)
{
    char line[512];
    double ticks = 0;
    int n_found = 0;
    cpu_set_t mine;
    FILE *file = fopen("/proc/stat", "re");
    if (!file) {
        return NAN;
    }
    if (sched_getaffinity(0, sizeof mine, &mine) == 0) {
        while (fgets(line, sizeof line, file)) {
            add_line(line, &mine, &ticks, &n_found);
        }
    }
    fclose(file);
    return n_found > 0 && ticks > 0 ? ticks / (double)sysconf(_SC_CLK_TCK) : NAN;
}
#else
static double busy_seconds(void)
{
    return NAN;
}
#endif

struct contention contention_begin(void)
{
    return (struct contention){
        .busy = busy_seconds(), .own = clock_process_seconds(), .wall = clock_seconds()};
}

double contention_others(const struct contention *since)
{
    struct contention now = contention_begin();
    double wall = now.wall - since->wall;
    double others = (now.busy - since->busy) - (now.own - since->own);
    if (wall < LEAST_SECONDS || !isfinite(others)) {
        return NAN;
    }
    return fmin(fmax(others / (wall * threads_available()), 0), 1);
}

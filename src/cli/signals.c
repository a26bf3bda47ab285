#include "cli/signals.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#define ECHO_MILLISECONDS 500

static volatile sig_atomic_t received;
static struct timespec received_at;

/* One request to stop may arrive twice: a batch system signals every process of a job, and then so
 * does the parent of --jobs. */
static bool is_echo(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long long milliseconds = (long long)(now.tv_sec - received_at.tv_sec) * 1000 +
                             (now.tv_nsec - received_at.tv_nsec) / 1000000;
    return milliseconds < ECHO_MILLISECONDS;
}

static void on_signal(int number)
{
    if (received == 0) {
        clock_gettime(CLOCK_MONOTONIC, &received_at);
        received = number;
    } else if (!is_echo()) {
        _exit(128 + number);
    }
}

static int is_ignored(int number)
{
    struct sigaction current;
    return sigaction(number, NULL, &current) == 0 && current.sa_handler == SIG_IGN;
}

void signals_prepare(void)
{
    struct sigaction usual = {.sa_handler = SIG_DFL}, ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&usual.sa_mask);
    sigemptyset(&ignore.sa_mask);
    /* SIGINT also where it was ignored: shells do that to background jobs, which still must end
     * when they are told to. SIGHUP not: nohup means it. */
    sigaction(SIGINT, &usual, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGXFSZ, &ignore, NULL); /* a write past `ulimit -f` fails with EFBIG, and is told */
}

/* SIGHUP is left to nohup where that ignores it. */
static void hear(void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (!is_ignored(SIGHUP)) {
        sigaction(SIGHUP, &action, NULL);
    }
}

void signals_hold(void)
{
    hear(on_signal);
}

void signals_release(void)
{
    hear(SIG_DFL);
}

int signals_received(void)
{
    return received;
}

int signals_stop(void *context)
{
    (void)context;
    return signals_received();
}

#include "cli/signals.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t received;

static void on_signal(int number)
{
    if (received != 0) {
        _exit(128 + number);
    }
    received = number;
}

static int is_ignored(int number)
{
    struct sigaction current;
    return sigaction(number, NULL, &current) == 0 && current.sa_handler == SIG_IGN;
}

void signals_install(void)
{
    struct sigaction stop = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&stop.sa_mask);
    /* SIGINT also where it was ignored: shells do that to background jobs, which still must end
     * cleanly when they are told to. SIGHUP not: nohup means it. */
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    if (!is_ignored(SIGHUP)) {
        sigaction(SIGHUP, &stop, NULL);
    }

    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, NULL);
}

int signals_received(void)
{
    return received;
}

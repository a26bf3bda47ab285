#include "nn/profile.h"

#include "base/clock.h"

static _Thread_local struct {
    bool on;
    enum profile_part part;
    double since;
    struct profile sums;
} clock_of_thread;

void profile_start(bool on)
{
    clock_of_thread.on = on;
    clock_of_thread.part = PROFILE_OTHER;
    clock_of_thread.sums = (struct profile){{0}};
    if (on) {
        clock_of_thread.since = clock_seconds();
    }
}

enum profile_part profile_enter(enum profile_part part)
{
    enum profile_part left = clock_of_thread.part;
    if (clock_of_thread.on) {
        double time = clock_seconds();
        clock_of_thread.sums.seconds[left] += time - clock_of_thread.since;
        clock_of_thread.since = time;
        clock_of_thread.part = part;
    }
    return left;
}

void profile_collect(struct profile *profile)
{
    profile_enter(clock_of_thread.part);
    for (int part = 0; part < PROFILE_COUNT; part++) {
        profile->seconds[part] += clock_of_thread.sums.seconds[part];
    }
    clock_of_thread.sums = (struct profile){{0}};
}

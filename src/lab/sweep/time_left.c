/* Runs in other processes do not tell how far they are: they count as far as the others' speed
 * would have brought them. Else the estimate would stand still, and then jump, at every end of a
 * run.
 */
#include "lab/sweep/time_left.h"

#include <math.h>
#include <stdlib.h>

#include "lab/sweep/estimate.h"

/* A run that does not tell how far it is, and takes longer than expected, is nearly there. */
#define NEARLY 0.95

enum phase { WAITING, RUNNING, ENDED };

struct run {
    double work; /* FLOP; 0: none is needed */
    enum phase phase;
    double began, share; /* share 0: not told */
};

struct time_left {
    struct run *run; /* [n_run] */
    size_t n_run, n_place;
    double ended_work, ended_seconds; /* of all ended runs, one after the other */
};

static double work_of(const struct config *config)
{
    double flop = estimate_run_flop(config);
    return isfinite(flop) && flop > 0 ? flop : 1;
}

struct time_left *time_left_create(const struct config *configs, size_t n_run, size_t n_place)
{
    struct time_left *left = calloc(1, sizeof *left);
    struct run *run = calloc(n_run + 1, sizeof *run);
    if (!left || !run) {
        free(left);
        free(run);
        return NULL;
    }
    for (size_t i = 0; i < n_run; i++) {
        run[i].work = work_of(&configs[i]);
    }
    *left = (struct time_left){.run = run, .n_run = n_run, .n_place = n_place > 0 ? n_place : 1};
    return left;
}

void time_left_free(struct time_left *left)
{
    if (left) {
        free(left->run);
        free(left);
    }
}

/* ---- what happens ---- */

void time_left_begin(struct time_left *left, size_t run, double now)
{
    left->run[run].phase = RUNNING;
    left->run[run].began = now;
}

void time_left_reach(struct time_left *left, size_t run, double share)
{
    left->run[run].share = share;
}

void time_left_end(struct time_left *left, size_t run, double now)
{
    left->run[run].phase = ENDED;
    left->ended_work += left->run[run].work;
    left->ended_seconds += now - left->run[run].began;
}

void time_left_skip(struct time_left *left, size_t run)
{
    left->run[run].work = 0;
}

/* ---- what follows ---- */

/* FLOP a second of one place; NaN: unknown. */
static double rate_of(const struct time_left *left, double now)
{
    double work = left->ended_work, seconds = left->ended_seconds;
    for (size_t i = 0; i < left->n_run; i++) {
        const struct run *run = &left->run[i];
        if (run->phase == RUNNING && run->share > 0) {
            work += run->share * run->work;
            seconds += now - run->began;
        }
    }
    return work > 0 && seconds > 0 ? work / seconds : NAN;
}

static double work_left_of(const struct run *run, double rate, double now)
{
    if (run->phase != RUNNING) {
        return run->phase == ENDED ? 0 : run->work;
    }
    double done = run->share > 0 || isnan(rate)
                      ? run->share * run->work
                      : fmin(rate * (now - run->began), NEARLY * run->work);
    return run->work - done;
}

/* No sooner than the share of each place, nor than the longest run. */
double time_left_seconds(const struct time_left *left, double now)
{
    double rate = rate_of(left, now), sum = 0, longest = 0;
    size_t n_unfinished = 0;
    for (size_t i = 0; i < left->n_run; i++) {
        double work = work_left_of(&left->run[i], rate, now);
        sum += work;
        longest = fmax(longest, work);
        n_unfinished += work > 0;
    }
    if (n_unfinished == 0) {
        return 0;
    }
    size_t n_place = left->n_place < n_unfinished ? left->n_place : n_unfinished;
    return fmax(sum / (double)n_place, longest) / rate;
}

double time_left_share(const struct time_left *left, double now)
{
    double rate = rate_of(left, now), all = 0, open = 0;
    for (size_t i = 0; i < left->n_run; i++) {
        all += left->run[i].work;
        open += work_left_of(&left->run[i], rate, now);
    }
    return all > 0 ? (all - open) / all : 1;
}

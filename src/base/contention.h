/* contention: how much of the processors other programs took while something was timed, so that a
 * busy machine is not mistaken for a slow one.
 */
#ifndef QKVLAB_BASE_CONTENTION_H
#define QKVLAB_BASE_CONTENTION_H

struct contention {
    double busy; /* seconds that this process' processors had worked for anybody; NaN: unknown */
    double own;  /* seconds that this process had worked */
    double wall;
};

struct contention contention_begin(void);

/* contention_others returns the share of the processors this process may use, 0 to 1, that others
 * took since then. NaN where the system does not tell, or within less than a tenth of a second. */
double contention_others(const struct contention *since);

#endif

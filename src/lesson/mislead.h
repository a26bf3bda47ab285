/* mislead: three seeds that say the opposite of what all seeds say.
 *
 * Of every pair of variants on a task the differences in token accuracy, paired by seed, are
 * averaged over all seeds and over every set of three. A set misleads if the two means have
 * opposite signs and are both at least MISLEAD_LEAST away from zero. The case that is returned is
 * the most striking one: the smaller of its two distances from zero is the largest. How many sets
 * were looked at is part of the answer: whoever searches finds.
 */
#ifndef QKVLAB_LESSON_MISLEAD_H
#define QKVLAB_LESSON_MISLEAD_H

#include "lesson/lesson_runs.h"

#define MISLEAD_LEAST 0.005 /* one token in two hundred */
#define MISLEAD_FEW 3
#define MISLEAD_MAX_SEED 64

struct mislead {
    bool exists;
    size_t task, variant, other; /* the difference is variant minus other */
    long long seed[MISLEAD_FEW];
    double few, all; /* mean differences of the three seeds and of all */
    size_t n_seed;
    size_t n_comparison, n_triple; /* looked at: comparisons, and sets of three in the largest */
    size_t n_case;                 /* sets that mislead */
};

/* mislead_find searches all variants; comparisons of fewer than five seeds say too little to be
 * misled about and are left out. */
#define MISLEAD_MIN_SEED 5
struct mislead mislead_find(const struct lesson_runs *runs);

#endif

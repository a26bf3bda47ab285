#include "lesson/mislead.h"

#include <math.h>

struct comparison {
    size_t task, variant, other, n;
    long long seed[MISLEAD_MAX_SEED];
    double difference[MISLEAD_MAX_SEED];
    double mean;
};

static double accuracy(const struct run *run)
{
    return run ? run->measure[MEASURE_TOKEN_ACCURACY] : NAN;
}

static void compare(const struct lesson_runs *runs, struct comparison *comparison)
{
    double sum = 0;
    comparison->n = 0;
    for (size_t i = 0; i < runs->n_seed && comparison->n < MISLEAD_MAX_SEED; i++) {
        long long seed = runs->seed[i];
        double difference =
            accuracy(lesson_runs_at(runs, comparison->task, comparison->variant, seed)) -
            accuracy(lesson_runs_at(runs, comparison->task, comparison->other, seed));
        if (isfinite(difference)) {
            comparison->seed[comparison->n] = seed;
            comparison->difference[comparison->n++] = difference;
            sum += difference;
        }
    }
    comparison->mean = sum / (double)comparison->n;
}

static void try_triple(const struct comparison *comparison, size_t a, size_t b, size_t c,
                       struct mislead *found)
{
    const double *difference = comparison->difference;
    double few = (difference[a] + difference[b] + difference[c]) / MISLEAD_FEW;
    double all = comparison->mean;
    if (few * all >= 0 || fmin(fabs(few), fabs(all)) < MISLEAD_LEAST) {
        return;
    }
    found->n_case++;
    if (!found->exists || fmin(fabs(few), fabs(all)) > fmin(fabs(found->few), fabs(found->all))) {
        found->exists = true;
        found->task = comparison->task;
        found->variant = comparison->variant;
        found->other = comparison->other;
        found->seed[0] = comparison->seed[a];
        found->seed[1] = comparison->seed[b];
        found->seed[2] = comparison->seed[c];
        found->few = few;
        found->all = all;
        found->n_seed = comparison->n;
    }
}

static void search(const struct comparison *comparison, struct mislead *found)
{
    size_t n = comparison->n, n_triple = 0;
    for (size_t a = 0; a < n; a++) {
        for (size_t b = a + 1; b < n; b++) {
            for (size_t c = b + 1; c < n; c++) {
                try_triple(comparison, a, b, c, found);
                n_triple++;
            }
        }
    }
    found->n_comparison++;
    found->n_triple = n_triple > found->n_triple ? n_triple : found->n_triple;
}

struct mislead mislead_find(const struct lesson_runs *runs)
{
    struct mislead found = {0};
    struct comparison comparison;
    for (size_t task = 0; task < runs->n_task; task++) {
        for (size_t i = 0; i < runs->n_variant; i++) {
            for (size_t k = 0; k < i; k++) {
                comparison.task = task;
                comparison.variant = i;
                comparison.other = k;
                compare(runs, &comparison);
                if (comparison.n >= MISLEAD_MIN_SEED) {
                    search(&comparison, &found);
                }
            }
        }
    }
    return found;
}

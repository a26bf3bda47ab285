/* sort: the digits in ascending order. No single key holds the answer, and the position alone
 * already says much of it: the accuracy of that guess is the floor to report beside every result.
 */
#include <math.h>

#include "lab/kind/sequences/sequences.h"

#define N_DIGIT 10

static int needed_key(size_t t, size_t n_token)
{
    (void)t;
    (void)n_token;
    return TASK_NO_KEY;
}

static void target(const int32_t *x, size_t n_token, int32_t *y)
{
    size_t count[N_DIGIT] = {0};
    for (size_t t = 0; t < n_token; t++) {
        count[x[t]]++;
    }
    size_t t = 0;
    for (int32_t digit = 0; digit < N_DIGIT; digit++) {
        for (size_t i = 0; i < count[digit]; i++) {
            y[t++] = digit;
        }
    }
}

/* P(exactly k of n draws succeed), 0 < p < 1, through logarithms: the factors of the direct formula
 * overflow from n of about a thousand on. */
static double binomial(double n, double k, double p)
{
    return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) +
               (n - k) * log1p(-p));
}

/* The k-th smallest of T digits is at most v exactly when at least k of them are, so its law is a
 * difference of binomial tails. Walking k down from T lets every tail grow by one term a step. */
static double position_floor(size_t n_token)
{
    double at_most[N_DIGIT] = {0}; /* P(k-th smallest <= v) */
    at_most[N_DIGIT - 1] = 1;
    double n_correct = 0;
    for (size_t k = n_token; k >= 1; k--) {
        double best = 0, below = 0;
        for (size_t v = 0; v < N_DIGIT; v++) {
            if (v < N_DIGIT - 1) {
                double p = (double)(v + 1) / N_DIGIT;
                at_most[v] += binomial((double)n_token, (double)k, p);
            }
            best = fmax(best, at_most[v] - below);
            below = at_most[v];
        }
        n_correct += best;
    }
    return n_correct / (double)n_token;
}

const struct sequence_task task_sort = {
    .task.name = "sort",
    .task.title = "Sort",
    .task.summary = "y = x in ascending order",
    .task.example = "3 1 4 1 -> 1 1 3 4",
    .task.kind = &kind_sequences,
    .task.version = 1,
    .task.n_answer = N_DIGIT,
    .reproduced = true,
    .target = target,
    .needed_key = needed_key,
    .position_floor = position_floor,
};

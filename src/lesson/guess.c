/* The counts of s symbols in a random row of n are s independent Poisson counts of mean n / s,
 * given that they sum to n. So the chance that none is above m is the chance that s counts, each at
 * most m, sum to n, over the chance that one Poisson count of mean n is n. */
#include "lesson/guess.h"

#include <math.h>

static double poisson(double mean, size_t k)
{
    return exp((double)k * log(mean) - mean - lgamma((double)k + 1));
}

/* The chance that no symbol comes more than most times; count: of one symbol's counts. */
static double chance_at_most(size_t most, size_t n_token, size_t n_symbol, const double *count)
{
    double chance[GUESS_MAX_TOKEN + 1] = {[0] = 1}; /* of the sum of the counts so far */
    for (size_t s = 0; s < n_symbol; s++) {
        for (size_t n = n_token + 1; n-- > 0;) {
            double sum = 0;
            for (size_t k = 0; k <= n && k <= most; k++) {
                sum += count[k] * chance[n - k];
            }
            chance[n] = sum;
        }
    }
    return chance[n_token] / poisson((double)n_token, n_token);
}

double guess_frequent(size_t n_token, size_t n_symbol)
{
    double count[GUESS_MAX_TOKEN + 1], mean = 0;
    size_t n = n_token < GUESS_MAX_TOKEN ? n_token : GUESS_MAX_TOKEN;
    for (size_t k = 0; k <= n; k++) {
        count[k] = poisson((double)n / (double)n_symbol, k);
    }
    for (size_t most = 0; most < n; most++) {
        mean += 1 - chance_at_most(most, n, n_symbol, count); /* E = sum of P(largest > most) */
    }
    return mean / (double)n;
}

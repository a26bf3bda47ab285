/* A row of a product of matrices is a row times matrices: T^2 a layer, and no matrix is kept. */
#include "report/images/rollout.h"

#include <math.h>
#include <string.h>

/* pass adds share times the row of one token's attention, averaged over heads, to sum. */
static void pass(const float *maps, size_t n_head, size_t n_token, size_t token, double share,
                 double *sum)
{
    for (size_t head = 0; head < n_head; head++) {
        const float *row = maps + (head * n_token + token) * n_token;
        for (size_t i = 0; i < n_token; i++) {
            sum[i] += share * row[i] / (double)n_head;
        }
    }
}

void rollout_row(const float *const *layer, size_t n_layer, size_t n_head, size_t n_token,
                 size_t token, double *row, double *scratch)
{
    for (size_t i = 0; i < n_token; i++) {
        row[i] = i == token;
    }
    for (size_t l = n_layer; l-- > 0;) {
        for (size_t i = 0; i < n_token; i++) {
            scratch[i] = row[i] / 2;
        }
        for (size_t i = 0; i < n_token; i++) {
            pass(layer[l], n_head, n_token, i, row[i] / 2, scratch);
        }
        memcpy(row, scratch, n_token * sizeof *row);
    }
}

double rollout_uniform(size_t n_layer, size_t n_token)
{
    return (1 - ldexp(1, -(int)n_layer)) / (double)n_token;
}

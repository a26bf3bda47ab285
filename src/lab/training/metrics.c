/* What a curve and an attention map say, as numbers.
 *
 * The escape step. A training loss starts a little above that of chance, ln n for n answers to
 * choose from (ln 10 = 2.303 for digits), knowing nothing, lingers there for
 * tens or hundreds of steps, and then drops within a few; a task that needs no attention drops at
 * once. The step of the drop is the first step s >= 5 at which
 *
 *     median(loss[s-4..s]) < plateau(s) - 0.1,      plateau(s) = median(loss[0..s-5]),
 *
 * where a loss above chance counts as chance: what lies above is the fresh weights' noise, or a
 * spike of the learning rate, and coming down from it is not learning. Nothing looks ahead, so what
 * comes after the drop (an end at zero, at the floor of sort, a late divergence) cannot move it.
 * Medians, since one odd step must not either. The noise of a batch's mean loss is 0.005 to 0.02,
 * so a margin of 0.1 is nine standard deviations of the smoothed loss and no run needs another one.
 * On a curve without a plateau the left side falls faster than the median of the past, and the step
 * is early.
 */
#include "lab/training/metrics.h"

#include <math.h>
#include <stdbool.h>

#define WINDOW 5
#define MARGIN 0.1

/* The plateau's median is taken over bins of a thousandth of a nat, a hundredth of the margin:
 * no memory to allocate, and a step costs the distance the median moves. */
#define BIN_WIDTH 0.001
#define N_BIN 16384 /* up to ln of 13 million answers */

struct running_median {
    double chance;
    size_t last; /* bin of everything from chance on */
    size_t count[N_BIN];
    size_t n_value;
    size_t bin, n_below; /* bin of the median, values in the bins below it */
};

static void median_add(struct running_median *median, double value)
{
    size_t bin = value <= 0                ? 0
                 : value >= median->chance ? median->last
                                           : (size_t)(value / BIN_WIDTH);
    median->count[bin]++;
    median->n_value++;
    median->n_below += bin < median->bin;
    size_t rank = median->n_value / 2;
    while (median->n_below > rank) {
        median->bin--;
        median->n_below -= median->count[median->bin];
    }
    while (median->n_below + median->count[median->bin] <= rank) {
        median->n_below += median->count[median->bin];
        median->bin++;
    }
}

static double median_value(const struct running_median *median)
{
    return fmin(((double)median->bin + 0.5) * BIN_WIDTH, median->chance);
}

static double window_median(const double *value)
{
    double sorted[WINDOW];
    for (size_t i = 0; i < WINDOW; i++) {
        size_t j = i;
        for (; j > 0 && sorted[j - 1] > value[i]; j--) {
            sorted[j] = sorted[j - 1];
        }
        sorted[j] = value[i];
    }
    return sorted[WINDOW / 2];
}

long metrics_first_below(const double *loss, size_t n_step, double level)
{
    for (size_t s = 0; s < n_step; s++) {
        if (loss[s] < level) {
            return (long)s;
        }
    }
    return STEP_NEVER;
}

long metrics_escape_step(const double *loss, size_t n_step, double chance_loss)
{
    struct running_median past = {.chance = chance_loss, .last = (size_t)(chance_loss / BIN_WIDTH)};
    for (size_t s = 0; s < n_step && isfinite(loss[s]); s++) {
        if (s < WINDOW) {
            continue;
        }
        median_add(&past, loss[s - WINDOW]);
        if (window_median(loss + s + 1 - WINDOW) < median_value(&past) - MARGIN) {
            return (long)s;
        }
    }
    return STEP_NEVER;
}

/* Scores of masked keys are minus infinity: with those the ratio is no number, and is told as such.
 */
static double asymmetry(size_t n_token, const float *map)
{
    double difference = 0, size = 0;
    for (size_t i = 0; i < n_token; i++) {
        for (size_t j = 0; j < n_token; j++) {
            double here = map[i * n_token + j];
            difference += fabs(here - (double)map[j * n_token + i]);
            size += fabs(here);
        }
    }
    return difference == 0 && size == 0 ? 0 : difference / size;
}

struct attention_numbers metrics_attention(const struct task *task, size_t n_token,
                                           const float *attention, const float *product,
                                           const float *scores)
{
    double needed = 0, diagonal = 0;
    bool has_key = true;
    for (size_t t = 0; t < n_token; t++) {
        const float *row = attention + t * n_token;
        diagonal += row[t];
        int key = task_needed_key(task, t, n_token);
        if (key == TASK_NO_KEY) {
            has_key = false;
        } else {
            needed += row[key];
        }
    }
    return (struct attention_numbers){
        .needed = has_key ? needed / (double)n_token : NAN,
        .diagonal = diagonal / (double)n_token,
        .asymmetry_product = asymmetry(n_token, product),
        .asymmetry_scores = asymmetry(n_token, scores),
    };
}

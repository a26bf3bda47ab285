#include "lab/training/schedule.h"

#include <math.h>

/* A tenth at half of the steps, and again at three quarters. */
static double step_factor(size_t step, size_t n_step)
{
    size_t half = n_step / 2, late = 3 * n_step / 4;
    return (half > 0 && step >= half ? 0.1 : 1) * (late > 0 && step >= late ? 0.1 : 1);
}

double schedule_rate(const struct config *config, size_t step, size_t n_step)
{
    double warm = fmax(1, floor(config->warmup * (double)n_step));
    double s = (double)step, n = (double)n_step;
    if (s < warm) {
        return config->learning_rate * (s + 1) / warm;
    }
    if (config->schedule == SCHEDULE_STEP) {
        return config->learning_rate * step_factor(step, n_step);
    }
    return config->learning_rate / 2 * (1 + cos(acos(-1) * (s - warm) / (n - warm)));
}

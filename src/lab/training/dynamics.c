/* dynamics: medians of five steps, since one odd batch must not decide when something was reached.
 */
#include "lab/training/dynamics.h"

#include <math.h>

const double dynamics_level[DYNAMICS_N_LEVEL] = {0.5, 0.9, 0.99};

/* The median is at least the level exactly when more than half of the values are. */
static double first_reaching(const double *accuracy, size_t n_step, double level)
{
    size_t n_reaching = 0;
    for (size_t step = 0; step < n_step; step++) {
        n_reaching += accuracy[step] >= level;
        if (step >= DYNAMICS_WINDOW) {
            n_reaching -= accuracy[step - DYNAMICS_WINDOW] >= level;
        }
        if (step + 1 >= DYNAMICS_WINDOW && n_reaching > DYNAMICS_WINDOW / 2) {
            return (double)step;
        }
    }
    return NAN;
}

struct dynamics dynamics_of(const double *loss, const double *accuracy, size_t n_step)
{
    struct dynamics dynamics = {.mean_loss = NAN};
    double sum = 0;
    for (size_t step = 0; step < n_step; step++) {
        sum += loss[step];
    }
    if (n_step > 0) {
        dynamics.mean_loss = sum / (double)n_step;
    }
    for (int i = 0; i < DYNAMICS_N_LEVEL; i++) {
        dynamics.reaches[i] = accuracy ? first_reaching(accuracy, n_step, dynamics_level[i]) : NAN;
    }
    return dynamics;
}

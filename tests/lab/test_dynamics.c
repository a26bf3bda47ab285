/* Steps and areas of curves drawn by hand. */
#include "lab/training/dynamics.h"

#include <math.h>

#include "testing.h"

TEST(area_of_a_line)
{
    const double loss[] = {4, 3, 2, 1, 0};
    struct dynamics dynamics = dynamics_of(loss, NULL, 5);
    ck_assert_double_eq_tol(dynamics.mean_loss, 2, 1e-15);
    for (int i = 0; i < DYNAMICS_N_LEVEL; i++) {
        ck_assert(isnan(dynamics.reaches[i]));
    }
}

/* A jump at step 10 fills the majority of the window two steps later. */
TEST(a_jump_is_seen_when_the_median_sees_it)
{
    double loss[20] = {0}, accuracy[20];
    for (int step = 0; step < 20; step++) {
        accuracy[step] = step < 10 ? 0.1 : 0.95;
    }
    struct dynamics dynamics = dynamics_of(loss, accuracy, 20);
    ck_assert_double_eq(dynamics.reaches[0], 12);
    ck_assert_double_eq(dynamics.reaches[1], 12);
    ck_assert(isnan(dynamics.reaches[2]));
}

TEST(one_odd_batch_decides_nothing)
{
    double loss[30] = {0}, accuracy[30] = {0};
    accuracy[7] = 1;
    accuracy[9] = 1;
    for (int step = 20; step < 30; step++) {
        accuracy[step] = step == 22 ? 0 : 1;
    }
    struct dynamics dynamics = dynamics_of(loss, accuracy, 30);
    ck_assert_double_eq(dynamics.reaches[0], 23);
    ck_assert_double_eq(dynamics.reaches[2], 23);
}

TEST(a_level_counts_when_it_is_met)
{
    const double loss[5] = {0}, accuracy[5] = {0.5, 0.5, 0.5, 0.9, 0.9};
    struct dynamics dynamics = dynamics_of(loss, accuracy, 5);
    ck_assert_double_eq(dynamics.reaches[0], 4);
    ck_assert(isnan(dynamics.reaches[1]));
}

TEST(a_curve_shorter_than_the_window_reaches_nothing)
{
    const double loss[4] = {1, 1, 1, 1}, accuracy[4] = {1, 1, 1, 1};
    ck_assert(isnan(dynamics_of(loss, accuracy, 4).reaches[0]));
    ck_assert_double_eq(dynamics_of(loss, accuracy, 4).mean_loss, 1);
    ck_assert(isnan(dynamics_of(NULL, NULL, 0).mean_loss));
}

TEST(a_loss_that_is_no_number_has_no_area)
{
    const double loss[3] = {1, NAN, 1};
    ck_assert(isnan(dynamics_of(loss, NULL, 3).mean_loss));
}

#include "testing.h"

#include <math.h>
#include <string.h>

#include "lab/config/grid.h"
#include "lab/sweep/time_left.h"

static struct config *configs;
static size_t n_config;
static struct time_left *left;

/* start expands a grid of runs, so many at a time. */
static void start(const char *setting, size_t n_place)
{
    struct error err;
    char text[100];
    struct grid *grid = grid_create();
    snprintf(text, sizeof text, "%s", setting);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        ck_assert_msg(grid_set(grid, word, &err) == STATUS_OK, "%s", err.text);
    }
    ck_assert_msg(grid_expand(grid, &configs, &n_config, &err) == STATUS_OK, "%s", err.text);
    grid_free(grid);
    left = time_left_create(configs, n_config, n_place);
    ck_assert_ptr_nonnull(left);
}

static void set_up(void)
{
    configs = NULL;
    left = NULL;
}

static void tear_down(void)
{
    time_left_free(left);
    free(configs);
}

static void make_run(size_t run, double begin, double end)
{
    time_left_begin(left, run, begin);
    time_left_end(left, run, end);
}

FIXTURE(set_up, tear_down)

TEST(large_runs_that_come_last_count_by_their_size)
{
    start("n_embd=32,512 seed=0,1", 1); /* the small ones first */
    ck_assert(isnan(time_left_seconds(left, 0)));
    make_run(0, 0, 2);
    make_run(1, 2, 4);
    double seconds = time_left_seconds(left, 4);
    /* 16 times as wide is up to 256 times the products; by their number it would be 4 s */
    ck_assert_msg(seconds > 4 * 100 && seconds < 4 * 256, "%g", seconds);
    ck_assert_double_lt(time_left_share(left, 4), 0.01);
}

TEST(epochs_count_exactly)
{
    start("n_test=1 epochs=1,9", 1);
    make_run(0, 0, 10);
    ck_assert_double_eq_tol(time_left_seconds(left, 10), 90, 0.1);
    ck_assert_double_eq_tol(time_left_share(left, 10), 0.1, 1e-3);
    time_left_begin(left, 1, 10);
    time_left_reach(left, 1, 1.0 / 3);
    ck_assert_double_eq_tol(time_left_seconds(left, 40), 60, 0.1);
    time_left_end(left, 1, 100);
    ck_assert_double_eq(time_left_seconds(left, 100), 0);
    ck_assert_double_eq(time_left_share(left, 100), 1);
}

TEST(a_run_alone_is_judged_by_its_own_steps)
{
    start("seed=0", 1);
    time_left_begin(left, 0, 5);
    ck_assert(isnan(time_left_seconds(left, 6)));
    time_left_reach(left, 0, 0.25);
    ck_assert_double_eq_tol(time_left_seconds(left, 15), 30, 1e-9);
}

TEST(skipped_runs_say_nothing_about_the_speed)
{
    start("seed=0-3", 1);
    time_left_skip(left, 0);
    time_left_skip(left, 1);
    ck_assert(isnan(time_left_seconds(left, 1)));
    ck_assert_double_eq(time_left_share(left, 1), 0);
    make_run(2, 1, 11);
    ck_assert_double_eq_tol(time_left_seconds(left, 11), 10, 1e-9);
    ck_assert_double_eq_tol(time_left_share(left, 11), 0.5, 1e-9);
}

TEST(several_at_a_time_share_the_work)
{
    start("seed=0-5", 2);
    make_run(0, 0, 10);
    make_run(1, 0, 10);
    ck_assert_double_eq_tol(time_left_seconds(left, 10), 20, 1e-9);
    time_left_begin(left, 2, 10);
    time_left_begin(left, 3, 10);
    ck_assert_double_eq_tol(time_left_seconds(left, 15), 15, 1e-9); /* they do not tell */
    time_left_end(left, 2, 20);
    time_left_end(left, 3, 20);
    make_run(4, 20, 30);
    ck_assert_double_eq_tol(time_left_seconds(left, 30), 10, 1e-9); /* a place has nothing to do */
}

TEST(the_longest_run_is_waited_for)
{
    start("n_test=1 epochs=1,10", 4);
    make_run(0, 0, 1);
    time_left_begin(left, 1, 0);
    ck_assert_double_eq_tol(time_left_seconds(left, 4), 6, 0.01);
    ck_assert_double_gt(time_left_seconds(left, 50), 0); /* late, but not yet there */
}

#include "lab/training/snapshot.h"

#include "testing.h"

TEST(the_documented_list)
{
    static const size_t expected[] = {0, 1, 2, 3, 4, 7, 12, 20, 29, 42, 58, 77, 99, 127, 158};
    size_t step[SNAPSHOT_MAX];
    ck_assert_uint_eq(snapshot_steps(158, step), SNAPSHOT_MAX);
    for (size_t i = 0; i < SNAPSHOT_MAX; i++) {
        ck_assert_uint_eq(step[i], expected[i]);
    }
}

TEST(from_before_training_to_its_end_and_ever_further)
{
    for (size_t n_step = 1; n_step < 2000000; n_step += 1 + n_step / 7) {
        size_t step[SNAPSHOT_MAX], n = snapshot_steps(n_step, step);
        ck_assert_uint_eq(n, n_step < SNAPSHOT_MAX - 1 ? n_step + 1 : SNAPSHOT_MAX);
        ck_assert_uint_eq(step[0], 0);
        ck_assert_uint_eq(step[n - 1], n_step);
        for (size_t i = 1; i < n; i++) {
            ck_assert_uint_gt(step[i], step[i - 1]);
            ck_assert(i < 8 || step[i] <= step[i - 1] * 3 / 2 + 1);
        }
    }
}

TEST(due_are_those_in_the_list)
{
    size_t n_due = 0;
    for (size_t step = 0; step <= 200; step++) {
        n_due += snapshot_is_due(158, step);
    }
    ck_assert_uint_eq(n_due, SNAPSHOT_MAX);
    ck_assert(snapshot_is_due(158, 77));
    ck_assert(!snapshot_is_due(158, 78));
}

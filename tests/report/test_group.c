/* Groups of runs, and the spread between configurations and the one over seeds, apart. */
#include "report/frame/frame.h"

#include "fixture.h"
#include "testing.h"

/* A run for each value, of the configuration with that number. */
static struct spread spread_of(const double *value, const size_t *configuration, size_t n)
{
    struct run run[8] = {0};
    const struct run *list[8];
    for (size_t i = 0; i < n; i++) {
        run[i].record.status = RUN_STATUS_OK;
        run[i].measure[MEASURE_LOSS] = value[i];
        run[i].level[FACTOR_CONFIGURATION] = configuration[i];
        list[i] = &run[i];
    }
    struct group group = {.cuts = cuts_create(), .run = list, .n_run = n, .n_ok = n};
    for (size_t i = 0; i < FACTOR_COUNT; i++) {
        group.level[i] = LEVEL_ANY;
    }
    struct spread spread = group_spread(&group, MEASURE_LOSS);
    cuts_free(group.cuts);
    return spread;
}

TEST(spread_by_hand)
{
    const double value[] = {1, 3, 5, 7, 9, NAN};
    const size_t configuration[] = {0, 0, 4, 4, 5, 5};
    struct spread spread = spread_of(value, configuration, 6);
    ck_assert_uint_eq(spread.n, 5);
    ck_assert_uint_eq(spread.n_configuration, 3);
    ck_assert_double_eq(spread.mean, 5);
    ck_assert_double_eq_tol(spread.between, sqrt(37.0 / 3), 1e-12); /* of the means 2, 6, 9 */
    ck_assert_double_eq_tol(spread.within, sqrt(2), 1e-12); /* squares 2 + 2 + 0 over 5 - 3 */
}

TEST(what_is_not_there_is_no_number)
{
    const double value[] = {1, 2};
    const size_t one[] = {0, 0}, two[] = {0, 1};
    ck_assert(isnan(spread_of(value, one, 2).between));
    ck_assert_double_eq_tol(spread_of(value, one, 2).within, sqrt(0.5), 1e-12);
    ck_assert(isnan(spread_of(value, two, 2).within));
    ck_assert(isnan(group_spread(NULL, MEASURE_LOSS).mean));
    ck_assert_uint_eq(group_spread(NULL, MEASURE_LOSS).n_configuration, 0);
}

TEST(runs_of_a_grid)
{
    struct frame frame;
    struct error err;
    scratch_make();
    for (int width = 8; width <= 16; width += 8) {
        for (int seed = 0; seed < 2; seed++) {
            struct fake_run fake = {.task = "copy",
                                    .variant = "kv",
                                    .n_embd = width,
                                    .seed = seed,
                                    .accuracy = width == 8 ? 0.2 : 1};
            fake_write(scratch, &fake);
        }
    }
    struct fake_run other = {.task = "reverse", .variant = "qkv", .status = "diverged"};
    fake_write(scratch, &other);
    ck_assert_int_eq(frame_load(scratch, &frame, &err), STATUS_OK);
    struct groups cells = groups_by(&frame.all, FACTOR_BIT(TASK) | FACTOR_BIT(VARIANT));
    ck_assert_uint_eq(cells.n_group, 2);
    ck_assert_uint_eq(group_n(&frame.all, FACTOR_CONFIGURATION), 2);
    const struct group *kv = &cells.group[0], *failed = &cells.group[1];
    ck_assert_str_eq(kv->run[0]->variant_id, "kv");
    ck_assert_str_eq(failed->run[0]->variant_id, "qkv");
    struct spread spread = group_spread(kv, MEASURE_TOKEN_ACCURACY);
    ck_assert_uint_eq(kv->n_run, 4);
    ck_assert_double_eq(spread.mean, 0.6);
    ck_assert_double_eq(spread.within, 0);
    ck_assert_double_eq_tol(spread.between, sqrt(0.32), 1e-12);
    ck_assert_double_eq(group_stats(kv, MEASURE_SOLVED).mean, 0.5);
    ck_assert_uint_eq(failed->n_run, 1);
    ck_assert_uint_eq(failed->n_ok, 0);
    ck_assert(isnan(group_spread(failed, MEASURE_TOKEN_ACCURACY).mean));
    ck_assert_ptr_eq(groups_beside(&cells, kv, FACTOR_TASK, 0), kv);
    ck_assert_ptr_null(groups_beside(&cells, kv, FACTOR_VARIANT, 0));
    frame_free(&frame);
    scratch_remove();
}

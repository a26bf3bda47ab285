/* The spread between configurations and the one over seeds, apart. */
#include "report/statistics/overview.h"

#include "fixture.h"
#include "runner.h"

START_TEST(spread_by_hand)
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
END_TEST

START_TEST(what_is_not_there_is_no_number)
{
    const double value[] = {1, 2};
    const size_t one[] = {0, 0}, two[] = {0, 1};
    ck_assert(isnan(spread_of(value, one, 2).between));
    ck_assert_double_eq_tol(spread_of(value, one, 2).within, sqrt(0.5), 1e-12);
    ck_assert(isnan(spread_of(value, two, 2).within));
    ck_assert(isnan(spread_of(NULL, NULL, 0).mean));
    ck_assert_uint_eq(spread_of(NULL, NULL, 0).n_configuration, 0);
}
END_TEST

START_TEST(runs_of_a_grid)
{
    struct run_set set;
    struct overview overview;
    struct error err;
    make_out();
    for (int width = 8; width <= 16; width += 8) {
        for (int seed = 0; seed < 2; seed++) {
            struct fake_run fake = {.task = "copy",
                                    .variant = "kv",
                                    .n_embd = width,
                                    .seed = seed,
                                    .accuracy = width == 8 ? 0.2 : 1};
            fake_write(out, &fake);
        }
    }
    struct fake_run other = {.task = "reverse", .variant = "qkv", .status = "diverged"};
    fake_write(out, &other);
    ck_assert_int_eq(run_set_load(out, &set, &err), STATUS_OK);
    ck_assert_int_eq(overview_make(&set, false, &overview, &err), STATUS_OK);
    ck_assert_uint_eq(overview.n_variant, 2);
    ck_assert_uint_eq(overview.n_task, 2);
    ck_assert_uint_eq(overview.n_configuration, 2);
    ck_assert_str_eq(overview.variant[0]->variant_id, "qkv");
    const struct overview_cell *kv = &overview.cell[2], *failed = &overview.cell[1];
    ck_assert_uint_eq(kv->n_run, 4);
    ck_assert_double_eq(kv->measure[MEASURE_TOKEN_ACCURACY].mean, 0.6);
    ck_assert_double_eq(kv->measure[MEASURE_TOKEN_ACCURACY].within, 0);
    ck_assert_double_eq_tol(kv->measure[MEASURE_TOKEN_ACCURACY].between, sqrt(0.32), 1e-12);
    ck_assert_double_eq(kv->measure[MEASURE_SOLVED].mean, 0.5);
    ck_assert_uint_eq(failed->n_run, 1);
    ck_assert_uint_eq(failed->n_ok, 0);
    ck_assert_ptr_null(overview.cell[0].run);
    overview_free(&overview);
    run_set_free(&set);
    remove_out();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("overview");
    TCase *tests = tcase_create("overview");
    tcase_add_test(tests, spread_by_hand);
    tcase_add_test(tests, what_is_not_there_is_no_number);
    tcase_add_test(tests, runs_of_a_grid);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}

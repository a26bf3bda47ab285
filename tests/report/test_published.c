/* Published numbers: spot values of each table, and that nothing unpublished has one. The averages
 * printed beside Table 1 check whole rows against typing errors. */
#include "report/statistics/published.h"

#include <math.h>
#include <string.h>

#include "nn/variant.h"
#include "testing.h"

static const char *const variant_name_of[] = {"qkv", "qk", "qk+", "kv", "qkv_tied", "qkv_tied+"};
static const char *const task_of[] = {"reverse", "sort", "sub", "swap", "copy"};
static const double printed_average[PUBLISHED_SOURCE_COUNT][6] = {
    {.851, .854, .870, .850, .780, .823},
    {.758, .724, .761, .751, .651, .700},
};

TEST(rows_have_the_printed_average)
{
    for (int source = 0; source < PUBLISHED_SOURCE_COUNT; source++) {
        for (size_t i = 0; i < 6; i++) {
            double sum = 0;
            for (size_t j = 0; j < 5; j++) {
                sum += published_accuracy((enum published_source)source, variant_name_of[i],
                                          task_of[j]);
            }
            ck_assert_msg(fabs(sum / 5 - printed_average[source][i]) < 0.0016,
                          "source %d, %s: average %.4f, printed %.3f", source, variant_name_of[i],
                          sum / 5, printed_average[source][i]);
        }
    }
}

TEST(spot_values)
{
    ck_assert_double_eq(published_accuracy(PUBLISHED_PAPER, "qkv_tied", "swap"), .446);
    ck_assert_double_eq(published_accuracy(PUBLISHED_REPRODUCTION, "qk+", "sort"), .770);
    ck_assert_double_eq(published_reverse("qkv_tied", 64, 16), .654);
    ck_assert_double_eq(published_reverse("kv", 256, 128), .953);
    ck_assert_double_eq(published_reverse("qkv_tied+", 256, 64), .768);
    const struct published_dynamics *steps = published_dynamics("qkv_tied");
    ck_assert_ptr_nonnull(steps);
    ck_assert_int_eq(steps->below_2_2, 203);
    ck_assert_int_eq(steps->below_0_1, 320);
}

TEST(what_nobody_published_has_no_number)
{
    ck_assert(isnan(published_accuracy(PUBLISHED_PAPER, "qv", "reverse")));
    ck_assert(isnan(published_accuracy(PUBLISHED_REPRODUCTION, "qkv", "shift")));
    ck_assert(isnan(published_accuracy(PUBLISHED_PAPER, "kv:n_kv_head=1", "copy")));
    ck_assert(isnan(published_reverse("qkv", 32, 128)));
    ck_assert(isnan(published_reverse("qv", 64, 16)));
    ck_assert_ptr_null(published_dynamics("qv"));
}

TEST(ids_are_those_of_the_variant_table)
{
    for (size_t i = 0; i < 6; i++) {
        struct variant variant;
        struct error err;
        char id[VARIANT_TEXT_SIZE];
        ck_assert_int_eq(variant_parse(variant_name_of[i], &variant, &err), STATUS_OK);
        variant_id(&variant, id);
        ck_assert_str_eq(id, variant_name_of[i]);
        ck_assert_ptr_nonnull(published_dynamics(id));
    }
}

TEST(steps_compare_only_under_the_same_conditions)
{
    ck_assert(published_dynamics_comparable(64, 2, 4, 64, 790));
    ck_assert(!published_dynamics_comparable(64, 2, 4, 16, 158));
    ck_assert(!published_dynamics_comparable(64, 2, 4, 64, 158));
    ck_assert(!published_dynamics_comparable(64, 2, 2, 64, 790));
}

TEST(every_source_states_its_conditions)
{
    ck_assert_ptr_nonnull(strstr(published_name(PUBLISHED_PAPER), "2606.04032"));
    ck_assert_ptr_nonnull(strstr(published_conditions(PUBLISHED_PAPER), "T 64, 128"));
    ck_assert_ptr_nonnull(strstr(published_conditions(PUBLISHED_REPRODUCTION), "108 runs"));
    ck_assert_ptr_nonnull(strstr(published_reverse_conditions, "12 runs"));
    ck_assert_ptr_nonnull(strstr(published_dynamics_conditions, "790 steps"));
}

/* Means, spreads, and what a cell shows of few, no and impossible values. */
#include "report/frame/stats.h"

#include "testing.h"

TEST(known_values)
{
    const double value[] = {2, 4, 4, 4, 5, 5, 7, 9};
    struct stats stats = stats_of(value, 8);
    ck_assert_uint_eq(stats.n, 8);
    ck_assert_double_eq(stats.mean, 5);
    ck_assert_double_eq_tol(stats.sd, sqrt(32.0 / 7), 1e-14);
    ck_assert_double_eq(stats.min, 2);
    ck_assert_double_eq(stats.max, 9);
}

TEST(small_spread_beside_a_large_mean)
{
    const double value[] = {1e9 + 1, 1e9 + 2, 1e9 + 3};
    struct stats stats = stats_of(value, 3);
    ck_assert_double_eq_tol(stats.sd, 1, 1e-6);
}

TEST(values_that_are_no_numbers_do_not_count)
{
    const double value[] = {NAN, 1, INFINITY, 3, -INFINITY};
    struct stats stats = stats_of(value, 5);
    ck_assert_uint_eq(stats.n, 2);
    ck_assert_double_eq(stats.mean, 2);
    ck_assert_double_eq(stats.max, 3);
}

TEST(nothing_is_not_zero)
{
    char text[STATS_TEXT_SIZE];
    struct stats stats = stats_of(NULL, 0);
    ck_assert(isnan(stats.mean) && isnan(stats.sd) && isnan(stats.min) && isnan(stats.max));
    stats_text(&stats, 3, text);
    ck_assert_str_eq(text, "-");
}

TEST(fewer_than_three_values_have_no_bar)
{
    char text[STATS_TEXT_SIZE];
    const double value[] = {0.5, 0.7, 0.9};
    for (size_t n = 1; n < STATS_BAR_MIN; n++) {
        struct stats stats = stats_of(value, n);
        ck_assert(!stats_has_bar(&stats));
        stats_text(&stats, 3, text);
        ck_assert_str_eq(text, n == 1 ? "0.500 (n=1)" : "0.600 (n=2)");
    }
    struct stats stats = stats_of(value, 3);
    ck_assert(stats_has_bar(&stats));
    stats_text(&stats, 3, text);
    ck_assert_str_eq(text, "0.700 ± 0.200");
}

TEST(one_value_has_no_spread)
{
    const double value[] = {0.5};
    struct stats stats = stats_of(value, 1);
    ck_assert(isnan(stats.sd));
    ck_assert_double_eq(stats.min, 0.5);
}

TEST(steps_that_never_came)
{
    char text[STATS_TEXT_SIZE];
    const double value[] = {70, NAN, 80};
    struct stats two_of_three = stats_of(value, 3), none = STATS_NONE, one = stats_of(value, 1);
    stats_step_text(&two_of_three, 3, text);
    ck_assert_str_eq(text, "75 (2 of 3)");
    stats_step_text(&none, 3, text);
    ck_assert_str_eq(text, "never (0 of 3)");
    stats_step_text(&none, 0, text);
    ck_assert_str_eq(text, "-");
    stats_step_text(&one, 1, text);
    ck_assert_str_eq(text, "70 (n=1)");
}

TEST(what_rounds_to_nothing_has_no_sign)
{
    static const struct {
        double value;
        int n_decimal;
        const char *text;
    } shown[] = {{-0.0004, 3, "0.000"}, {0.0004, 3, "0.000"}, {-0.0006, 3, "-0.001"},
                 {0.012, 3, "+0.012"},  {-0.4, 0, "0"},       {12, 0, "+12"},
                 {0, 2, "0.00"}};
    char text[STATS_TEXT_SIZE];
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
        stats_signed_text(shown[i].value, shown[i].n_decimal, text);
        ck_assert_str_eq(text, shown[i].text);
    }
    ck_assert(!signbit(stats_shown(-0.0004, 3)) && stats_shown(-0.0004, 4) < 0);
    const double value[] = {-0.0004};
    struct stats stats = stats_of(value, 1);
    stats_text(&stats, 3, text);
    ck_assert_str_eq(text, "0.000 (n=1)");
}

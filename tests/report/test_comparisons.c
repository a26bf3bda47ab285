/* Comparisons of runs that no training made: which pairs, which units, which verdict. */
#include "report/frame/frame.h"
#include "report/statistics/comparisons.h"

#include "fixture.h"
#include "testing.h"

static struct frame frame;
static struct comparisons comparisons;

static void set_up(void)
{
    scratch_make();
    frame = (struct frame){0};
    comparisons = (struct comparisons){0};
}

static void tear_down(void)
{
    comparisons_free(&comparisons);
    frame_free(&frame);
    scratch_remove();
}

static const struct comparison *comparison(enum measure measure, size_t i)
{
    const struct comparison_table *table = comparisons_find(&comparisons, measure, OF_SEQUENCES);
    ck_assert_ptr_nonnull(table);
    ck_assert_uint_lt(i, table->n_comparison);
    return &table->comparison[i];
}

static void compare_with(const char *const *id, size_t n_id)
{
    struct error err;
    struct references references;
    ck_assert_msg(frame_load(scratch, &frame, &err) == STATUS_OK, "%s", err.text);
    ck_assert_msg(references_read(id, n_id, &references, &err) == STATUS_OK, "%s", err.text);
    ck_assert_int_eq(comparisons_make(&frame.all, &references, &comparisons, &err), STATUS_OK);
    references_free(&references);
}

static void compare(void)
{
    compare_with(NULL, 0);
}

/* compare_accuracy compares, and returns the first comparison of token accuracies. */
static const struct comparison *compare_accuracy(void)
{
    compare();
    return comparison(MEASURE_TOKEN_ACCURACY, 0);
}

static void write_one(const char *variant, int n_embd, int seed, double accuracy, int escape)
{
    struct fake_run fake = {.task = "copy",
                            .variant = variant,
                            .seed = seed,
                            .accuracy = accuracy,
                            .escape = escape,
                            .n_embd = n_embd};
    fake_write(scratch, &fake);
}

/* Seeds 0, 1, ... of one accuracy. */
static void write_seeds(const char *variant, int n_embd, int n_seed, double accuracy)
{
    for (int seed = 0; seed < n_seed; seed++) {
        write_one(variant, n_embd, seed, accuracy, 5);
    }
}

static void assert_words(const struct comparison *comparison, const char *expected)
{
    char text[COMPARISON_WORDS_SIZE];
    comparison_words(comparison, text);
    ck_assert_str_eq(text, expected);
}

FIXTURE(set_up, tear_down)

TEST(lower_with_every_seed)
{
    write_seeds("qkv", 8, 6, 0.9);
    for (int seed = 0; seed < 6; seed++) {
        write_one("qk", 8, seed, 0.5 + 0.01 * seed, 9);
    }
    const struct comparison *accuracy = compare_accuracy();
    ck_assert_double_eq_tol(accuracy->difference.mean, -0.375, 1e-12);
    ck_assert_uint_eq(accuracy->difference.n, 6);
    ck_assert_uint_eq(accuracy->n_configuration, 1);
    ck_assert_uint_eq(accuracy->n_seed, 6);
    ck_assert_uint_eq(accuracy->n_below, 6);
    ck_assert_double_eq(accuracy->p, 2.0 / 64);
    ck_assert_double_eq(accuracy->p_corrected, 2.0 / 64);
    ck_assert_double_eq_tol(accuracy->low, -0.4, 1e-12);
    ck_assert_double_eq_tol(accuracy->high, -0.35, 1e-12);
    ck_assert_int_eq(accuracy->verdict, VERDICT_LOWER);
    assert_words(accuracy, "lower");
    ck_assert_int_eq(comparison(MEASURE_ESCAPE_STEP, 0)->verdict, VERDICT_HIGHER);
    ck_assert_str_eq(comparison_verdict_key(VERDICT_HIGHER), "higher");
    assert_words(comparison(MEASURE_LOSS, 0), "identical in all pairs");
}

TEST(five_seeds_conclude_nothing)
{
    write_seeds("qkv", 8, 5, 0.9);
    write_seeds("qk", 8, 5, 0.1);
    const struct comparison *accuracy = compare_accuracy();
    ck_assert_int_eq(accuracy->verdict, VERDICT_TOO_FEW);
    ck_assert(isnan(accuracy->p) && isnan(accuracy->p_corrected) && isnan(accuracy->low));
    ck_assert_double_eq_tol(accuracy->difference.mean, -0.8, 1e-12);
    assert_words(accuracy, "nothing can be concluded (5 seeds, 6 are needed)");
}

TEST(not_distinguishable_says_how_many_seeds)
{
    write_seeds("qkv", 8, 6, 0.5);
    for (int seed = 0; seed < 6; seed++) {
        write_one("qk", 8, seed, seed % 2 ? 0.6 : 0.42, 5);
    }
    const struct comparison *accuracy = compare_accuracy();
    ck_assert_int_eq(accuracy->verdict, VERDICT_UNDECIDED);
    ck_assert_double_gt(accuracy->p, 0.5);
    double ratio = 2.8015852 * accuracy->difference.sd / accuracy->difference.mean;
    ck_assert_uint_eq(accuracy->n_needed, (size_t)ceil(ratio * ratio));
    assert_words(accuracy, "not distinguishable (about 763 seeds would be needed to see a "
                           "difference of this size)");
}

/* Every seed says the same of both variants, so that no exchange but that of all is as large. */
TEST(six_seeds_pass_in_a_family)
{
    write_seeds("qkv", 8, 6, 0.9);
    write_seeds("qk", 8, 6, 0.5);
    write_seeds("kv", 8, 6, 0.4);
    compare();
    for (size_t i = 0; i < 2; i++) {
        const struct comparison *accuracy = comparison(MEASURE_TOKEN_ACCURACY, i);
        ck_assert_double_eq(accuracy->p, 2.0 / 64);
        ck_assert_double_eq(accuracy->p_corrected, 2.0 / 64);
        assert_words(accuracy, "lower");
    }
    ck_assert(comparisons_find(&comparisons, MEASURE_TOKEN_ACCURACY, OF_SEQUENCES)->exact);
}

/* A grid of any size over three seeds is three draws. */
TEST(configurations_are_no_units)
{
    for (int i = 0; i < 8; i++) {
        write_seeds("qkv", 8 + 2 * i, 3, 0.9);
        write_seeds("qk", 8 + 2 * i, 3, 0.8 - 0.05 * i);
    }
    const struct comparison *accuracy = compare_accuracy();
    ck_assert_uint_eq(accuracy->difference.n, 24);
    ck_assert_uint_eq(accuracy->n_configuration, 8);
    ck_assert_uint_eq(accuracy->n_seed, 3);
    ck_assert_double_eq_tol(accuracy->difference.mean, -0.275, 1e-12);
    assert_words(accuracy, "nothing can be concluded (3 seeds, 6 are needed)");
}

static void write_two_configurations(int n_seed)
{
    write_seeds("qkv", 8, n_seed, 0.9);
    write_seeds("qk", 8, n_seed, 0.8);
    write_seeds("qkv", 16, n_seed, 0.9);
    write_seeds("qk", 16, n_seed, 0.2);
}

/* Seeds that one configuration alone has count as well, each by its pairs. */
TEST(a_seed_is_all_its_pairs)
{
    write_two_configurations(6);
    write_one("qkv", 16, 6, 0.9, 5);
    write_one("qk", 16, 6, 0.4, 5);
    const struct comparison *accuracy = compare_accuracy();
    ck_assert_uint_eq(accuracy->n_seed, 7);
    ck_assert_uint_eq(accuracy->n_configuration, 2);
    ck_assert_double_eq(accuracy->p, 2.0 / 128);
    ck_assert_double_eq_tol(accuracy->difference.mean, -(6 * 0.8 + 0.5) / 13, 1e-12);
    ck_assert_double_eq_tol(accuracy->high, -0.4, 1e-12);
    ck_assert(accuracy->low >= -0.5 && accuracy->low < -0.4);
}

TEST(steps_count_where_both_escaped)
{
    for (int seed = 0; seed < 8; seed++) {
        write_one("qkv", 8, seed, 0.9, seed == 0 ? -1 : 5);
        write_one("qk", 8, seed, 0.9, seed == 1 ? -1 : 15);
    }
    compare();
    const struct comparison *escape = comparison(MEASURE_ESCAPE_STEP, 0);
    ck_assert_uint_eq(escape->difference.n, 6);
    ck_assert_double_eq(escape->difference.mean, 10);
    ck_assert_uint_eq(escape->n_only_variant, 1);
    ck_assert_uint_eq(escape->n_only_reference, 1);
    const struct comparison *escaped = comparison(MEASURE_ESCAPED, 0);
    ck_assert_uint_eq(escaped->difference.n, 8);
    ck_assert_double_eq(escaped->difference.mean, 0);
    ck_assert_double_eq(escaped->p, 1);
}

TEST(pairs_need_both_sides)
{
    write_one("qk", 8, 0, 0.5, 5);
    write_one("qkv", 16, 0, 0.5, 5);
    write_one("qk", 16, 0, 0.6, 5);
    write_one("qk", 16, 1, 0.6, 5);
    struct fake_run failed = {
        .task = "copy", .variant = "qk", .seed = 2, .n_embd = 16, .status = "diverged"};
    fake_write(scratch, &failed);
    compare();
    ck_assert_uint_eq(comparisons.pairs.n_paired, 1);
    const struct paired *paired = &comparisons.pairs.paired[0];
    ck_assert_uint_eq(paired->n_pair, 1);
    ck_assert_uint_eq(paired->n_without_reference, 2);
    ck_assert_uint_eq(comparisons.n_without_reference, 2);
    ck_assert_double_eq_tol(pair_difference(&paired->pair[0], MEASURE_TOKEN_ACCURACY), 0.1, 1e-12);
}

TEST(without_a_reference_there_is_no_comparison)
{
    write_one("qk", 8, 0, 0.5, 5);
    write_one("kv", 8, 0, 0.5, 5);
    compare();
    ck_assert_uint_eq(comparisons.n_table, 0);
    ck_assert_uint_eq(comparisons.n_without_reference, 2);
    ck_assert_ptr_null(comparisons.pairs.paired[0].reference);
}

/* The same place run by two programs: pairs are made within a program, and the place counts once.
 */
TEST(programs_are_not_mixed)
{
    struct fake_run fake = {.task = "copy", .variant = "qkv", .accuracy = 0.9};
    fake_write(scratch, &fake);
    fake.variant = "qk";
    fake.commit = "def";
    fake.accuracy = 0.5;
    fake_write(scratch, &fake);
    compare();
    ck_assert_uint_eq(comparisons.pairs.paired[0].n_pair, 0);
    comparisons_free(&comparisons);
    frame_free(&frame);
    fake.commit = NULL;
    fake_write(scratch, &fake);
    fake.commit = "def";
    fake.variant = "qkv";
    fake_write(scratch, &fake);
    compare();
    ck_assert_uint_eq(comparisons.pairs.paired[0].n_pair, 1);
    ck_assert_uint_eq(comparisons.pairs.paired[0].n_without_reference, 0);
}

TEST(one_setting_alone)
{
    struct error err;
    write_two_configurations(2);
    ck_assert_int_eq(frame_load(scratch, &frame, &err), STATUS_OK);
    ck_assert_uint_eq(frame.setting.n_group, 2);
    ck_assert_int_eq(comparisons_make(&frame.setting.group[1], NULL, &comparisons, &err),
                     STATUS_OK);
    ck_assert_uint_eq(comparison(MEASURE_TOKEN_ACCURACY, 0)->difference.n, 2);
    ck_assert_double_eq_tol(comparison(MEASURE_TOKEN_ACCURACY, 0)->difference.mean, -0.7, 1e-12);
}

TEST(a_reference_for_each_sharing)
{
    write_one("qkv", 8, 0, 0.9, 5);
    write_one("qk", 8, 0, 0.8, 5);
    write_one("qk+", 8, 0, 0.6, 5);
    write_one("kv", 8, 0, 0.5, 5);
    write_one("kv:n_kv_head=1", 8, 0, 0.4, 5);
    compare_with((const char *const[]){"qk+", "kv"}, 2);
    ck_assert_uint_eq(comparisons_find(&comparisons, MEASURE_LOSS, OF_SEQUENCES)->n_comparison, 2);
    ck_assert_double_eq_tol(comparison(MEASURE_TOKEN_ACCURACY, 0)->difference.mean, 0.2, 1e-12);
    ck_assert_double_eq_tol(comparison(MEASURE_TOKEN_ACCURACY, 1)->difference.mean, -0.1, 1e-12);
    ck_assert_uint_eq(comparisons.n_without_reference, 1);
}

TEST(a_reference_that_is_no_variant)
{
    struct error err;
    struct references references;
    ck_assert_int_eq(references_read((const char *const[]){"qkw"}, 1, &references, &err),
                     STATUS_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "qkw"));
    references_free(&references);
}

TEST(another_reference)
{
    write_one("qkv", 8, 0, 0.9, 5);
    write_one("qk", 8, 0, 0.8, 5);
    compare_with((const char *const[]){"Q=K-V"}, 1);
    ck_assert_str_eq(comparisons.pairs.paired[0].run->variant_id, "qkv");
    ck_assert_double_eq_tol(comparison(MEASURE_TOKEN_ACCURACY, 0)->difference.mean, 0.1, 1e-12);
}

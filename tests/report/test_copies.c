/* Runs that repeat the training of others bit for bit: one draw, however many folders. */
#include "report/frame/copies.h"

#include "fixture.h"
#include "report/frame/frame.h"
#include "report/report.h"
#include "report/statistics/comparisons.h"
#include "testing.h"

/* Hashes of 64 digits. */
#define HASH_TAIL "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde"

static struct frame frame;
static struct comparisons comparisons;
static struct group draws; /* without copies */

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

static void load(void)
{
    struct error err;
    ck_assert_msg(frame_load(scratch, &frame, &err) == STATUS_OK, "%s", err.text);
    ck_assert_msg(comparisons_make(&frame.all, NULL, &comparisons, &err) == STATUS_OK, "%s",
                  err.text);
    draws = group_where(&frame.all, run_is_original);
}

/* Both variants; equal weights for both, which is no copy. */
static void write_both(struct fake_run fake)
{
    fake.task = "copy";
    fake.variant = "qkv";
    fake.accuracy = 0.9;
    fake_write(scratch, &fake);
    fake.variant = "qk";
    fake.accuracy = 0.5;
    fake_write(scratch, &fake);
}

static const struct comparison *accuracy(void)
{
    const struct comparison_table *table =
        comparisons_find(&comparisons, MEASURE_TOKEN_ACCURACY, OF_SEQUENCES);
    ck_assert_ptr_nonnull(table);
    ck_assert_uint_eq(table->n_comparison, 1);
    return &table->comparison[0];
}

FIXTURE(set_up, tear_down)

TEST(looking_more_closely_is_no_other_configuration)
{
    for (int n_probe = 10; n_probe < 16; n_probe++) {
        write_both((struct fake_run){.n_probe = n_probe, .weights = "a" HASH_TAIL});
    }
    load();
    ck_assert_uint_eq(frame.setting.n_group, 1);
    ck_assert_uint_eq(frame.n_run, 2);
    ck_assert_uint_eq(frame.all.n_ok, 2);
    ck_assert_uint_eq(frame.n_copy, 10);
    ck_assert_uint_eq(frame.n_repeat, 10);
    ck_assert_uint_eq(group_n(&draws, FACTOR_CONFIGURATION), 1);
    ck_assert_uint_eq(accuracy()->n_configuration, 1);
    ck_assert_uint_eq(accuracy()->difference.n, 1);
    ck_assert_int_eq(accuracy()->verdict, VERDICT_TOO_FEW);
    for (size_t i = 0; i < frame.n_copy; i++) {
        const struct run *copy = &frame.run[frame.n_run + i];
        size_t of = copy->variant_rank != frame.run[0].variant_rank;
        ck_assert_str_eq(copy->copy_of, run_id(&frame.run[of]));
    }
    ck_assert_int_eq(frame.run[0].record.attention.n_probe, 15);
}

TEST(other_weights_of_the_same_place_both_stay)
{
    write_both((struct fake_run){.n_probe = 10, .weights = "a" HASH_TAIL});
    write_both((struct fake_run){.n_probe = 11, .weights = "b" HASH_TAIL});
    load();
    ck_assert_uint_eq(frame.n_run, 4);
    ck_assert_uint_eq(frame.n_repeat, 0);
}

TEST(a_bound_that_never_acts_makes_no_second_pair)
{
    for (int clip = 50; clip <= 100; clip += 10) {
        write_both((struct fake_run){.clip = clip, .weights = "a" HASH_TAIL});
    }
    load();
    ck_assert_uint_eq(frame.setting.n_group, 6);
    ck_assert_uint_eq(frame.n_run, 12);
    ck_assert_uint_eq(frame.n_copy, 0);
    ck_assert_uint_eq(frame.n_repeat, 10);
    ck_assert_uint_eq(draws.n_ok, 2);
    ck_assert_uint_eq(group_n(&draws, FACTOR_CONFIGURATION), 1);
    ck_assert_uint_eq(accuracy()->n_configuration, 1);
    ck_assert_uint_eq(accuracy()->difference.n, 1);
}

TEST(a_pair_with_one_copy_is_another_pair)
{
    struct fake_run fake = {.task = "copy", .variant = "qkv", .weights = "a" HASH_TAIL};
    for (int clip = 1; clip <= 2; clip++) {
        fake.clip = clip;
        fake.variant = "qkv";
        fake.weights = "a" HASH_TAIL;
        fake_write(scratch, &fake);
        fake.variant = "qk";
        fake.weights = clip == 1 ? "b" HASH_TAIL : "c" HASH_TAIL;
        fake_write(scratch, &fake);
    }
    load();
    ck_assert_uint_eq(frame.n_repeat, 1);
    ck_assert_uint_eq(accuracy()->difference.n, 2);
    ck_assert_uint_eq(accuracy()->n_configuration, 2);
}

TEST(without_a_whole_hash_nothing_is_a_copy)
{
    for (int clip = 1; clip <= 2; clip++) {
        write_both((struct fake_run){.clip = clip});
    }
    load();
    ck_assert_uint_eq(frame.n_repeat, 0);
    ck_assert_uint_eq(accuracy()->n_configuration, 2);
}

static bool says(const char *file, const char *text)
{
    char *content = scratch_read(file);
    bool found = strstr(content, text) != NULL;
    free(content);
    return found;
}

TEST(the_report_says_how_many)
{
    struct report_summary summary;
    for (int n_probe = 10; n_probe < 16; n_probe++) {
        write_both((struct fake_run){.n_probe = n_probe, .weights = "a" HASH_TAIL});
    }
    ck_assert_int_eq(report_write(scratch, &summary, NULL), STATUS_OK);
    static const char *const file[] = {"report/report.md", "report/report.html",
                                       "report/report.json"};
    for (size_t i = 0; i < sizeof(file) / sizeof(file[0]); i++) {
        ck_assert(says(file[i], "10 runs repeat the training of others bit for bit"));
    }
    ck_assert(says("report/runs.csv", "\ncopy-qkv-s0-0000000000010000abc,1,copy,qkv"));
    ck_assert(says("report/runs.csv", ",copy-qkv-s0-0000000000015000abc\n"));
}

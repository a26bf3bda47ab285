/* The gap to the reference by size: a mean over the same combinations at every value, or nothing.
 */
#include "base/file.h"
#include "report/frame/frame.h"
#include "report/statistics/gap.h"

#include "fixture.h"
#include "testing.h"

static struct frame frame;
static struct pairs pairs;
static struct gap_line line;
static struct error err;

static void write_pair(int n_embd, int n_layer, double reference, double variant)
{
    for (int seed = 0; seed < 2; seed++) {
        struct fake_run fake = {.task = "copy",
                                .variant = "qkv",
                                .accuracy = reference,
                                .seed = seed,
                                .n_embd = n_embd,
                                .n_layer = n_layer};
        fake_write(scratch, &fake);
        fake.variant = "qk";
        fake.accuracy = variant + 0.02 * seed;
        fake_write(scratch, &fake);
    }
}

static void make(enum size size)
{
    ck_assert_msg(frame_load(scratch, &frame, &err) == STATUS_OK, "%s", err.text);
    ck_assert_int_eq(pairs_of(&frame.all, NULL, &pairs, &err), STATUS_OK);
    ck_assert_uint_eq(pairs.n_paired, 1);
    ck_assert_int_eq(gap_make(&pairs.paired[0], MEASURE_TOKEN_ACCURACY, size, &line, &err),
                     STATUS_OK);
}

static void set_up(void)
{
    frame = (struct frame){0};
    pairs = (struct pairs){0};
    line = (struct gap_line){0};
    scratch_make();
}

static void tear_down(void)
{
    gap_free(&line);
    pairs_free(&pairs);
    frame_free(&frame);
    scratch_remove();
}

FIXTURE(set_up, tear_down)

TEST(a_point_is_a_mean_over_seeds)
{
    write_pair(8, 1, 0.9, 0.5);
    write_pair(16, 1, 0.9, 0.8);
    make(SIZE_WIDTH);
    ck_assert_uint_eq(line.n_point, 2);
    ck_assert_uint_eq(line.n_combination, 1);
    ck_assert_double_eq(line.value[0], 8);
    ck_assert_double_eq(line.value[1], 16);
    ck_assert_double_eq_tol(line.mean[0], -0.39, 1e-12);
    ck_assert_double_eq_tol(line.mean[1], -0.09, 1e-12);
    ck_assert_str_eq(size_title(line.size), "width d");
}

TEST(one_value_is_no_line)
{
    write_pair(8, 1, 0.9, 0.5);
    write_pair(16, 1, 0.9, 0.8);
    make(SIZE_LAYERS);
    ck_assert_uint_eq(line.n_point, 0);
}

/* Two layers were run at one width alone: their gap would be taken for one of the width. */
TEST(combinations_that_are_not_run_everywhere_are_left_out)
{
    write_pair(8, 1, 0.9, 0.5);
    write_pair(16, 1, 0.9, 0.8);
    write_pair(16, 2, 0.9, 0.1);
    make(SIZE_WIDTH);
    ck_assert_uint_eq(line.n_combination, 1);
    ck_assert_double_eq_tol(line.mean[1], -0.09, 1e-12);
    gap_free(&line);
    ck_assert_int_eq(gap_make(&pairs.paired[0], MEASURE_TOKEN_ACCURACY, SIZE_LAYERS, &line, &err),
                     STATUS_OK);
    ck_assert_uint_eq(line.n_combination, 1);
    ck_assert_double_eq_tol(line.mean[1], -0.79, 1e-12);
}

TEST(a_line_needs_a_combination_with_every_value)
{
    write_pair(8, 1, 0.9, 0.5);
    write_pair(16, 2, 0.9, 0.1);
    make(SIZE_WIDTH);
    ck_assert_uint_eq(line.n_point, 0);
}

/* A width that came with another learning rate is not a width. */
TEST(configurations_that_differ_in_more_are_not_drawn)
{
    char folder[PATH_SIZE], path[PATH_SIZE];
    write_pair(8, 1, 0.9, 0.5);
    write_pair(16, 1, 0.9, 0.8);
    static const char *const variant[] = {"qkv", "qk"};
    for (int i = 0; i < 4; i++) {
        struct fake_run fake = {.task = "copy",
                                .variant = variant[i % 2],
                                .seed = i / 2,
                                .accuracy = 0.9,
                                .n_embd = 16,
                                .n_layer = 1};
        json_t *root = fake_json(&fake);
        json_object_set_new(json_object_get(root, "config"), "learning_rate", json_real(0.1));
        fake_folder(scratch, &fake, folder);
        path_format(path, NULL, "%s/run.json", folder);
        ck_assert_int_eq(json_dump_file(root, path, 0), 0);
        json_decref(root);
    }
    make(SIZE_WIDTH);
    ck_assert_uint_eq(line.n_point, 0);
}

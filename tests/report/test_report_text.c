/* What a report says of differences: the sentences, the tables, the rows for programs. */
#include "base/file.h"
#include "report/content/topic.h"

#include "fixture.h"
#include "report/report.h"
#include "testing.h"

static struct report_summary summary;

static void write_runs(const char *variant, int n_embd, int n_seed, double accuracy)
{
    for (int seed = 0; seed < n_seed; seed++) {
        struct fake_run fake = {.task = "reverse",
                                .variant = variant,
                                .seed = seed,
                                .n_embd = n_embd,
                                .accuracy = accuracy + 0.001 * seed,
                                .escape = accuracy > 0.5 ? 8 : -1};
        fake_write(scratch, &fake);
    }
}

static char *page(void)
{
    struct error err;
    ck_assert_msg(report_write(scratch, &summary, &err) == STATUS_OK, "%s", err.text);
    return scratch_read("report/report.md");
}

static void assert_has(const char *content, const char *phrase)
{
    ck_assert_msg(strstr(content, phrase) != NULL, "not there: %s", phrase);
}

FIXTURE(scratch_make, scratch_remove)

TEST(a_tested_difference_comes_first)
{
    write_runs("qkv", 0, 6, 0.99);
    write_runs("qk", 0, 6, 0.1);
    char *text = page();
    assert_has(text,
               "# Which of Q, K and V does attention need?\n\n## What the tests say\n\n"
               "- Token accuracy against QKV, tested: lower for **Q=K** on Reverse (-0.890).\n");
    assert_has(text, "#### Difference in token accuracy");
    assert_has(text, "corrected for the 1 comparison of this table that has 6 seeds or more.");
    assert_has(text, "| Reverse | Q=K | -0.890 | -0.890 to -0.890 | 6, 6 | 0, 6 | 0.031 | 0.031 | "
                     "lower | - |");
    assert_has(text, "| Reverse | Q=K | - | - | 0, 0 (0, 6 with one alone) |");
    assert_has(text, "| QKV | 6, 0 of 6 |");
    assert_has(text, "| Q=K | 0, 6 of 6 |");
    free(text);
}

TEST(too_few_seeds_say_so_once)
{
    write_runs("qkv", 0, 3, 0.9);
    write_runs("qk", 0, 3, 0.1);
    char *text = page();
    assert_has(text,
               "- Token accuracy: **no test**, 3 seeds; these runs are described below, and a "
               "verdict about differences from QKV needs 6 seeds.");
    ck_assert_ptr_null(strstr(strstr(text, "**no test**") + 1, "**no test**"));
    assert_has(text, "Not tested: no variant has 6 seeds in common with its baseline");
    ck_assert_ptr_null(strstr(text, "#### Difference in"));
    free(text);
}

TEST(without_a_baseline_nothing_is_compared)
{
    write_runs("kv", 0, 6, 0.9);
    write_runs("qk", 0, 6, 0.1);
    char *text = page();
    assert_has(text, "**No test**: no variant shares a configuration and a seed");
    free(text);
}

TEST(small_differences_are_counted)
{
    write_runs("qkv", 0, 6, 0.99);
    write_runs("qk", 0, 6, 0.988);
    char *text = page();
    assert_has(text, "tested: a difference of less than 0.005 in 1 of 1 comparison.");
    free(text);
}

TEST(a_grid_has_both_spreads)
{
    write_runs("qkv", 8, 2, 0.9);
    write_runs("qkv", 16, 2, 0.5);
    write_runs("qk", 8, 2, 0.8);
    write_runs("qk", 16, 2, 0.2);
    char *text = page();
    assert_has(text, "## Over all 2 configurations");
    assert_has(text,
               "| Reverse | QKV | 2 | 4 | 0.701 | 0.283 | 0.001 | 0.667 | 0 of 4 | 0 of 4 |\n");
    assert_has(text, "## Setting 2: d 16");
    char *rows = scratch_read("report/comparisons.csv"),
         *overview = scratch_read("report/overview.csv");
    assert_has(rows, "\nall,reverse,qk,Q=K,qkv,token_accuracy,4,2,2,");
    assert_has(rows, "\n1,reverse,qk,Q=K,qkv,token_accuracy,2,1,2,");
    assert_has(rows, ",,,0,true,,too few\n");
    assert_has(overview, "reverse,qkv,QKV,4,4,4,2,");
    free(text);
    free(rows);
    free(overview);
}

TEST(many_settings_have_no_part_each)
{
    for (int i = 0; i <= MATERIAL_MAX_PART; i++) {
        write_runs("qkv", 8 + 2 * i, 1, 0.9);
        write_runs("qk", 8 + 2 * i, 1, 0.5);
    }
    char *text = page();
    assert_has(text, "too many for a part each");
    assert_has(text, "**no test**, 1 seed;");
    ck_assert_ptr_null(strstr(text, "## Setting 1"));
    assert_has(
        text, "### d 8, 1 layer, 2 heads, T 4 (setting 1)\n\n![Training loss by step](curves.png)");
    ck_assert_ptr_null(strstr(text, "(setting 2)"));
    assert_has(text, "| 13 | 32 | 0.900 (n=1) | 0.500 (n=1) |");
    free(text);
}

/* Settings in which nobody or everybody learns leave no room for a difference. */
TEST(a_grid_says_where_variants_can_differ)
{
    write_runs("qkv", 8, 3, 0.99);
    write_runs("qk", 8, 3, 0.99);
    write_runs("qkv", 16, 3, 0.1);
    write_runs("qk", 16, 3, 0.1);
    write_runs("qkv", 32, 3, 0.99);
    write_runs("qk", 32, 3, 0.5);
    char *text = page();
    assert_has(text, "**Reverse** 1 at chance and 1 solved of 3. Only in the others");
    free(text);
}

TEST(a_grid_tells_how_the_variants_learned)
{
    write_runs("qkv", 8, 2, 0.99);
    write_runs("qkv", 16, 2, 0.1);
    char *text = page();
    assert_has(text,
               "| task | variant | runs | plateau | loss < 2.2 | loss < 0.1 | final loss | mean "
               "loss |");
    assert_has(text, "| Reverse | QKV | 4 | ");
    assert_has(text, "(2 of 4)");
    free(text);
}

TEST(programs_find_the_comparisons)
{
    write_runs("qkv", 0, 6, 0.99);
    write_runs("qk", 0, 6, 0.1);
    free(page());
    char path[PATH_SIZE];
    json_t *root;
    path_format(path, NULL, "%s/report/report.json", scratch);
    ck_assert_int_eq(json_read(path, &root, NULL), STATUS_OK);
    const json_t *table = json_array_get(json_object_get(root, "comparisons"), 0);
    ck_assert_str_eq(json_get_text(table, "measure", ""), "token_accuracy");
    const json_t *row = json_array_get(json_object_get(table, "comparisons"), 0);
    ck_assert_str_eq(json_get_text(row, "verdict", ""), "lower");
    ck_assert_double_eq(json_get_number(row, "p_corrected", NAN), 2.0 / 64);
    ck_assert_ptr_nonnull(json_array_get(json_object_get(root, "overview"), 1));
    json_decref(root);
}

TEST(another_baseline_and_none)
{
    struct error err;
    write_runs("qkv", 0, 6, 0.99);
    write_runs("qk", 0, 6, 0.1);
    ck_assert_int_eq(report_write_against(scratch, (const char *const[]){"qk"}, 1, &summary, &err),
                     STATUS_OK);
    char *text = scratch_read("report/report.md");
    assert_has(text, "Token accuracy against Q=K, tested: higher for **QKV** on Reverse (+0.890)");
    assert_has(text, "| Reverse | QKV against Q=K | +0.890 |");
    free(text);
    ck_assert_int_eq(report_write_against(scratch, (const char *const[]){"qkw"}, 1, &summary, &err),
                     STATUS_USAGE);
    ck_assert_int_eq(report_write_against(scratch, (const char *const[]){"kv"}, 1, &summary, &err),
                     STATUS_USAGE);
    ck_assert_str_eq(err.text, "--baseline: no run here is of kv; there are runs of qkv, qk");
}

/* A report never averages what does not belong together, and says so: one run alone, failed runs
 * alone, and runs of other programs, engines, tasks, machines or configurations.
 */
#include "base/file.h"
#include "report/report.h"

#include "fixture.h"
#include "testing.h"

static struct report_summary summary;
static struct error err;

static char *page(void)
{
    ck_assert_msg(report_write(scratch, &summary, &err) == STATUS_OK, "%s", err.text);
    return scratch_read("report/report.md");
}

static void assert_has(const char *content, const char *phrase)
{
    ck_assert_msg(strstr(content, phrase) != NULL, "not there: %s", phrase);
}

static struct fake_run run_of(const char *variant, int seed, double accuracy)
{
    return (struct fake_run){
        .task = "reverse", .variant = variant, .seed = seed, .accuracy = accuracy, .escape = 8};
}

/* Writes fake with member key of section replaced. */
static void write_edited(const struct fake_run *fake, const char *section, const char *key,
                         json_t *value)
{
    char folder[PATH_SIZE], path[PATH_SIZE];
    fake_write(scratch, fake);
    json_t *root = fake_json(fake), *object = json_object_get(root, section);
    if (!object) {
        object = json_object();
        json_object_set_new(root, section, object);
    }
    json_object_set_new(object, key, value);
    fake_folder(scratch, fake, folder);
    path_format(path, NULL, "%s/run.json", folder);
    ck_assert_int_eq(json_dump_file(root, path, 0), 0);
    json_decref(root);
}

/* ---- one run ---- */

FIXTURE(scratch_make, scratch_remove)

TEST(one_run_has_no_bar_no_mean_and_no_comparison)
{
    struct fake_run fake = run_of("qkv", 3, 0.75);
    fake_write(scratch, &fake);
    char *text = page(), *html = scratch_read("report/report.html");
    ck_assert_uint_eq(summary.n_run, 1);
    assert_has(text, "1 finished run: 1 variant, 1 task, 1 seed, ");
    assert_has(text, "| QKV | 0.750 (n=1) |");
    assert_has(text, "have fewer than 3 seeds and therefore no error bar");
    assert_has(text, "no variant shares a configuration and a seed");
    ck_assert_ptr_null(strstr(text, "0.750 ±"));
    ck_assert_ptr_null(strstr(text, "nan"));
    ck_assert_ptr_null(strstr(html, "NaN,"));
    free(text);
    free(html);
}

TEST(one_run_beside_a_diverged_one)
{
    struct fake_run fake = run_of("qkv", 0, 0.75), bad = run_of("qkv", 1, NAN);
    bad.status = "diverged";
    fake_write(scratch, &fake);
    fake_write(scratch, &bad);
    char *text = page();
    assert_has(text, "| QKV | 0.750 (n=1) (1 diverged or failed) |");
    ck_assert_uint_eq(summary.n_left_out, 1);
    free(text);
}

/* ---- failed runs ---- */

TEST(failed_runs_alone_give_no_report)
{
    struct fake_run failed = run_of("qkv", 0, NAN), diverged = run_of("qkv", 1, NAN);
    char path[PATH_SIZE];
    failed.status = "failed";
    diverged.status = "diverged";
    fake_write(scratch, &failed);
    fake_write(scratch, &diverged);
    ck_assert_int_eq(report_write(scratch, &summary, &err), STATUS_DATA);
    assert_has(err.text, "/runs holds no finished run to report");
    assert_has(err.text, "0 unfinished, 2 failed, diverged or unreadable");
    path_format(path, NULL, "%s/report/report.md", scratch);
    ck_assert(!file_exists(path));
}

TEST(a_variant_that_always_failed_has_a_dash)
{
    struct fake_run fake = run_of("qkv", 0, 0.75), bad = run_of("qk", 0, NAN);
    bad.status = "failed";
    fake_write(scratch, &fake);
    fake_write(scratch, &bad);
    char *text = page();
    assert_has(text, "| Q=K | - (1 diverged or failed) |");
    assert_has(text, "| failed | ");
    free(text);
}

/* ---- what differs ---- */

/* Two runs of one cell but for what the second was edited in: no mean of 0.5 may appear. */
static void expect_apart(const char *section, const char *key, json_t *value, const char *said)
{
    struct fake_run first = run_of("qkv", 0, 0.9), second = run_of("qkv", 1, 0.1);
    fake_write(scratch, &first);
    write_edited(&second, section, key, value);
    char *text = page();
    assert_has(text, "belong to 2 settings");
    assert_has(text, "| QKV | 0.900 (n=1) |");
    assert_has(text, "| QKV | 0.100 (n=1) |");
    ck_assert_ptr_null(strstr(text, "0.500 (n=2)"));
    assert_has(text, said);
    free(text);
}

TEST(another_program)
{
    expect_apart("build", "commit", json_string("def"), "| commit def |");
}

TEST(another_engine)
{
    expect_apart("versions", "engine", json_integer(99), "engine version 99");
}

TEST(another_task_version)
{
    expect_apart("versions", "task", json_integer(99), "task version 99");
}

TEST(another_machine)
{
    expect_apart("machine", "class", json_string("zero"), "| class zero |");
}

/* Older programs named a BLAS library, which training does not use. */
TEST(another_blas_is_no_difference)
{
    struct fake_run first = run_of("qkv", 0, 0.9), second = run_of("qkv", 1, 0.1);
    fake_write(scratch, &first);
    write_edited(&second, "build", "blas", json_string("OpenBLAS 0.3.21"));
    char *text = page();
    assert_has(text, "0.500 (n=2)");
    ck_assert_ptr_null(strstr(text, "OpenBLAS"));
    free(text);
}

TEST(another_configuration)
{
    expect_apart("config", "learning_rate", json_real(0.1), "| learning_rate 0.1 |");
}

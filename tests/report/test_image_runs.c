/* Runs on images in a report: tables a data set, published values beside, confusions. */
#include "base/file.h"
#include "base/folder.h"
#include "fixture.h"
#include "report/content/confusion_sheet.h"
#include "report/report.h"
#include "report/statistics/published.h"
#include "report/write/draw_sheet.h"
#include "testing.h"

struct fake_image_run {
    const char *dataset, *variant;
    int seed, n_embd;
    double top1;        /* NaN: null */
    const char *status; /* NULL: ok */
    const char *sha256; /* NULL: "da7a"; "fake": not the published images */
};

static json_t *image_json(const struct fake_image_run *fake, const char *id)
{
    json_t *config =
        json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "task", fake->dataset, "variant",
                  fake->variant, "n_embd", fake->n_embd, "n_layer", 2, "n_head", 2, "seq_len", 50,
                  "patch", 4, "epochs", 20, "seed", fake->seed);
    json_t *results =
        json_pack("{s:o, s:f, s:f, s:f, s:i}", "top1", json_number(fake->top1), "top5", 0.75,
                  "loss", 0.5, "final_train_loss", 0.25, "n_step", 9360);
    json_t *data =
        json_pack("{s:s, s:i, s:i, s:[s, s]}", "sha256", fake->sha256 ? fake->sha256 : "da7a",
                  "n_train", 60000, "n_test", 10000, "class_name", "cat, grey", "dog");
    json_object_set_new(data, "published",
                        json_boolean(strcmp(json_get_text(data, "sha256", ""), "fake") != 0));
    return json_pack("{s:s, s:s, s:s, s:o, s:i, s:o, s:o, s:s, s:{s:s}, s:{s:s}}", "format",
                     "qkvlab-run-1", "id", id, "status", fake->status ? fake->status : "ok",
                     "config", config, "n_param", 105098, "results", results, "data", data,
                     "weights_sha256", "f00d", "build", "commit", "abc", "machine", "class",
                     "test");
}

static const char confusions[] = "true class,\"cat, grey\",dog\n\"cat, grey\",30,10\ndog,5,15\n";

static void folder_of(const struct fake_image_run *fake, char id[PATH_SIZE], char path[PATH_SIZE])
{
    snprintf(id, PATH_SIZE, "%s-%s-s%d-%d%.4s", fake->dataset, fake->variant, fake->seed,
             fake->n_embd, fake->sha256 ? fake->sha256 : "");
    ck_assert_int_eq(path_format(path, NULL, "%s/runs/%s", scratch, id), STATUS_OK);
}

static void write_run(struct fake_image_run fake)
{
    char id[PATH_SIZE], folder[PATH_SIZE], path[PATH_SIZE];
    fake.n_embd = fake.n_embd ? fake.n_embd : 64;
    folder_of(&fake, id, folder);
    ck_assert_int_eq(folder_create(folder, NULL), STATUS_OK);
    fake_write_file(folder, "confusion.csv", confusions);
    json_t *root = image_json(&fake, id);
    ck_assert_ptr_nonnull(root);
    ck_assert_int_eq(path_format(path, NULL, "%s/run.json", folder), STATUS_OK);
    ck_assert_int_eq(json_dump_file(root, path, 0), 0);
    json_decref(root);
}

static struct report_summary summary;

static void write_report(void)
{
    struct error err;
    ck_assert_msg(report_write(scratch, &summary, &err) == STATUS_OK, "%s", err.text);
}

static void expect_page(const char *phrase, bool there)
{
    char *page = scratch_read("report/report.md");
    ck_assert_msg((strstr(page, phrase) != NULL) == there, "%s: %s", there ? "not there" : "there",
                  phrase);
    free(page);
}

FIXTURE(scratch_make, scratch_remove)

TEST(a_row_a_variant_with_published_values_beside)
{
    for (int seed = 0; seed < 3; seed++) {
        write_run(
            (struct fake_image_run){"mnist", "qkv", seed, 64, 0.98 + 0.001 * seed, NULL, NULL});
    }
    write_run((struct fake_image_run){"mnist", "kv", 0, 64, 0.9795, NULL, NULL});
    write_report();
    ck_assert_uint_eq(summary.n_run, 4);
    expect_page("### MNIST", true);
    expect_page("60000 training and 10000 test images", true);
    expect_page("| QKV | 3 | 0.9810 ± 0.0010 | 0.7500 ± 0.0000 | 0.500 ± 0.000 | 105098 | _0.981_ "
                "| _0.984_ | _0.9828_ |",
                true);
    expect_page("| K=V | 1 | 0.9795 (n=1) |", true);
    expect_page("| _0.976_ | _0.979_ | _0.9795_ |", true);
    expect_page("arXiv 2606.04032, Table 2", true);
    expect_page("Not the default procedure", false);
    expect_page("](confusion-mnist-qkv-s0-64.png)", true);
    expect_page("None: every finished run was used", true);
}

TEST(other_sizes_have_tables_of_their_own_and_no_single_run)
{
    write_run((struct fake_image_run){"mnist", "qkv", 0, 64, 0.98, NULL, NULL});
    write_run((struct fake_image_run){"mnist", "qkv", 0, 32, 0.97, NULL, NULL});
    write_report();
    expect_page("d 32, 2 layers", true);
    expect_page("**Not the default procedure**: n_embd 32 (64).", true);
    expect_page("0.9700 (n=1) | 0.7500 (n=1) | 0.500 (n=1) | 105098 | _0.981_ | _0.984_ | - |",
                true);
}

TEST(images_that_are_not_the_published_ones_are_told)
{
    write_run((struct fake_image_run){"mnist", "qkv", 0, 64, 0.98, NULL, NULL});
    write_report();
    expect_page("Not the published images", false);
    write_run((struct fake_image_run){"mnist", "kv", 0, 64, 0.9, NULL, "fake"});
    write_report();
    expect_page("**Not the published images**: the files that were found differ", true);
}

TEST(other_data_are_never_averaged)
{
    write_run((struct fake_image_run){"mnist", "qkv", 0, 64, 0.98, NULL, "aaaa"});
    write_run((struct fake_image_run){"mnist", "qkv", 1, 64, 0.90, NULL, "bbbb"});
    write_report();
    expect_page("| QKV | 1 | 0.9800 (n=1)", true);
    expect_page("| QKV | 1 | 0.9000 (n=1)", true);
}

/* The images of glyphs are drawn anew for every seed: their hashes differ, and should. */
TEST(seeds_of_drawn_images_are_averaged)
{
    write_run((struct fake_image_run){"glyphs", "qkv", 0, 64, 0.5, NULL, "aaaa"});
    write_run((struct fake_image_run){"glyphs", "qkv", 1, 64, 0.7, NULL, "bbbb"});
    write_report();
    expect_page("| QKV | 2 | 0.6000 (n=2)", true);
    expect_page("105098 | - | - | - |", true);
}

TEST(diverged_runs_are_listed_and_in_no_mean)
{
    write_run((struct fake_image_run){"mnist", "qkv", 0, 64, 0.98, NULL, NULL});
    write_run((struct fake_image_run){"mnist", "qkv", 1, 64, NAN, "diverged", NULL});
    write_report();
    ck_assert_uint_eq(summary.n_left_out, 1);
    expect_page("0.9800 (n=1) (1 diverged or failed)", true);
    expect_page("| mnist-qkv-s1-64 | diverged |", true);
}

TEST(tasks_and_images_stand_in_one_report)
{
    struct fake_run task = {.task = "reverse",
                            .variant = "qkv",
                            .accuracy = 0.9,
                            .escape = 8,
                            .needed = 0.5,
                            .diagonal = 0.25};
    fake_write(scratch, &task);
    write_run((struct fake_image_run){"mnist", "qkv", 0, 64, 0.98, NULL, NULL});
    write_report();
    ck_assert_uint_eq(summary.n_run, 2);
    expect_page("### Token accuracy", true);
    expect_page("## Image data sets", true);
    char *runs = scratch_read("report/runs.csv"), *json = scratch_read("report/report.json");
    ck_assert_ptr_nonnull(strstr(runs, "\nmnist-qkv-s0-64,,mnist,qkv,QKV,0,ok,64,2,2,50,9360,"));
    ck_assert_ptr_nonnull(strstr(runs, ",0.98,0.75,f00d,"));
    ck_assert_ptr_nonnull(strstr(json, "\"task\": \"mnist\""));
    free(runs);
    free(json);
}

TEST(a_run_without_its_accuracy_is_left_out)
{
    write_run((struct fake_image_run){"mnist", "qkv", 0, 64, 0.98, NULL, NULL});
    write_run((struct fake_image_run){"mnist", "kv", 0, 64, NAN, NULL, NULL});
    write_report();
    expect_page("results.top1 is no number in 0..1", true);
}

/* ---- confusions ---- */

static struct run load(const struct fake_image_run *fake)
{
    char id[PATH_SIZE], folder[PATH_SIZE];
    struct run run;
    struct error err;
    folder_of(fake, id, folder);
    ck_assert_msg(run_load(folder, &run, &err) == STATUS_OK, "%s", err.text);
    return run;
}

TEST(confusions_are_read_behind_names_with_commas)
{
    struct fake_image_run fake = {"mnist", "qkv", 0, 64, 0.98, NULL, NULL};
    write_run(fake);
    struct run run = load(&fake);
    struct sheet *sheet;
    ck_assert_int_eq(confusion_sheet(&run, &sheet, NULL), STATUS_OK);
    ck_assert_ptr_nonnull(sheet);
    const struct sheet_panel *panel = sheet_panel_at(sheet, 0, 0);
    ck_assert(panel->n_row == 2 && panel->n_column == 2);
    ck_assert_str_eq(sheet->label[0], "cat, grey");
    const float *count = panel->number;
    ck_assert(count[0] == 30 && count[1] == 10 && count[2] == 5 && count[3] == 15);
    ck_assert_float_eq(panel->value[0], 0.75f);
    sheet_free(sheet);
    run_free(&run);
}

TEST(damaged_confusions_cost_their_picture_only)
{
    static const char *const bad[] = {"",
                                      "true class,a,b\n",
                                      "true class,a,b\na,1,2\nb,3\n",
                                      "true class,a,b\na,1,2\nb,3,x\n",
                                      "true class,a,b\na,1,2\nb,3,-4\n",
                                      "no lines"};
    struct fake_image_run fake = {"mnist", "qkv", 0, 64, 0.98, NULL, NULL};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char id[PATH_SIZE], folder[PATH_SIZE];
        write_run(fake);
        folder_of(&fake, id, folder);
        fake_write_file(folder, "confusion.csv", bad[i]);
        struct run run = load(&fake);
        struct sheet *sheet;
        ck_assert_int_eq(confusion_sheet(&run, &sheet, NULL), STATUS_OK);
        ck_assert_msg(sheet == NULL, "%s", bad[i]);
        run_free(&run);
    }
    write_report();
    expect_page("0.9800 (n=1)", true);
    expect_page("![Confusions", false);
}

TEST(the_picture_is_the_same_bytes_twice)
{
    struct fake_image_run fake = {"mnist", "qkv", 0, 64, 0.98, NULL, NULL};
    write_run(fake);
    struct run run = load(&fake);
    char path[PATH_SIZE], *bytes[2];
    size_t size[2];
    struct error err;
    path_format(path, NULL, "%s/confusion-mnist-qkv-s0-64.png", scratch);
    for (size_t i = 0; i < 2; i++) {
        struct sheet *sheet;
        ck_assert_int_eq(confusion_sheet(&run, &sheet, &err), STATUS_OK);
        ck_assert_msg(draw_sheet_write(sheet, scratch, &err) == STATUS_OK, "%s", err.text);
        ck_assert_int_eq(file_read(path, 1 << 24, &bytes[i], &size[i], NULL), STATUS_OK);
        sheet_free(sheet);
    }
    ck_assert(size[0] > 1000 && size[0] == size[1]);
    ck_assert_mem_eq(bytes[0], bytes[1], size[0]);
    free(bytes[0]);
    free(bytes[1]);
    run_free(&run);
}

TEST(published_values_by_name)
{
    ck_assert_double_eq(published_accuracy(PUBLISHED_PAPER, "qkv_tied", "tinyimagenet"), .266);
    ck_assert_double_eq(published_accuracy(PUBLISHED_REPRODUCTION, "qk", "cifar100"), .447);
    ck_assert_double_eq(published_accuracy(PUBLISHED_PAPER, "qkv", "cifar10"), .663);
    ck_assert(isnan(published_accuracy(PUBLISHED_PAPER, "kv", "tinyimagenet")));
    ck_assert(isnan(published_accuracy(PUBLISHED_PAPER, "qv", "mnist")));
    ck_assert(isnan(published_accuracy(PUBLISHED_PAPER, "qkv", "glyphs")));
    ck_assert_double_eq(published_top1_single("qk", "cifar10", 4), .7207);
    ck_assert(isnan(published_top1_single("qk", "cifar10", 8)));
    ck_assert(isnan(published_top1_single("qk", "mnist", 2)));
}

/* The whole report: the same bytes twice, tables that read back, marks for what is missing. */
#include "base/file.h"
#include "base/folder.h"
#include "base/text.h"
#include "report/report.h"

#include "fixture.h"
#include "testing.h"

static struct report_summary summary;

static void write_report(void)
{
    struct error err;
    ck_assert_msg(report_write(scratch, &summary, &err) == STATUS_OK, "%s", err.text);
}

static void write_runs(const char *task, const char *variant, double accuracy, int n_seed)
{
    for (int seed = 0; seed < n_seed; seed++) {
        struct fake_run fake = {.task = task,
                                .variant = variant,
                                .seed = seed,
                                .accuracy = accuracy + 0.01 * seed,
                                .escape = 8 + seed,
                                .needed = 0.5,
                                .diagonal = 0.25};
        fake_write(scratch, &fake);
    }
}

static void assert_has(const char *content, const char *phrase)
{
    ck_assert_msg(strstr(content, phrase) != NULL, "not there: %s", phrase);
}

static size_t count(const char *content, const char *phrase)
{
    size_t n = 0;
    for (; (content = strstr(content, phrase)) != NULL; content++) {
        n++;
    }
    return n;
}

static void assert_page_has(const char *phrase)
{
    char *page = scratch_read("report/report.md");
    assert_has(page, phrase);
    free(page);
}

FIXTURE(scratch_make, scratch_remove)

TEST(pages_tables_and_figures_are_there)
{
    write_runs("reverse", "qkv", 0.9, 3);
    write_report();
    static const char *const name[] = {
        "report.md",           "runs.csv",   "heads.csv",           "cells.csv",  "report.json",
        "attention-seed0.png", "curves.png", "attention-seed2.png", "curves.svg", "accuracy.png",
        "accuracy.svg"};
    for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
        char path[PATH_SIZE];
        path_format(path, NULL, "%s/report/%s", scratch, name[i]);
        ck_assert_msg(file_exists(path), "%s is missing", path);
    }
    char *page = scratch_read("report/report.md");
    assert_has(page, "](accuracy.png)");
    assert_has(page, "](curves.png)");
    assert_has(page, "](attention-seed1.png)");
    assert_has(page, "Every head of every run: [heads.csv](heads.csv)");
    free(page);
    ck_assert_uint_eq(summary.n_run, 3);
    ck_assert_uint_eq(summary.n_left_out, 0);
    ck_assert_ptr_nonnull(strstr(summary.markdown, "/report/report.md"));
}

/* Copies every file's content into one text, so that two reports can be compared. */
static void concatenate(struct text *all)
{
    char **names, folder[PATH_SIZE];
    size_t n_name;
    path_format(folder, NULL, "%s/report", scratch);
    ck_assert_int_eq(folder_list(folder, &names, &n_name, NULL), STATUS_OK);
    for (size_t i = 0; i < n_name; i++) {
        char path[PATH_SIZE], *data;
        size_t size;
        path_format(path, NULL, "%s/%s", folder, names[i]);
        ck_assert_int_eq(file_read(path, (size_t)64 << 20, &data, &size, NULL), STATUS_OK);
        text_append(all, "%s %zu\n", names[i], size);
        for (size_t j = 0; j < size; j++) {
            text_append(all, "%02x", (unsigned char)data[j]);
        }
        free(data);
    }
    folder_list_free(names, n_name);
}

TEST(a_second_report_is_the_same_bytes)
{
    struct text first = {0}, second = {0};
    char folder[PATH_SIZE];
    write_runs("reverse", "qkv", 0.9, 3);
    write_runs("copy", "qk+", 0.5, 2);
    write_report();
    concatenate(&first);
    path_format(folder, NULL, "%s/report", scratch);
    ck_assert_int_eq(folder_remove(folder, NULL), STATUS_OK);
    write_report();
    concatenate(&second);
    ck_assert_uint_gt(first.size, 10000);
    ck_assert(first.size == second.size && memcmp(first.data, second.data, first.size) == 0);
    text_free(&first);
    text_free(&second);
}

TEST(three_seeds_have_a_bar_two_have_none)
{
    write_runs("reverse", "qkv", 0.9, 3);
    write_runs("reverse", "qk", 0.5, 2);
    write_report();
    assert_page_has("| QKV | 0.910 ± 0.010 |");
    assert_page_has("| Q=K | 0.505 (n=2) |");
    assert_page_has("fewer than 3 seeds and therefore no error bar");
}

TEST(a_finding_is_printed_once)
{
    write_runs("reverse", "qkv", 0.9, 3);
    write_runs("reverse", "qk", 0.5, 3);
    write_report();
    char *page = scratch_read("report/report.md");
    ck_assert_uint_eq(count(page, "falls short of QKV on Reverse"), 1);
    ck_assert_uint_eq(count(page, "only what is said to be tested was"), 1);
    assert_has(page, "### The rules behind the findings");
    free(page);
}

TEST(missing_cells_are_dashes)
{
    write_runs("copy", "qkv", 0.9, 3);
    write_runs("reverse", "qk", 0.5, 3);
    write_report();
    assert_page_has("| QKV | 0.910 ± 0.010 | - |");
    assert_page_has("| Q=K | - | 0.510 ± 0.010 |");
    assert_page_has("**6 combinations of variant, task and seed are missing**");
}

TEST(steps_that_never_came_say_so)
{
    struct fake_run fake = {.task = "reverse", .variant = "qkv", .accuracy = 0.1, .escape = -1};
    fake_write(scratch, &fake);
    fake.seed = 1;
    fake_write(scratch, &fake);
    fake.seed = 2;
    fake.escape = 12;
    fake_write(scratch, &fake);
    fake.variant = "qk";
    fake.escape = -1;
    fake_write(scratch, &fake);
    write_report();
    assert_page_has("| QKV | 12 (1 of 3) |");
    assert_page_has("| Q=K | never (0 of 1) |");
}

/* These runs kept no accuracies of their batches: when they reached one is not known. */
TEST(what_was_not_kept_is_not_never)
{
    write_runs("reverse", "qkv", 0.9, 3);
    write_report();
    char *page = scratch_read("report/report.md"), *html = scratch_read("report/report.html");
    assert_has(page, "| variant | plateau | loss < 2.2 | loss < 0.1 | final loss | mean loss | ");
    assert_has(html, "\"Escape step\"");
    assert_has(html, "[\"9 ± 1\",");
    ck_assert_ptr_null(strstr(html, "\"First step with 90 % of a batch right\""));
    free(page);
    free(html);
}

TEST(diverged_runs_are_marked_and_listed)
{
    struct fake_run fake = {
        .task = "copy", .variant = "qkv", .accuracy = NAN, .status = "diverged", .n_step = 3};
    char folder[PATH_SIZE];
    fake_write(scratch, &fake);
    fake.status = NULL;
    fake.n_step = 0;
    for (fake.seed = 1; fake.seed < 4; fake.seed++) {
        fake.accuracy = 0.89 + 0.01 * fake.seed;
        fake_write(scratch, &fake);
    }
    path_format(folder, NULL, "%s/runs/odd|name", scratch);
    ck_assert_int_eq(folder_create(folder, NULL), STATUS_OK);
    write_report();
    assert_page_has("| QKV | 0.910 ± 0.010 (1 diverged or failed) |");
    assert_page_has("30 steps of training each");
    assert_page_has("| copy-qkv-s0-");
    assert_page_has("| odd\\|name | not readable |");
    ck_assert_uint_eq(summary.n_run, 3);
    ck_assert_uint_eq(summary.n_left_out, 2);
}

TEST(settings_are_kept_apart)
{
    struct fake_run wide = {.task = "copy", .variant = "qkv", .accuracy = 0.2, .n_embd = 32};
    char path[PATH_SIZE];
    write_runs("copy", "qkv", 0.9, 3);
    fake_write(scratch, &wide);
    write_report();
    assert_page_has("belong to 2 settings");
    assert_page_has("- configuration, varied: n_embd 8, 32\n");
    assert_page_has(
        "| 1 | 8 | 1 | 2 | 4 | 30 | 3 | 0 | - |\n| 2 | 32 | 1 | 2 | 4 | 30 | 1 | 0 | - |");
    assert_page_has("| QKV | 0.910 ± 0.010 |");
    assert_page_has("| QKV | 0.200 (n=1) |");
    path_format(path, NULL, "%s/report/setting2-accuracy.png", scratch);
    ck_assert(file_exists(path));
}

TEST(published_numbers_have_columns_of_their_own)
{
    struct fake_run fake = {.task = "reverse", .variant = "qkv_tied", .accuracy = 0.5};
    fake_write(scratch, &fake);
    write_report();
    assert_page_has("| Reverse | Q=K=V | 0.500 (n=1) | 0.514 | 0.295 |");
    assert_page_has("**The conditions differ**");
    assert_page_has("**Not comparable with the steps above**");
    assert_page_has("| Q=K=V | 203 | 320 |");
    ck_assert_uint_eq(summary.n_run, 1);
}

TEST(steps_stand_beside_published_ones_under_the_same_conditions)
{
    struct fake_run fake = {
        .task = "reverse", .variant = "qkv", .accuracy = 1, .n_embd = 64, .n_step = 790};
    char folder[PATH_SIZE], path[PATH_SIZE];
    fake_write(scratch, &fake);
    fake_folder(scratch, &fake, folder);
    path_format(path, NULL, "%s/run.json", folder);
    json_t *root;
    ck_assert_int_eq(json_read(path, &root, NULL), STATUS_OK);
    json_t *config = json_object_get(root, "config");
    json_object_set_new(config, "n_layer", json_integer(2));
    json_object_set_new(config, "n_head", json_integer(4));
    json_object_set_new(config, "seq_len", json_integer(64));
    ck_assert_int_eq(json_write(path, root, NULL), STATUS_OK);
    json_decref(root);
    write_report();
    assert_page_has("published, below 2.2 | published, below 0.1 |");
    assert_page_has("| QKV | 0 | 0 | 124 | 188 |");
    assert_page_has("Those are the conditions here.");
}

/* Counts the fields of a CSV line without quoted ones. */
static size_t count_fields(const char *line)
{
    size_t n = 1;
    for (; *line && *line != '\n'; line++) {
        n += *line == ',';
    }
    return n;
}

static void assert_rectangular(const char *name, size_t n_row)
{
    char *table = scratch_read(name);
    size_t n_field = count_fields(table), n_line = 0;
    for (char *line = table; *line; line = strchr(line, '\n') + 1, n_line++) {
        ck_assert_msg(count_fields(line) == n_field, "%s, line %zu has %zu fields, expected %zu",
                      name, n_line + 1, count_fields(line), n_field);
    }
    ck_assert_uint_eq(n_line, n_row + 1);
    free(table);
}

TEST(csv_tables)
{
    write_runs("reverse", "qkv", 0.9, 3);
    write_runs("sort", "qk", 0.5, 1);
    write_report();
    assert_rectangular("report/runs.csv", 4);
    assert_rectangular("report/cells.csv", 2);
    assert_rectangular("report/heads.csv", 4 * FAKE_HEADS);
    char *runs = scratch_read("report/runs.csv"), *cells = scratch_read("report/cells.csv");
    assert_has(runs, "id,setting,task,variant,variant_name,seed,status,");
    assert_has(runs,
               ",1,reverse,qkv,QKV,0,ok,8,1,2,4,30,1234,3,0.1,0.9,0.8888888889,0.5,0,0,1,0.25,");
    assert_has(runs, ",f00d,");
    assert_has(cells, "token_accuracy_n,token_accuracy_mean,token_accuracy_sd,");
    assert_has(cells, "1,reverse,qkv,QKV,3,3,1234,3,3,0.91,0.01,0.9,0.92,");
    assert_has(cells, "1,sort,qk,Q=K,1,1,1234,2,1,0.5,,0.5,0.5,");
    free(runs);
    free(cells);
}

TEST(names_with_commas_are_quoted)
{
    write_runs("reverse", "kv:n_kv_head=1", 0.9, 1);
    write_report();
    char *runs = scratch_read("report/runs.csv");
    assert_has(runs, ",\"K=V, n_kv_head 1\",");
    free(runs);
}

static json_t *find_cell(json_t *root, const char *task)
{
    json_t *cell;
    size_t i;
    json_array_foreach(json_object_get(root, "cells"), i, cell)
    {
        if (strcmp(json_get_text(cell, "task", ""), task) == 0) {
            return cell;
        }
    }
    return NULL;
}

TEST(json_traces_each_number_to_its_runs)
{
    char path[PATH_SIZE];
    json_t *root;
    struct error err;
    write_runs("reverse", "qkv", 0.9, 3);
    write_runs("sort", "qk", 0.5, 1);
    write_report();
    path_format(path, NULL, "%s/report/report.json", scratch);
    ck_assert_msg(json_read(path, &root, &err) == STATUS_OK, "%s", err.text);
    ck_assert_uint_eq(json_array_size(json_object_get(root, "runs")), 4);
    json_t *cell = find_cell(root, "reverse");
    ck_assert_uint_eq(json_array_size(json_object_get(cell, "runs")), 3);
    json_t *accuracy = json_object_get(json_object_get(cell, "measures"), "token_accuracy");
    ck_assert_double_eq_tol(json_get_number(accuracy, "mean", NAN), 0.91, 1e-12);
    ck_assert_double_eq_tol(json_get_number(accuracy, "sd", NAN), 0.01, 1e-12);
    accuracy =
        json_object_get(json_object_get(find_cell(root, "sort"), "measures"), "token_accuracy");
    ck_assert(json_is_null(json_object_get(accuracy, "sd")));
    json_t *setting = json_array_get(json_object_get(root, "settings"), 0);
    ck_assert_uint_ge(json_array_size(json_object_get(setting, "findings")), 1);
    ck_assert_uint_ge(json_array_size(json_object_get(setting, "published")), 1);
    json_decref(root);
}

TEST(runs_without_maps_and_curves_still_report)
{
    struct fake_run fake = {.task = "copy", .variant = "qkv", .accuracy = 0.5};
    char folder[PATH_SIZE], path[PATH_SIZE];
    fake_write(scratch, &fake);
    fake_folder(scratch, &fake, folder);
    path_format(path, NULL, "%s/attention", folder);
    ck_assert_int_eq(folder_remove(path, NULL), STATUS_OK);
    fake_write_file(folder, "curve.csv", "damaged");
    write_report();
    char *page = scratch_read("report/report.md");
    ck_assert_ptr_null(strstr(page, "curves.png"));
    ck_assert_ptr_null(strstr(page, "attention-seed0.png"));
    assert_has(page, "accuracy.png");
    free(page);
}

TEST(nothing_to_report)
{
    struct error err;
    ck_assert_int_eq(report_write(scratch, &summary, &err), STATUS_DATA);
    ck_assert_ptr_nonnull(strstr(err.text, "no runs are kept there"));
    ck_assert_uint_eq(summary.n_run, 0);
}

TEST(a_report_that_cannot_be_written)
{
    struct error err;
    write_runs("copy", "qkv", 0.9, 1);
    fake_write_file(scratch, "report", "a file where the folder should be");
    ck_assert_int_eq(report_write(scratch, &summary, &err), STATUS_WRITE);
    ck_assert_ptr_nonnull(strstr(err.text, "/report"));
}

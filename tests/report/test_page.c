/* report.html and the tables for LaTeX, of runs that no training made. */
#include "base/file.h"
#include "base/folder.h"
#include "base/text.h"
#include "fixture.h"
#include "report/report.h"
#include "report/write/html_parts.h"
#include "report/write/latex.h"
#include "report/write/page.h"
#include "testing.h"

/* ---- helpers ---- */

static const struct fake_run runs[] = {
    {.task = "reverse", .variant = "qkv", .seed = 0, .accuracy = 1, .escape = 5},
    {.task = "reverse", .variant = "qkv", .seed = 1, .accuracy = 0.5, .escape = 25},
    {.task = "reverse", .variant = "qk", .seed = 0, .accuracy = 0.25, .escape = -1},
};

static void report_runs(void)
{
    struct report_summary summary;
    struct error err = {0};
    ck_assert_msg(report_write(scratch, &summary, &err) == STATUS_OK, "%s", err.text);
}

static void write_runs(void)
{
    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        fake_write(scratch, &runs[i]);
    }
}

/* The data of a page; caller frees with json_decref. */
static json_t *data_of(const char *name)
{
    static const char begin[] = "id=\"data\">";
    char *page = scratch_read(name);
    char *start = strstr(page, begin);
    ck_assert_ptr_nonnull(start);
    start += strlen(begin);
    char *end = strstr(start, "</script>");
    ck_assert_ptr_nonnull(end);
    json_t *data = json_loadb(start, (size_t)(end - start), 0, NULL);
    ck_assert_msg(data != NULL, "the data of the page are JSON");
    free(page);
    return data;
}

static json_t *page_data(void)
{
    return data_of("report/report.html");
}

/* The first block of a kind, in reading order; NULL where there is none. */
static const json_t *find_block(const json_t *blocks, const char *kind)
{
    const json_t *block;
    size_t i;
    json_array_foreach(blocks, i, block)
    {
        if (strcmp(json_get_text(block, "k", ""), kind) == 0) {
            return block;
        }
        const json_t *within = find_block(json_object_get(block, "b"), kind);
        if (within) {
            return within;
        }
    }
    return NULL;
}

/* The first panel of the first plot or sheet. */
static const json_t *first_panel(const json_t *data, const char *kind)
{
    const json_t *block = find_block(json_object_get(data, "blocks"), kind);
    ck_assert_ptr_nonnull(block);
    return json_array_get(json_object_get(block, "panels"), 0);
}

static int base64_value(char digit)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strchr(digits, digit);
    return digit && at ? (int)(at - digits) : -1;
}

static size_t base64_decode(const char *text, unsigned char *byte)
{
    size_t n = 0;
    unsigned bits = 0, n_bit = 0;
    for (; base64_value(*text) >= 0; text++) {
        bits = bits << 6 | (unsigned)base64_value(*text);
        n_bit += 6;
        if (n_bit >= 8) {
            n_bit -= 8;
            byte[n++] = (unsigned char)(bits >> n_bit);
        }
    }
    return n;
}

static void check_floats(const json_t *lines, const char *key, const float *expected, size_t n)
{
    float value[64];
    size_t size = base64_decode(json_get_text(lines, key, ""), (unsigned char *)value);
    ck_assert_uint_eq(size, n * sizeof(float));
    for (size_t i = 0; i < n; i++) {
        ck_assert_float_eq_tol(value[i], expected[i], 1e-6F);
    }
}

/* The panel's values of x are the steps 0 to n - 1 in pieces of `cut`. */
static void check_steps(const json_t *panel, int cut, int n)
{
    const int expected[] = {0, 1, cut, n}; /* first, by, cut, n */
    const json_t *at = json_object_get(panel, "at");
    for (size_t i = 0; i < 4; i++) {
        ck_assert_int_eq((int)json_number_value(json_array_get(at, i)), expected[i]);
    }
}

/* ---- tests ---- */

#define MAX_POINT 200 /* of a line of the page */

FIXTURE(scratch_make, scratch_remove)

TEST(base64_is_that_of_rfc_4648)
{
    static const char *const expected[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE="};
    for (size_t n = 0; n < sizeof(expected) / sizeof(expected[0]); n++) {
        json_t *text = html_base64("fooba", n);
        ck_assert_str_eq(json_string_value(text), expected[n]);
        json_decref(text);
    }
}

TEST(a_curve_holds_the_mean_and_the_extremes_of_seeds)
{
    write_runs();
    report_runs();
    json_t *data = page_data();
    const json_t *panel = first_panel(data, "plot");
    const json_t *line = json_array_get(json_object_get(panel, "lines"), 0);
    float mean[FAKE_STEPS], low[FAKE_STEPS], high[FAKE_STEPS];
    for (int step = 0; step < FAKE_STEPS; step++) {
        low[step] = step >= 5 ? 0.05F : 2.3F;
        high[step] = step >= 25 ? 0.05F : 2.3F;
        mean[step] = (low[step] + high[step]) / 2;
    }
    check_steps(panel, 1, FAKE_STEPS);
    check_floats(line, "y", mean, FAKE_STEPS);
    check_floats(line, "lo", low, FAKE_STEPS);
    check_floats(line, "hi", high, FAKE_STEPS);
    ck_assert_uint_eq(json_array_size(json_object_get(line, "one")), 2);
    json_decref(data);
}

TEST(a_long_curve_is_cut_and_loses_no_extreme)
{
    struct fake_run run = runs[0];
    run.n_step = 2 * MAX_POINT + 1;
    run.escape = run.n_step - 1; /* the last step alone is low */
    fake_write(scratch, &run);
    report_runs();
    json_t *data = page_data();
    const json_t *panel = first_panel(data, "plot");
    const json_t *line = json_array_get(json_object_get(panel, "lines"), 0);
    unsigned char byte[MAX_POINT * sizeof(float) + 3];
    float low;
    check_steps(panel, 3, 2 * MAX_POINT + 1);
    size_t size = base64_decode(json_get_text(line, "lo", ""), byte);
    ck_assert_uint_eq(size / sizeof(float), (2 * MAX_POINT + 1 + 2) / 3);
    memcpy(&low, byte + size - sizeof(low), sizeof(low));
    ck_assert_float_eq_tol(low, 0.05F, 1e-6F);
    json_decref(data);
}

TEST(a_plot_is_handed_over_whole)
{
    static const double x[] = {1, 2, 10, 101}, y[] = {5, 6, NAN, 8}, one = 3, at = 0;
    static const float x_shown[] = {1, 2, 10, 101};
    struct page_levels levels = {.lead = "", .runs = "runs"};
    struct document document = document_create();
    struct plot *plot = plot_create("a plot");
    struct panel *panel = plot_panel(plot, "dots", "x", "y");
    panel->x.low = -1;
    panel->x.discrete = panel->x.whole = panel->y.sign = panel->y.log = true;
    plot_note(plot, "a note");
    plot_series(plot, "uneven", 2, MARK_DOTS, x, y, 4)->width = 0.5;
    plot_series(plot, "even", 3, MARK_LINE, NULL, y, 4);
    for (size_t i = 0; i < 4; i++) {
        panel->series[1].x[i] = 7 + 2 * (double)i;
    }
    plot_rule(plot, 2.5, true, "a rule")->beside = true;
    plot_panel(plot, "strip", "value", NULL);
    plot_series(plot, "row", 0, MARK_STRIP, &at, &one, 1);
    plot_single(plot, &one);
    plot_titles(plot, "one run", "the mean");
    plot_subtitle(plot, "below the title");
    plot->share_y = true;
    document_begin(&document, GROUP_SECTION, "a", "A");
    document_plot(&document, plot);
    document_end(&document);
    ck_assert_int_eq(page_write(&document, &levels, scratch, NULL), STATUS_OK);
    document_free(&document);

    json_t *data = data_of("report.html");
    const json_t *block = find_block(json_object_get(data, "blocks"), "plot");
    json_t *expected =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:b}", "k", "plot", "t", "a plot", "sub",
                  "below the title", "one", "one run", "mean", "the mean", "share", 1);
    json_object_set(expected, "panels", json_object_get(block, "panels"));
    ck_assert(json_equal(block, expected));
    const json_t *first = json_array_get(json_object_get(block, "panels"), 0);
    const json_t *dots = json_array_get(json_object_get(first, "lines"), 0);
    const json_t *even = json_array_get(json_object_get(first, "lines"), 1);
    json_t *axes =
        json_pack("{s:s, s:f, s:b, s:b}", "t", "x", "low", -1.0, "discrete", 1, "whole", 1);
    json_t *rules =
        json_pack("[{s:f, s:b, s:s, s:b}]", "at", 2.5, "v", 1, "t", "a rule", "beside", 1);
    json_t *steps = json_pack("[f, f, i, i]", 7.0, 2.0, 1, 4);
    ck_assert_str_eq(json_get_text(first, "note", ""), "a note");
    ck_assert(json_equal(json_object_get(first, "x"), axes));
    ck_assert(json_is_true(json_object_get(json_object_get(first, "y"), "sign")));
    ck_assert(json_is_true(json_object_get(json_object_get(first, "y"), "log")));
    ck_assert(json_equal(json_object_get(first, "rules"), rules));
    check_floats(first, "at", x_shown, 4);
    ck_assert(json_equal(json_object_get(even, "at"), steps));
    ck_assert_int_eq(json_get_integer(dots, "m", -1), MARK_DOTS);
    ck_assert_double_eq(json_number_value(json_object_get(dots, "w")), 0.5);
    const json_t *second = json_array_get(json_object_get(block, "panels"), 1);
    const json_t *row = json_array_get(json_object_get(second, "lines"), 0);
    ck_assert_int_eq(json_get_integer(row, "m", -1), MARK_STRIP);
    ck_assert_uint_eq(json_array_size(json_object_get(row, "one")), 1);
    json_decref(expected);
    json_decref(axes);
    json_decref(rules);
    json_decref(steps);
    json_decref(data);
}

TEST(a_measured_cell_says_what_it_sums_up)
{
    static const struct column columns[] = {{.title = "mean"},
                                            {.title = "alike"},
                                            {.title = "published"},
                                            {.title = "count"},
                                            {.title = "plain", .decimals = 2}};
    struct page_levels levels = {.lead = "", .runs = "runs"};
    struct document document = document_create();
    struct table *table = table_create(columns, 5);
    table_row(table, facets_tag((struct facets){0, FACET_ANY, 2, FACET_ANY}), true);
    table_shown(table, 1.0 / 3, "0.333");
    table_sums_up(table, 3, 0.25, 0.5);
    table_shown(table, 1, "1.000");
    table_sums_up(table, 2, 1, 1);
    table_shown(table, 0.5, "0.500");
    table_integer(table, 7);
    table_number(table, 0.126);
    document_table(&document, table, "a table", NULL);
    ck_assert_int_eq(page_write(&document, &levels, scratch, NULL), STATUS_OK);
    document_free(&document);
    json_t *data = data_of("report.html");
    const json_t *block = find_block(json_object_get(data, "blocks"), "table");
    json_t *expected =
        json_pack("[[[i, i, i], [[s, f, i, f, f], [s, f, i], [s, f], i, [s]], i]]", 0, -1, 2,
                  "0.333", 0.33333, 3, 0.25, 0.5, "1.000", 1.0, 2, "0.500", 0.5, 7, "0.13", 1);
    ck_assert(json_equal(json_object_get(block, "rows"), expected));
    json_decref(expected);
    json_decref(data);
}

TEST(maps_are_bytes_of_square_roots)
{
    write_runs();
    report_runs();
    json_t *data = page_data();
    const json_t *sheet = find_block(json_object_get(data, "blocks"), "sheet");
    const json_t *step = json_array_get(json_object_get(sheet, "dims"), 0);
    unsigned char byte[FAKE_HEADS * FAKE_TOKENS * FAKE_TOKENS + 3];
    ck_assert_str_eq(json_string_value(json_array_get(json_object_get(step, "labels"), 0)), "30");
    size_t size = base64_decode(json_get_text(first_panel(data, "sheet"), "d", ""), byte);
    ck_assert_uint_eq(size, FAKE_HEADS * FAKE_TOKENS * FAKE_TOKENS);
    ck_assert_uint_eq(byte[0], 0); /* the first head is all 0, the second all 1 */
    ck_assert_uint_eq(byte[size - 1], 255);
    json_decref(data);
}

TEST(texts_cannot_leave_the_data)
{
    char folder[PATH_SIZE];
    write_runs();
    path_format(folder, NULL, "%s/runs/<script>alert(1)<\xff>", scratch);
    ck_assert_int_eq(folder_create(folder, NULL), STATUS_OK);
    fake_write_file(folder, "run.json", "{\"format\": \"</script><script>\"}");
    report_runs();
    char *page = scratch_read("report/report.html");
    ck_assert_ptr_null(strstr(page, "<script>alert"));
    ck_assert_ptr_nonnull(strstr(page, "\\u003cscript>alert(1)"));
    ck_assert_ptr_null(strstr(page, "{{")); /* every place of the template is filled */
    ck_assert_ptr_nonnull(strstr(page, "default-src 'none'"));
    ck_assert_ptr_nonnull(strstr(page, "script-src 'sha256-"));
    free(page);
    json_decref(page_data());
}

TEST(two_pages_of_the_same_runs_are_the_same_bytes)
{
    write_runs();
    report_runs();
    char *first = scratch_read("report/report.html");
    report_runs();
    char *second = scratch_read("report/report.html");
    ck_assert_str_eq(first, second);
    free(first);
    free(second);
}

TEST(latex_is_escaped)
{
    static const char hostile[] = "50 % of $x_1$ & a\\b {c} ~^ #1 <2> 1.0 \xc2\xb1 0.1";
    struct document document = document_create();
    struct table *table = table_create(&(struct column){.title = "t"}, 1);
    struct text text = {0};
    document_for(&document, FOR_LATEX);
    document_begin(&document, GROUP_FILE, "what it holds", "a.tex");
    table_text(table, hostile);
    document_table(&document, table, "a table", NULL);
    document_end(&document);
    latex_append(&text, &document, 0);
    ck_assert(!document_failed(&document));
    ck_assert_ptr_nonnull(strstr(text.data,
                                 "50 \\% of \\$x\\_1\\$ \\& a\\textbackslash{}b \\{c\\} \\~{}\\^{} "
                                 "\\#1 $<$2$>$ 1.0 $\\pm$ 0.1 \\\\\n"));
    text_free(&text);
    document_free(&document);
}

TEST(latex_tables_have_variants_down_and_tasks_across)
{
    write_runs();
    report_runs();
    char *table = scratch_read("report/table_accuracy.tex");
    ck_assert_ptr_nonnull(strstr(table, "\\begin{tabular}{lrr}\n\\toprule\n"
                                        "Variant & Reverse & Avg. \\\\\n\\midrule\n"));
    ck_assert_ptr_nonnull(strstr(table, "QKV & 0.750 (n=2) & 0.750 \\\\\n"));
    ck_assert_ptr_nonnull(strstr(table, "Q=K & 0.250 (n=1) & 0.250 \\\\\n\\bottomrule\n"));
    free(table);
    table = scratch_read("report/table_published.tex");
    ck_assert_ptr_nonnull(strstr(table, "Reverse & QKV & 0.750 (n=2) & 0.698 & 0.529 \\\\\n"));
    free(table);
}

TEST(averages_over_configurations_have_a_table_of_their_own)
{
    struct fake_run wide = runs[0];
    wide.n_embd = 16;
    wide.accuracy = 0.25;
    fake_write(scratch, &runs[0]);
    fake_write(scratch, &wide);
    report_runs();
    char *table = scratch_read("report/table_overview.tex");
    ck_assert_ptr_nonnull(strstr(table, "mean over all runs of 2 configurations."));
    ck_assert_ptr_nonnull(strstr(table, "QKV & 0.625 & 0.625 \\\\\n\\bottomrule\n"));
    free(table);
}

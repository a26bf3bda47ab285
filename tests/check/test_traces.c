/* The file, curves from elsewhere, and what is kept of a training. */
#include "base/file.h"
#include "base/folder.h"
#include "check/traces.h"

#include <math.h>
#include <string.h>

#include "check/traces_train.h"
#include "lab/training/metrics.h"
#include "testing.h"

static struct error err;
static struct traces traces, back;

static void tear_down(void)
{
    traces_free(&traces);
    traces_free(&back);
    scratch_remove();
}

FIXTURE(scratch_make, tear_down)

static void write_text(const char *name, const char *text)
{
    char path[PATH_SIZE];
    scratch_path(path, name);
    scratch_write(path, text, strlen(text));
}

/* write_and_read writes the traces and reads them back. */
static void write_and_read(void)
{
    char path[PATH_SIZE];
    scratch_path(path, "b.json");
    ck_assert_int_eq(traces_write(&traces, path, &err), STATUS_OK);
    ck_assert_msg(traces_read(path, &back, &err) == STATUS_OK, "%s", err.text);
}

static void expect_error(enum status status, const char *sentence)
{
    ck_assert_int_eq(status, STATUS_DATA);
    ck_assert_msg(strstr(err.text, sentence) != NULL, "%s", err.text);
    traces_free(&traces);
}

/* ---- training ---- */

static struct config small(const char *variant, uint64_t seed)
{
    static const char *const settings[][2] = {
        {"n_embd", "16"},    {"n_layer", "1"},   {"n_head", "2"},   {"seq_len", "6"},
        {"n_position", "8"}, {"n_train", "160"}, {"n_test", "40"},  {"batch_size", "32"},
        {"n_probe", "4"},    {"lr", "0.01"},     {"dropout", "0.1"}};
    struct config config = config_default();
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        ck_assert_int_eq(config_set(&config, settings[i][0], settings[i][1], &err), STATUS_OK);
    }
    ck_assert_int_eq(config_set(&config, "variant", variant, &err), STATUS_OK);
    config.seed = seed;
    ck_assert_msg(config_resolve(&config, &err) == STATUS_OK, "%s", err.text);
    return config;
}

static const struct traces_options one_thread = {.threads = 1};

static void train(struct traces *to, int threads)
{
    struct config configs[] = {small("kv", 0), small("kv", 3), small("qkv", 0), small("qkv", 3)};
    struct traces_options options = {.threads = threads};
    ck_assert_int_eq(traces_plan(configs, 4, to, &err), STATUS_OK);
    ck_assert_msg(traces_train(to, &options, &err) == STATUS_OK, "%s", err.text);
}

TEST(a_part_is_what_differs_in_the_seed_alone)
{
    train(&traces, 1);
    ck_assert_uint_eq(traces.n_cohort, 2);
    ck_assert_str_eq(traces.cohort[0].name, "reverse-kv");
    ck_assert_str_eq(traces.cohort[1].name, "reverse-qkv");
    const struct cohort *cohort = &traces.cohort[0];
    ck_assert_uint_eq(cohort->n_trace, 2);
    ck_assert_uint_eq(cohort->trace[1].seed, 3);
    ck_assert_uint_eq(cohort->n_step, 10);
    ck_assert_uint_eq(cohort->trace[0].n_point, 10);
    ck_assert_uint_eq(cohort->trace[0].n_evaluation, 2);
    ck_assert_uint_eq(cohort->trace[0].evaluation[1].n_done, 10);
    ck_assert_uint_eq(cohort->trace[0].n_weights, 5); /* after 0, 1, 2, 4, 10 steps */
    ck_assert(cohort->trace[0].curve[CURVE_LOSS][0] != cohort->trace[1].curve[CURVE_LOSS][0]);
    ck_assert_str_eq(cohort->tensor[cohort->n_tensor - 1], "head.bias");
    traces_free(&traces);
}

static void expect_same_runs(const struct traces *a, const struct traces *b)
{
    for (size_t p = 0; p < a->n_cohort; p++) {
        for (size_t r = 0; r < a->cohort[p].n_trace; r++) {
            const struct trace *x = &a->cohort[p].trace[r], *y = &b->cohort[p].trace[r];
            ck_assert_uint_eq(x->n_point, y->n_point);
            ck_assert_mem_eq(x->curve[CURVE_LOSS], y->curve[CURVE_LOSS],
                             x->n_point * sizeof(double));
            ck_assert_mem_eq(x->curve[CURVE_GRAD_NORM], y->curve[CURVE_GRAD_NORM],
                             x->n_point * sizeof(double));
            ck_assert_mem_eq(x->curve[CURVE_ACCURACY], y->curve[CURVE_ACCURACY],
                             x->n_point * sizeof(double));
            ck_assert_int_eq(x->escape_step, y->escape_step);
            for (size_t w = 0; w < x->n_weights; w++) {
                for (size_t t = 0; t < a->cohort[p].n_tensor; t++) {
                    const struct fingerprint *f = &x->weights[w].tensor[t];
                    const struct fingerprint *g = &y->weights[w].tensor[t];
                    ck_assert_str_eq(f->hash, g->hash);
                    ck_assert_double_lt(fingerprint_distance(f, g, 1), 1e-8);
                }
            }
        }
    }
}

TEST(threads_do_not_matter)
{
    train(&traces, 1);
    train(&back, 2);
    expect_same_runs(&traces, &back);
}

/* Older programs wrote a core of OpenBLAS behind the machine class, and the library in the build.
 */
TEST(a_core_of_the_blas_makes_no_other_class)
{
    train(&traces, 1);
    json_object_set_new(traces.machine, "class", json_string("x86_64-v4/Haswell"));
    json_object_set_new(traces.build, "blas", json_string("OpenBLAS 0.3.21"));
    write_and_read();
    ck_assert_str_eq(json_get_text(back.machine, "class", ""), "x86_64-v4");
    ck_assert_ptr_null(json_object_get(back.build, "blas"));
}

TEST(the_file_keeps_every_bit)
{
    train(&traces, 1);
    ck_assert_int_eq(traces_calibrate(&traces, &one_thread, &err), STATUS_OK);
    write_and_read();
    expect_same_runs(&traces, &back);
    ck_assert_int_eq(back.engine, ENGINE_VERSION);
    ck_assert(back.cohort[0].trained_here);
    ck_assert_uint_eq(back.cohort[0].config.n_embd, 16);
    ck_assert_uint_eq(back.cohort[0].config.lanes, traces.cohort[0].config.lanes);
    const struct tolerance *a = traces.cohort[0].tolerance, *b = back.cohort[0].tolerance;
    ck_assert_uint_eq(b->n_change, traces_n_change());
    ck_assert_uint_eq(b->n_value[QUANTITY_LOSS], 10);
    ck_assert_double_eq_tol(b->factor[QUANTITY_LOSS] / a->factor[QUANTITY_LOSS], 1, 1e-3);
}

/* Harmless changes are harmless, and their limits are far below what a fault does. */
TEST(limits_are_those_of_rounding)
{
    train(&traces, 1);
    ck_assert_int_eq(traces_calibrate(&traces, &one_thread, &err), STATUS_OK);
    const struct tolerance *tolerance = traces.cohort[0].tolerance;
    ck_assert_double_ge(tolerance_limit(tolerance, QUANTITY_LOSS, 0), 1e-6);
    ck_assert_double_lt(tolerance_limit(tolerance, QUANTITY_LOSS, 0), 1e-4);
    for (size_t i = 1; i < tolerance->n_value[QUANTITY_LOSS]; i++) {
        ck_assert(tolerance->envelope[QUANTITY_LOSS][i] >=
                  tolerance->envelope[QUANTITY_LOSS][i - 1]);
    }
}

TEST(a_run_that_diverges_is_one)
{
    struct config config = small("kv", 0);
    config.learning_rate = 1e6;
    ck_assert_int_eq(traces_plan(&config, 1, &traces, &err), STATUS_OK);
    ck_assert_int_eq(traces_train(&traces, &one_thread, &err), STATUS_OK);
    ck_assert(traces.cohort[0].trace[0].diverged);
    ck_assert_uint_lt(traces.cohort[0].trace[0].n_point, 10);
    write_and_read();
    ck_assert(back.cohort[0].trace[0].diverged);
}

static void expect_bad_file(const char *text, const char *sentence)
{
    char path[PATH_SIZE];
    scratch_path(path, "b.json");
    write_text("b.json", text);
    expect_error(traces_read(path, &traces, &err), sentence);
}

/* expect_no_baseline reads a file with this in the list of cohorts. */
static void expect_no_baseline(const char *parts, const char *sentence)
{
    char text[1024];
    snprintf(text, sizeof text, "{\"format\": \"" TRACES_FORMAT "\", \"parts\": [%s]}", parts);
    expect_bad_file(text, sentence);
}

#define PART(runs) "{\"name\": \"x\", \"tensors\": [\"w\"], \"runs\": [" runs "]}"
#define RUN "{\"seed\": 1, \"loss\": [1, 2]}"

TEST(a_file_that_is_not_whole_is_refused)
{
    expect_no_baseline("", "parts: there are none");
    expect_no_baseline("3", "part without a name");
    expect_no_baseline("{\"name\": \"x\"}", "part 'x': runs: there are none");
    expect_no_baseline(PART(RUN) ", " PART(RUN), "part 'x' is there twice");
    expect_no_baseline(PART(RUN ", " RUN), "part 'x': run 1: seed 1 is there twice");
    expect_no_baseline(PART("{\"loss\": [1]}"), "run 0: seed: expected a whole number");
    expect_no_baseline(PART("{\"seed\": -1, \"loss\": [1]}"), "seed: expected a whole number");
    expect_no_baseline(PART("{\"seed\": 1}"), "loss: expected a list of numbers");
    expect_no_baseline(PART("{\"seed\": 1, \"loss\": [1, \"2\"]}"), "loss: value 1 is no number");
    expect_no_baseline(PART("{\"seed\": 1, \"loss\": [1, null]}"), "loss: value 1: expected");
    expect_no_baseline(PART("{\"seed\": 1, \"diverged\": true, \"loss\": [null, 1]}"),
                       "loss: value 0: expected");
    expect_no_baseline(PART("{\"seed\": 1, \"loss\": [1, 2], \"grad_norm\": [1]}"),
                       "part 'x': run 0: grad_norm: expected a list of 2");
    expect_no_baseline(PART("{\"seed\": 1, \"loss\": [1, 2], \"step\": [4, 4]}"),
                       "step: value 1 is no step, or not ascending");
    expect_no_baseline(PART("{\"seed\": 1, \"loss\": [1], \"gradient\": []}"),
                       "expected the fingerprints of 1 tensors");
    expect_no_baseline(PART("{\"seed\": 1, \"loss\": [1], \"evaluations\": [[0, 1]]}"),
                       "evaluations: expected [n_done, loss, accuracy]");
    expect_no_baseline("{\"name\": \"x\", \"config\": {\"task\": \"sort\", \"colour\": 1}}",
                       "part 'x': config: ");
    expect_no_baseline("{\"name\": \"x\", \"tolerance\": {\"loss\": {}}}",
                       "part 'x': tolerance, evaluation_loss: envelope: expected a list");
}

/* A later program may write what this one cannot read; huge numbers are no numbers. */
TEST(a_file_of_another_program_is_refused)
{
    static const char *const cases[][2] = {
        {"{\"format\": \"qkvlab-run-1\"}",
         "expected format qkvlab-baseline-1, found 'qkvlab-run-1'"},
        {"{\"format\": \"qkvlab-baseline-2\"}", "found 'qkvlab-baseline-2'"},
        {"{}", "found ''"},
        {"[]", "not an object"},
        {"", "not valid JSON"},
        {"{\"format\": \"qkvlab-baseline-1\", \"engine\": 1e999}", "not valid JSON"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        expect_bad_file(cases[i][0], cases[i][1]);
        ck_assert_ptr_nonnull(strstr(err.text, "b.json"));
    }
}

/* ---- fingerprints ---- */

TEST(a_distance_is_that_of_the_tensors)
{
    float a[1000], b[1000];
    for (size_t i = 0; i < 1000; i++) {
        a[i] = b[i] = (float)sin((double)i);
    }
    struct fingerprint whole = fingerprint_of(a, 1000), same = fingerprint_of(b, 1000);
    ck_assert_str_eq(whole.hash, same.hash);
    ck_assert_double_eq(fingerprint_distance(&whole, &same, 0), 0);
    b[700] += 1.0F;
    struct fingerprint other = fingerprint_of(b, 1000);
    ck_assert_str_ne(whole.hash, other.hash);
    /* One element of 1 makes both projections differ by 1. */
    ck_assert_double_eq_tol(fingerprint_distance(&whole, &other, 0), 1 / whole.norm, 1e-6);
}

/* ---- curves ---- */

/* read_curves reads those of a file; its run is returned. */
static const struct trace *read_curves(const char *name, const char *text)
{
    write_text(name, text);
    ck_assert_msg(traces_read_curves(scratch, &traces, &err) == STATUS_OK, "%s", err.text);
    ck_assert_uint_eq(traces.n_cohort, 1);
    return &traces.cohort[0].trace[0];
}

TEST(columns_come_in_any_order)
{
    write_text("notes.txt", "nothing");
    const struct trace *run =
        read_curves("seed_7.csv",
                    "\xef\xbb\xbfLoss, lr ,step,Accuracy\r\n2.5,1,0,0.1\r\n\r\n# x\n2.25,1,10,0.5");
    ck_assert_uint_eq(run->seed, 7);
    ck_assert_uint_eq(run->n_point, 2);
    ck_assert_uint_eq(run->step[1], 10);
    ck_assert_double_eq(run->curve[CURVE_LOSS][1], 2.25);
    ck_assert_double_eq(run->curve[CURVE_ACCURACY][1], 0.5);
    ck_assert_ptr_null(run->curve[CURVE_GRAD_NORM]);
    ck_assert_uint_eq(traces.cohort[0].n_step, 11);
}

static void expect_refused(const char *text, const char *sentence)
{
    write_text("a.csv", text);
    expect_error(traces_read_curves(scratch, &traces, &err), sentence);
}

TEST(nonsense_is_refused)
{
    expect_refused("", "there is no line with numbers");
    expect_refused("step,loss\n", "there is no line with numbers");
    expect_refused("0,2.5\n1,2.4\n", "names the columns step and loss");
    expect_refused("step,loss\n0,2\n0,2\n", "a.csv:3: step 0 does not come after step 0");
    expect_refused("step,loss\n0.5,2\n", "expected a whole number as step, found '0.5'");
    expect_refused("step,loss\n0,two\n", "expected a number, found 'two'");
    expect_refused("step,loss\n0,0x1\n", "expected a number, found '0x1'");
    expect_refused("step,loss\n0,1,2\n", "a.csv:2: expected 2 cells, found 3");
    expect_refused("step,loss\n0,1\n1,0,5\n", "a.csv:3: expected 2 cells, found 3");
    expect_refused("step;loss\n0;2\n", "separated by commas, found 'step;loss'");
    expect_refused("step\tloss\n0\t2\n", "separated by commas, found 'step\tloss'");
    expect_refused("step,loss\r0,2\r1,2\r", "separated by commas, found 'step,loss'");
    expect_refused("epoch,loss\n0,2\n", "columns step and loss");
    expect_refused("step,loss\n5,2\n4,2\n", "a.csv:3: step 4 does not come after step 5");
    expect_refused("step,loss\n1e16,2\n", "expected a whole number as step, found '1e16'");
    expect_refused("step,loss\nnan,2\n", "expected a whole number as step, found 'nan'");
    expect_refused("step,loss\n0,-2\n", "expected a loss of at least 0");
    expect_refused("step,loss,grad_norm\n0,2,-inf\n", "expected a norm of at least 0");
    expect_refused("step,loss,accuracy\n0,1\n", "expected 3 cells, found 2");
    expect_refused("step,loss,accuracy\n0,1,97\n", "expected an accuracy in 0..1");
    expect_refused("step,loss,loss\n0,1,2\n", "expected each column once");
}

TEST(a_loss_that_is_no_number_ends_a_run)
{
    static const char *const losses[] = {"nan", "NaN", "inf", "-inf", "1e300", ""};
    for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++) {
        char text[96];
        snprintf(text, sizeof text, "step,loss\n0,2\n1,%s\n2,text that is not read\n", losses[i]);
        const struct trace *run = read_curves("a.csv", text);
        ck_assert_msg(run->diverged, "a loss of '%s'", losses[i]);
        ck_assert_uint_eq(run->n_point, 2);
        traces_free(&traces);
    }
}

TEST(an_empty_cell_is_no_infinite_one)
{
    const struct trace *run =
        read_curves("a.csv", "step,loss,grad_norm,accuracy\n0,2,inf,0.5\n1,2,,\n2,2,nan,\n");
    ck_assert(!run->diverged);
    ck_assert(isinf(run->curve[CURVE_GRAD_NORM][0]) && isnan(run->curve[CURVE_GRAD_NORM][1]) &&
              isinf(run->curve[CURVE_GRAD_NORM][2]));
    ck_assert(isnan(run->curve[CURVE_ACCURACY][1]));
}

TEST(subfolders_are_cohorts)
{
    static const char *const names[] = {"a/1.csv", "a/2.csv", "b/1.csv"};
    char path[PATH_SIZE];
    expect_error(traces_read_curves(scratch, &traces, &err), "there are no curves (*.csv)");
    for (size_t i = 0; i < 3; i++) {
        scratch_path(path, i < 2 ? "a" : "b");
        ck_assert_int_eq(folder_create(path, NULL), STATUS_OK);
        write_text(names[i], "step,loss\n0,2\n");
    }
    ck_assert_int_eq(traces_read_curves(scratch, &traces, &err), STATUS_OK);
    ck_assert_uint_eq(traces.n_cohort, 2);
    ck_assert_str_eq(traces.cohort[0].name, "a");
    ck_assert_uint_eq(traces.cohort[0].n_trace, 2);
}

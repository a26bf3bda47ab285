/* Every tier on curves that are made by hand: what it says, and that it can say nothing. */
#include "check/tier.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "testing.h"

#define N_STEP 60
#define N_TENSOR 2

static struct error err;
static struct verdict verdict;
static struct traces a, b;  /* old and new ones of one part */
static struct trace *x, *y; /* and their runs */

static struct fingerprint print_of(double size, unsigned salt)
{
    struct fingerprint print = {.norm = size, .projection = {size, -size}};
    snprintf(print.hash, sizeof print.hash, "%012x", (unsigned)(size * 1e6) + salt);
    return print;
}

static void fill_run(struct trace *run, uint64_t seed)
{
    struct rng rng = rng_make(seed, "test/compare");
    *run = (struct trace){
        .seed = seed, .n_point = N_STEP, .n_evaluation = 2, .n_tensor = N_TENSOR, .n_weights = 2};
    run->curve[CURVE_LOSS] = calloc(N_STEP, sizeof(double));
    run->curve[CURVE_GRAD_NORM] = calloc(N_STEP, sizeof(double));
    run->curve[CURVE_ACCURACY] = calloc(N_STEP, sizeof(double));
    run->gradient = calloc(N_TENSOR, sizeof *run->gradient);
    run->weights = calloc(2, sizeof *run->weights);
    for (size_t s = 0; s < N_STEP; s++) {
        run->curve[CURVE_LOSS][s] = 2.3 * exp(-(double)s / 20 + 0.05 * rng_normal(rng, s));
        run->curve[CURVE_GRAD_NORM][s] = exp(0.1 * rng_normal(rng, 1000 + s));
        run->curve[CURVE_ACCURACY][s] =
            1 - run->curve[CURVE_LOSS][s] / 4 + 0.01 * rng_normal(rng, 2000 + s);
    }
    run->evaluation[0] = (struct trace_evaluation){0, 2.3 + 0.02 * rng_normal(rng, 3000), 0.1};
    run->evaluation[1] = (struct trace_evaluation){N_STEP, 0.1 * exp(0.1 * rng_normal(rng, 3001)),
                                                   0.95 + 0.01 * rng_normal(rng, 3002)};
    for (size_t w = 0; w < 2; w++) {
        run->weights[w].n_done = w;
        run->weights[w].tensor = calloc(N_TENSOR, sizeof(struct fingerprint));
        for (size_t t = 0; t < N_TENSOR; t++) {
            run->gradient[t] = print_of(1 + 0.1 * (double)t, (unsigned)seed);
            run->weights[w].tensor[t] = print_of(2 + 0.1 * (double)t, (unsigned)seed);
        }
    }
    trace_settle(run);
}

static struct traces make(uint64_t first_seed, size_t n_seed)
{
    struct traces traces = {.engine = 1, .n_cohort = 1};
    traces.machine = json_pack("{s:s}", "class", "x86_64-v4");
    traces.build = json_pack("{s:s, s:s, s:s}", "compiler", "gcc", "flags", "-O3", "simd", "v4");
    struct cohort *cohort = traces.cohort = calloc(1, sizeof *cohort);
    strcpy(cohort->name, "reverse-kv");
    cohort->n_step = N_STEP;
    cohort->n_tensor = N_TENSOR;
    cohort->tensor = calloc(N_TENSOR, sizeof *cohort->tensor);
    strcpy(cohort->tensor[0], "embed.weight");
    strcpy(cohort->tensor[1], "head.weight");
    cohort->n_trace = n_seed;
    cohort->trace = calloc(n_seed, sizeof *cohort->trace);
    for (size_t r = 0; r < n_seed; r++) {
        fill_run(&cohort->trace[r], first_seed + r);
    }
    return traces;
}

/* Rounding of this relative size, another one for each salt. */
static void shake(struct traces *traces, double size, unsigned salt)
{
    for (size_t r = 0; r < traces->cohort[0].n_trace; r++) {
        struct trace *run = &traces->cohort[0].trace[r];
        struct rng rng = rng_make(run->seed + salt, "test/shake");
        for (size_t s = 0; s < N_STEP; s++) {
            double grown = size * exp((double)s / 15);
            run->curve[CURVE_LOSS][s] *= 1 + grown * rng_normal(rng, s);
            run->curve[CURVE_GRAD_NORM][s] *= 1 + grown * rng_normal(rng, 1000 + s);
        }
    }
}

/* thin keeps the points first, first + every, ... of every run, as a program that logs seldom. */
static void thin(struct traces *traces, size_t first, size_t every)
{
    for (size_t r = 0; r < traces->cohort[0].n_trace; r++) {
        struct trace *run = &traces->cohort[0].trace[r];
        size_t n = 0;
        run->step = calloc(N_STEP, sizeof *run->step);
        for (size_t i = first; i < N_STEP; i += every, n++) {
            run->step[n] = i;
            run->curve[CURVE_LOSS][n] = run->curve[CURVE_LOSS][i];
            run->curve[CURVE_GRAD_NORM][n] = run->curve[CURVE_GRAD_NORM][i];
            run->curve[CURVE_ACCURACY][n] = run->curve[CURVE_ACCURACY][i];
        }
        run->n_point = n;
        run->n_evaluation = 0;
        trace_settle(run);
    }
}

/* n_old runs of the seeds 0, 1, ..., and n_new ones of first, first + 1, ... */
static void set(size_t n_old, uint64_t first, size_t n_new)
{
    a = make(0, n_old);
    b = make(first, n_new);
    x = a.cohort[0].trace;
    y = b.cohort[0].trace;
}

/* Two harmless changes of the old runs give them a tolerance. */
static void give_tolerance(void)
{
    static const char change[2][TOLERANCE_CHANGE_SIZE] = {"lanes", "micro-batch"};
    size_t n = a.cohort[0].n_trace;
    struct traces changed[] = {make(0, n), make(0, n)};
    struct trace *all = calloc(2 * n, sizeof *all);
    for (unsigned i = 0; i < 2; i++) {
        shake(&changed[i], 1e-6, 100 * (i + 1));
        memcpy(all + i * n, changed[i].cohort[0].trace, n * sizeof *all);
    }
    a.cohort[0].tolerance = tolerance_measure(x, n, all, n, change, 2);
    free(all);
    traces_free(&changed[0]);
    traces_free(&changed[1]);
}

static void tear_down(void)
{
    verdict_free(&verdict);
    traces_free(&a);
    traces_free(&b);
}

static enum status compare(const char *tier)
{
    verdict_free(&verdict);
    return tier_compare(tier_named(tier), &a, &b, &verdict, &err);
}

static void expect_refused(const char *tier, const char *text)
{
    ck_assert_int_eq(compare(tier), STATUS_DATA);
    ck_assert_msg(strstr(err.text, text) != NULL, "%s", err.text);
}

static void expect(enum status status, size_t n_difference)
{
    ck_assert_msg(status == STATUS_OK, "%s", err.text);
    ck_assert_msg(verdict.n_difference == n_difference, "%zu differences, first: %s",
                  verdict.n_difference,
                  verdict.n_difference ? verdict.difference[0].text.data : "none");
}

static void expect_text(size_t i, const char *text)
{
    ck_assert_msg(strstr(verdict.difference[i].text.data, text) != NULL, "%s",
                  verdict.difference[i].text.data);
}

static void diverge(struct trace *run, size_t step)
{
    run->diverged = true;
    run->n_point = step + 1;
    run->curve[CURVE_LOSS][step] = NAN;
    run->n_evaluation = 1;
}

/* forget takes a curve away from all runs. */
static void forget(struct cohort *cohort, enum trace_curve curve)
{
    for (size_t r = 0; r < cohort->n_trace; r++) {
        free(cohort->trace[r].curve[curve]);
        cohort->trace[r].curve[curve] = NULL;
    }
}

FIXTURE(NULL, tear_down)

/* ---- tiers ---- */

static void expect_tier(const char *name, const char *reason)
{
    struct text why = {0};
    ck_assert_str_eq(tier_choose(&a, &b, &why)->name, name);
    ck_assert_msg(strstr(why.data, reason) != NULL, "%s", why.data);
    text_free(&why);
}

TEST(the_tier_follows_from_what_is_the_same)
{
    set(3, 0, 3);
    expect_tier("exact", "machine class (x86_64-v4), compiler");
    y[1].seed = 7;
    expect_tier("band", "the seeds are not those of the baseline");
    y[1].seed = 1;
    json_object_set_new(b.build, "compiler", json_string("clang"));
    expect_tier("band", "without tolerances");
    give_tolerance();
    expect_tier("paired", "another compiler of the build");
    json_object_set_new(b.machine, "class", json_string("x86_64-v3"));
    expect_tier("paired", "machine class is x86_64-v3, not x86_64-v4");
    b.engine = 2;
    expect_tier("band", "another version of the engine");
    b.engine = 0;
    expect_tier("band", "another program's");
}

/* ---- exact ---- */

TEST(exact_names_the_first_step)
{
    set(3, 0, 3);
    expect(compare("exact"), 0);
    ck_assert_uint_eq(verdict.n_trace, 3);
    y[1].curve[CURVE_LOSS][17] = nextafter(y[1].curve[CURVE_LOSS][17], 9);
    y[2].curve[CURVE_LOSS][21] += 1;
    expect(compare("exact"), 1);
    ck_assert_int_eq(verdict.difference[0].step, 17);
    ck_assert_str_eq(verdict.difference[0].what, "loss");
    expect_text(0, "from step 17: the loss is");
    expect_text(0, "2 of 3 seeds differ");
}

TEST(exact_names_the_first_tensor)
{
    set(3, 0, 3);
    for (size_t s = 0; s < N_STEP; s++) {
        y[0].curve[CURVE_LOSS][s] += s > 0;
    }
    y[0].gradient[1] = print_of(1.2, 0);
    y[0].weights[1].tensor[0] = print_of(3, 0);
    expect(compare("exact"), 1);
    expect_text(0, "from step 0: the gradient differs first in head.weight, in 1 of 2 tensors");
    expect_text(0, "the loss is the same");
    ck_assert_str_eq(verdict.difference[0].what, "gradient of head.weight");
    ck_assert_double_eq_tol(verdict.difference[0].size, 0.1 / 1.1, 1e-9);
}

TEST(exact_sees_an_evaluation_alone)
{
    set(3, 0, 3);
    y[2].evaluation[0].loss += 0.1;
    expect(compare("exact"), 1);
    expect_text(0, "before the first step: the test loss is");
}

TEST(exact_tells_steps_not_points)
{
    set(3, 0, 3);
    thin(&a, 5, 10);
    thin(&b, 5, 10);
    y[1].curve[CURVE_LOSS][2] += 1;
    expect(compare("exact"), 1);
    expect_text(0, "from step 25: the loss is");
    y[1].curve[CURVE_LOSS][2] = x[1].curve[CURVE_LOSS][2];
    y[1].step[3] = 36;
    expect(compare("exact"), 1);
    expect_text(0, "from step 35: the next step written down is 36, and was 35");
}

TEST(exact_needs_seeds_in_common)
{
    set(3, 5, 3);
    expect_refused("exact", "a seed in common");
}

TEST(other_tensors_are_said)
{
    set(3, 0, 3);
    strcpy(b.cohort[0].tensor[1], "tail.weight");
    expect(compare("exact"), 1);
    expect_text(0, "other tensors: number 1 is tail.weight, and was head.weight");
}

/* ---- paired ---- */

TEST(paired_passes_rounding)
{
    set(8, 0, 0);
    give_tolerance();
    for (unsigned salt = 300; salt < 340; salt++) {
        traces_free(&b);
        b = make(0, 8);
        shake(&b, 1e-6, salt);
        expect(compare("paired"), 0);
    }
}

TEST(paired_names_what_is_more)
{
    set(8, 0, 8);
    give_tolerance();
    shake(&b, 1e-6, 300);
    for (size_t s = 5; s < N_STEP; s++) {
        y[3].curve[CURVE_LOSS][s] *= 1.01;
    }
    expect(compare("paired"), 1);
    ck_assert_int_eq(verdict.difference[0].step, 5);
    expect_text(0, "from step 5: loss ");
    expect_text(0, "1 of 8 seeds, higher");
    y[0].gradient[1] = print_of(1.101, 9);
    expect(compare("paired"), 2);
    ck_assert_str_eq(verdict.difference[0].what, "gradient of head.weight");
}

TEST(paired_tells_divergence)
{
    set(8, 0, 8);
    give_tolerance();
    diverge(&y[2], 11);
    expect(compare("paired"), 2);
    ck_assert_str_eq(verdict.difference[1].what, "divergence");
    expect_text(1, "seed 2 diverged at step 11, and ended at step 59 before; 1 of 8 seeds");
}

/* NaN is not equal to itself, but a run that diverges again at the same step is. */
TEST(paired_passes_where_both_diverge)
{
    set(8, 0, 8);
    give_tolerance();
    struct trace *run[] = {&x[2], &y[2]};
    for (size_t i = 0; i < 2; i++) {
        diverge(run[i], 11);
        run[i]->curve[CURVE_GRAD_NORM][11] = NAN;
        run[i]->weights[1].tensor[0].norm = run[i]->weights[1].tensor[0].projection[0] = NAN;
    }
    expect(compare("paired"), 0);
}

TEST(paired_needs_tolerances)
{
    set(3, 0, 3);
    expect_refused("paired", "no tolerances");
}

/* ---- band ---- */

TEST(band_passes_other_seeds)
{
    set(6, 100, 6);
    expect(compare("band"), 0);
    ck_assert(verdict.p > BAND_LEVEL);
    ck_assert_uint_eq(verdict.n_old, 6);
    ck_assert_uint_gt(verdict.n_band, 50);
}

TEST(band_says_what_moved_and_from_when)
{
    set(6, 100, 6);
    for (size_t r = 0; r < 6; r++) {
        for (size_t s = 30; s < N_STEP; s++) {
            y[r].curve[CURVE_LOSS][s] *= 1.5;
        }
    }
    ck_assert_int_eq(compare("band"), STATUS_OK);
    ck_assert_uint_ge(verdict.n_difference, 1);
    ck_assert_str_eq(verdict.difference[0].what, "loss");
    ck_assert_int_ge(verdict.difference[0].step, 25);
    ck_assert_int_le(verdict.difference[0].step, 33);
    expect_text(0, "loss higher: ");
    ck_assert_double_le(verdict.p, BAND_LEVEL);
}

/* What is said of several cohorts is said once. */
TEST(band_notes_parts_together)
{
    static const char *const names[] = {"copy-qkv", "copy-qk", "copy-kv"};
    struct traces *both[] = {&a, &b};
    for (size_t i = 0; i < 2; i++) {
        struct cohort *cohort = calloc(3, sizeof *cohort);
        for (size_t p = 0; p < 3; p++) {
            struct traces one = make(100 * i, 6);
            cohort[p] = one.cohort[0];
            strcpy(cohort[p].name, names[p]);
            one.n_cohort = 0;
            traces_free(&one);
        }
        *both[i] = (struct traces){.cohort = cohort, .n_cohort = 3};
    }
    forget(&b.cohort[0], CURVE_GRAD_NORM);
    forget(&b.cohort[1], CURVE_GRAD_NORM);
    for (size_t p = 0; p < 3; p++) {
        forget(&b.cohort[p], CURVE_ACCURACY);
    }
    expect(compare("band"), 0);
    ck_assert_str_eq(verdict.note.data,
                     "copy-qkv, copy-qk: not all new curves have the gradient norm and the "
                     "accuracy; copy-kv: not all new curves have the accuracy");
}

static const struct band_row *find_point(const char *name)
{
    for (size_t i = 0; i < verdict.n_band; i++) {
        if (strcmp(verdict.band[i].name, name) == 0) {
            return &verdict.band[i];
        }
    }
    return NULL;
}

TEST(band_compares_what_all_have)
{
    set(6, 100, 6);
    thin(&b, 0, 10);
    forget(&b.cohort[0], CURVE_GRAD_NORM);
    expect(compare("band"), 0);
    for (size_t i = 0; i < verdict.n_band; i++) {
        ck_assert_int_ne(verdict.band[i].curve, CURVE_GRAD_NORM);
        ck_assert(verdict.band[i].curve == CURVE_COUNT || verdict.band[i].first % 10 == 0);
    }
    ck_assert_str_eq(verdict.note.data, "reverse-kv: not all new curves have the gradient norm");
    ck_assert_ptr_null(find_point("test loss"));
}

/* A gradient norm that is written down every tenth step does not hide the losses between. */
TEST(band_compares_each_quantity_where_it_is)
{
    set(6, 100, 6);
    for (size_t r = 0; r < 6; r++) {
        for (size_t s = 0; s < N_STEP; s++) {
            y[r].curve[CURVE_GRAD_NORM][s] = s % 10 == 0 ? y[r].curve[CURVE_GRAD_NORM][s] : NAN;
        }
    }
    expect(compare("band"), 0);
    ck_assert_uint_eq(find_point("loss")[1].first, 1);
    ck_assert_uint_eq(find_point("gradient norm")[1].first, 10);
    ck_assert_ptr_null(verdict.note.data);
}

TEST(band_takes_an_infinite_norm_for_a_large_one)
{
    set(6, 100, 6);
    for (size_t r = 0; r < 6; r++) {
        y[r].curve[CURVE_GRAD_NORM][7] = INFINITY;
    }
    expect(compare("band"), 1);
    ck_assert_str_eq(verdict.difference[0].what, "gradient norm");
    expect_text(0, "gradient norm higher: infinite in 6 new and 0 old runs");
}

TEST(band_takes_an_early_end_for_a_finding)
{
    set(6, 100, 6);
    y[3].n_point = 30;
    expect(compare("band"), 1);
    ck_assert_str_eq(verdict.difference[0].what, "length");
    expect_text(0, "ended: seed 103 at step 29, 1 of 6 runs in all; those of the baseline go on to "
                   "step 59");
}

TEST(band_needs_steps_in_common)
{
    set(6, 100, 6);
    thin(&a, 0, 10);
    thin(&b, 5, 10);
    expect_refused("band", "reverse-kv: no step is in all curves");
    ck_assert_ptr_nonnull(strstr(err.text, "new (first 5, last 55)"));
}

TEST(band_says_at_how_many_steps)
{
    set(6, 100, 6);
    thin(&a, 0, 2);
    thin(&b, 0, 3);
    ck_assert_int_eq(compare("band"), STATUS_OK);
    ck_assert_str_eq(verdict.note.data,
                     "reverse-kv: compared at the 10 steps that all curves have");
}

TEST(band_passes_where_both_diverge)
{
    set(6, 100, 6);
    for (size_t r = 0; r < 6; r++) {
        diverge(&x[r], 11);
        diverge(&y[r], 11);
        x[r].curve[CURVE_GRAD_NORM][11] = y[r].curve[CURVE_GRAD_NORM][11] = NAN;
    }
    expect(compare("band"), 0);
}

TEST(band_takes_divergence_for_a_finding)
{
    set(6, 100, 6);
    diverge(&y[4], 11);
    ck_assert_int_eq(compare("band"), STATUS_OK);
    ck_assert_uint_ge(verdict.n_difference, 1);
    ck_assert_str_eq(verdict.difference[0].what, "divergence");
    expect_text(0, "seed 104 diverged at step 11 (loss nan), 1 of 6 runs in all; no old run did");
}

/* What stands in for the numbers of a run that diverged is never told. */
TEST(band_tells_one_divergence_once)
{
    set(6, 100, 6);
    for (size_t r = 0; r < 6; r++) {
        diverge(&y[r], 1);
        y[r].n_evaluation = 0;
    }
    expect(compare("band"), 1);
    expect_text(0, "seed 100 diverged at step 1 (loss nan), 6 of 6 runs in all; no old run did");
    ck_assert_double_le(verdict.p, BAND_LEVEL);
    ck_assert_ptr_null(find_point("test loss"));
    diverge(&x[0], 40);
    expect(compare("band"), 1);
    expect_text(0, "diverged: 6 of 6 runs, first at step 1; and 1 of 6 old ones, first at step 40");
    ck_assert_str_eq(verdict.difference[0].what, "divergence");
}

TEST(band_refuses_too_few)
{
    set(10, 100, 2);
    expect_refused("band", "too few seeds: 2 new ones beside the baseline's 10");
    ck_assert_ptr_nonnull(strstr(err.text, "it takes 3 new ones"));
    ck_assert_int_eq(band_enough(1, 1, &err), STATUS_DATA);
    ck_assert_ptr_nonnull(strstr(err.text, "1 new one beside the baseline's 1 cannot"));
    ck_assert_uint_eq(band_needs(1), 99);
    ck_assert_uint_eq(band_needs(4), 5);
    const size_t enough = BAND_SEEDS;
    ck_assert_int_eq(band_enough(enough, enough, &err), STATUS_OK);
    ck_assert_int_eq(band_enough(enough - 1, enough - 1, &err), STATUS_DATA);
}

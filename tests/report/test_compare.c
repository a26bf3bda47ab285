/* Every tier on curves that are made by hand: what it says, and that it can say nothing. */
#include "report/check/compare.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "lab/baseline/baseline_tolerance.h"
#include "runner.h"

#define N_STEP 60
#define N_TENSOR 2

static struct error err;
static struct comparison comparison;

static struct fingerprint print_of(double size, unsigned salt)
{
    struct fingerprint print = {.norm = size, .projection = {size, -size}};
    snprintf(print.hash, sizeof print.hash, "%012x", (unsigned)(size * 1e6) + salt);
    return print;
}

static void fill_run(struct baseline_run *run, uint64_t seed)
{
    struct rng rng = rng_make(seed, "test/compare");
    *run =
        (struct baseline_run){.seed = seed, .n_point = N_STEP, .n_evaluation = 2, .n_weights = 2};
    run->loss = calloc(N_STEP, sizeof(double));
    run->grad_norm = calloc(N_STEP, sizeof(double));
    run->accuracy = calloc(N_STEP, sizeof(double));
    run->gradient = calloc(N_TENSOR, sizeof *run->gradient);
    run->weights = calloc(2, sizeof *run->weights);
    for (size_t s = 0; s < N_STEP; s++) {
        run->loss[s] = 2.3 * exp(-(double)s / 20 + 0.05 * rng_normal(rng, s));
        run->grad_norm[s] = exp(0.1 * rng_normal(rng, 1000 + s));
        run->accuracy[s] = 1 - run->loss[s] / 4 + 0.01 * rng_normal(rng, 2000 + s);
    }
    run->evaluation[0] = (struct baseline_evaluation){0, 2.3 + 0.02 * rng_normal(rng, 3000), 0.1};
    run->evaluation[1] = (struct baseline_evaluation){
        N_STEP, 0.1 * exp(0.1 * rng_normal(rng, 3001)), 0.95 + 0.01 * rng_normal(rng, 3002)};
    for (size_t w = 0; w < 2; w++) {
        run->weights[w].n_done = w;
        run->weights[w].tensor = calloc(N_TENSOR, sizeof(struct fingerprint));
        for (size_t t = 0; t < N_TENSOR; t++) {
            run->gradient[t] = print_of(1 + 0.1 * (double)t, (unsigned)seed);
            run->weights[w].tensor[t] = print_of(2 + 0.1 * (double)t, (unsigned)seed);
        }
    }
    baseline_settle(run);
}

static struct baseline make(uint64_t first_seed, size_t n_seed)
{
    struct baseline baseline = {.engine = 1, .n_part = 1};
    baseline.machine = json_pack("{s:s}", "class", "x86_64-v4/Test");
    baseline.build = json_pack("{s:s, s:s, s:s}", "compiler", "gcc", "flags", "-O3", "simd", "v4");
    struct baseline_part *part = baseline.part = calloc(1, sizeof *part);
    strcpy(part->name, "reverse-kv");
    part->n_step = N_STEP;
    part->n_tensor = N_TENSOR;
    part->tensor = calloc(N_TENSOR, sizeof *part->tensor);
    strcpy(part->tensor[0], "embed.weight");
    strcpy(part->tensor[1], "head.weight");
    part->n_run = n_seed;
    part->run = calloc(n_seed, sizeof *part->run);
    for (size_t r = 0; r < n_seed; r++) {
        fill_run(&part->run[r], first_seed + r);
    }
    return baseline;
}

/* Rounding of this relative size, another one for each salt. */
static void shake(struct baseline *baseline, double size, unsigned salt)
{
    for (size_t r = 0; r < baseline->part[0].n_run; r++) {
        struct baseline_run *run = &baseline->part[0].run[r];
        struct rng rng = rng_make(run->seed + salt, "test/shake");
        for (size_t s = 0; s < N_STEP; s++) {
            double grown = size * exp((double)s / 15);
            run->loss[s] *= 1 + grown * rng_normal(rng, s);
            run->grad_norm[s] *= 1 + grown * rng_normal(rng, 1000 + s);
        }
    }
}

/* thin keeps the points first, first + every, ... of every run, as a program that logs seldom. */
static void thin(struct baseline *baseline, size_t first, size_t every)
{
    for (size_t r = 0; r < baseline->part[0].n_run; r++) {
        struct baseline_run *run = &baseline->part[0].run[r];
        size_t n = 0;
        run->step = calloc(N_STEP, sizeof *run->step);
        for (size_t i = first; i < N_STEP; i += every, n++) {
            run->step[n] = i;
            run->loss[n] = run->loss[i];
            run->grad_norm[n] = run->grad_norm[i];
            run->accuracy[n] = run->accuracy[i];
        }
        run->n_point = n;
        run->n_evaluation = 0;
        baseline_settle(run);
    }
}

static void give_tolerance(struct baseline *baseline)
{
    static const char change[2][TOLERANCE_CHANGE_SIZE] = {"lanes", "micro-batch"};
    struct baseline_part *part = &baseline->part[0];
    struct baseline a = make(part->run[0].seed, part->n_run);
    struct baseline b = make(part->run[0].seed, part->n_run);
    struct baseline_run *changed = calloc(2 * part->n_run, sizeof *changed);
    shake(&a, 1e-6, 100);
    shake(&b, 1e-6, 200);
    memcpy(changed, a.part[0].run, part->n_run * sizeof *changed);
    memcpy(changed + part->n_run, b.part[0].run, part->n_run * sizeof *changed);
    part->tolerance = tolerance_measure(part, changed, change, 2);
    free(changed);
    baseline_free(&a);
    baseline_free(&b);
}

static void expect(enum status status, size_t n_difference)
{
    ck_assert_msg(status == STATUS_OK, "%s", err.text);
    ck_assert_msg(comparison.n_difference == n_difference, "%zu differences, first: %s",
                  comparison.n_difference,
                  comparison.n_difference ? comparison.difference[0].text : "none");
}

static void expect_text(size_t i, const char *text)
{
    ck_assert_msg(strstr(comparison.difference[i].text, text) != NULL, "%s",
                  comparison.difference[i].text);
}

static void end(struct baseline *a, struct baseline *b)
{
    comparison_free(&comparison);
    baseline_free(a);
    baseline_free(b);
}

/* ---- tiers ---- */

START_TEST(the_tier_follows_from_what_is_the_same)
{
    struct baseline a = make(0, 3), b = make(0, 3), c = make(7, 3);
    char reason[COMPARE_REASON_SIZE];
    ck_assert_int_eq(compare_tier(&a, &b, reason), TIER_EXACT);
    ck_assert_ptr_nonnull(strstr(reason, "x86_64-v4/Test"));
    ck_assert_int_eq(compare_tier(&a, &c, reason), TIER_BAND);
    ck_assert_ptr_nonnull(strstr(reason, "the seeds"));
    json_object_set_new(b.build, "compiler", json_string("clang"));
    ck_assert_int_eq(compare_tier(&a, &b, reason), TIER_BAND);
    ck_assert_ptr_nonnull(strstr(reason, "without tolerances"));
    give_tolerance(&a);
    ck_assert_int_eq(compare_tier(&a, &b, reason), TIER_PAIRED);
    ck_assert_ptr_nonnull(strstr(reason, "another compiler of the build"));
    json_object_set_new(b.machine, "class", json_string("x86_64-v3/Test"));
    ck_assert_int_eq(compare_tier(&a, &b, reason), TIER_PAIRED);
    ck_assert_ptr_nonnull(strstr(reason, "machine class is x86_64-v3/Test, not x86_64-v4/Test"));
    b.engine = 2;
    ck_assert_int_eq(compare_tier(&a, &b, reason), TIER_BAND);
    b.engine = 0;
    ck_assert_int_eq(compare_tier(&a, &b, reason), TIER_BAND);
    ck_assert_ptr_nonnull(strstr(reason, "another program's"));
    baseline_free(&c);
    end(&a, &b);
}
END_TEST

/* ---- exact ---- */

START_TEST(exact_names_the_first_step)
{
    struct baseline a = make(0, 3), b = make(0, 3);
    expect(compare_exact(&a, &b, &comparison, &err), 0);
    ck_assert_uint_eq(comparison.n_run, 3);
    comparison_free(&comparison);
    b.part[0].run[1].loss[17] = nextafter(b.part[0].run[1].loss[17], 9);
    b.part[0].run[2].loss[21] += 1;
    expect(compare_exact(&a, &b, &comparison, &err), 1);
    ck_assert_int_eq(comparison.difference[0].step, 17);
    ck_assert_str_eq(comparison.difference[0].what, "loss");
    expect_text(0, "from step 17: the loss is");
    expect_text(0, "2 of 3 seeds differ");
    end(&a, &b);
}
END_TEST

START_TEST(exact_names_the_first_tensor)
{
    struct baseline a = make(0, 3), b = make(0, 3);
    for (size_t s = 0; s < N_STEP; s++) {
        b.part[0].run[0].loss[s] += s > 0;
    }
    b.part[0].run[0].gradient[1] = print_of(1.2, 0);
    b.part[0].run[0].weights[1].tensor[0] = print_of(3, 0);
    expect(compare_exact(&a, &b, &comparison, &err), 1);
    expect_text(0, "from step 0: the gradient differs first in head.weight, in 1 of 2 tensors");
    expect_text(0, "the loss is the same");
    ck_assert_str_eq(comparison.difference[0].what, "gradient of head.weight");
    ck_assert_double_eq_tol(comparison.difference[0].size, 0.1 / 1.1, 1e-9);
    end(&a, &b);
}
END_TEST

START_TEST(exact_sees_an_evaluation_alone)
{
    struct baseline a = make(0, 3), b = make(0, 3);
    b.part[0].run[2].evaluation[0].loss += 0.1;
    expect(compare_exact(&a, &b, &comparison, &err), 1);
    expect_text(0, "before the first step: the test loss is");
    end(&a, &b);
}
END_TEST

START_TEST(exact_tells_steps_not_points)
{
    struct baseline a = make(0, 3), b = make(0, 3);
    thin(&a, 5, 10);
    thin(&b, 5, 10);
    b.part[0].run[1].loss[2] += 1;
    expect(compare_exact(&a, &b, &comparison, &err), 1);
    expect_text(0, "from step 25: the loss is");
    comparison_free(&comparison);
    b.part[0].run[1].loss[2] = a.part[0].run[1].loss[2];
    b.part[0].run[1].step[3] = 36;
    expect(compare_exact(&a, &b, &comparison, &err), 1);
    expect_text(0, "from step 35: the next step written down is 36, and was 35");
    end(&a, &b);
}
END_TEST

START_TEST(exact_needs_seeds_in_common)
{
    struct baseline a = make(0, 3), b = make(5, 3);
    ck_assert_int_eq(compare_exact(&a, &b, &comparison, &err), STATUS_DATA);
    ck_assert_ptr_nonnull(strstr(err.text, "a seed in common"));
    end(&a, &b);
}
END_TEST

START_TEST(other_tensors_are_said)
{
    struct baseline a = make(0, 3), b = make(0, 3);
    strcpy(b.part[0].tensor[1], "tail.weight");
    expect(compare_exact(&a, &b, &comparison, &err), 1);
    expect_text(0, "other tensors: number 1 is tail.weight, and was head.weight");
    end(&a, &b);
}
END_TEST

/* ---- paired ---- */

START_TEST(paired_passes_rounding)
{
    struct baseline a = make(0, 8);
    give_tolerance(&a);
    for (unsigned salt = 300; salt < 340; salt++) {
        struct baseline b = make(0, 8);
        shake(&b, 1e-6, salt);
        expect(compare_paired(&a, &b, &comparison, &err), 0);
        comparison_free(&comparison);
        baseline_free(&b);
    }
    baseline_free(&a);
}
END_TEST

START_TEST(paired_names_what_is_more)
{
    struct baseline a = make(0, 8), b = make(0, 8);
    give_tolerance(&a);
    shake(&b, 1e-6, 300);
    for (size_t s = 5; s < N_STEP; s++) {
        b.part[0].run[3].loss[s] *= 1.01;
    }
    expect(compare_paired(&a, &b, &comparison, &err), 1);
    ck_assert_int_eq(comparison.difference[0].step, 5);
    expect_text(0, "from step 5: loss ");
    expect_text(0, "1 of 8 seeds, higher");
    comparison_free(&comparison);
    b.part[0].run[0].gradient[1] = print_of(1.101, 9);
    expect(compare_paired(&a, &b, &comparison, &err), 2);
    ck_assert_str_eq(comparison.difference[0].what, "gradient of head.weight");
    end(&a, &b);
}
END_TEST

START_TEST(paired_tells_divergence)
{
    struct baseline a = make(0, 8), b = make(0, 8);
    give_tolerance(&a);
    b.part[0].run[2].diverged = true;
    b.part[0].run[2].n_point = 12;
    b.part[0].run[2].loss[11] = NAN;
    b.part[0].run[2].n_evaluation = 1;
    expect(compare_paired(&a, &b, &comparison, &err), 2);
    ck_assert_str_eq(comparison.difference[1].what, "divergence");
    expect_text(1, "seed 2 diverged at step 11, and ended at step 59 before; 1 of 8 seeds");
    end(&a, &b);
}
END_TEST

/* NaN is not equal to itself, but a run that diverges again at the same step is. */
START_TEST(paired_passes_where_both_diverge)
{
    struct baseline a = make(0, 8), b = make(0, 8);
    give_tolerance(&a);
    struct baseline_run *run[] = {&a.part[0].run[2], &b.part[0].run[2]};
    for (size_t i = 0; i < 2; i++) {
        run[i]->diverged = true;
        run[i]->n_point = 12;
        run[i]->loss[11] = run[i]->grad_norm[11] = NAN;
        run[i]->n_evaluation = 1;
        run[i]->weights[1].tensor[0].norm = run[i]->weights[1].tensor[0].projection[0] = NAN;
    }
    expect(compare_paired(&a, &b, &comparison, &err), 0);
    end(&a, &b);
}
END_TEST

START_TEST(paired_needs_tolerances)
{
    struct baseline a = make(0, 3), b = make(0, 3);
    ck_assert_int_eq(compare_paired(&a, &b, &comparison, &err), STATUS_DATA);
    ck_assert_ptr_nonnull(strstr(err.text, "no tolerances"));
    end(&a, &b);
}
END_TEST

/* ---- band ---- */

START_TEST(band_passes_other_seeds)
{
    struct baseline a = make(0, 6), b = make(100, 6);
    expect(compare_band(&a, &b, &comparison, &err), 0);
    ck_assert(comparison.p > COMPARE_LEVEL);
    ck_assert_uint_eq(comparison.n_base, 6);
    ck_assert_uint_gt(comparison.n_band, 50);
    end(&a, &b);
}
END_TEST

START_TEST(band_says_what_moved_and_from_when)
{
    struct baseline a = make(0, 6), b = make(100, 6);
    for (size_t r = 0; r < 6; r++) {
        for (size_t s = 30; s < N_STEP; s++) {
            b.part[0].run[r].loss[s] *= 1.5;
        }
    }
    ck_assert_int_eq(compare_band(&a, &b, &comparison, &err), STATUS_OK);
    ck_assert_uint_ge(comparison.n_difference, 1);
    ck_assert_str_eq(comparison.difference[0].what, "loss");
    ck_assert_int_ge(comparison.difference[0].step, 25);
    ck_assert_int_le(comparison.difference[0].step, 33);
    expect_text(0, "loss higher: ");
    ck_assert_double_le(comparison.p, COMPARE_LEVEL);
    end(&a, &b);
}
END_TEST

/* What is said of several parts is said once. */
START_TEST(band_notes_parts_together)
{
    static const char *const names[] = {"copy-qkv", "copy-qk", "copy-kv"};
    struct baseline a = make(0, 6), b = make(100, 6), *both[] = {&a, &b};
    for (size_t i = 0; i < 2; i++) {
        struct baseline_part *part = calloc(3, sizeof *part);
        for (size_t p = 0; p < 3; p++) {
            struct baseline more = make(i == 0 ? 0 : 100, 6);
            part[p] = more.part[0];
            strcpy(part[p].name, names[p]);
            more.n_part = 0;
            baseline_free(&more);
        }
        for (size_t r = 0; i == 1 && r < 6; r++) {
            free(part[0].run[r].grad_norm);
            free(part[0].run[r].accuracy);
            free(part[1].run[r].grad_norm);
            free(part[1].run[r].accuracy);
            free(part[2].run[r].accuracy);
            part[0].run[r].grad_norm = part[1].run[r].grad_norm = NULL;
            part[0].run[r].accuracy = part[1].run[r].accuracy = part[2].run[r].accuracy = NULL;
        }
        struct baseline whole = {.part = part, .n_part = 3};
        baseline_free(both[i]);
        *both[i] = whole;
    }
    expect(compare_band(&a, &b, &comparison, &err), 0);
    ck_assert_str_eq(comparison.note,
                     "copy-qkv, copy-qk: not all new curves have the gradient norm and the "
                     "accuracy; copy-kv: not all new curves have the accuracy");
    end(&a, &b);
}
END_TEST

static const struct band_point *find_point(const char *name)
{
    for (size_t i = 0; i < comparison.n_band; i++) {
        if (strcmp(comparison.band[i].name, name) == 0) {
            return &comparison.band[i];
        }
    }
    return NULL;
}

START_TEST(band_compares_what_all_have)
{
    struct baseline a = make(0, 6), b = make(100, 6);
    thin(&b, 0, 10);
    for (size_t r = 0; r < 6; r++) {
        free(b.part[0].run[r].grad_norm);
        b.part[0].run[r].grad_norm = NULL;
    }
    expect(compare_band(&a, &b, &comparison, &err), 0);
    for (size_t i = 0; i < comparison.n_band; i++) {
        ck_assert_int_ne(comparison.band[i].quantity, BAND_GRAD_NORM);
        ck_assert(comparison.band[i].quantity == BAND_NUMBER || comparison.band[i].first % 10 == 0);
    }
    ck_assert_str_eq(comparison.note, "reverse-kv: not all new curves have the gradient norm");
    ck_assert_ptr_null(find_point("test loss"));
    end(&a, &b);
}
END_TEST

/* A gradient norm that is written down every tenth step does not hide the losses between. */
START_TEST(band_compares_each_quantity_where_it_is)
{
    struct baseline a = make(0, 6), b = make(100, 6);
    for (size_t r = 0; r < 6; r++) {
        for (size_t s = 0; s < N_STEP; s++) {
            b.part[0].run[r].grad_norm[s] = s % 10 == 0 ? b.part[0].run[r].grad_norm[s] : NAN;
        }
    }
    expect(compare_band(&a, &b, &comparison, &err), 0);
    ck_assert_uint_eq(find_point("loss")[1].first, 1);
    ck_assert_uint_eq(find_point("gradient norm")[1].first, 10);
    ck_assert_str_eq(comparison.note, "");
    end(&a, &b);
}
END_TEST

START_TEST(band_takes_an_infinite_norm_for_a_large_one)
{
    struct baseline a = make(0, 6), b = make(100, 6);
    for (size_t r = 0; r < 6; r++) {
        b.part[0].run[r].grad_norm[7] = INFINITY;
    }
    expect(compare_band(&a, &b, &comparison, &err), 1);
    ck_assert_str_eq(comparison.difference[0].what, "gradient norm");
    expect_text(0, "gradient norm higher: infinite in 6 new and 0 old runs");
    end(&a, &b);
}
END_TEST

START_TEST(band_takes_an_early_end_for_a_finding)
{
    struct baseline a = make(0, 6), b = make(100, 6);
    b.part[0].run[3].n_point = 30;
    expect(compare_band(&a, &b, &comparison, &err), 1);
    ck_assert_str_eq(comparison.difference[0].what, "length");
    expect_text(0, "ended: seed 103 at step 29, 1 of 6 runs in all; those of the baseline go on to "
                   "step 59");
    end(&a, &b);
}
END_TEST

START_TEST(band_needs_steps_in_common)
{
    struct baseline a = make(0, 6), b = make(100, 6);
    thin(&a, 0, 10);
    thin(&b, 5, 10);
    ck_assert_int_eq(compare_band(&a, &b, &comparison, &err), STATUS_DATA);
    ck_assert_ptr_nonnull(strstr(err.text, "reverse-kv: no step is in all curves"));
    ck_assert_ptr_nonnull(strstr(err.text, "new (first 5, last 55)"));
    end(&a, &b);
}
END_TEST

START_TEST(band_says_at_how_many_steps)
{
    struct baseline a = make(0, 6), b = make(100, 6);
    thin(&a, 0, 2);
    thin(&b, 0, 3);
    ck_assert_int_eq(compare_band(&a, &b, &comparison, &err), STATUS_OK);
    ck_assert_str_eq(comparison.note, "reverse-kv: compared at the 10 steps that all curves have");
    end(&a, &b);
}
END_TEST

START_TEST(band_passes_where_both_diverge)
{
    struct baseline a = make(0, 6), b = make(100, 6);
    for (size_t r = 0; r < 6; r++) {
        struct baseline_run *run[] = {&a.part[0].run[r], &b.part[0].run[r]};
        for (size_t i = 0; i < 2; i++) {
            run[i]->diverged = true;
            run[i]->n_point = 12;
            run[i]->loss[11] = run[i]->grad_norm[11] = NAN;
        }
    }
    expect(compare_band(&a, &b, &comparison, &err), 0);
    end(&a, &b);
}
END_TEST

START_TEST(band_takes_divergence_for_a_finding)
{
    struct baseline a = make(0, 6), b = make(100, 6);
    b.part[0].run[4].diverged = true;
    b.part[0].run[4].n_point = 12;
    b.part[0].run[4].loss[11] = NAN;
    ck_assert_int_eq(compare_band(&a, &b, &comparison, &err), STATUS_OK);
    ck_assert_uint_ge(comparison.n_difference, 1);
    ck_assert_str_eq(comparison.difference[0].what, "divergence");
    expect_text(0, "seed 104 diverged at step 11 (loss nan), 1 of 6 runs in all; no old run did");
    end(&a, &b);
}
END_TEST

static void diverge(struct baseline *baseline, size_t n_run, size_t step)
{
    for (size_t r = 0; r < n_run; r++) {
        struct baseline_run *run = &baseline->part[0].run[r];
        run->diverged = true;
        run->n_point = step + 1;
        run->loss[step] = NAN;
        run->n_evaluation = 0;
    }
}

/* What stands in for the numbers of a run that diverged is never told. */
START_TEST(band_tells_one_divergence_once)
{
    struct baseline a = make(0, 6), b = make(100, 6);
    diverge(&b, 6, 1);
    expect(compare_band(&a, &b, &comparison, &err), 1);
    expect_text(0, "seed 100 diverged at step 1 (loss nan), 6 of 6 runs in all; no old run did");
    ck_assert_double_le(comparison.p, COMPARE_LEVEL);
    ck_assert_ptr_null(find_point("test loss"));
    comparison_free(&comparison);
    diverge(&a, 1, 40);
    expect(compare_band(&a, &b, &comparison, &err), 1);
    expect_text(0, "diverged: 6 of 6 runs, first at step 1; and 1 of 6 old ones, first at step 40");
    ck_assert_str_eq(comparison.difference[0].what, "divergence");
    end(&a, &b);
}
END_TEST

START_TEST(band_refuses_too_few)
{
    struct baseline a = make(0, 10), b = make(100, 2);
    ck_assert_int_eq(compare_band(&a, &b, &comparison, &err), STATUS_DATA);
    ck_assert_ptr_nonnull(strstr(err.text, "too few seeds: 2 new ones beside the baseline's 10"));
    ck_assert_ptr_nonnull(strstr(err.text, "it takes 3 new ones"));
    ck_assert_int_eq(compare_band_enough(1, 1, &err), STATUS_DATA);
    ck_assert_ptr_nonnull(strstr(err.text, "1 new one beside the baseline's 1 cannot"));
    ck_assert_uint_eq(compare_band_needs(1), 99);
    ck_assert_uint_eq(compare_band_needs(4), 5);
    const size_t enough = COMPARE_BAND_SEEDS;
    ck_assert_int_eq(compare_band_enough(enough, enough, &err), STATUS_OK);
    ck_assert_int_eq(compare_band_enough(enough - 1, enough - 1, &err), STATUS_DATA);
    end(&a, &b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("compare");
    TCase *tests = tcase_create("compare");
    tcase_add_test(tests, the_tier_follows_from_what_is_the_same);
    tcase_add_test(tests, exact_names_the_first_step);
    tcase_add_test(tests, exact_names_the_first_tensor);
    tcase_add_test(tests, exact_sees_an_evaluation_alone);
    tcase_add_test(tests, exact_tells_steps_not_points);
    tcase_add_test(tests, exact_needs_seeds_in_common);
    tcase_add_test(tests, other_tensors_are_said);
    tcase_add_test(tests, paired_passes_rounding);
    tcase_add_test(tests, paired_names_what_is_more);
    tcase_add_test(tests, paired_tells_divergence);
    tcase_add_test(tests, paired_passes_where_both_diverge);
    tcase_add_test(tests, paired_needs_tolerances);
    tcase_add_test(tests, band_passes_other_seeds);
    tcase_add_test(tests, band_says_what_moved_and_from_when);
    tcase_add_test(tests, band_notes_parts_together);
    tcase_add_test(tests, band_compares_what_all_have);
    tcase_add_test(tests, band_compares_each_quantity_where_it_is);
    tcase_add_test(tests, band_takes_an_infinite_norm_for_a_large_one);
    tcase_add_test(tests, band_takes_an_early_end_for_a_finding);
    tcase_add_test(tests, band_needs_steps_in_common);
    tcase_add_test(tests, band_says_at_how_many_steps);
    tcase_add_test(tests, band_passes_where_both_diverge);
    tcase_add_test(tests, band_takes_divergence_for_a_finding);
    tcase_add_test(tests, band_tells_one_divergence_once);
    tcase_add_test(tests, band_refuses_too_few);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}

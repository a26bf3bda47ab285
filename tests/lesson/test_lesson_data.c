/* What the page is told of runs, models and published numbers, and the three seeds that mislead. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "lesson/lesson_data.h"
#include "lesson/mislead.h"
#include "nn/cost.h"
#include "report/fixture.h"
#include "report/statistics/published.h"
#include "testing.h"

/* ---- runs that no training made ---- */

#define MAX_RUN 32

static struct run made[MAX_RUN];
static const struct run *task_of[MAX_RUN], *variant_of[MAX_RUN];
static long long seed_of[MAX_RUN];

static void add_run(struct lesson_runs *runs, const char *variant, long long seed, double accuracy)
{
    struct run *run = &made[runs->n_run++];
    *run = (struct run){.folder = "nowhere"};
    snprintf(run->record.id, sizeof run->record.id, "some-run");
    run->record.status = RUN_STATUS_OK;
    struct config *config = &run->record.config;
    *config = config_default();
    config->seed = (uint64_t)seed;
    config->n_embd = 64;
    config->seq_len = 16;
    config->task = task_find("reverse");
    ck_assert_int_eq(variant_parse(variant, &config->variant, NULL), STATUS_OK);
    variant_id(&config->variant, run->variant_id);
    variant_name(&config->variant, run->variant_name);
    run->measure[MEASURE_TOKEN_ACCURACY] = accuracy;
    run->measure[MEASURE_ESCAPE_STEP] = NAN;
}

/* Two variants, whose accuracies differ by difference[seed]. */
static struct lesson_runs make_runs(const double *difference, size_t n)
{
    struct lesson_runs runs = {
        .run = made, .task = task_of, .variant = variant_of, .seed = seed_of};
    for (size_t i = 0; i < n; i++) {
        add_run(&runs, "qkv", (long long)i, 0.5);
        add_run(&runs, "qk+", (long long)i, 0.5 + difference[i]);
        seed_of[runs.n_seed++] = (long long)i;
    }
    task_of[runs.n_task++] = &made[0];
    variant_of[runs.n_variant++] = &made[0];
    variant_of[runs.n_variant++] = &made[1];
    return runs;
}

/* ---- three seeds ---- */

TEST(three_seeds_that_say_the_opposite_are_found)
{
    static const double difference[] = {0.25, 0.125, 0.125, -0.5, -0.5, -0.25};
    struct lesson_runs runs = make_runs(difference, 6);
    struct mislead found = mislead_find(&runs);
    ck_assert(found.exists);
    ck_assert_uint_eq(found.variant, 1);
    ck_assert_uint_eq(found.other, 0);
    ck_assert_int_eq(found.seed[0], 0);
    ck_assert_int_eq(found.seed[1], 1);
    ck_assert_int_eq(found.seed[2], 2);
    ck_assert_double_eq_tol(found.few, 0.5 / 3, 1e-12);
    ck_assert_double_eq_tol(found.all, -0.75 / 6, 1e-12);
    ck_assert_uint_eq(found.n_comparison, 1);
    ck_assert_uint_eq(found.n_triple, 20);
    ck_assert_uint_eq(found.n_seed, 6);
    ck_assert_uint_ge(found.n_case, 1);
}

TEST(agreement_and_small_differences_mislead_nobody)
{
    static const double same[] = {0.1, 0.2, 0.1, 0.3, 0.1};
    static const double small[] = {0.004, 0.004, 0.004, -0.02, -0.03};
    struct lesson_runs runs = make_runs(same, 5);
    struct mislead found = mislead_find(&runs);
    ck_assert(!found.exists);
    ck_assert_uint_eq(found.n_comparison, 1);
    ck_assert_uint_eq(found.n_triple, 10);
    runs = make_runs(small, 5);
    ck_assert(!mislead_find(&runs).exists);
}

TEST(few_seeds_are_no_comparison)
{
    static const double difference[] = {0.5, 0.5, 0.5, -0.9};
    struct lesson_runs runs = make_runs(difference, 4);
    struct mislead found = mislead_find(&runs);
    ck_assert(!found.exists);
    ck_assert_uint_eq(found.n_comparison, 0);
}

/* ---- data ---- */

static json_t *make_data(void)
{
    static const double difference[] = {0.1};
    struct lesson_texts texts;
    struct lesson_runs runs = make_runs(difference, 1);
    ck_assert_int_eq(lesson_texts_read("en", &texts, NULL), STATUS_OK);
    json_t *data = lesson_data(&runs, &texts);
    ck_assert_ptr_nonnull(data);
    lesson_texts_free(&texts);
    return data;
}

TEST(runs_name_their_task_and_variant)
{
    json_t *data = make_data();
    const json_t *run = json_array_get(json_object_get(data, "runs"), 1);
    ck_assert_int_eq(json_get_integer(run, "task", -1), 0);
    ck_assert_int_eq(json_get_integer(run, "variant", -1), 1);
    ck_assert_double_eq_tol(json_get_number(run, "accuracy", -1), 0.6, 1e-12);
    ck_assert(json_is_null(json_object_get(run, "escape_step")));
    const json_t *variant = json_array_get(json_object_get(data, "variants"), 1);
    ck_assert_str_eq(json_get_text(variant, "id", ""), "qk+");
    ck_assert(json_is_true(json_object_get(variant, "sharing")));
    const json_t *task = json_array_get(json_object_get(data, "tasks"), 0);
    ck_assert_int_eq(json_integer_value(json_array_get(json_object_get(task, "needed"), 0)), 15);
    json_decref(data);
}

/* Of two seeds with maps the page shows the first; the other one is a dot. */
TEST(maps_and_curve_are_of_the_first_seed)
{
    static const struct fake_run fake[] = {
        {.task = "reverse", .variant = "qkv", .seed = 3, .accuracy = 1, .escape = 5},
        {.task = "reverse", .variant = "qkv", .seed = 4, .accuracy = 1, .escape = 5}};
    struct lesson_runs runs = {
        .run = made, .n_run = 2, .task = task_of, .variant = variant_of, .seed = seed_of};
    struct lesson_texts texts;
    scratch_make();
    for (size_t i = 0; i < 2; i++) {
        char folder[PATH_SIZE];
        fake_write(scratch, &fake[i]);
        fake_folder(scratch, &fake[i], folder);
        ck_assert_int_eq(run_load(folder, &made[i], NULL), STATUS_OK);
        seed_of[runs.n_seed++] = fake[i].seed;
    }
    task_of[runs.n_task++] = variant_of[runs.n_variant++] = &made[0];
    ck_assert_int_eq(lesson_texts_read("en", &texts, NULL), STATUS_OK);
    json_t *data = lesson_data(&runs, &texts);
    const json_t *first = json_array_get(json_object_get(data, "runs"), 0);
    const json_t *maps = json_object_get(first, "maps");
    ck_assert_int_eq(json_get_integer(maps, "n_token", 0), FAKE_TOKENS);
    ck_assert_int_eq(json_integer_value(json_array_get(json_object_get(maps, "steps"), 0)), 30);
    const json_t *loss = json_object_get(first, "loss");
    ck_assert_int_eq(json_get_integer(loss, "bucket", 0), 1);
    /* base64 of 30 floats */
    ck_assert_uint_eq(strlen(json_get_text(loss, "data", "")), 160);
    ck_assert_ptr_null(json_object_get(json_array_get(json_object_get(data, "runs"), 1), "maps"));
    json_decref(data);
    lesson_texts_free(&texts);
    run_free(&made[0]);
    run_free(&made[1]);
    scratch_remove();
}

TEST(puzzles_are_those_of_the_tasks)
{
    json_t *data = make_data();
    const json_t *puzzle;
    size_t i;
    json_array_foreach(json_object_get(data, "puzzles"), i, puzzle)
    {
        const struct task *task = task_find(json_get_text(puzzle, "name", ""));
        ck_assert_ptr_nonnull(task);
        for (size_t t = 0; t < LESSON_PUZZLE_TOKEN; t++) {
            ck_assert_int_eq(
                json_integer_value(json_array_get(json_object_get(puzzle, "needed"), t)),
                task_needed_key(task, t, LESSON_PUZZLE_TOKEN));
        }
    }
    ck_assert_uint_eq(i, 4);
    json_decref(data);
}

/* The page's arithmetic on these constants is that of cost.c: what the browser's test then shows of
 * the script. */
TEST(constants_of_the_cache_give_what_cost_gives)
{
    json_t *data = make_data();
    const json_t *model_json, *variant_json;
    size_t i, k;
    json_array_foreach(json_object_get(data, "models"), i, model_json)
    {
        const struct cost_model *model =
            cost_model_find(json_get_text(model_json, "name", ""), NULL);
        ck_assert_ptr_nonnull(model);
        long long d = json_get_integer(model_json, "n_embd", 0);
        long long layers = json_get_integer(model_json, "n_layer", 0);
        long long heads = json_get_integer(model_json, "n_head", 0);
        long long scale = layers * json_get_integer(model_json, "bytes", 0) *
                          json_get_integer(model_json, "context", 0);
        json_array_foreach(json_object_get(data, "cache_variants"), k, variant_json)
        {
            struct variant variant;
            struct cost cost;
            long long kv_heads = json_get_integer(variant_json, "n_kv_head", -1);
            kv_heads = kv_heads ? kv_heads : heads;
            ck_assert_int_eq(variant_parse(json_get_text(variant_json, "id", ""), &variant, NULL),
                             STATUS_OK);
            ck_assert_int_eq(cost_compute(model, &variant, &cost, NULL), STATUS_OK);
            ck_assert_uint_eq(cost.cache, (uint64_t)(json_get_integer(variant_json, "roles", 0) *
                                                     kv_heads * (d / heads) * scale));
        }
        ck_assert_uint_eq(k, 9);
    }
    ck_assert_uint_eq(i, 2);
    json_decref(data);
}

TEST(published_numbers_are_those_of_the_table)
{
    json_t *data = make_data();
    const json_t *row = json_array_get(json_object_get(data, "published"), 1);
    ck_assert_str_eq(json_get_text(row, "id", ""), "qk+");
    ck_assert_double_eq_tol(json_get_number(row, "paper", -1),
                            published_accuracy(PUBLISHED_PAPER, "qk+", "reverse"), 1e-12);
    ck_assert_double_eq_tol(json_get_number(row, "same", -1), published_reverse("qk+", 64, 16),
                            1e-12);
    json_decref(data);
}

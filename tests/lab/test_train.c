#include "testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/folder.h"
#include "lab/training/metrics.h"
#include "lab/training/schedule.h"
#include "lab/training/snapshot.h"
#include "train_fixture.h"

/* small is a model that trains in a few milliseconds; settings ("key=value ...") change it. */
static struct config small(const char *settings)
{
    return config_of("n_embd=16 n_layer=2 n_head=2 seq_len=6 n_position=8 n_train=300 n_test=70 "
                     "batch_size=32 n_probe=21 lr=0.01",
                     settings);
}

/* ---- schedule ---- */

FIXTURE(scratch_make, forget_runs)

TEST(learning_rate_by_hand)
{
    struct config config = config_default();
    ck_assert(config_set(&config, "lr", "0.8", NULL) == STATUS_OK);
    config.warmup = 0.05; /* of 40 steps: 2 */
    ck_assert_double_eq_tol(schedule_rate(&config, 0, 40), 0.4, 1e-15);
    ck_assert_double_eq_tol(schedule_rate(&config, 1, 40), 0.8, 1e-15);
    ck_assert_double_eq_tol(schedule_rate(&config, 2, 40), 0.8, 1e-15);
    ck_assert_double_eq_tol(schedule_rate(&config, 21, 40), 0.4, 1e-15);
    /* cos(pi/3) and cos(2 pi/3), 48 steps after a warm-up of 2 (2.5 of 50, rounded down) */
    ck_assert_double_eq_tol(schedule_rate(&config, 18, 50), 0.6, 1e-12);
    ck_assert_double_eq_tol(schedule_rate(&config, 34, 50), 0.2, 1e-12);
    /* the last step of 158 after a warm-up of 7 */
    config.learning_rate = 1e-3;
    ck_assert_double_eq_tol(schedule_rate(&config, 6, 158), 1e-3, 1e-15);
    ck_assert_double_eq_tol(schedule_rate(&config, 0, 158), 1e-3 / 7, 1e-15);
    ck_assert_double_eq_tol(schedule_rate(&config, 157, 158),
                            5e-4 * (1 + cos(3.14159265358979 * 150 / 151)), 1e-15);
}

TEST(learning_rate_at_the_edges)
{
    struct config config = config_default();
    config.learning_rate = 1;
    config.warmup = 0; /* one step of warm-up, already at the peak */
    ck_assert_double_eq_tol(schedule_rate(&config, 0, 10), 1, 1e-15);
    ck_assert_double_eq_tol(schedule_rate(&config, 0, 1), 1, 1e-15);
    config.warmup = 1;
    for (size_t s = 0; s < 10; s++) {
        ck_assert_double_eq_tol(schedule_rate(&config, s, 10), (double)(s + 1) / 10, 1e-15);
    }
}

/* ---- one run ---- */

TEST(run_json_says_everything)
{
    struct config config = small("variant=qk epochs=3");
    struct run_outcome outcome = run_fine(&config, 1, "a");
    const json_t *root_json = read_run(&config, "a");
    const char *const sections[] = {"format",    "id",      "status",  "versions",
                                    "config",    "variant", "n_param", "results",
                                    "attention", "timing",  "machine", "weights_sha256",
                                    "build",     "message", "process"};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        ck_assert_msg(json_object_get(root_json, sections[i]) != NULL, "%s", sections[i]);
    }
    ck_assert_uint_eq(json_object_size(root_json), sizeof sections / sizeof sections[0]);
    ck_assert_str_eq(json_get_text(root_json, "format", ""), "qkvlab-run-1");
    ck_assert_str_eq(json_get_text(root_json, "status", ""), "ok");
    ck_assert_str_eq(json_get_text(root_json, "id", ""), config.id);
    ck_assert_uint_eq(strlen(weights_of(root_json)), 64);
    ck_assert(json_is_null(json_object_get(root_json, "message")));
    const json_t *results = json_object_get(root_json, "results");
    ck_assert_int_eq(json_get_integer(results, "n_step", 0), 30);
    ck_assert_double_eq(json_get_number(results, "token_accuracy", -1), outcome.accuracy);
    ck_assert_double_eq(json_get_number(results, "loss", -1), outcome.loss);
    ck_assert_double_eq(json_get_number(results, "position_floor", -1), 0.1);
    ck_assert_int_eq(json_get_integer(results, "escape_step", STEP_NEVER), outcome.escape_step);
    ck_assert(json_is_null(json_object_get(results, "diverged_step")));
    const json_t *variant = json_object_get(root_json, "variant");
    ck_assert_str_eq(json_get_text(variant, "id", ""), "qk");
    ck_assert_int_eq(json_get_integer(variant, "n_slot", 0), 2);
    ck_assert(json_is_true(json_object_get(variant, "product_symmetric")));
    const json_t *machine = json_object_get(root_json, "machine");
    ck_assert_int_eq(json_get_integer(machine, "threads", 0), 1);
    ck_assert_ptr_nonnull(strchr(json_get_text(machine, "class", ""), '-'));
    const json_t *build = json_object_get(root_json, "build");
    ck_assert(json_get_text(build, "version", "")[0] != '\0');
    ck_assert_msg(!json_object_get(build, "blas"), "training uses no BLAS");
}

TEST(curve_has_a_row_a_step_and_no_times)
{
    struct config config = small("");
    run_fine(&config, 1, "a");
    char *table = read_table(&config, "a", "curve.csv");
    char *save = NULL, *line = strtok_r(table, "\n", &save);
    ck_assert_str_eq(line, "step,loss,learning_rate,grad_norm,accuracy");
    size_t n_row = 0;
    for (; (line = strtok_r(NULL, "\n", &save)); n_row++) {
        size_t step;
        double loss, rate, norm, accuracy;
        int end = 0;
        ck_assert_int_eq(
            sscanf(line, "%zu,%lf,%lf,%lf,%lf%n", &step, &loss, &rate, &norm, &accuracy, &end), 5);
        ck_assert_int_eq(line[end], '\0');
        ck_assert_uint_eq(step, n_row);
        ck_assert(loss > 0 && loss < 10 && norm > 0);
        ck_assert(accuracy > 0.01 && accuracy < 0.5); /* chance is 0.1 */
        ck_assert_double_eq_tol(rate, schedule_rate(&config, step, 20), 1e-10);
    }
    ck_assert_uint_eq(n_row, 20); /* 2 epochs of 10 batches, the last of 12 sequences */
    free(table);
}

TEST(attention_numbers_and_maps)
{
    struct config config = small("variant=qk");
    run_fine(&config, 1, "a");
    const json_t *root_json = read_run(&config, "a");
    const json_t *section = json_object_get(root_json, "attention");
    const json_t *heads = json_object_get(section, "heads");
    ck_assert_int_eq(json_get_integer(section, "layer", -1), 1);
    ck_assert_int_eq(json_get_integer(section, "n_probe", -1), 21);
    ck_assert_uint_eq(json_array_size(heads), 2);
    double mean = 0, diagonal[2];
    for (size_t h = 0; h < 2; h++) {
        const json_t *head = json_array_get(heads, h);
        mean += json_get_number(head, "needed", NAN) / 2;
        diagonal[h] = json_get_number(head, "diagonal", NAN);
        ck_assert_double_le(json_get_number(head, "asymmetry_product", NAN), 1e-5);
        ck_assert_double_le(json_get_number(head, "asymmetry_scores", NAN), 1e-5);
    }
    ck_assert_double_eq_tol(json_get_number(json_object_get(section, "mean"), "needed", NAN), mean,
                            1e-12);
    for (size_t layer = 0; layer < 2; layer++) {
        float *map = read_maps(&config, "a", 2, 6, "attention/step000020/layer%zu.npy", layer);
        for (size_t h = 0; h < 2; h++) {
            double sum = 0;
            for (size_t row = 0; row < 6; row++) {
                sum += map[h * 36 + row * 7];
            }
            /* the mean of the diagonals is the diagonal of the mean */
            ck_assert(layer == 0 || fabs(sum / 6 - diagonal[h]) < 1e-6);
        }
        free(map);
        free(read_maps(&config, "a", 2, 6, "attention/step000020/sample0_layer%zu.npy", layer));
    }
}

TEST(attention_none_keeps_numbers_but_no_maps)
{
    struct config config = small("attention=none task=sort variant=qkv");
    run_fine(&config, 1, "a");
    char path[PATH_SIZE];
    file_of(&config, "a", "attention", path);
    ck_assert(!folder_exists(path));
    const json_t *root_json = read_run(&config, "a");
    const json_t *mean = json_object_get(json_object_get(root_json, "attention"), "mean");
    ck_assert(json_is_null(json_object_get(mean, "needed"))); /* sort names no key */
    ck_assert(json_get_number(mean, "diagonal", -1) > 0);
    ck_assert(json_get_number(mean, "asymmetry_product", -1) > 0.1);
}

static const char *const curve[] = {"curve.csv", NULL};
static const char *const attention[] = {"attention", NULL};
static const char *const measured[] = {"results", "attention", NULL};

TEST(snapshots_are_kept_and_change_no_bit)
{
    struct config none = small("attention=none dropout=0.1"), final = small("dropout=0.1"),
                  snapshots = small("attention=snapshots dropout=0.1");
    run_fine(&none, 1, "a0");
    run_fine(&final, 1, "a1");
    run_fine(&snapshots, 1, "a2");
    expect_equal(&none, "a0", &final, "a1", attention, curve);
    expect_equal(&none, "a0", &snapshots, "a2", attention, curve);
    ck_assert_str_ne(final.id, snapshots.id);
    size_t step[SNAPSHOT_MAX], n_step = snapshot_steps(20, step);
    ck_assert_uint_eq(n_step, 15);
    float *before = NULL;
    for (size_t i = 0; i < n_step; i++) {
        free(read_maps(&snapshots, "a2", 2, 6, "attention/step%06zu/layer0.npy", step[i]));
        float *map = read_maps(&snapshots, "a2", 2, 6, "attention/step%06zu/layer1.npy", step[i]);
        ck_assert(!before || memcmp(before, map, 72 * sizeof *map) != 0);
        free(before);
        before = map;
    }
    free(before);
    /* samples are of the trained model */
    ck_assert(!has_file(&snapshots, "a2", "attention/step000001/sample0_layer0.npy"));
    ck_assert(has_file(&snapshots, "a2", "attention/step000020/sample0_layer0.npy"));
}

TEST(copy_is_learned)
{
    struct config config = small("task=copy epochs=12 n_train=1000");
    struct run_outcome outcome = run_fine(&config, 2, "a");
    ck_assert_double_gt(outcome.accuracy, 0.99);
    ck_assert(outcome.escape_step >= 0 && outcome.escape_step < 100);
}

TEST(one_token_is_finite)
{
    struct config config = small("seq_len=1 variant=qk+");
    struct run_outcome outcome = run_fine(&config, 1, "a");
    ck_assert(!outcome.diverged && isfinite(outcome.loss));
}

/* ---- the same bits ---- */

TEST(threads_do_not_change_a_bit)
{
    const char *const variants[] = {"variant=qkv", "variant=qk+", "variant=qkv_tied task=sort"};
    for (size_t i = 0; i < 3; i++) {
        struct config config = small(variants[i]);
        expect_threads_change_nothing(&config, measured, curve);
    }
}

TEST(seeds_and_lanes_do_change_bits)
{
    struct config config = small(""), seed = small("seed=1"), lanes = small("lanes=3");
    run_fine(&config, 1, "a");
    run_fine(&seed, 1, "a");
    run_fine(&lanes, 1, "a");
    const json_t *a = read_run(&config, "a"), *b = read_run(&seed, "a"), *c = read_run(&lanes, "a");
    ck_assert_str_ne(weights_of(a), weights_of(b));
    ck_assert_str_ne(weights_of(a), weights_of(c));
}

/* ---- endings ---- */

TEST(a_diverged_run_is_recorded_with_its_step)
{
    struct config config = small("lr=1e6 warmup=0 clip=0");
    struct run_outcome outcome = run_fine(&config, 2, "a");
    ck_assert(outcome.diverged);
    ck_assert(isnan(outcome.accuracy));
    const json_t *root_json = read_run(&config, "a");
    const json_t *results = json_object_get(root_json, "results");
    ck_assert_str_eq(json_get_text(root_json, "status", ""), "diverged");
    long long step = json_get_integer(results, "diverged_step", -1);
    ck_assert(step >= 1 && step < 20);
    ck_assert_int_eq(json_get_integer(results, "n_step", -1), step + 1);
    ck_assert(json_is_null(json_object_get(results, "token_accuracy")));
    ck_assert(json_is_null(json_object_get(root_json, "attention")));
    char said[64];
    snprintf(said, sizeof said, "diverged at step %lld: loss", step);
    ck_assert_ptr_nonnull(strstr(json_get_text(root_json, "message", ""), said));
    char *table = read_table(&config, "a", "curve.csv");
    size_t n_line = 0;
    for (char *c = table; *c != '\0'; c++) {
        n_line += *c == '\n';
    }
    ck_assert_uint_eq(n_line, (size_t)step + 2);
    free(table);
}

struct watch {
    size_t n_step, stop_at;
};

static void count_step(void *context, size_t step, size_t n_step, double loss)
{
    struct watch *watch = context;
    ck_assert_uint_eq(step, watch->n_step++);
    ck_assert_uint_eq(n_step, 20);
    ck_assert(isfinite(loss));
}

static int stop_after(void *context)
{
    const struct watch *watch = context;
    return watch->n_step >= watch->stop_at ? 15 : 0;
}

TEST(hooks_see_every_step_and_can_stop)
{
    struct config config = small("");
    struct watch watch = {.stop_at = 1000};
    struct train_hooks hooks = {.context = &watch, .step = count_step, .stop = stop_after};
    struct run_outcome outcome;
    ck_assert_int_eq(run(&config, 1, "a", &hooks, &outcome), STATUS_OK);
    ck_assert_uint_eq(watch.n_step, 20);
    watch = (struct watch){.stop_at = 7};
    ck_assert_int_eq(run(&config, 1, "b", &hooks, &outcome), STATUS_INTERRUPTED);
    ck_assert_uint_eq(watch.n_step, 7);
    SAID("stopped by signal 15 after step 7 of 20");
    char out[PATH_SIZE];
    scratch_path(out, "b");
    ck_assert_int_eq(record_state(out, config.id), RECORD_INTERRUPTED);
    run_fine(&config, 1, "b"); /* again from the beginning */
    expect_equal(&config, "a", &config, "b", measured, curve);
}

/* Loading and grouping: what is read, what is left out and why, and what is never averaged. */
#include "base/file.h"
#include "base/folder.h"
#include "report/frame/frame.h"

#include "fixture.h"
#include "lab/config/config.h"
#include "report/content/part.h"
#include "testing.h"

static struct frame frame;
static struct groups cells;

static void load(void)
{
    struct error err;
    ck_assert_msg(frame_load(scratch, &frame, &err) == STATUS_OK, "%s", err.text);
    cells = groups_by(&frame.all, FACTOR_BIT(CELL));
}

static void unload(void)
{
    frame_free(&frame);
}

static size_t n_cell(void)
{
    return cells.n_group;
}

static const struct group *first_cell(void)
{
    return &cells.group[0];
}

static void set_up(void)
{
    scratch_make();
    frame = (struct frame){0};
    cells = (struct groups){0};
}

static void tear_down(void)
{
    unload();
    scratch_remove();
}

static void write_seeds(struct fake_run fake, int n_seed)
{
    for (fake.seed = 0; fake.seed < n_seed; fake.seed++) {
        fake_write(scratch, &fake);
    }
}

/* Breaks the run.json of a fake run by setting one member of one section ("" for the root). */
static void edit(const struct fake_run *fake, const char *section, const char *key, json_t *value)
{
    char folder[PATH_SIZE], path[PATH_SIZE];
    json_t *root;
    fake_folder(scratch, fake, folder);
    path_format(path, NULL, "%s/run.json", folder);
    ck_assert_int_eq(json_read(path, &root, NULL), STATUS_OK);
    json_object_set_new(*section ? json_object_get(root, section) : root, key, value);
    ck_assert_int_eq(json_write(path, root, NULL), STATUS_OK);
    json_decref(root);
}

FIXTURE(set_up, tear_down)

TEST(rows_follow_the_variant_table_and_columns_the_alphabet)
{
    static const char *const variant[] = {"qkv_tied+", "kv:n_kv_head=1", "qk", "qkv"};
    static const char *const task[] = {"swap", "copy", "reverse"};
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 3; j++) {
            write_seeds((struct fake_run){.task = task[j], .variant = variant[i]}, 2);
        }
    }
    load();
    ck_assert_uint_eq(frame.n_run, 24);
    ck_assert_uint_eq(n_cell(), 12);
    ck_assert_uint_eq(frame.setting.n_group, 1);
    static const char *const order[] = {"qkv", "qk", "qkv_tied+", "kv:n_kv_head=1"};
    struct part part = part_make(&frame.setting.group[0]);
    ck_assert_uint_eq(part.variants.n_group, 4);
    for (size_t i = 0; i < 4; i++) {
        ck_assert_str_eq(part_variant(&part, i)->variant_id, order[i]);
    }
    ck_assert_uint_eq(part.tasks.n_group, 3);
    ck_assert_str_eq(run_task_name(part_task(&part, 0)), "copy");
    ck_assert_str_eq(run_task_name(part_task(&part, 2)), "swap");
    ck_assert_uint_eq(group_n(part.group, FACTOR_SEED), 2);
    const struct group *cell = part_cell(&part, 1, 2);
    ck_assert_str_eq(cell->run[0]->variant_id, "qk");
    ck_assert_str_eq(run_task_name(cell->run[0]), "swap");
    ck_assert_uint_eq(cell->n_run, 2);
    ck_assert_int_eq(run_seed(cell->run[1]), 1);
}

TEST(what_was_not_run_has_no_cell)
{
    write_seeds((struct fake_run){.task = "copy", .variant = "qkv"}, 1);
    write_seeds((struct fake_run){.task = "swap", .variant = "qk"}, 1);
    load();
    struct part part = part_make(&frame.setting.group[0]);
    ck_assert_ptr_nonnull(part_cell(&part, 0, 0));
    ck_assert_ptr_null(part_cell(&part, 0, 1));
    struct stats stats = group_stats(NULL, MEASURE_TOKEN_ACCURACY);
    ck_assert_uint_eq(stats.n, 0);
    ck_assert(isnan(stats.mean));
}

TEST(other_configurations_and_programs_are_other_settings)
{
    struct fake_run fake = {.task = "copy", .variant = "qkv", .accuracy = 0.5};
    struct fake_run wide = fake, other_commit = fake;
    wide.n_embd = 128;
    wide.accuracy = 1;
    other_commit.commit = "def";
    other_commit.accuracy = 1;
    write_seeds(fake, 3);
    write_seeds(wide, 2);
    write_seeds(other_commit, 1);
    load();
    ck_assert_uint_eq(frame.setting.n_group, 3);
    ck_assert_uint_eq(n_cell(), 3);
    ck_assert_uint_eq(run_config(frame.setting.group[0].run[0])->n_embd, 8);
    ck_assert_uint_eq(run_config(frame.setting.group[2].run[0])->n_embd, 128);
    struct stats stats = group_stats(first_cell(), MEASURE_TOKEN_ACCURACY);
    ck_assert_uint_eq(stats.n, 3);
    ck_assert_double_eq(stats.mean, 0.5);
}

TEST(another_class_of_machine_is_another_setting)
{
    struct fake_run fake = {.task = "copy", .variant = "qkv"};
    write_seeds(fake, 2);
    fake.seed = 1;
    edit(&fake, "machine", "class", json_string("another"));
    fake.seed = 0;
    edit(&fake, "machine", "cpu", json_string("of the same class"));
    load();
    ck_assert_uint_eq(frame.setting.n_group, 2);
}

TEST(another_version_of_the_task_is_never_averaged)
{
    struct fake_run fake = {.task = "copy", .variant = "qkv"};
    write_seeds(fake, 2);
    fake.seed = 1;
    edit(&fake, "", "versions", json_pack("{s:i, s:i}", "engine", 1, "task", 2));
    load();
    ck_assert_uint_eq(n_cell(), 2);
    ck_assert_uint_eq(frame.setting.n_group, 2);
}

TEST(lanes_that_differ_by_variant_share_a_table)
{
    write_seeds((struct fake_run){.task = "copy", .variant = "qkv", .lanes = 8}, 2);
    write_seeds((struct fake_run){.task = "copy", .variant = "qk", .lanes = 16}, 2);
    load();
    ck_assert_uint_eq(frame.setting.n_group, 1);
    ck_assert_uint_eq(n_cell(), 2);
}

TEST(lanes_that_differ_within_a_variant_do_not)
{
    write_seeds((struct fake_run){.task = "copy", .variant = "qkv", .lanes = 8}, 2);
    write_seeds((struct fake_run){.task = "copy", .variant = "qkv", .lanes = 16}, 2);
    load();
    ck_assert_uint_eq(frame.setting.n_group, 2);
    ck_assert_uint_eq(frame.setting.group[0].n_run, 2);
}

TEST(diverged_and_failed_runs_are_counted_not_averaged)
{
    struct fake_run fake = {.task = "copy", .variant = "qkv", .accuracy = 0.75};
    write_seeds(fake, 2);
    fake.accuracy = NAN;
    fake.seed = 2;
    fake.status = "diverged";
    fake_write(scratch, &fake);
    fake.seed = 3;
    fake.status = "failed";
    fake_write(scratch, &fake);
    load();
    ck_assert_uint_eq(n_cell(), 1);
    ck_assert_uint_eq(first_cell()->n_run, 4);
    ck_assert_uint_eq(first_cell()->n_ok, 2);
    ck_assert_uint_eq(frame.all.n_ok, 2);
    struct stats stats = group_stats(first_cell(), MEASURE_TOKEN_ACCURACY);
    ck_assert_uint_eq(stats.n, 2);
    ck_assert_double_eq(stats.mean, 0.75);
    ck_assert_ptr_null(group_find_seed(first_cell(), 2));
}

TEST(unfinished_folders_are_skipped)
{
    char path[PATH_SIZE];
    write_seeds((struct fake_run){.task = "copy", .variant = "qkv"}, 1);
    path_format(path, NULL, "%s/runs/copy-qk-s0-000000000000.partial", scratch);
    ck_assert_int_eq(folder_create(path, NULL), STATUS_OK);
    path_format(path, NULL, "%s/runs", scratch);
    fake_write_file(path, "notes.txt", "a file among the folders");
    load();
    ck_assert_uint_eq(frame.n_run, 1);
    ck_assert_uint_eq(frame.n_partial, 1);
    ck_assert_uint_eq(frame.n_left_out, 0);
}

/* One good run beside one that is broken in one way; the reason must contain a phrase. */
static void assert_left_out(const char *section, const char *key, json_t *value, const char *phrase)
{
    struct fake_run broken = {.task = "copy", .variant = "qkv", .seed = 1};
    write_seeds((struct fake_run){.task = "copy", .variant = "qkv"}, 2);
    edit(&broken, section, key, value);
    load();
    ck_assert_uint_eq(frame.n_run, 1);
    ck_assert_uint_eq(frame.n_left_out, 1);
    ck_assert_msg(strstr(frame.left_out[0].reason, phrase) != NULL, "\"%s\" lacks \"%s\"",
                  frame.left_out[0].reason, phrase);
}

TEST(another_format)
{
    assert_left_out("", "format", json_string("qkvlab-run-2"), "reads \"qkvlab-run-1\"");
}

TEST(a_renamed_folder)
{
    assert_left_out("", "id", json_string("copy-qkv-s9-0"),
                    "id is \"copy-qkv-s9-0\", expected the name of its folder");
}

TEST(an_unknown_status)
{
    assert_left_out("", "status", json_string("fine"), "expected ok, diverged or failed");
}

TEST(an_unknown_task)
{
    assert_left_out("config", "task", json_string("juggle"), "task \"juggle\"");
}

TEST(an_unknown_variant)
{
    assert_left_out("config", "variant", json_string("qkvw"), "qkvw");
}

TEST(a_seed_below_zero)
{
    assert_left_out("config", "seed", json_integer(-3), "config: seed: expected a whole number");
}

TEST(a_width_that_is_none)
{
    assert_left_out("config", "n_embd", json_string("wide"), "config: n_embd: expected a whole");
}

TEST(a_length_beyond_reason)
{
    assert_left_out("config", "seq_len", json_integer(1LL << 60),
                    "config: seq_len: expected a whole");
}

TEST(ok_without_an_accuracy)
{
    assert_left_out("results", "token_accuracy", json_null(), "results.token_accuracy");
}

TEST(an_accuracy_above_one)
{
    assert_left_out("results", "token_accuracy", json_real(1.5), "results.token_accuracy");
}

TEST(a_loss_that_is_no_number)
{
    assert_left_out("results", "loss", json_string("abc"), "results.loss is no number");
}

TEST(ok_without_a_training_loss)
{
    assert_left_out("results", "final_train_loss", json_null(), "results.final_train_loss");
}

TEST(sections_of_another_type)
{
    assert_left_out("", "config", json_string("none"), "does not know");
}

TEST(truncated_and_missing_run_json)
{
    char path[PATH_SIZE];
    write_seeds((struct fake_run){.task = "copy", .variant = "qkv"}, 1);
    path_format(path, NULL, "%s/runs/broken", scratch);
    ck_assert_int_eq(folder_create(path, NULL), STATUS_OK);
    fake_write_file(path, "run.json", "{\"format\": \"qkvlab-run-1\", \"id\": ");
    path_format(path, NULL, "%s/runs/empty", scratch);
    ck_assert_int_eq(folder_create(path, NULL), STATUS_OK);
    load();
    ck_assert_uint_eq(frame.n_run, 1);
    ck_assert_uint_eq(frame.n_left_out, 2);
    ck_assert_str_eq(frame.left_out[0].name, "broken");
    ck_assert_ptr_nonnull(strstr(frame.left_out[0].reason, "run.json"));
    ck_assert_str_eq(frame.left_out[1].name, "empty");
}

TEST(a_broken_curve_costs_the_curve)
{
    static const char *const broken[] = {"",
                                         "step,loss,",
                                         "loss,step\n0,1\n",
                                         "step,loss,learning_rate,grad_norm\n0,1,1,1\n2,1,1,1\n",
                                         "step,loss,learning_rate,grad_norm\n0,x,1,1\n",
                                         "step,loss,learning_rate,grad_norm\n0,1,1",
                                         "step,loss,learning_rate,grad_norm\n"};
    struct fake_run fake = {.task = "copy", .variant = "qkv"};
    char folder[PATH_SIZE];
    fake_write(scratch, &fake);
    fake_folder(scratch, &fake, folder);
    for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
        fake_write_file(folder, "curve.csv", broken[i]);
        load();
        ck_assert_uint_eq(frame.n_run, 1);
        ck_assert_msg(!frame.run[0].curve && frame.run[0].n_curve == 0, "curve %zu was read", i);
        ck_assert_ptr_nonnull(strstr(frame.run[0].curve_problem.text, "truncated or damaged"));
        unload();
    }
}

TEST(a_curve_that_is_short_missing_or_not_finite_says_so)
{
    struct fake_run fake = {.task = "copy", .variant = "qkv"};
    char folder[PATH_SIZE], path[PATH_SIZE];
    fake_write(scratch, &fake);
    fake_folder(scratch, &fake, folder);
    load();
    ck_assert_ptr_nonnull(frame.run[0].curve);
    ck_assert_str_eq(frame.run[0].curve_problem.text, "");
    unload();
    fake_write_file(folder, "curve.csv", "step,loss,learning_rate,grad_norm\n0,1,1,1\n1,inf,1,1\n");
    load();
    ck_assert_ptr_nonnull(strstr(frame.run[0].curve_problem.text, "no finite loss at step 1"));
    unload();
    fake_write_file(folder, "curve.csv", "step,loss,learning_rate,grad_norm\n0,1,1,1\n1,1,1,1\n");
    load();
    ck_assert_ptr_nonnull(
        strstr(frame.run[0].curve_problem.text, "has 2 steps, but results.n_step"));
    unload();
    path_format(path, NULL, "%s/curve.csv", folder);
    ck_assert_int_eq(remove(path), 0);
    load();
    ck_assert_ptr_null(frame.run[0].curve);
    ck_assert_ptr_nonnull(strstr(frame.run[0].curve_problem.text, "curve.csv is missing"));
}

TEST(curves_with_and_without_accuracy)
{
    struct fake_run fake = {.task = "copy", .variant = "qkv", .n_step = 6};
    char folder[PATH_SIZE];
    fake_write(scratch, &fake);
    fake_folder(scratch, &fake, folder);
    load();
    ck_assert_ptr_nonnull(frame.run[0].curve);
    ck_assert_ptr_null(frame.run[0].curve_accuracy);
    ck_assert(isnan(frame.run[0].measure[MEASURE_REACHES_50]));
    unload();
    fake_write_file(folder, "curve.csv",
                    "step,loss,learning_rate,grad_norm,accuracy\n0,3,1,1,0.1\n1,3,1,1,0.6\n"
                    "2,3,1,1,0.7\n3,1,1,1,0.92\n4,1,1,1,1\n5,1,1,1,1\n");
    load();
    ck_assert_double_eq(frame.run[0].curve_accuracy[3], 0.92);
    ck_assert_double_eq(frame.run[0].measure[MEASURE_MEAN_TRAIN_LOSS], 2);
    ck_assert_double_eq(frame.run[0].measure[MEASURE_REACHES_50], 4);
    ck_assert_double_eq(frame.run[0].measure[MEASURE_REACHES_90], 5);
    ck_assert(isnan(frame.run[0].measure[MEASURE_REACHES_99]));
    unload();
    fake_write_file(folder, "curve.csv",
                    "step,loss,learning_rate,grad_norm,accuracy\n0,3,1,1,0.1\n1,3,1,1\n");
    load();
    ck_assert_ptr_nonnull(strstr(frame.run[0].curve_problem.text, "damaged at line 3"));
}

/* A run of this version in a folder of that name, with what config_json says of it. */
static void write_real(const char *width, char id[CONFIG_ID_SIZE])
{
    struct config config = config_default();
    struct error err;
    char folder[PATH_SIZE], path[PATH_SIZE];
    config_set(&config, "n_embd", width, NULL);
    config_set(&config, "learning_rate", "0.0003", NULL);
    ck_assert_msg(config_resolve(&config, &err) == STATUS_OK, "%s", err.text);
    memcpy(id, config.id, CONFIG_ID_SIZE);
    ck_assert_int_eq(path_format(folder, NULL, "%s/runs/%s", scratch, id), STATUS_OK);
    ck_assert_int_eq(folder_create(folder, NULL), STATUS_OK);
    path_format(path, NULL, "%s/run.json", folder);
    json_t *root = fake_json(&(struct fake_run){.task = "reverse", .variant = "qkv"});
    json_object_set_new(root, "id", json_string(id));
    json_object_set_new(root, "config", config_json(&config));
    json_object_set_new(
        root, "versions",
        json_pack("{s:i, s:i}", "engine", ENGINE_VERSION, "task", config.task->version));
    ck_assert_int_eq(json_write(path, root, NULL), STATUS_OK);
    json_decref(root);
}

TEST(a_configuration_that_was_changed_afterwards)
{
    char id[CONFIG_ID_SIZE], other[CONFIG_ID_SIZE], path[PATH_SIZE];
    json_t *root;
    write_real("32", id);
    write_real("16", other);
    load();
    ck_assert_uint_eq(frame.n_run, 2);
    unload();
    path_format(path, NULL, "%s/runs/%s/run.json", scratch, id);
    ck_assert_int_eq(json_read(path, &root, NULL), STATUS_OK);
    json_object_set_new(json_object_get(root, "config"), "batch_size", json_integer(5));
    ck_assert_int_eq(json_write(path, root, NULL), STATUS_OK);
    json_decref(root);
    load();
    ck_assert_uint_eq(frame.n_run, 1);
    ck_assert_uint_eq(frame.n_left_out, 1);
    ck_assert_str_eq(frame.left_out[0].name, id);
    ck_assert_ptr_nonnull(strstr(frame.left_out[0].reason, "it was changed after the run"));
}

TEST(another_version_of_the_engine_is_another_setting)
{
    struct fake_run fake = {.task = "copy", .variant = "qkv"};
    write_seeds(fake, 1);
    fake.variant = "kv";
    write_seeds(fake, 1);
    edit(&fake, "", "versions", json_pack("{s:i, s:i}", "engine", ENGINE_VERSION + 1, "task", 1));
    load();
    ck_assert_uint_eq(frame.setting.n_group, 2);
}

TEST(maps_are_averaged_over_heads)
{
    struct fake_run fake = {.task = "copy", .variant = "qkv"};
    fake_write(scratch, &fake);
    load();
    float *map = run_attention_map(&frame.run[0]);
    ck_assert_ptr_nonnull(map);
    ck_assert_float_eq(map[0], 0.5f);
    free(map);
}

TEST(curves_are_averaged_over_seeds)
{
    struct fake_run fake = {.task = "copy", .variant = "qkv", .escape = 10};
    size_t n_step;
    fake_write(scratch, &fake);
    fake.seed = 1;
    fake.escape = 20;
    fake_write(scratch, &fake);
    load();
    double *mean = group_mean_curve(first_cell(), &n_step);
    ck_assert_uint_eq(n_step, FAKE_STEPS);
    ck_assert_double_eq_tol(mean[9], 2.3, 1e-12);
    ck_assert_double_eq_tol(mean[10], (2.3 + 0.05) / 2, 1e-12);
    ck_assert_double_eq_tol(mean[20], 0.05, 1e-12);
    free(mean);
}

TEST(differences_are_paired_by_seed)
{
    struct fake_run fake = {.task = "copy", .variant = "qkv"};
    for (int seed = 0; seed < 3; seed++) {
        fake.seed = seed;
        fake.variant = "qkv";
        fake.accuracy = 0.5 + 0.1 * seed;
        fake_write(scratch, &fake);
        fake.variant = "qk";
        fake.seed = seed + 1;
        fake.accuracy = 0.1 * seed;
        fake_write(scratch, &fake);
    }
    load();
    struct part part = part_make(&frame.setting.group[0]);
    struct stats stats =
        group_difference(part_cell(&part, 1, 0), part_cell(&part, 0, 0), MEASURE_TOKEN_ACCURACY);
    ck_assert_uint_eq(stats.n, 2);
    ck_assert_double_eq_tol(stats.mean, -0.6, 1e-12);
    ck_assert_double_eq_tol(stats.sd, 0, 1e-12);
}

TEST(steps_that_never_came_are_no_numbers)
{
    struct fake_run fake = {.task = "copy", .variant = "qkv", .escape = -1};
    fake_write(scratch, &fake);
    edit(&fake, "results", "step_below_2.2", json_integer(-1));
    load();
    ck_assert(isnan(frame.run[0].measure[MEASURE_ESCAPE_STEP]));
    ck_assert(isnan(frame.run[0].measure[MEASURE_BELOW_2_2]));
}

TEST(no_folder_and_no_finished_run)
{
    struct error err;
    char path[PATH_SIZE];
    ck_assert_int_eq(frame_load(scratch, &frame, &err), STATUS_DATA);
    ck_assert_ptr_nonnull(strstr(err.text, "no runs are kept there"));
    ck_assert_ptr_nonnull(strstr(err.text, "train some with qkvlab run --out"));
    unload();
    path_format(path, NULL, "%s/runs/broken", scratch);
    ck_assert_int_eq(folder_create(path, NULL), STATUS_OK);
    ck_assert_int_eq(frame_load(scratch, &frame, &err), STATUS_DATA);
    ck_assert_ptr_nonnull(strstr(err.text, "no finished run"));
    ck_assert_ptr_nonnull(strstr(err.text, "run.json"));
}

/* Training on images: small models on a few drawn glyphs, or on files of ten images. */
#include "testing.h"

#include <math.h>
#include <string.h>

#include "lab/kind/images/images.h"
#include "lab/sweep/sweep.h"
#include "lab/training/metrics.h"
#include "lab/training/probe_samples.h"
#include "lab/training/schedule.h"
#include "lab/training/source.h"
#include "train_fixture.h"

/* small trains in a few milliseconds a step. */
static struct config small(const char *settings)
{
    return config_of(
        "task=glyphs n_embd=16 n_head=2 patch=7 pos_dim=8 n_train=160 n_test=90 batch_size=32 "
        "n_probe=5 epochs=2 lr=0.01",
        settings);
}

/* ---- schedule ---- */

FIXTURE(scratch_make, forget_runs)

TEST(the_rate_falls_to_a_tenth_at_half_and_at_three_quarters)
{
    struct config config = small("lr=1");
    const double expected[] = {1, 1, 1, 1, 1, 0.1, 0.1, 0.01, 0.01, 0.01};
    for (size_t s = 0; s < 10; s++) { /* milestones 5 and 7 */
        ck_assert_double_eq_tol(schedule_rate(&config, s, 10), expected[s], 1e-15);
    }
    ck_assert_double_eq(schedule_rate(&config, 0, 1), 1); /* a milestone at 0 is ignored */
    ck_assert_double_eq(schedule_rate(&config, 0, 2), 1);
    ck_assert_double_eq_tol(schedule_rate(&config, 1, 2), 0.01, 1e-15);
    ck_assert_double_eq(schedule_rate(&config, 233, 468), 1);
    ck_assert_double_eq_tol(schedule_rate(&config, 234, 468), 0.1, 1e-15);
    ck_assert_double_eq_tol(schedule_rate(&config, 351, 468), 0.01, 1e-15);
    config = small("lr=1 warmup=0.2");
    ck_assert_double_eq(schedule_rate(&config, 0, 10), 0.5);
    ck_assert_double_eq(schedule_rate(&config, 2, 10), 1);
}

/* ---- one run ---- */

TEST(run_json_says_what_images_are_measured_by)
{
    struct config config = small("");
    struct run_outcome outcome = run_fine(&config, 2, "a");
    const json_t *root_json = read_run(&config, "a");
    const json_t *results = json_object_get(root_json, "results");
    const json_t *info = json_object_get(root_json, "data");
    ck_assert_ptr_null(json_object_get(results, "token_accuracy"));
    ck_assert_ptr_null(json_object_get(results, "escape_step"));
    double top1 = json_get_number(results, "top1", -1), top5 = json_get_number(results, "top5", -1);
    ck_assert_double_eq(top1, outcome.accuracy);
    ck_assert_double_eq(json_get_number(results, "loss", -1), outcome.loss);
    ck_assert(top5 > top1 && top5 <= 1);
    ck_assert_int_eq(json_get_integer(results, "n_step", 0), 10);
    ck_assert_uint_eq(json_array_size(json_object_get(results, "class_accuracy")), 10);
    ck_assert_int_eq(json_get_integer(info, "n_train", 0), 160);
    ck_assert_int_eq(json_get_integer(info, "n_test", 0), 90);
    ck_assert_uint_eq(strlen(json_get_text(info, "sha256", "")), 64);
    ck_assert(json_is_null(json_object_get(info, "published"))); /* drawn: nothing to compare */
    ck_assert(json_is_null(json_object_get(info, "warning")));
    ck_assert_str_eq(outcome.note, "");
    ck_assert_uint_eq(json_array_size(json_object_get(info, "class_name")), 10);
    const json_t *attention = json_object_get(root_json, "attention");
    ck_assert_int_eq(json_get_integer(attention, "n_probe", 0), 5);
    const json_t *mean = json_object_get(attention, "mean");
    ck_assert(json_is_null(json_object_get(mean, "needed")));
    ck_assert(json_get_number(mean, "diagonal", -1) > 0);
}

TEST(confusions_add_up_to_the_accuracies)
{
    struct config config = small("");
    struct run_outcome outcome = run_fine(&config, 1, "a");
    const json_t *root_json = read_run(&config, "a");
    const json_t *classes =
        json_object_get(json_object_get(root_json, "results"), "class_accuracy");
    char *table = read_table(&config, "a", "confusion.csv"), *save = NULL;
    char *line = strtok_r(table, "\n", &save);
    ck_assert_str_eq(line, "true class,0,1,2,3,4,5,6,7,8,9");
    size_t n_right = 0, n_all = 0;
    for (size_t row = 0; row < 10; row++) {
        line = strtok_r(NULL, "\n", &save);
        ck_assert_int_eq(line[0] - '0', (int)row);
        size_t n = 0, right = 0;
        char *at = line + 1;
        for (size_t c = 0; c < 10; c++) {
            size_t count = strtoul(at + 1, &at, 10);
            n += count;
            right += c == row ? count : 0;
        }
        ck_assert_double_eq_tol(json_number_value(json_array_get(classes, row)),
                                (double)right / (double)n, 1e-15);
        n_right += right;
        n_all += n;
    }
    ck_assert_uint_eq(n_all, 90);
    ck_assert_double_eq_tol(outcome.accuracy, (double)n_right / 90, 1e-15);
    free(table);
}

TEST(epochs_have_a_row_each_and_the_last_is_the_result)
{
    struct config config = small("epochs=3");
    struct run_outcome outcome = run_fine(&config, 1, "a");
    char *table = read_table(&config, "a", "epochs.csv"), *save = NULL;
    ck_assert_str_eq(strtok_r(table, "\n", &save),
                     "epoch,train_loss,test_loss,top1,top5,train_top1");
    double train_top1, train_loss, test_loss = 0, top1 = 0, top5;
    for (size_t e = 0; e < 3; e++) {
        size_t epoch;
        ck_assert_int_eq(sscanf(strtok_r(NULL, "\n", &save), "%zu,%lf,%lf,%lf,%lf,%lf", &epoch,
                                &train_loss, &test_loss, &top1, &top5, &train_top1),
                         6);
        ck_assert_uint_eq(epoch, e);
        ck_assert(train_loss > 0 && top1 <= top5);
    }
    ck_assert_ptr_null(strtok_r(NULL, "\n", &save));
    ck_assert_double_eq_tol(test_loss, outcome.loss, 1e-8);
    ck_assert_double_eq_tol(top1, outcome.accuracy, 1e-8);
    free(table);
}

/* With a learning rate of 0 the steps of an epoch and the evaluation behind it see one model. */
TEST(training_accuracy_is_measured_without_dropout)
{
    static const char *const dropout[] = {"lr=0 epochs=1 dropout=0", "lr=0 epochs=1 dropout=0.9"};
    double evaluated[2], trained[2];
    for (size_t i = 0; i < 2; i++) {
        struct config config = small(dropout[i]);
        run_fine(&config, 1, "a");
        const json_t *run_json = read_run(&config, "a");
        char *table = read_table(&config, "a", "epochs.csv");
        evaluated[i] = json_get_number(json_object_get(run_json, "results"), "train_top1", NAN);
        ck_assert_int_eq(sscanf(strrchr(table, ',') + 1, "%lf", &trained[i]), 1);
        free(table);
    }
    ck_assert_double_eq_tol(trained[0], evaluated[0], 1e-8);
    ck_assert_double_eq(evaluated[1], evaluated[0]);
    ck_assert_double_ne(trained[1], trained[0]);
}

TEST(maps_of_the_probe_are_kept)
{
    struct config config = small("variant=qk+");
    run_fine(&config, 1, "a");
    free(read_maps(&config, "a", 2, 17, "attention/step000010/layer1.npy"));
}

TEST(samples_are_kept_with_their_images)
{
    struct config config = small("n_probe=20");
    run_fine(&config, 1, "a");
    const json_t *root_json = read_run(&config, "a");
    const json_t *list = json_object_get(json_object_get(root_json, "attention"), "samples");
    ck_assert_uint_eq(json_array_size(list), 8);
    struct source *source;
    FINE(source_create(&source, &config, &data, 1, &err));
    const struct image_set *test = &source_image_data(source)->test;
    char path[PATH_SIZE];
    uint8_t *image;
    float *maps[2], *sample0;
    size_t dim[NPY_MAX_DIM], n_dim;
    file_of(&config, "a", "attention/samples.npy", path);
    FINE(npy_read_bytes(path, &image, dim, &n_dim, &err));
    ck_assert(n_dim == 4 && dim[0] == 8 && dim[1] == 28 && dim[2] == 28 && dim[3] == 1);
    for (size_t i = 0; i < 8; i++) {
        const json_t *sample = json_array_get(list, i);
        size_t item = (size_t)json_get_integer(sample, "item", 99);
        long long prediction = json_get_integer(sample, "prediction", -1);
        ck_assert_uint_lt(item, 20);
        ck_assert_int_eq(json_get_integer(sample, "label", -1), test->label[item]);
        ck_assert(prediction >= 0 && prediction < 10);
        ck_assert_mem_eq(image + i * 28 * 28, test->image[item], 28 * 28);
    }
    for (size_t layer = 0; layer < 2; layer++) {
        maps[layer] =
            read_maps(&config, "a", 8 * 2, 17, "attention/step000010/samples_layer%zu.npy", layer);
    }
    sample0 = read_maps(&config, "a", 2, 17, "attention/step000010/sample0_layer1.npy");
    ck_assert_mem_eq(sample0, maps[1], 2 * 17 * 17 * sizeof(float));
    free(sample0);
    free(maps[0]);
    free(maps[1]);
    free(image);
    source_free(source);
}

/* All images of a small test split are samples: their predictions are those that were counted. */
TEST(predictions_of_samples_are_those_of_the_evaluation)
{
    struct config config = small("n_test=8 n_probe=8 epochs=4");
    struct run_outcome outcome = run_fine(&config, 1, "a");
    const json_t *root_json = read_run(&config, "a");
    json_t *sample;
    const json_t *list = json_object_get(json_object_get(root_json, "attention"), "samples");
    size_t i, n_right = 0;
    json_array_foreach(list, i, sample)
    {
        ck_assert_int_eq(json_get_integer(sample, "item", -1), (long long)i);
        n_right +=
            json_get_integer(sample, "label", -1) == json_get_integer(sample, "prediction", -2);
    }
    ck_assert_uint_eq(json_array_size(list), 8);
    ck_assert_double_eq_tol(outcome.accuracy, (double)n_right / 8, 1e-12);
}

TEST(samples_are_of_different_classes_and_fit)
{
    const uint16_t label[] = {3, 3, 5, 3, 5, 0, 3};
    size_t item[PROBE_MAX_SAMPLE];
    probe_samples_choose(label, 7, 3, item);
    ck_assert(item[0] == 0 && item[1] == 2 && item[2] == 5);
    probe_samples_choose(label, 7, 5, item);
    ck_assert(item[0] == 0 && item[1] == 1 && item[2] == 2 && item[3] == 3 && item[4] == 5);
    struct config config = small(""), large = small("patch=1 n_head=2"), none = small("");
    none.attention = ATTENTION_NONE;
    ck_assert_uint_eq(probe_samples_count(&config, 64), 8);
    ck_assert_uint_eq(probe_samples_count(&config, 5), 5);
    ck_assert_uint_eq(probe_samples_count(&none, 64), 0);
    ck_assert_uint_eq(probe_samples_count(&large, 64), 1); /* 2 x 2 maps of 785 x 785: 9.4 MiB */
    large.seq_len = 257;
    large.n_head = 4;
    ck_assert_uint_eq(probe_samples_count(&large, 64), 3); /* 2.0 MiB each */
    struct config task = config_default();
    ck_assert_uint_eq(probe_samples_count(&task, 64), 1);
}

static const char *const nothing[] = {NULL}, *const tables[] = {"curve.csv", "epochs.csv", NULL};

/* Dropout, augmentation and order have streams of their own, which no look at a map moves. */
TEST(maps_change_no_bit_of_training)
{
    static const char *const choice[] = {"attention=none", "attention=final",
                                         "attention=snapshots"};
    struct config config[3];
    for (size_t i = 0; i < 3; i++) {
        char out[16];
        config[i] = small(choice[i]);
        snprintf(out, sizeof out, "a%zu", i);
        run_fine(&config[i], 2, out);
        expect_equal(&config[0], "a0", &config[i], out, nothing, tables);
    }
}

TEST(the_loss_falls)
{
    struct config config = small("epochs=40 n_train=64 n_test=20 batch_size=16 lr=0.003 dropout=0");
    run_fine(&config, 2, "a");
    char *table = read_table(&config, "a", "epochs.csv");
    double first, last;
    ck_assert_int_eq(sscanf(strstr(table, "\n0,") + 3, "%lf", &first), 1);
    ck_assert_int_eq(sscanf(strstr(table, "\n39,") + 4, "%lf", &last), 1);
    ck_assert_double_lt(last, first - 0.3);
    free(table);
}

/* ---- the same bits ---- */

TEST(threads_do_not_change_a_bit)
{
    static const char *const all[] = {"curve.csv", "epochs.csv", "confusion.csv", NULL};
    static const char *const measured[] = {"results", "attention", NULL};
    const struct config plain = small("variant=qkv"),
                        padded = small("variant=qkv_tied+ patch=5 patch_pad=zero");
    expect_threads_change_nothing(&plain, measured, all);
    expect_threads_change_nothing(&padded, measured, all);
}

TEST(dropout_order_and_data_depend_on_the_seed)
{
    struct config a = small(""), b = small("seed=1"), c = small("dropout=0");
    run_fine(&a, 1, "a");
    run_fine(&b, 1, "a");
    run_fine(&c, 1, "a");
    const json_t *ja = read_run(&a, "a"), *jb = read_run(&b, "a"), *jc = read_run(&c, "a");
    ck_assert_str_ne(weights_of(ja), weights_of(jb));
    ck_assert_str_ne(weights_of(ja), weights_of(jc));
    const json_t *da = json_object_get(ja, "data"), *db = json_object_get(jb, "data");
    ck_assert_str_ne(json_get_text(da, "sha256", ""), json_get_text(db, "sha256", ""));
    ck_assert_str_eq(json_get_text(da, "sha256", ""),
                     json_get_text(json_object_get(jc, "data"), "sha256", "-"));
}

/* ---- files, resuming, endings ---- */

TEST(a_folder_of_ten_images_is_trained_on)
{
    fixture_mnist("MNIST/raw/%s-%s.gz");
    struct config config = small("task=mnist n_train=0 n_test=0 n_probe=64 batch_size=128");
    struct run_outcome outcome = run_fine(&config, 2, "a");
    ck_assert(!outcome.diverged && outcome.accuracy >= 0 && outcome.accuracy <= 1);
    const json_t *root_json = read_run(&config, "a");
    ck_assert_int_eq(json_get_integer(json_object_get(root_json, "data"), "n_train", 0), 10);
    ck_assert_int_eq(json_get_integer(json_object_get(root_json, "results"), "n_step", 0), 2);
}

TEST(finished_runs_are_skipped)
{
    struct config config = small("epochs=1");
    struct sweep_options options = {.out = scratch, .data = &data, .threads = 1};
    struct sweep_totals totals;
    FINE(sweep_run(&config, 1, &options, NULL, &totals, &err));
    ck_assert_uint_eq(totals.done, 1);
    FINE(sweep_run(&config, 1, &options, NULL, &totals, &err));
    ck_assert_uint_eq(totals.skipped, 1);
}

TEST(missing_data_fail_the_run_and_leave_no_claim)
{
    struct config config = small("task=mnist n_train=0 n_test=0");
    struct sweep_options options = {.out = scratch, .data = &data, .threads = 1};
    struct sweep_totals totals;
    ck_assert_int_eq(sweep_run(&config, 1, &options, NULL, &totals, &err), STATUS_DATA);
    ck_assert_uint_eq(totals.failed, 1);
    SAID("MNIST was not found");
    ck_assert_int_ne(record_state(scratch, config.id), RECORD_RUNNING);
}

TEST(a_diverged_run_shows_no_accuracy)
{
    struct config config = small("lr=1e6");
    struct run_outcome outcome = run_fine(&config, 1, "a");
    ck_assert(outcome.diverged && isnan(outcome.accuracy));
    const json_t *root_json = read_run(&config, "a");
    const json_t *results = json_object_get(root_json, "results");
    ck_assert_str_eq(json_get_text(root_json, "status", ""), "diverged");
    ck_assert(json_is_null(json_object_get(results, "top1")));
    ck_assert(json_is_null(json_object_get(results, "class_accuracy")));
    ck_assert(!has_file(&config, "a", "confusion.csv"));
}

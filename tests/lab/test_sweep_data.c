#include "testing.h"

#include <string.h>

#include "base/file.h"
#include "config_fixture.h"
#include "data_fixture.h"
#include "lab/record/record.h"
#include "lab/sweep/sweep.h"
#include "lab/sweep/sweep_data.h"

static struct config *configs;
static size_t n_config;
static char out[PATH_SIZE];
static const char *root[] = {scratch};
static struct dataset_options data = {.root = root, .n_root = 1};

static void make_grid(const char *settings)
{
    grid_of("task=mnist n_embd=16 n_layer=1 patch=14 n_probe=2 epochs=1 attention=none", settings,
            &configs, &n_config);
}

static void set_up(void)
{
    scratch_make();
    ck_assert_int_eq(path_format(out, NULL, "%s/out", scratch), STATUS_OK);
    configs = NULL;
    err = (struct error){0};
    fixture_mnist("%s-%s");
}

static void tear_down(void)
{
    free(configs);
    scratch_remove();
}

static void train(void)
{
    struct sweep_options options = {.out = out, .data = &data, .threads = 1};
    struct sweep_totals totals;
    FINE(sweep_run(configs, n_config, &options, NULL, &totals, &err));
}

static enum status check(void)
{
    bool done[8] = {false};
    ck_assert_uint_le(n_config, sizeof done / sizeof done[0]);
    for (size_t i = 0; i < n_config; i++) {
        done[i] = record_is_done(out, configs[i].id);
    }
    return sweep_data_check(out, configs, done, n_config, &data, 1, &err);
}

/* Eleven training images in place of ten. */
static void change_images(void)
{
    fixture_idx("train-images-idx3-ubyte", 11, 1);
    fixture_idx("train-labels-idx1-ubyte", 11, 0);
}

FIXTURE(set_up, tear_down)

TEST(other_images_than_those_of_a_finished_run_are_refused)
{
    make_grid("seed=0");
    ck_assert_int_eq(check(), STATUS_OK); /* no folder yet */
    train();
    char id[CONFIG_ID_SIZE], folder[PATH_SIZE], digits[32];
    struct run_record run;
    memcpy(id, configs[0].id, CONFIG_ID_SIZE);
    make_grid("seed=0,1");
    FINE(check());
    change_images();
    ck_assert_int_eq(check(), STATUS_DATA);
    ck_assert_int_eq(record_path(out, id, folder, NULL), STATUS_OK);
    FINE(record_read(folder, &run, &err));
    ck_assert_int_eq(check(), STATUS_DATA);
    snprintf(digits, sizeof digits, "(SHA-256 %.16s", run.data.sha256);
    run_record_free(&run);
    SAID(id);
    ck_assert_msg(strstr(err.text, digits) != NULL, "%s", err.text);
    SAID(scratch);
    SAID("choose another --out");
    fixture_mnist("%s-%s");
    FINE(check());
}

TEST(a_change_of_one_pixel_or_label_counts)
{
    make_grid("seed=0");
    train();
    make_grid("seed=1"); /* the finished run is not even asked for */
    size_t size;
    uint8_t *bytes = idx_bytes(5, 0, &size);
    bytes[size - 1] ^= 1;
    fixture_write("t10k-labels-idx1-ubyte", bytes, size);
    free(bytes);
    ck_assert_int_eq(check(), STATUS_DATA);
    fixture_mnist("%s-%s");
    bytes = idx_bytes(10, 1, &size);
    bytes[size - 1] ^= 1;
    fixture_write("train-images-idx3-ubyte", bytes, size);
    free(bytes);
    ck_assert_int_eq(check(), STATUS_DATA);
}

TEST(nothing_is_read_where_nothing_can_differ)
{
    make_grid("seed=0");
    train();
    fixture_remove("train-images-idx3-ubyte"); /* reading would fail */
    ck_assert_int_eq(check(), STATUS_OK);      /* all done */
    make_grid("seed=1 n_train=5");             /* no finished run had these */
    ck_assert_int_eq(check(), STATUS_OK);
    make_grid("seed=1");
    REFUSED(check(), STATUS_DATA, "MNIST is incomplete");
}

TEST(a_part_of_the_images_is_compared_with_the_same_part)
{
    make_grid("seed=0 n_train=6,8");
    train();
    make_grid("seed=1 n_train=6,8");
    FINE(check());
    change_images(); /* the first ten and their labels stay as they are */
    FINE(check());
}

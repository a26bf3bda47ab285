#include "testing.h"

#include <string.h>

#include "base/rng.h"
#include "config_fixture.h"
#include "data_fixture.h"
#include "lab/kind/images/images.h"
#include "lab/kind/sequences/sequences.h"
#include "lab/training/source.h"

static const char *root[] = {scratch};
static const struct dataset_options data = {.root = root, .n_root = 1};

static struct config make_config(const char *settings)
{
    return config_of("n_embd=8 n_head=2", settings);
}

static struct source *make(const struct config *config, int threads)
{
    struct source *source;
    FINE(source_create(&source, config, &data, threads, &err));
    return source;
}

/* ---- sequences ---- */

FIXTURE(scratch_make, scratch_remove)

TEST(an_epoch_shows_every_sequence_once)
{
    struct config config = make_config("task=copy seq_len=4 n_train=70 n_test=5 batch_size=32");
    struct source *source = make(&config, 1);
    int32_t x[70 * 4], y[70 * 4];
    uint32_t order[70];
    struct run_data none;
    sequences_generate(sequence_task_of(config.task), 0, "train", 0, 70, 4, x, y);
    ck_assert_uint_eq(source_n_step(source), 3);
    ck_assert(!source_describe(source, &none));
    for (size_t epoch = 0; epoch < 2; epoch++) {
        source_begin_epoch(source, epoch);
        rng_permutation(rng_make(0, "shuffle/%zu", epoch), 70, order);
        for (size_t step = 0; step < 3; step++) {
            struct batch batch = source_train_batch(source, step);
            ck_assert_uint_eq(batch.n_sequence, step < 2 ? 32 : 6);
            for (size_t i = 0; i < batch.n_sequence; i++) {
                const int32_t *item = x + order[step * 32 + i] * 4;
                ck_assert_mem_eq(batch.ids + i * 4, item, 16);
                ck_assert_mem_eq(batch.targets + i * 4, item, 16);
            }
        }
    }
    source_free(source);
}

TEST(the_last_batch_can_be_dropped)
{
    struct config config = make_config("n_train=70 n_test=5 batch_size=32 last_batch=drop");
    struct source *source = make(&config, 1);
    ck_assert_uint_eq(source_n_step(source), 2);
    source_free(source);
    config = make_config("n_train=7 n_test=5 batch_size=32 last_batch=drop");
    source = make(&config, 1);
    source_begin_epoch(source, 0);
    ck_assert_uint_eq(source_n_step(source), 1);
    ck_assert_uint_eq(source_train_batch(source, 0).n_sequence, 7);
    source_free(source);
}

TEST(test_slices_cover_the_split)
{
    struct config config = make_config("task=copy seq_len=2 n_train=8 n_test=1500");
    struct source *source = make(&config, 1);
    int32_t x[3000], y[3000];
    sequences_generate(sequence_task_of(config.task), 0, "test", 0, 1500, 2, x, y);
    struct batch slice = source_test_slice(source, 0);
    ck_assert_uint_eq(slice.n_sequence, 1024);
    ck_assert_uint_eq(slice.n_sequence, source_slice_size(source));
    slice = source_test_slice(source, 1024);
    ck_assert_uint_eq(slice.n_sequence, 476);
    ck_assert_mem_eq(slice.ids, x + 2048, 476 * 2 * sizeof *x);
    source_free(source);
}

/* ---- images ---- */

#define N_PATCH_NUMBER (49 * 16)

/* expect_image compares a place of a batch with an image of the set, moved and normalised. */
static void expect_image(const struct config *config, const struct image_set *set, size_t image,
                         struct augment_move move, const struct batch *batch, size_t i)
{
    static uint8_t moved[3 * 32 * 32];
    static float rows[3 * 32 * 32];
    struct normalisation normalisation;
    const struct dataset *dataset = dataset_of(config->task);
    size_t n = set->n_channel * set->height * set->width;
    normalisation_make(&normalisation, dataset->mean, dataset->std, dataset->n_channel);
    augment_apply(move, set->image[image], set->n_channel, set->height, set->width, moved);
    image_to_patches(&normalisation, moved, set->n_channel, set->height, set->width, config->patch,
                     rows);
    ck_assert_mem_eq(batch->patches + i * n, rows, n * sizeof *rows);
    ck_assert_int_eq(batch->targets[i], set->label[image]);
}

TEST(batches_hold_the_images_of_the_epochs_order)
{
    struct config config = make_config("task=glyphs n_train=40 n_test=10 batch_size=16");
    struct source *source = make(&config, 1);
    const struct image_set *set = &source_image_data(source)->train;
    uint32_t order[40];
    ck_assert_uint_eq(source_n_step(source), 2);
    source_begin_epoch(source, 3);
    rng_permutation(rng_make(0, "shuffle/3"), 40, order);
    for (size_t step = 0; step < 2; step++) {
        struct batch batch = source_train_batch(source, step);
        ck_assert(batch.n_sequence == 16 && batch.n_token == 50 && batch.ids == NULL);
        for (size_t i = 0; i < 16; i++) {
            expect_image(&config, set, order[step * 16 + i], (struct augment_move){0}, &batch, i);
        }
    }
    source_free(source);
}

static void write_cifar(void)
{
    for (int i = 1; i <= 5; i++) {
        char name[40];
        snprintf(name, sizeof name, "data_batch_%d.bin", i);
        fixture_cifar(name, 4, 1);
    }
    fixture_cifar("test_batch.bin", 6, 1);
}

TEST(training_images_are_moved_and_test_images_are_not)
{
    write_cifar();
    struct config config = make_config("task=cifar10 batch_size=20");
    struct source *source = make(&config, 2);
    const struct image_set *set = &source_image_data(source)->train;
    size_t n_moved = 0;
    for (size_t epoch = 0; epoch < 2; epoch++) {
        uint32_t order[20];
        struct rng stream = augment_stream(0, epoch);
        rng_permutation(rng_make(0, "shuffle/%zu", epoch), 20, order);
        source_begin_epoch(source, epoch);
        struct batch batch = source_train_batch(source, 0);
        for (size_t i = 0; i < 20; i++) {
            struct augment_move move = augment_draw(stream, AUGMENT_CROP_FLIP, order[i]);
            expect_image(&config, set, order[i], move, &batch, i);
            n_moved += move.dx != 0 || move.dy != 0 || move.flip;
        }
    }
    ck_assert_uint_gt(n_moved, 30);
    struct batch slice = source_test_slice(source, 2);
    ck_assert_uint_eq(slice.n_sequence, 4);
    for (size_t i = 0; i < 4; i++) {
        expect_image(&config, &source_image_data(source)->test, 2 + i, (struct augment_move){0},
                     &slice, i);
    }
    source_free(source);
    config = make_config("task=cifar10 batch_size=20 augment=none");
    source = make(&config, 1);
    source_begin_epoch(source, 0);
    struct batch batch = source_train_batch(source, 0);
    uint32_t order[20];
    rng_permutation(rng_make(0, "shuffle/0"), 20, order);
    expect_image(&config, &source_image_data(source)->train, order[0], (struct augment_move){0},
                 &batch, 0);
    source_free(source);
}

TEST(the_sample_is_of_unmoved_training_images)
{
    write_cifar();
    struct config config = make_config("task=cifar10 batch_size=20");
    struct source *source = make(&config, 2);
    ck_assert_uint_eq(source_n_sample(source), 20);
    source_begin_epoch(source, 1);
    struct batch slice = source_sample_slice(source, 5);
    ck_assert_uint_eq(slice.n_sequence, 15);
    for (size_t i = 0; i < 15; i++) {
        expect_image(&config, &source_image_data(source)->train, 5 + i, (struct augment_move){0},
                     &slice, i);
    }
    source_free(source);
}

TEST(the_sample_of_a_large_split_is_spread_over_it)
{
    struct config config = make_config("task=glyphs n_train=12500 n_test=4");
    struct source *source = make(&config, 1);
    ck_assert_uint_eq(source_n_sample(source), SOURCE_SAMPLE);
    size_t first = 256 * 39; /* the last slice */
    struct batch slice = source_sample_slice(source, first);
    ck_assert_uint_eq(slice.n_sequence, 16);
    for (size_t i = 0; i < 16; i++) { /* of every five images the fifth is left out */
        size_t image = (first + i) / 4 * 5 + (first + i) % 4;
        expect_image(&config, &source_image_data(source)->train, image, (struct augment_move){0},
                     &slice, i);
    }
    source_free(source);
}

TEST(threads_do_not_change_a_batch)
{
    write_cifar();
    struct config config = make_config("task=cifar10 batch_size=19");
    struct source *one = make(&config, 1);
    source_begin_epoch(one, 1);
    struct batch expected = source_train_batch(one, 0);
    const int threads[] = {2, 3, 7};
    for (size_t k = 0; k < 3; k++) {
        struct source *other = make(&config, threads[k]);
        source_begin_epoch(other, 1);
        struct batch batch = source_train_batch(other, 0);
        ck_assert_mem_eq(batch.patches, expected.patches, 19 * 3072 * sizeof(float));
        ck_assert_mem_eq(batch.targets, expected.targets, 19 * sizeof(int32_t));
        source_free(other);
    }
    source_free(one);
}

/* The padding of a patch that does not divide the image is 0 behind the normalisation. */
TEST(padded_patches_end_in_zeros)
{
    struct config config =
        make_config("task=glyphs n_train=4 n_test=4 patch=8 patch_pad=zero n_embd=16");
    struct source *source = make(&config, 2);
    struct batch slice = source_test_slice(source, 0);
    ck_assert_uint_eq(slice.n_token, 17);
    const float *last = slice.patches + 15 * 64;
    for (size_t i = 0; i < 64; i++) {
        bool inside = i / 8 < 4 && i % 8 < 4;
        ck_assert((last[i] == 0) == !inside);
    }
    source_free(source);
}

TEST(the_probe_is_no_larger_than_the_test_split)
{
    fixture_mnist("%s-%s");
    struct config config = make_config("task=mnist");
    struct source *source = make(&config, 1);
    ck_assert_uint_eq(source_n_test(source), 5);
    ck_assert_uint_eq(source_n_probe(source), 5);
    ck_assert_uint_eq(source_n_step(source), 1);
    struct batch probe = source_probe_batch(source, 1, 1);
    float first = probe.patches[N_PATCH_NUMBER / 2];
    ck_assert_float_eq(source_test_slice(source, 1).patches[N_PATCH_NUMBER / 2], first);
    source_free(source);
}

TEST(images_that_are_not_the_published_ones_are_known_as_such)
{
    fixture_mnist("%s-%s");
    struct config config = make_config("task=mnist n_train=3");
    struct source *source = make(&config, 1);
    struct run_data description;
    ck_assert(source_describe(source, &description));
    ck_assert_int_eq(description.origin, IMAGES_OTHER);
    ck_assert_ptr_nonnull(strstr(description.warning, "not the published ones of MNIST"));
    source_free(source);
    source = make(&config, 1);
    source_image_data(source)->origin = IMAGES_PUBLISHED;
    ck_assert(source_describe(source, &description));
    ck_assert_ptr_null(description.warning);
    source_free(source);
}

/* ---- refusals ---- */

TEST(missing_data_are_told_without_reading_any)
{
    struct config config = make_config("task=mnist"), drawn = make_config("task=glyphs"),
                  task = make_config("task=sort");
    struct source *source;
    REFUSED(task_find_data(config.task, &data, &err), STATUS_DATA,
            "MNIST was not found: looked for train-images");
    REFUSED(task_find_data(config.task, NULL, &err), STATUS_DATA, "no folder at all");
    FINE(task_find_data(drawn.task, NULL, &err));
    FINE(task_find_data(task.task, NULL, &err));
    ck_assert_int_eq(source_create(&source, &config, &data, 1, &err), STATUS_DATA);
    ck_assert_ptr_null(source);
}

TEST(more_images_than_there_are_is_a_mistake)
{
    fixture_mnist("%s-%s");
    struct config config = make_config("task=mnist n_train=11");
    struct source *source;
    REFUSED(source_create(&source, &config, &data, 1, &err), STATUS_USAGE,
            "n_train=11: MNIST has 10 such images");
}

TEST(images_of_another_size_do_not_fit_the_model)
{
    uint8_t bytes[16 + 2 * 16] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 4};
    uint8_t labels[8 + 2] = {0, 0, 8, 1, 0, 0, 0, 2};
    fixture_write("train-images-idx3-ubyte", bytes, sizeof bytes);
    fixture_write("t10k-images-idx3-ubyte", bytes, sizeof bytes);
    fixture_write("train-labels-idx1-ubyte", labels, sizeof labels);
    fixture_write("t10k-labels-idx1-ubyte", labels, sizeof labels);
    struct config config = make_config("task=mnist");
    struct source *source;
    REFUSED(source_create(&source, &config, &data, 1, &err), STATUS_DATA, "28");
    SAID("4");
}

/* The registry, the search, and the real files where $QKVLAB_DATA points at them. */
#include "base/file.h"
#include "base/folder.h"
#include "lab/data/dataset.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data_fixture.h"
#include "testing.h"

static size_t count_datasets(void)
{
    size_t n = 0;
    while (dataset_at(n)) {
        n++;
    }
    return n;
}

TEST(registry_has_every_file_of_datasets)
{
    char **names;
    size_t n_name, n_source = 0;
    ck_assert_int_eq(folder_list("../datasets", &names, &n_name, NULL), STATUS_OK);
    for (size_t i = 0; i < n_name; i++) {
        char *dot = strrchr(names[i], '.');
        if (dot && strcmp(dot, ".c") == 0) {
            *dot = '\0';
            n_source++;
            ck_assert_msg(dataset_find_name(names[i]) != NULL, "%s.c is not in the registry",
                          names[i]);
            ck_assert_str_eq(dataset_find_name(names[i])->task.name, names[i]);
        }
    }
    ck_assert_uint_eq(count_datasets(), n_source);
    ck_assert_ptr_null(dataset_find_name("mnis"));
    folder_list_free(names, n_name);
}

TEST(every_row_is_filled)
{
    for (size_t i = 0; dataset_at(i); i++) {
        const struct dataset *dataset = dataset_at(i);
        ck_assert_ptr_nonnull(dataset->task.title);
        ck_assert_ptr_nonnull(dataset->origin);
        ck_assert_int_ge(dataset->task.version, 1);
        ck_assert_uint_le(dataset->n_channel, IMAGE_MAX_CHANNEL);
        for (size_t c = 0; c < dataset->n_channel; c++) {
            ck_assert(dataset->mean[c] > 0 && dataset->mean[c] < 1 && dataset->std[c] > 0);
        }
        for (size_t c = 0; dataset->class_name && c < dataset->task.n_answer; c++) {
            ck_assert_msg(dataset->class_name[c] && dataset->class_name[c][0], "%s, class %zu",
                          dataset->task.name, c);
        }
        for (size_t k = 0; k < dataset_n_file(dataset); k++) {
            const char *hash = dataset->file[k].sha256;
            ck_assert(!hash || strlen(hash) == SHA256_HEX_SIZE - 1);
        }
    }
}

/* ---- search ---- */

FIXTURE(scratch_make, scratch_remove)

TEST(nothing_found_says_what_where_and_how)
{
    static struct dataset_place place;
    const char *root[] = {"/nowhere/a", scratch};
    struct dataset_options options = {.root = root, .n_root = 2};
    for (size_t i = 0; dataset_at(i); i++) {
        if (dataset_n_file(dataset_at(i)) == 0) {
            FINE(dataset_find(dataset_at(i), &options, &place, &err));
            continue;
        }
        ck_assert_int_eq(dataset_find(dataset_at(i), &options, &place, &err), STATUS_DATA);
        const char *parts[] = {dataset_at(i)->task.title,   "looked for",
                               dataset_at(i)->file[0].name, "/nowhere/a and /tmp/",
                               "scripts/fetch_data.sh",     "--data"};
        for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
            ck_assert_msg(strstr(err.text, parts[k]), "'%s' lacks '%s'", err.text, parts[k]);
        }
    }
    dataset_find(dataset_find_name("mnist"), &options, &place, &err);
    SAID("t10k-labels-idx1-ubyte (10008 bytes)");
}

TEST(the_first_root_that_is_complete_wins)
{
    static struct dataset_place place;
    char one[PATH_SIZE], two[PATH_SIZE];
    fixture_mnist("two/MNIST/raw/%s-%s.gz");
    fixture_idx("one/train-images-idx3-ubyte", 10, 1);
    scratch_path(one, "one");
    scratch_path(two, "two");
    const char *root[] = {one, two};
    struct dataset_options options = {.root = root, .n_root = 2};
    const struct dataset *mnist = dataset_find_name("mnist");
    FINE(dataset_find(mnist, &options, &place, &err));
    ck_assert_ptr_nonnull(strstr(place.folder, "/two/MNIST/raw"));
    options.n_root = 1;
    REFUSED(dataset_find(mnist, &options, &place, &err), STATUS_DATA,
            "/one: no train-labels-idx1-ubyte (60008 bytes, plain");
    fixture_mnist("one/%s.%s");
    FINE(dataset_find(mnist, &options, &place, &err));
    ck_assert_ptr_nonnull(strstr(place.path[0], "/one/train-images"));
}

static void expect_obstacle(const char *words)
{
    static struct dataset_place place;
    const char *root[] = {scratch};
    struct dataset_options options = {.root = root, .n_root = 1};
    ck_assert_int_eq(dataset_find(dataset_find_name("mnist"), &options, &place, &err), STATUS_DATA);
    ck_assert_msg(strstr(err.text, words), "'%s' lacks '%s'", err.text, words);
    SAID("; get it with scripts/fetch_data.sh mnist");
}

TEST(what_stands_where_a_file_should_is_named)
{
    char path[PATH_SIZE];
    fixture_mnist("%s-%s");
    fixture_remove("t10k-images-idx3-ubyte");
    scratch_path(path, "t10k-images-idx3-ubyte");
    ck_assert_int_eq(mkdir(path, 0777), 0);
    expect_obstacle("/t10k-images-idx3-ubyte is a folder, expected a file of 7840016 bytes, plain");
    fixture_remove("t10k-images-idx3-ubyte");
    ck_assert_int_eq(symlink("/nowhere/at/all", path), 0);
    expect_obstacle("/t10k-images-idx3-ubyte is a link to nothing, expected a file");
    fixture_remove("t10k-images-idx3-ubyte");
    scratch_path(path, "t10k-images-idx3-ubyte.gz");
    ck_assert_int_eq(mkfifo(path, 0666), 0);
    expect_obstacle("/t10k-images-idx3-ubyte.gz is a pipe (FIFO), expected a file");
}

TEST(the_first_images_only)
{
    struct image_data data, all;
    fixture_mnist("%s-%s");
    FINE(fixture_load("mnist", &all));
    struct dataset_options options = {.n_train = 4};
    FINE(fixture_load_with("mnist", options, &data));
    ck_assert_uint_eq(data.train.n_image, 4);
    ck_assert_uint_eq(data.test.n_image, 5);
    ck_assert_str_ne(image_data_hash(&data), image_data_hash(&all));
    image_data_free(&data);
    image_data_free(&all);
    options.n_train = 11;
    REFUSED(fixture_load_with("mnist", options, &data), STATUS_USAGE,
            "n_train=11: MNIST has 10 such images");
}

TEST(the_hash_is_that_of_the_contents)
{
    struct image_data data;
    char plain[SHA256_HEX_SIZE];
    fixture_mnist("%s-%s");
    FINE(fixture_load("mnist", &data));
    strcpy(plain, image_data_hash(&data));
    image_data_free(&data);
    folder_remove(scratch, NULL);
    fixture_mnist("MNIST/raw/%s.%s.gz");
    FINE(fixture_load("mnist", &data));
    ck_assert_str_eq(image_data_hash(&data), plain);
    image_data_free(&data);
}

TEST(images_that_are_not_the_published_ones_are_known_as_such)
{
    struct image_data data;
    fixture_mnist("%s-%s");
    FINE(fixture_load_with("mnist", (struct dataset_options){.n_train = 3}, &data));
    ck_assert_int_eq(data.origin, IMAGES_OTHER);
    image_data_free(&data);
}

/* ---- real files ---- */

static bool load_real(const char *name, struct image_data *data)
{
    static struct dataset_place place;
    const char *root[] = {getenv("QKVLAB_DATA")};
    struct dataset_options options = {.root = root, .n_root = 1};
    if (!root[0]) {
        return false;
    }
    if (dataset_find(dataset_find_name(name), &options, &place, &err) != STATUS_OK) {
        printf("left out: %s\n", err.text);
        return false;
    }
    FINE(dataset_load(&place, &options, data, &err));
    return true;
}

static void expect_first_labels(const struct image_set *set, const char *labels)
{
    size_t i = 0;
    for (char *end; *labels; labels = end) {
        ck_assert_uint_eq(set->label[i++], strtoul(labels, &end, 10));
    }
}

static void expect_moments(const struct image_set *set, size_t channel, double mean, double std)
{
    double sum = 0, squares = 0;
    size_t n_pixel = set->height * set->width;
    for (size_t i = 0; i < set->n_image; i++) {
        const uint8_t *pixel = set->image[i] + channel * n_pixel;
        for (size_t k = 0; k < n_pixel; k++) {
            sum += pixel[k];
            squares += (double)pixel[k] * pixel[k];
        }
    }
    double n = (double)(set->n_image * n_pixel);
    ck_assert_double_eq_tol(sum / n / 255, mean, 1e-5);
    ck_assert_double_eq_tol(sqrt(squares / n - sum / n * sum / n) / 255, std, 1e-5);
}

FIXTURE(NULL, NULL)

TEST(real_mnist)
{
    struct image_data data;
    if (load_real("mnist", &data)) {
        ck_assert_uint_eq(data.train.n_image, 60000);
        expect_first_labels(&data.train, "5 0 4 1 9 2 1 3 1 4");
        expect_first_labels(&data.test, "7 2 1 0 4 1 4 9 5 9");
        expect_moments(&data.train, 0, 0.13066, 0.30811);
        image_data_free(&data);
    }
}

/* The labels of MNIST in a folder that could hold either must not pass for Fashion-MNIST's. */
TEST(real_mnist_is_not_fashion_mnist)
{
    static struct dataset_place place;
    struct image_data data;
    if (!load_real("mnist", &data)) {
        return;
    }
    image_data_free(&data);
    char folder[PATH_SIZE];
    ck_assert_int_eq(path_format(folder, NULL, "%s/mnist", getenv("QKVLAB_DATA")), STATUS_OK);
    const char *root[] = {folder};
    struct dataset_options options = {.root = root, .n_root = 1};
    FINE(dataset_find(dataset_find_name("mnist"), &options, &place, &err));
    REFUSED(dataset_find(dataset_find_name("fashion_mnist"), &options, &place, &err), STATUS_DATA,
            "holds MNIST, whose files have the same names");
}

TEST(real_cifar10)
{
    struct image_data data;
    if (load_real("cifar10", &data)) {
        ck_assert_uint_eq(data.train.n_image, 50000);
        expect_first_labels(&data.train, "6 9 9 4 1 1 2 7 8 3");
        expect_first_labels(&data.test, "3 8 8 0 6 6 1 6 3 1");
        expect_moments(&data.train, 0, 0.49140, 0.24703);
        expect_moments(&data.train, 1, 0.48216, 0.24349);
        expect_moments(&data.train, 2, 0.44653, 0.26159);
        image_data_free(&data);
    }
}

TEST(real_cifar100)
{
    struct image_data data;
    if (load_real("cifar100", &data)) {
        expect_first_labels(&data.train, "19 29 0 11 1");
        ck_assert_str_eq(data.class_name[19], "cattle");
        image_data_free(&data);
    }
}

TEST(real_tinyimagenet)
{
    struct image_data data;
    if (load_real("tinyimagenet", &data)) {
        ck_assert_uint_eq(data.train.n_image, data.n_class * 500);
        ck_assert_uint_eq(data.test.n_image, data.n_class * 50);
        image_data_free(&data);
    }
}

/* TinyImageNet's folders in both layouts, the files around them, damaged JPEGs, and the cache. */
#include "base/file.h"
#include "base/folder.h"
#include "lab/data/image_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jpeglib.h>

#include "data_fixture.h"
#include "lab/data/jpeg.h"
#include "testing.h"

enum { SIDE = 64, QUALITY = 95 };

static void write_jpeg(const char *name, J_COLOR_SPACE space, int n_channel, int width, int height,
                       int value)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    unsigned char *bytes = NULL;
    unsigned long size = 0;
    JSAMPLE line[256 * 4];
    JSAMPROW row = line;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &bytes, &size);
    jpeg.image_width = (JDIMENSION)width;
    jpeg.image_height = (JDIMENSION)height;
    jpeg.input_components = n_channel;
    jpeg.in_color_space = space;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, QUALITY, TRUE);
    jpeg_start_compress(&jpeg, TRUE);
    for (int y = 0; y < height; y++) {
        for (int i = 0; i < width * n_channel; i++) {
            line[i] = (JSAMPLE)(value + i / n_channel + i % n_channel * 20);
        }
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    fixture_write(name, bytes, size);
    jpeg_destroy_compress(&jpeg);
    free(bytes);
}

static void write_colour(const char *name, int value)
{
    write_jpeg(name, JCS_RGB, 3, SIDE, SIDE, value);
}

#define TOP "tiny-imagenet-200/"

/* Two classes of two images, three test images; n2 comes first in wnids.txt. */
static void write_train(void)
{
    fixture_text(TOP "wnids.txt", "n2\nn1\n");
    fixture_text(TOP "words.txt", "n1\tgoldfish, Carassius auratus\nn9\tnobody");
    write_colour(TOP "train/n1/images/n1_0.JPEG", 10);
    write_colour(TOP "train/n1/images/n1_1.JPEG", 20);
    write_colour(TOP "train/n2/images/n2_0.JPEG", 30);
    write_colour(TOP "train/n2/images/n2_1.JPEG", 40);
    fixture_text(TOP "train/n1/n1_boxes.txt", "n1_0.JPEG\t0\t0\t1\t1\n");
}

static void write_val(const char *a, const char *b, const char *c)
{
    char name[128];
    const char *folder[] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, TOP "val/%s/val_%d.JPEG", folder[i], i);
        write_colour(name, 50 + 10 * i);
    }
}

#define ANNOTATIONS TOP "val/val_annotations.txt"
static const char annotations[] =
    "val_0.JPEG\tn1\t0\t0\t1\t1\nval_1.JPEG\tn2\t0\t0\t1\t1\nval_2.JPEG\tn1\t0\t0\t1\t1\n";

static void write_official(void)
{
    write_train();
    write_val("images", "images", "images");
    fixture_text(ANNOTATIONS, annotations);
}

static void expect_labels(const struct image_set *set, size_t n, const uint16_t *label)
{
    ck_assert_uint_eq(set->n_image, n);
    for (size_t i = 0; i < n; i++) {
        ck_assert_uint_eq(set->label[i], label[i]);
    }
}

static void load(struct image_data *data)
{
    FINE(fixture_load("tinyimagenet", data));
}

static void expect_official(void)
{
    struct image_data data;
    load(&data);
    ck_assert_uint_eq(data.n_class, 2);
    ck_assert_str_eq(data.class_name[0], "n2"); /* not in words.txt */
    ck_assert_str_eq(data.class_name[1], "goldfish");
    expect_labels(&data.train, 4, (const uint16_t[]){0, 0, 1, 1});
    expect_labels(&data.test, 3, (const uint16_t[]){1, 0, 1});
    /* red is the value, up to the compression; 20 more in green, 1 more a column */
    ck_assert_int_le(abs(data.train.image[0][0] - 30), 4);
    ck_assert_int_le(abs(data.train.image[3][SIDE * SIDE + 10] - (20 + 20 + 10)), 4);
    ck_assert_int_le(abs(data.test.image[1][0] - 60), 4);
    image_data_free(&data);
}

FIXTURE(scratch_make, scratch_remove)

TEST(the_official_layout)
{
    write_official();
    expect_official();
}

TEST(class_folders_give_the_same)
{
    struct image_data data;
    char hash[SHA256_HEX_SIZE];
    write_official();
    load(&data);
    strcpy(hash, image_data_hash(&data));
    image_data_free(&data);
    for (int nested = 0; nested < 2; nested++) {
        folder_remove(scratch, NULL);
        write_train();
        write_val(nested ? "n1/images" : "n1", nested ? "n2/images" : "n2",
                  nested ? "n1/images" : "n1");
        expect_official();
        load(&data);
        ck_assert_str_eq(image_data_hash(&data), hash);
        image_data_free(&data);
    }
    /* what a script that moved the images leaves behind */
    fixture_text(ANNOTATIONS, annotations);
    fixture_text(TOP "val/images/.DS_Store", "x");
    expect_official();
}

TEST(layouts_that_could_mean_two_things)
{
    write_official();
    fixture_remove(ANNOTATIONS);
    expect_refused("tinyimagenet", "their classes are unknown", "val_annotations.txt is missing");
    fixture_text(ANNOTATIONS, annotations);
    write_colour(TOP "val/n1/val_7.JPEG", 1);
    expect_refused("tinyimagenet", "class folders beside it", "holds 3 JPEGs in images");
}

TEST(annotations_that_do_not_fit)
{
    write_official();
    fixture_text(ANNOTATIONS, "val_0.JPEG\tn1\nval_1.JPEG\tn2\n");
    expect_refused("tinyimagenet", "has no line for val_2.JPEG", "val_annotations.txt");
    fixture_text(ANNOTATIONS, "val_0.JPEG n1\nval_1.JPEG\tn2\n");
    expect_refused("tinyimagenet", "no tab in 'val_0.JPEG n1'", "val_annotations.txt");
    /* a class that wnids.txt leaves out is left out; without it, it is a mistake */
    fixture_text(ANNOTATIONS, "val_0.JPEG\tn1\nval_1.JPEG\tn2\nval_2.JPEG\tn7\n");
    expect_loads("tinyimagenet", 4, 2);
    fixture_remove(TOP "wnids.txt");
    expect_refused("tinyimagenet", "puts val_2.JPEG into class n7", "no folder in train");
}

TEST(text_files_of_other_systems)
{
    write_official();
    fixture_text(TOP "wnids.txt", "\xef\xbb\xbfn2\r\nn1\r\n\r\n");
    fixture_text(ANNOTATIONS, "val_0.JPEG\tn1\t0\r\nval_1.JPEG\tn2\t0\r\n\r\nval_2.JPEG\tn1\t0");
    fixture_text(TOP "train/n1/images/._n1_0.JPEG", "resource fork");
    fixture_text(TOP "train/.DS_Store", "x");
    fixture_text(TOP "train/n2/images/Thumbs.db", "x");
    fixture_text(TOP "val/images/._val_0.JPEG", "x");
    expect_official();
}

TEST(classes_come_from_wnids_or_sorted_folders)
{
    struct image_data data;
    write_official();
    write_colour(TOP "train/n3/images/n3_0.JPEG", 1);
    expect_official();
    fixture_remove(TOP "wnids.txt");
    load(&data);
    ck_assert_uint_eq(data.n_class, 3);
    expect_labels(&data.train, 5, (const uint16_t[]){0, 0, 1, 1, 2});
    image_data_free(&data);
    fixture_text(TOP "wnids.txt", "n1\nn2\nn1\n");
    expect_refused("tinyimagenet", "wnids.txt names n1 twice", "");
    fixture_text(TOP "wnids.txt", "\n\n");
    expect_refused("tinyimagenet", "wnids.txt names no class", "");
    fixture_text(TOP "wnids.txt", "n1\nn2\nn4\n");
    expect_refused("tinyimagenet", "n4", "No such file");
}

/* ---- JPEGs ---- */

TEST(grey_ones_have_three_equal_channels)
{
    struct image_data data;
    write_official();
    write_jpeg(TOP "train/n2/images/n2_0.JPEG", JCS_GRAYSCALE, 1, SIDE, SIDE, 100);
    load(&data);
    const uint8_t *image = data.train.image[0];
    ck_assert_int_le(abs(image[5] - 105), 3);
    ck_assert_mem_eq(image, image + SIDE * SIDE, SIDE * SIDE);
    ck_assert_mem_eq(image, image + 2 * SIDE * SIDE, SIDE * SIDE);
    image_data_free(&data);
}

#define VICTIM TOP "train/n1/images/n1_1.JPEG"

/* With a cache asked for: the sentence names the image, and no file is left but the lock. */
static void expect_no_cache(const char *phrase)
{
    struct image_data data;
    char cache[PATH_SIZE], **names;
    size_t n_name;
    scratch_path(cache, "cache");
    ck_assert_int_eq(
        fixture_load_with("tinyimagenet", (struct dataset_options){.cache = cache}, &data),
        STATUS_DATA);
    ck_assert_msg(strstr(err.text, VICTIM) && strstr(err.text, phrase), "%s", err.text);
    ck_assert_int_eq(folder_list(cache, &names, &n_name, NULL), STATUS_OK);
    for (size_t i = 0; i < n_name; i++) {
        ck_assert_msg(strstr(names[i], ".lock") != NULL, "%s is left", names[i]);
    }
    folder_list_free(names, n_name);
}

TEST(cmyk_and_other_sizes)
{
    write_official();
    write_jpeg(VICTIM, JCS_CMYK, 4, SIDE, SIDE, 1);
    expect_no_cache("has 4 colour channels (CMYK), expected grey or RGB");
    write_jpeg(VICTIM, JCS_RGB, 3, 48, SIDE, 1);
    expect_no_cache("has 48 x 64 pixels, expected 64 x 64");
}

TEST(a_jpeg_that_ends_early)
{
    char path[PATH_SIZE], *bytes;
    size_t size;
    write_official();
    scratch_path(path, VICTIM);
    ck_assert_int_eq(file_read(path, 1 << 20, &bytes, &size, NULL), STATUS_OK);
    for (size_t n = size - 2; n > 3; n -= n > 80 ? 61 : 9) {
        fixture_write(VICTIM, bytes, n);
        expect_no_cache("is a damaged JPEG: ");
    }
    fixture_write(VICTIM, bytes, 2);
    expect_no_cache("is not a JPEG");
    fixture_write(VICTIM, "", 0);
    expect_no_cache("");
    fixture_write(VICTIM, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\1\0\1\0\1\0\1\x8\2\0\0\0", 29);
    expect_no_cache("is not a JPEG: it begins with bytes 89 50 4e 47 (a PNG picture)");
    free(bytes);
}

/* The largest size a JPEG header can hold: three channels of it would take 12 gigabytes. */
TEST(a_huge_header_is_refused)
{
    static const unsigned char huge[] = {
        0xff, 0xd8, 0xff, 0xc0, 0, 17, 8, 0xff, 0xff, 0xff, 0xff, 3, 1, 0x11, 0,  2, 0x11, 0,   3,
        0x11, 0,    0xff, 0xda, 0, 12, 3, 1,    0,    2,    0,    3, 0, 0,    63, 0, 0xff, 0xd9};
    static const unsigned char large[] = {
        0xff, 0xd8, 0xff, 0xc0, 0, 17, 8, 0xff, 0, 0xff, 0, 3, 1, 0x11, 0,  2, 0x11, 0,   3,
        0x11, 0,    0xff, 0xda, 0, 12, 3, 1,    0, 2,    0, 3, 0, 0,    63, 0, 0xff, 0xd9};
    write_official();
    fixture_write(VICTIM, huge, sizeof huge);
    expect_no_cache("Maximum supported image dimension is 65500 pixels");
    fixture_write(VICTIM, large, sizeof large);
    expect_no_cache("has 65280 x 65280 pixels, expected 64 x 64");
}

/* ---- cache ---- */

static size_t n_decoded;

static bool count_decoded(void *context, size_t n_done, size_t n_image)
{
    (void)context;
    (void)n_image;
    n_decoded = n_done;
    return true;
}

/* Loads through the cache; returns how many images had to be decoded. */
static size_t load_cached(char hash[SHA256_HEX_SIZE])
{
    struct image_data data;
    char cache[PATH_SIZE];
    scratch_path(cache, "cache");
    n_decoded = 0;
    struct dataset_options options = {.cache = cache, .progress = count_decoded};
    FINE(fixture_load_with("tinyimagenet", options, &data));
    expect_labels(&data.train, 4, (const uint16_t[]){0, 0, 1, 1});
    strcpy(hash, image_data_hash(&data));
    image_data_free(&data);
    return n_decoded;
}

static void cache_file(char path[PATH_SIZE])
{
    char cache[PATH_SIZE], **names;
    size_t n_name;
    scratch_path(cache, "cache");
    ck_assert_int_eq(folder_list(cache, &names, &n_name, NULL), STATUS_OK);
    ck_assert_uint_eq(n_name, 2); /* and its lock */
    ck_assert_int_eq(path_format(path, NULL, "%s/%s", cache, names[0]), STATUS_OK);
    folder_list_free(names, n_name);
}

TEST(the_second_time_nothing_is_decoded)
{
    char first[SHA256_HEX_SIZE], second[SHA256_HEX_SIZE];
    struct image_data data;
    write_official();
    ck_assert_uint_eq(load_cached(first), 7);
    ck_assert_uint_eq(load_cached(second), 0);
    ck_assert_str_eq(first, second);
    load(&data); /* without a cache */
    ck_assert_str_eq(image_data_hash(&data), first);
    image_data_free(&data);
}

TEST(changes_make_it_stale)
{
    char first[SHA256_HEX_SIZE], hash[SHA256_HEX_SIZE], path[PATH_SIZE];
    write_official();
    load_cached(first);
    write_colour(TOP "train/n1/images/n1_0.JPEG", 90); /* size */
    ck_assert_uint_eq(load_cached(hash), 7);
    ck_assert_str_ne(first, hash);
    scratch_path(path, TOP "train/n1/images/n1_0.JPEG"); /* time */
    const struct timespec times[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000, .tv_nsec = 7}};
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
    ck_assert_uint_eq(load_cached(hash), 7);
    write_colour(TOP "val/images/val_3.JPEG", 1); /* list */
    fixture_text(ANNOTATIONS, "val_0.JPEG\tn1\nval_1.JPEG\tn2\nval_2.JPEG\tn1\nval_3.JPEG\tn1\n");
    ck_assert_uint_eq(load_cached(hash), 8);
    ck_assert_uint_eq(load_cached(hash), 0);
    cache_file(path); /* one, not four */
}

TEST(a_damaged_cache_is_made_again)
{
    char first[SHA256_HEX_SIZE], hash[SHA256_HEX_SIZE], path[PATH_SIZE], *bytes;
    size_t size;
    write_official();
    load_cached(first);
    cache_file(path);
    ck_assert_int_eq(file_read(path, 1 << 20, &bytes, &size, NULL), STATUS_OK);
    const size_t at[] = {3, 20, 60, 150, 190, 260, 300, 330, 350, 390, 5000, size - 1};
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        char before = bytes[at[i]];
        bytes[at[i]] ^= 4;
        ck_assert_int_eq(file_write_atomic(path, bytes, size, NULL), STATUS_OK);
        ck_assert_msg(load_cached(hash) == 7, "byte %zu went unseen", at[i]);
        ck_assert_str_eq(hash, first);
        bytes[at[i]] = before;
    }
    const size_t length[] = {0, 10, 215, 300, 5000, size - 1, size};
    for (size_t i = 0; i < sizeof length / sizeof length[0]; i++) {
        ck_assert_int_eq(file_write_atomic(path, bytes, length[i], NULL), STATUS_OK);
        ck_assert_uint_eq(load_cached(hash), length[i] == size ? 0 : 7);
    }
    free(bytes);
}

static bool stop_at_once(void *context, size_t n_done, size_t n_image)
{
    (void)context;
    (void)n_done;
    (void)n_image;
    return false;
}

TEST(a_builder_that_was_stopped_or_killed_leaves_no_cache)
{
    struct image_data data;
    char cache[PATH_SIZE], hash[SHA256_HEX_SIZE], path[PATH_SIZE], partial[PATH_SIZE];
    write_official();
    scratch_path(cache, "cache");
    struct dataset_options options = {.cache = cache, .progress = stop_at_once};
    ck_assert_int_eq(fixture_load_with("tinyimagenet", options, &data), STATUS_INTERRUPTED);
    ck_assert_uint_eq(load_cached(hash), 7);
    cache_file(path);
    path_format(partial, NULL, "%s.partial", path);
    ck_assert_int_eq(rename(path, partial), 0);
    ck_assert_uint_eq(load_cached(hash), 7);
    cache_file(path);
}

/* Each process loads many times while others change the files' times under it. */
TEST(several_builders_at_once)
{
    char path[PATH_SIZE], hash[SHA256_HEX_SIZE];
    pid_t child[4];
    write_official();
    for (int i = 0; i < 4; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            for (int k = 0; k < 10; k++) {
                const struct timespec times[2] = {{.tv_sec = 1000 * i + k},
                                                  {.tv_sec = 1000 * i + k}};
                scratch_path(path, VICTIM);
                utimensat(AT_FDCWD, path, times, 0);
                load_cached(hash);
            }
            _exit(0);
        }
    }
    for (int i = 0; i < 4; i++) {
        int status;
        ck_assert_int_eq(waitpid(child[i], &status, 0), child[i]);
        ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a builder failed");
    }
    load_cached(hash);
    ck_assert_uint_eq(load_cached(hash), 0);
    cache_file(path);
}

TEST(a_cache_that_cannot_be_written)
{
    struct image_data data;
    write_official();
    fixture_text("cache", "a file");
    char cache[PATH_SIZE];
    scratch_path(cache, "cache/below");
    REFUSED(fixture_load_with("tinyimagenet", (struct dataset_options){.cache = cache}, &data),
            STATUS_WRITE, "cache");
}

/* The last one: processes that fork after threads were there would hang in some OpenMP libraries.
 */
TEST(any_number_of_threads_decodes_the_same)
{
    struct image_data data;
    char one[SHA256_HEX_SIZE];
    write_official();
    load(&data);
    strcpy(one, image_data_hash(&data));
    image_data_free(&data);
    struct dataset_options options = {.threads = 3};
    FINE(fixture_load_with("tinyimagenet", options, &data));
    ck_assert_str_eq(image_data_hash(&data), one);
    image_data_free(&data);
    fixture_write(VICTIM, "x", 1);
    REFUSED(fixture_load_with("tinyimagenet", options, &data), STATUS_DATA, VICTIM);
}

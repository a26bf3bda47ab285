#include "base/folder.h"
#include "lab/data/cifar.h"

#include "data_fixture.h"
#include "testing.h"

static void write_cifar10(const char *folder)
{
    for (int i = 1; i <= 6; i++) {
        char name[128];
        snprintf(name, sizeof name, i < 6 ? "%s/data_batch_%d.bin" : "%s/test_batch.bin", folder,
                 i);
        fixture_cifar(name, i == 3 ? 4 : 2, 1);
    }
}

static void write_cifar100(const char *folder)
{
    char name[128];
    snprintf(name, sizeof name, "%s/train.bin", folder);
    fixture_cifar(name, 5, 2);
    snprintf(name, sizeof name, "%s/test.bin", folder);
    fixture_cifar(name, 3, 2);
}

static void expect_ramp(const struct image_set *set, size_t image, size_t record)
{
    ck_assert_uint_eq(set->label[image], record);
    for (size_t i = 0; i < 3072; i++) {
        ck_assert_uint_eq(set->image[image][i], (uint8_t)(record + i + i / 256));
    }
}

FIXTURE(scratch_make, scratch_remove)

TEST(a_ramp_comes_back_byte_for_byte)
{
    struct image_data data;
    write_cifar10("cifar-10-batches-bin");
    FINE(fixture_load("cifar10", &data));
    ck_assert_uint_eq(data.train.n_image, 12);
    ck_assert_uint_eq(data.test.n_image, 2);
    expect_ramp(&data.train, 1, 1);
    expect_ramp(&data.train, 7, 3); /* the last of the third file */
    expect_ramp(&data.train, 8, 0);
    expect_ramp(&data.test, 1, 1);
    ck_assert_str_eq(data.class_name[9], "truck");
    image_data_free(&data);
}

/* The first label byte says the group, the second what is learned. */
TEST(two_label_bytes)
{
    struct image_data data;
    write_cifar100("cifar-100-binary");
    FINE(fixture_load("cifar100", &data));
    expect_ramp(&data.train, 4, 4);
    expect_ramp(&data.test, 2, 2);
    image_data_free(&data);
    char bytes[3074] = {19, 99};
    fixture_write("cifar-100-binary/test.bin", bytes, sizeof bytes);
    FINE(fixture_load("cifar100", &data));
    ck_assert_uint_eq(data.test.label[0], 99);
    image_data_free(&data);
    bytes[0] = 20;
    fixture_write("cifar-100-binary/test.bin", bytes, sizeof bytes);
    expect_refused("cifar100", "label byte 0 of record 0, at offset 0, is 20", "expected 0 to 19");
    bytes[0] = 0;
    bytes[1] = 100;
    fixture_write("cifar-100-binary/test.bin", bytes, sizeof bytes);
    expect_refused("cifar100", "label byte 1 of record 0, at offset 1, is 100", "0 to 99");
}

TEST(folders_where_tools_put_it)
{
    static const char *const folder[] = {".", "cifar10", "cifar-10-batches-bin",
                                         "cifar10/cifar-10-batches-bin"};
    for (size_t i = 0; i < sizeof folder / sizeof folder[0]; i++) {
        write_cifar10(folder[i]);
        expect_loads("cifar10", 12, 2);
        folder_remove(scratch, NULL);
    }
}

TEST(sizes_that_are_no_records)
{
    static char bytes[2 * 3074 + 5];
    write_cifar10(".");
    fixture_write("data_batch_2.bin", bytes, 2 * 3072);
    expect_refused("cifar10", "data_batch_2.bin has 6144 bytes, records of 3072 pixels without",
                   "records of 3073 bytes, 1 of them labels");
    fixture_write("data_batch_2.bin", bytes, 3073 + 7);
    expect_refused("cifar10", "no multiple of a record's 3073", "ends 7 bytes into record 1");
    fixture_write("data_batch_2.bin", bytes, 2 * 3074);
    expect_refused("cifar10", "data_batch_2.bin", "no multiple of a record's 3073");
    fixture_write("data_batch_2.bin", bytes, 0);
    expect_refused("cifar10", "data_batch_2.bin is empty", "");
    fixture_cifar("data_batch_2.bin", 11, 1);
    expect_refused("cifar10", "record 10, at offset 30730, is 10", "expected 0 to 9");
}

TEST(names_with_an_empty_last_line)
{
    struct image_data data;
    write_cifar10(".");
    fixture_text("batches.meta.txt", "\xef\xbb\xbf"
                                     "a\r\nb\r\nc\nd\ne\nf\ng\nh\ni\nj\n\n");
    FINE(fixture_load("cifar10", &data));
    ck_assert_str_eq(data.class_name[0], "a");
    ck_assert_str_eq(data.class_name[9], "j");
    image_data_free(&data);
    fixture_text("batches.meta.txt", "a\nb");
    expect_refused("cifar10", "batches.meta.txt names 2 classes", "expected 10");
}

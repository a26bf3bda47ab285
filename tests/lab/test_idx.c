/* MNIST's files as people really have them: every spelling works, every damage is named. */
#include "base/folder.h"
#include "lab/data/idx.h"

#include <sys/resource.h>

#include "data_fixture.h"
#include "testing.h"

FIXTURE(scratch_make, scratch_remove)

TEST(every_spelling_works)
{
    static const char *const pattern[] = {
        "%s-%s",          "%s.%s",           "%s-%s.gz",
        "%s.%s.gz",       "MNIST/raw/%s-%s", "MNIST/raw/%s-%s.gz",
        "mnist/%s-%s.gz", "MNIST/%s.%s",     "mnist/MNIST/raw/%s-%s"};
    for (size_t i = 0; i < sizeof pattern / sizeof pattern[0]; i++) {
        scratch_make();
        fixture_mnist(pattern[i]);
        expect_loads("mnist", 10, 5);
        scratch_remove();
    }
    scratch_make();
}

TEST(pixels_and_labels_come_back)
{
    struct image_data data;
    for (int packed = 0; packed < 2; packed++) {
        fixture_mnist(packed ? "%s-%s.gz" : "%s-%s");
        FINE(fixture_load("mnist", &data));
        for (size_t i = 0; i < 10; i++) {
            ck_assert_uint_eq(data.train.label[i], i);
            for (size_t k = 0; k < 784; k++) {
                ck_assert_uint_eq(data.train.image[i][k], (i * 784 + k) % 251);
            }
        }
        ck_assert_str_eq(data.class_name[7], "7");
        image_data_free(&data);
        folder_remove(scratch, NULL);
    }
}

TEST(a_folder_of_that_name)
{
    fixture_mnist("%s-%s.gz");
    fixture_text("train-images-idx3-ubyte/read.me", "not the file");
    expect_loads("mnist", 10, 5);
    fixture_mnist("%s-%s.gz");
    fixture_remove("train-images-idx3-ubyte.gz");
    expect_refused("mnist", "train-images-idx3-ubyte is a folder",
                   "expected a file of 47040016 bytes");
    fixture_idx("train-images-idx3-ubyte/train-images-idx3-ubyte", 10, 1);
    expect_loads("mnist", 10, 5);
}

TEST(a_plain_file_called_gz)
{
    fixture_mnist("%s-%s.gz");
    fixture_remove("train-images-idx3-ubyte.gz");
    size_t size;
    uint8_t *bytes = idx_bytes(10, 1, &size);
    fixture_write("train-images-idx3-ubyte.gz", bytes, size);
    free(bytes);
    expect_loads("mnist", 10, 5);
}

TEST(a_packed_file_that_ends_early)
{
    size_t size, packed_size;
    fixture_mnist("%s-%s.gz");
    uint8_t *bytes = idx_bytes(10, 1, &size), *packed = gzip_bytes(bytes, size, &packed_size);
    for (size_t n = 40; n + 20 < packed_size; n += 7) {
        fixture_write("train-images-idx3-ubyte.gz", packed, n);
        expect_refused("mnist", "ends early: got ", n > packed_size / 2 ? " of 7856 bytes" : "");
    }
    fixture_write("train-images-idx3-ubyte.gz", packed, 12);
    expect_refused("mnist", "train-images-idx3-ubyte.gz", "expected");
    packed[packed_size - 6] ^= 0x10; /* of the checksum */
    fixture_write("train-images-idx3-ubyte.gz", packed, packed_size);
    expect_refused("mnist", "is damaged", "download it again");
    free(bytes);
    free(packed);
}

TEST(several_members_in_one_packed_file)
{
    size_t size, n_first, n_second;
    fixture_mnist("%s-%s.gz");
    uint8_t *bytes = idx_bytes(10, 1, &size);
    uint8_t *first = gzip_bytes(bytes, 100, &n_first);
    uint8_t *second = gzip_bytes(bytes + 100, size - 100, &n_second);
    first = realloc(first, n_first + n_second);
    memcpy(first + n_first, second, n_second);
    fixture_write("train-images-idx3-ubyte.gz", first, n_first + n_second);
    expect_loads("mnist", 10, 5);
    free(bytes);
    free(first);
    free(second);
}

TEST(other_things_called_gz)
{
    fixture_mnist("%s-%s.gz");
    fixture_text("train-images-idx3-ubyte.gz", "<!DOCTYPE html><title>404</title>");
    expect_refused("mnist", "offset 0", "'<!DOCTYPE html><' (a web page)");
    fixture_text("train-images-idx3-ubyte.gz", "../../objects/ab/cdef0123456789abcde");
    expect_refused("mnist", "offset 0", "'../../objects/ab'");
    fixture_write("train-images-idx3-ubyte.gz", "\0\0\x0d\3", 4);
    expect_refused("mnist", "offset 0", "found bytes 00 00 0d 03");
    fixture_write("train-images-idx3-ubyte.gz", "", 0);
    expect_refused("mnist", "train-images-idx3-ubyte.gz is empty (0 bytes)", "");
}

TEST(a_header_that_is_cut)
{
    size_t size;
    fixture_mnist("%s-%s");
    uint8_t *bytes = idx_bytes(10, 1, &size);
    for (size_t n = 1; n < 16; n++) {
        fixture_write("train-images-idx3-ubyte", bytes, n);
        expect_refused("mnist", "train-images-idx3-ubyte", n < 4 ? "offset 0" : "got ");
    }
    expect_refused("mnist", "got 15 bytes, and its header takes 16", "offset 12: columns");
    fixture_write("train-images-idx3-ubyte", bytes, size - 1);
    expect_refused("mnist", "ends early: got 7855 of 7856 bytes", "count at offset 4: 10");
    fixture_gzip("train-images-idx3-ubyte", bytes, 15);
    expect_refused("mnist", "got 15 bytes, and its header takes 16", "offset 12: columns");
    bytes = realloc(bytes, size + 1);
    bytes[size] = 0;
    fixture_write("train-images-idx3-ubyte", bytes, size + 1);
    expect_refused("mnist", "goes on behind its end", "expected 7856 bytes");
    fixture_gzip("train-images-idx3-ubyte", bytes, size + 1);
    expect_refused("mnist", "goes on behind its end", "expected 7856 bytes");
    free(bytes);
}

TEST(counts_that_do_not_agree)
{
    fixture_mnist("%s-%s");
    fixture_idx("train-labels-idx1-ubyte", 9, 0);
    expect_refused("mnist", "has 10 images", "has 9 labels (count at offset 4");
    fixture_mnist("%s-%s");
    fixture_idx("t10k-images-idx3-ubyte", 6, 1);
    expect_refused("mnist", "has 6 images", "has 5 labels");
    fixture_idx("t10k-labels-idx1-ubyte", 0, 0);
    expect_refused("mnist", "the count at offset 4 is 0", "t10k-labels");
}

/* Lowers the limit of the address space; AddressSanitizer could not start its own work in it. */
static void limit_memory(struct rlimit limit, rlim_t size)
{
#if !defined(__SANITIZE_ADDRESS__)
    limit.rlim_cur = size;
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
#else
    (void)limit;
    (void)size;
#endif
}

/* 0xffffffff images would be 3.4 terabytes. */
TEST(a_huge_count_is_refused_before_it_is_allocated)
{
    size_t size;
    struct rlimit limit;
    fixture_mnist("%s-%s");
    uint8_t *bytes = idx_bytes(10, 1, &size);
    memset(bytes + 4, 0xff, 4);
    getrlimit(RLIMIT_AS, &limit);
    limit_memory(limit, (rlim_t)2 << 30);
    fixture_write("train-images-idx3-ubyte", bytes, size);
    expect_refused("mnist", "ends early: got 7856 of 3367254359296 bytes", "4294967295");
    fixture_gzip("train-images-idx3-ubyte", bytes, size);
    expect_refused("mnist", "claims 3367254359296 bytes", "packed bytes can hold");
    memset(bytes + 4, 0xff, 12);
    fixture_write("train-images-idx3-ubyte", bytes, size);
    expect_refused("mnist", "the rows at offset 8 is 4294967295, too large", "");
    fixture_gzip("train-images-idx3-ubyte", bytes, size);
    expect_refused("mnist", "the rows at offset 8 is 4294967295, too large", "");
    limit_memory(limit, limit.rlim_cur);
    free(bytes);
}

TEST(another_image_size_and_labels_out_of_range)
{
    size_t size;
    fixture_mnist("%s-%s");
    uint8_t *bytes = idx_bytes(10, 1, &size);
    bytes[11] = 14;
    bytes[15] = 56;
    fixture_write("train-images-idx3-ubyte", bytes, size);
    expect_refused("mnist", "expected 28 rows at offset 8, found 14", "");
    free(bytes);
    fixture_mnist("%s-%s");
    bytes = idx_bytes(10, 0, &size);
    bytes[8 + 3] = 10;
    fixture_write("train-labels-idx1-ubyte", bytes, size);
    expect_refused("mnist", "label 3, at offset 11, is 10", "expected 0 to 9");
    free(bytes);
}

#include <stdint.h>

#include "base/expect.h"
#include "base/file.h"
#include "base/npy.h"
#include "base/rng.h"
#include "testing.h"

static char path[PATH_SIZE];
static struct error err;

static void set_up(void)
{
    scratch_make();
    scratch_path(path, "a.npy");
}

FIXTURE(set_up, scratch_remove)

/* What numpy.save writes for array([[1, 2, 3], [4, 5, 6.5]], dtype=float32). */
TEST(bytes_are_those_of_numpy)
{
    static const float values[] = {1, 2, 3, 4, 5, 6.5f};
    char *data, expected[128 + sizeof values];
    size_t size;
    memset(expected, ' ', 128);
    memcpy(expected, "\x93NUMPY\x01\x00v\x00", 10);
    static const char header[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    memcpy(expected + 10, header, sizeof header - 1);
    expected[127] = '\n';
    memcpy(expected + 128, values, sizeof values);

    expect_ok(npy_write(path, values, (const size_t[]){2, 3}, 2, &err), &err);
    expect_ok(file_read(path, 1000, &data, &size, &err), &err);
    expect_size(size, sizeof expected, "size");
    for (size_t i = 0; i < size; i++) {
        ck_assert_msg(data[i] == expected[i], "byte %zu is 0x%02x, expected 0x%02x", i,
                      (unsigned char)data[i], (unsigned char)expected[i]);
    }
    free(data);
}

TEST(arrays_of_all_shapes_come_back)
{
    static const struct {
        size_t dim[NPY_MAX_DIM], n_dim, n_element;
    } cases[] = {
        {{0}, 0, 1},    {{5}, 1, 5},        {{0}, 1, 0},
        {{3, 0}, 2, 0}, {{2, 3, 4}, 3, 24}, {{1, 1, 2, 1, 1, 2, 1, 3}, 8, 12},
    };
    float values[24];
    for (int i = 0; i < 24; i++) {
        values[i] = (float)i / 7;
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        float *data;
        size_t dim[NPY_MAX_DIM], n_dim;
        expect_ok(npy_write(path, values, cases[i].dim, cases[i].n_dim, &err), &err);
        expect_ok(npy_read(path, &data, dim, &n_dim, &err), &err);
        expect_size(n_dim, cases[i].n_dim, "number of dimensions");
        for (size_t j = 0; j < n_dim; j++) {
            expect_size(dim[j], cases[i].dim[j], "dimension");
        }
        ck_assert_msg(memcmp(data, values, cases[i].n_element * sizeof(float)) == 0,
                      "case %zu: other values", i);
        free(data);
    }
}

TEST(bytes_come_back_and_are_no_floats)
{
    static const uint8_t values[] = {0, 1, 127, 128, 254, 255};
    uint8_t *data;
    float *floats;
    size_t dim[NPY_MAX_DIM], n_dim;
    expect_ok(npy_write_bytes(path, values, (const size_t[]){1, 3, 2}, 3, &err), &err);
    expect_ok(npy_read_bytes(path, &data, dim, &n_dim, &err), &err);
    ck_assert(n_dim == 3 && dim[0] == 1 && dim[1] == 3 && dim[2] == 2);
    ck_assert_mem_eq(data, values, sizeof values);
    free(data);
    expect_error(npy_read(path, &floats, dim, &n_dim, &err), STATUS_DATA, &err,
                 "descr '|u1', expected '<f4' (little-endian float32)");
    const float value = 1;
    expect_ok(npy_write(path, &value, (const size_t[]){1}, 1, &err), &err);
    expect_error(npy_read_bytes(path, &data, dim, &n_dim, &err), STATUS_DATA, &err,
                 "descr '<f4', expected '|u1' (uint8)");
}

TEST(impossible_arrays_are_not_written)
{
    float value = 1;
    const size_t ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    expect_error(npy_write(path, &value, ones, 9, &err), STATUS_USAGE, &err,
                 "9 dimensions, expected at most 8");
    expect_error(npy_write(path, &value, (const size_t[]){SIZE_MAX / 2, 3}, 2, &err), STATUS_USAGE,
                 &err, "size that fits in memory");
    scratch_path(path, "missing/a.npy");
    expect_error(npy_write(path, &value, ones, 1, &err), STATUS_WRITE, &err, path);
}

/* Writes a file with a given header text and n_data zero bytes. */
static void write_npy(const char *header, size_t n_data)
{
    char file[1000] = "\x93NUMPY\x01";
    size_t n = strlen(header);
    file[8] = (char)n;
    memcpy(file + 10, header, n);
    scratch_write(path, file, 10 + n + n_data);
}

TEST(headers_with_other_spaces_and_orders_are_read)
{
    static const char *const headers[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n",
        "{'shape':(2,3),'descr':'<f4','fortran_order':False}\n",
        "  { 'fortran_order' :False ,  'shape' : ( 2 ,3 , ) , 'descr': '<f4' }   \n",
    };
    for (size_t i = 0; i < 3; i++) {
        float *data;
        size_t dim[NPY_MAX_DIM], n_dim;
        write_npy(headers[i], 24);
        expect_ok(npy_read(path, &data, dim, &n_dim, &err), &err);
        ck_assert_msg(n_dim == 2 && dim[0] == 2 && dim[1] == 3, "header %zu: %zu dimensions", i,
                      n_dim);
        free(data);
    }
}

#define FIELDS(descr, order, shape)                                                                \
    "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }\n"

TEST(every_fault_has_its_sentence)
{
    static const char not_dictionary[] = "is not a dictionary of descr, fortran_order and a shape";
    static const struct {
        const char *header, *phrase;
    } cases[] = {
        {FIELDS("<f8", "False", "(6,)"), "has descr '<f8', expected '<f4'"},
        {FIELDS(">f4", "False", "(6,)"), "has descr '>f4', expected '<f4'"},
        {FIELDS("<f4", "True", "(6,)"), "Fortran order, expected C order"},
        {FIELDS("<f4", "False", "(7,)"), "24 bytes of data from byte 68 on, expected 28"},
        {FIELDS("<f4", "False", "(5,)"), "expected 20 from the shape"},
        {FIELDS("<f4", "False", "(4611686018427387904, 4)"), "more bytes than a memory can have"},
        {FIELDS("<f4", "False", "(99999999999999999999999,)"), not_dictionary},
        {FIELDS("<f4", "False", "(6)"), not_dictionary},
        {FIELDS("<f4", "False", "(2 3)"), not_dictionary},
        {FIELDS("<f4", "False", "(-6,)"), not_dictionary},
        {FIELDS("<f4", "False", "(,)"), not_dictionary},
        {FIELDS("<f4", "False", "6"), not_dictionary},
        {FIELDS("<f4", "False", "(1,1,1,1,1,1,1,1,6)"), not_dictionary},
        {FIELDS("<f4", "Maybe", "(6,)"), not_dictionary},
        {FIELDS("<f4__________________", "False", "(6,)"), not_dictionary},
        {"{'descr': '<f4', 'shape': (6,), }\n", not_dictionary},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'x': 1}\n", not_dictionary},
        {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (6,)}\n",
         not_dictionary},
        {"{'descr': '<f4' 'fortran_order': False, 'shape': (6,)}\n", not_dictionary},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (6,)}", not_dictionary},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (6,)}x\n", not_dictionary},
        {"", not_dictionary},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        float *data;
        size_t dim[NPY_MAX_DIM], n_dim;
        write_npy(cases[i].header, 24);
        enum status status = npy_read(path, &data, dim, &n_dim, &err);
        expect_error(status, STATUS_DATA, &err, cases[i].phrase);
        expect_error(status, STATUS_DATA, &err, path);
        ck_assert_msg(data == NULL, "a failed read gives data");
    }
}

TEST(other_files_are_refused)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *phrase;
    } cases[] = {
        {"", 0, "is not an npy file"},
        {"\x93NUMPX\x01\x00\x01\x00\n", 11, "is not an npy file"},
        {"\x89PNG\r\n\x1a\n\x00\x00\x00\x00", 12, "is not an npy file"},
        {"\x93NUMPY\x02\x00\x01\x00\x00\x00\n", 13, "npy version 2.0 at byte 6, expected 1.0"},
        {"\x93NUMPY\x01\x00\xff\xff\n", 11, "header length at byte 8 is 65535, but only 1 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        float *data;
        size_t dim[NPY_MAX_DIM], n_dim;
        scratch_write(path, cases[i].bytes, cases[i].size);
        expect_error(npy_read(path, &data, dim, &n_dim, &err), STATUS_DATA, &err, cases[i].phrase);
    }
}

TEST(truncated_files_are_refused)
{
    static const float values[] = {1, 2, 3};
    char *bytes;
    size_t size, dim[NPY_MAX_DIM], n_dim;
    float *data;
    expect_ok(npy_write(path, values, (const size_t[]){3}, 1, &err), &err);
    expect_ok(file_read(path, 1000, &bytes, &size, &err), &err);
    for (size_t n = 0; n < size; n++) {
        scratch_write(path, bytes, n);
        expect_error(npy_read(path, &data, dim, &n_dim, &err), STATUS_DATA, &err, path);
    }
    free(bytes);
}

/* Any bytes are either an array or a sentence; sanitizers watch. */
TEST(damaged_files_do_no_harm)
{
    static const float values[] = {1, 2, 3, 4};
    char *bytes;
    size_t size, dim[NPY_MAX_DIM], n_dim, n_refused = 0;
    float *data;
    struct rng rng = rng_make(0, "test/npy");
    expect_ok(npy_write(path, values, (const size_t[]){2, 2}, 2, &err), &err);
    expect_ok(file_read(path, 1000, &bytes, &size, &err), &err);
    for (uint64_t i = 0; i < 3000; i++) {
        size_t at = rng_below(rng, 2 * i, 80);
        char kept = bytes[at];
        bytes[at] = (char)rng_bits(rng, 2 * i + 1);
        scratch_write(path, bytes, size);
        enum status status = npy_read(path, &data, dim, &n_dim, &err);
        ck_assert_msg(status == STATUS_OK || status == STATUS_DATA, "status '%s'",
                      status_name(status));
        n_refused += status != STATUS_OK;
        free(data);
        bytes[at] = kept;
    }
    ck_assert_msg(n_refused > 1000, "only %zu damaged files were refused", n_refused);
    free(bytes);
}

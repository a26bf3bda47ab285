#include <stdint.h>
#include <unistd.h>

#include <jansson.h>

#include "base/allocations.h"
#include "base/expect.h"
#include "base/file.h"
#include "base/rng.h"
#include "base/safetensors.h"
#include "testing.h"

static const float weights[6] = {1, -2, 3.5f, 4, 5, 1e-20f};
static const int64_t ids[3] = {-1, 7, INT64_MAX};
static const uint8_t pixels[5] = {0, 255, 3, 4, 5};
static const float scale = 0.25f;

/* An odd number of bytes first, so that only a careful writer aligns the rest. */
static struct safetensors_entry sample_entry[] = {
    {"pixels", SAFETENSORS_U8, {5}, 1, 5, pixels},
    {"block.0.weight", SAFETENSORS_F32, {2, 3}, 2, 6, weights},
    {"ids \"\xc3\xa4\"", SAFETENSORS_I64, {3, 1}, 2, 3, ids},
    {"scale", SAFETENSORS_F32, {0}, 0, 1, &scale},
    {"empty", SAFETENSORS_F32, {4, 0}, 2, 0, NULL},
};
static struct safetensors_metadata sample_metadata[] = {{"step", "158"}, {"note", "a \"b\"\n"}};
static const struct safetensors sample = {
    .entry = sample_entry, .n_entry = 5, .metadata = sample_metadata, .n_metadata = 2};

static const size_t type_size[] = {4, 8, 1};

static void expect_same_entry(const struct safetensors_entry *found,
                              const struct safetensors_entry *expected)
{
    expect_text(found->name, expected->name);
    ck_assert_msg(found->type == expected->type, "%s: type %d", found->name, (int)found->type);
    expect_size(found->n_dim, expected->n_dim, found->name);
    for (size_t i = 0; i < found->n_dim; i++) {
        expect_size(found->dim[i], expected->dim[i], found->name);
    }
    expect_size(found->n_element, expected->n_element, found->name);
    size_t size = type_size[found->type];
    ck_assert_msg((uintptr_t)found->data % size == 0, "%s is not aligned: %p", found->name,
                  found->data);
    ck_assert_msg(found->n_element == 0 ||
                      memcmp(found->data, expected->data, size * found->n_element) == 0,
                  "%s has other data", found->name);
}

static char path[PATH_SIZE];
static struct error err;

static void set_up(void)
{
    scratch_make();
    scratch_path(path, "x.safetensors");
}

FIXTURE(set_up, scratch_remove)

TEST(what_is_written_is_read)
{
    struct safetensors found;
    expect_ok(safetensors_write(path, &sample, &err), &err);
    expect_ok(safetensors_read(path, &found, &err), &err);
    expect_size(found.n_entry, 5, "number of tensors");
    for (size_t i = 0; i < 5; i++) {
        expect_same_entry(&found.entry[i], &sample_entry[i]);
    }
    expect_size(found.n_metadata, 2, "number of metadata");
    expect_text(found.metadata[0].key, "step");
    expect_text(safetensors_text(&found, "note", "-"), "a \"b\"\n");
    expect_text(safetensors_text(&found, "missing", "-"), "-");
    ck_assert_msg(safetensors_find(&found, "scale") == &found.entry[3], "scale is not found");
    ck_assert_msg(!safetensors_find(&found, "missing"), "a missing tensor is found");
    safetensors_free(&found);
    ck_assert_msg(found.n_entry == 0 && !found.memory, "not empty after safetensors_free");
}

TEST(nothing_at_all_is_a_file_too)
{
    char *bytes;
    size_t size;
    struct safetensors none = {0}, found;
    expect_ok(safetensors_write(path, &none, &err), &err);
    expect_ok(file_read(path, 100, &bytes, &size, &err), &err);
    ck_assert_msg(size == 16 && memcmp(bytes, "\x08\0\0\0\0\0\0\0{}      ", 16) == 0,
                  "%zu bytes: %s", size, bytes + 8);
    free(bytes);
    expect_ok(safetensors_read(path, &found, &err), &err);
    ck_assert_msg(found.n_entry == 0 && found.n_metadata == 0, "%zu tensors", found.n_entry);
    safetensors_free(&found);
}

TEST(data_are_aligned_in_the_file_without_gaps)
{
    char *bytes;
    size_t size, n_covered = 0;
    uint64_t n_header;
    expect_ok(safetensors_write(path, &sample, &err), &err);
    expect_ok(file_read(path, 10000, &bytes, &size, &err), &err);
    memcpy(&n_header, bytes, 8);
    ck_assert_msg(n_header % 8 == 0 && bytes[8] == '{', "a header of %zu bytes", (size_t)n_header);
    json_t *header = json_loadb(bytes + 8, n_header, 0, NULL);
    for (size_t i = 0; i < 5; i++) {
        const char *name = sample_entry[i].name;
        const json_t *range = json_object_get(json_object_get(header, name), "data_offsets");
        size_t begin = (size_t)json_integer_value(json_array_get(range, 0));
        size_t end = (size_t)json_integer_value(json_array_get(range, 1));
        ck_assert_msg(begin % type_size[sample_entry[i].type] == 0, "%s is at %zu", name, begin);
        n_covered += end - begin;
    }
    expect_size(n_covered, size - 8 - n_header, "bytes that belong to tensors");
    json_decref(header);
    free(bytes);
}

TEST(what_cannot_be_written_is_refused)
{
    struct safetensors_entry twice[] = {sample_entry[0], sample_entry[0]};
    struct safetensors tensors = {.entry = twice, .n_entry = 2};
    expect_error(safetensors_write(path, &tensors, &err), STATUS_USAGE, &err,
                 "two tensors are named 'pixels'");
    twice[1].name = "other";
    twice[1].n_element = 4;
    expect_error(safetensors_write(path, &tensors, &err), STATUS_USAGE, &err,
                 "tensor 'other' has 4 elements, which is not what its shape");
    twice[1].n_element = 5;
    twice[1].name = "\xff";
    expect_error(safetensors_write(path, &tensors, &err), STATUS_MEMORY, &err, "not UTF-8");
    ck_assert_msg(!file_exists(path), "%s was written", path);
    scratch_path(path, "missing/x.safetensors");
    expect_error(safetensors_write(path, &sample, &err), STATUS_WRITE, &err, path);
}

/* Writes a file of a header and n_data bytes 0, 1, 2, ... */
static void write_raw(uint64_t n_header, const char *header, size_t n_data)
{
    char file[2000];
    size_t n = strlen(header);
    memcpy(file, &n_header, 8);
    memcpy(file + 8, header, n);
    for (size_t i = 0; i < n_data; i++) {
        file[8 + n + i] = (char)i;
    }
    scratch_write(path, file, 8 + n + n_data);
}

TEST(data_at_odd_offsets_are_read)
{
    static const char header[] = "{\"a\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]},"
                                 "\"b\":{\"dtype\":\"I64\",\"shape\":[2],\"data_offsets\":[3,19]}}";
    struct safetensors found;
    write_raw(strlen(header), header, 19);
    expect_ok(safetensors_read(path, &found, &err), &err);
    const struct safetensors_entry *b = safetensors_find(&found, "b");
    ck_assert_msg((uintptr_t)b->data % 8 == 0, "b is at %p", b->data);
    const int64_t *value = b->data;
    ck_assert_msg(value[0] == 0x0a09080706050403 && value[1] == 0x1211100f0e0d0c0b, "%llx %llx",
                  (unsigned long long)value[0], (unsigned long long)value[1]);
    safetensors_free(&found);
}

#define TENSOR(dtype, shape, offsets)                                                              \
    "{\"w\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}}"

/* Every file has 24 bytes of data. */
TEST(every_fault_has_its_sentence)
{
    static const struct {
        const char *header, *phrase;
    } cases[] = {
        {TENSOR("F64", "[3]", "[0,24]"), "tensor 'w' has dtype F64, expected F32, I64 or U8"},
        {TENSOR("F32", "[5]", "[0,24]"), "[0, 24] hold 24 bytes, expected 20"},
        {TENSOR("I64", "[3]", "[0,20]"), "[0, 20] hold 20 bytes, expected 24"},
        {TENSOR("F32", "[]", "[0,24]"), "hold 24 bytes, expected 4"},
        {TENSOR("F32", "[7]", "[0,28]"), "[0, 28] do not lie in the 24 bytes of data"},
        {TENSOR("F32", "[6]", "[24,0]"), "[24, 0] do not lie in"},
        {TENSOR("U8", "[1]", "[9223372036854775806,9223372036854775807]"), "do not lie in"},
        {TENSOR("F32", "[6]", "[-24,0]"), "data_offsets are missing or not two non-negative"},
        {TENSOR("F32", "[6]", "[0]"), "data_offsets are missing or not two"},
        {TENSOR("F32", "[6]", "[0,24,48]"), "data_offsets are missing or not two"},
        {TENSOR("F32", "[6]", "[0,24.0]"), "data_offsets are missing or not two"},
        {TENSOR("F32", "[6]", "{}"), "data_offsets are missing or not two"},
        {TENSOR("F32", "[-6]", "[0,24]"), "shape is missing or not a list of at most 8"},
        {TENSOR("F32", "[1,1,1,1,1,1,1,1,6]", "[0,24]"), "shape is missing or not a list"},
        {TENSOR("F32", "6", "[0,24]"), "shape is missing or not a list"},
        {TENSOR("F32", "[\"6\"]", "[0,24]"), "shape is missing or not a list"},
        {TENSOR("F32", "[4611686018427387904,4]", "[0,0]"), "more bytes than a memory can have"},
        {TENSOR("I64", "[4294967296,4294967296]", "[0,0]"), "more bytes than a memory can have"},
        {TENSOR("F32", "[99999999999999999999]", "[0,0]"), "not valid JSON near byte"},
        {"{\"w\":{\"shape\":[6],\"data_offsets\":[0,24]}}", "has dtype that is missing"},
        {"{\"w\":{\"dtype\":3,\"shape\":[6],\"data_offsets\":[0,24]}}",
         "has dtype that is missing"},
        {"{\"w\":[]}", "tensor 'w' is not described by a JSON object"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[20],\"data_offsets\":[0,20]},"
         "\"b\":{\"dtype\":\"U8\",\"shape\":[20],\"data_offsets\":[4,24]}}",
         "tensor 'b': data_offsets [4, 24] overlap"},
        {"{\"w\":{},\"w\":{}}", "duplicate object key"},
        {"{\"__metadata__\":{\"a\":1}}", "__metadata__ 'a' is not a text"},
        {"{\"__metadata__\":[]}", "__metadata__ is not a JSON object"},
        {"[]", "the header at byte 8 is not a JSON object"},
        {"{\"w\":", "the header is not valid JSON near byte 13"},
        {"", "the header is not valid JSON near byte 8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct safetensors found;
        write_raw(strlen(cases[i].header), cases[i].header, 24);
        enum status status = safetensors_read(path, &found, &err);
        expect_error(status, STATUS_DATA, &err, cases[i].phrase);
        expect_error(status, STATUS_DATA, &err, path);
        ck_assert_msg(found.n_entry == 0 && !found.entry, "a failed read gives tensors");
    }
}

TEST(huge_headers_are_refused)
{
    static const uint64_t lengths[] = {27, 1u << 31, (uint64_t)1 << 63, UINT64_MAX};
    struct safetensors found;
    for (size_t i = 0; i < 4; i++) {
        write_raw(lengths[i], "{}", 24);
        expect_error(safetensors_read(path, &found, &err), STATUS_DATA, &err,
                     "but only 26 bytes follow it");
    }
    scratch_write(path, "\x02\0\0", 3);
    expect_error(safetensors_read(path, &found, &err), STATUS_DATA, &err, "has 3 bytes");
    scratch_write(path, "\x93NUMPY\x01\0v\0{'descr'", 18);
    expect_error(safetensors_read(path, &found, &err), STATUS_DATA, &err, "not a safetensors file");
}

TEST(files_of_another_length_are_refused)
{
    char *bytes;
    size_t size;
    struct safetensors found;
    expect_ok(safetensors_write(path, &sample, &err), &err);
    expect_ok(file_read(path, 10000, &bytes, &size, &err), &err);
    for (size_t n = 0; n < size; n++) {
        scratch_write(path, bytes, n);
        expect_error(safetensors_read(path, &found, &err), STATUS_DATA, &err, path);
    }
    bytes[size] = 'x'; /* where file_read put its '\0' */
    scratch_write(path, bytes, size + 1);
    expect_error(safetensors_read(path, &found, &err), STATUS_DATA, &err, "appended");
    free(bytes);
}

/* Any bytes are either tensors or a sentence; sanitizers watch. */
TEST(damaged_files_do_no_harm)
{
    char *bytes;
    size_t size, n_refused = 0;
    struct safetensors found;
    struct rng rng = rng_make(0, "test/safetensors");
    expect_ok(safetensors_write(path, &sample, &err), &err);
    expect_ok(file_read(path, 10000, &bytes, &size, &err), &err);
    for (uint64_t i = 0; i < 4000; i++) {
        size_t at = rng_below(rng, 2 * i, (uint32_t)size - 64);
        char kept = bytes[at];
        bytes[at] = (char)(rng_bits(rng, 2 * i + 1) & 0x7f);
        scratch_write(path, bytes, size);
        enum status status = safetensors_read(path, &found, &err);
        ck_assert_msg(status == STATUS_OK || status == STATUS_DATA, "status '%s'",
                      status_name(status));
        n_refused += status != STATUS_OK;
        safetensors_free(&found);
        bytes[at] = kept;
    }
    ck_assert_msg(n_refused > 1000, "only %zu damaged files were refused", n_refused);
    free(bytes);
}

/* Calls write or read with only k allocations for jansson; returns whether all were granted. */
static bool survives(size_t k, bool write)
{
    struct safetensors found = {0};
    allocations_limit(k);
    enum status status =
        write ? safetensors_write(path, &sample, &err) : safetensors_read(path, &found, &err);
    bool enough = allocations_were_enough();
    ck_assert_msg(status == STATUS_OK || !enough, "%zu allocations: status '%s'", k,
                  status_name(status));
    ck_assert_msg(status != STATUS_OK || write || found.n_entry == 5,
                  "%zu allocations: %zu tensors", k, found.n_entry);
    ck_assert_msg(status == STATUS_OK || !write || !file_exists(path), "a half file was written");
    safetensors_free(&found);
    return enough;
}

TEST(failing_allocations_are_survived)
{
    size_t n_write = 0, n_read = 0;
    while (!survives(n_write, true)) {
        unlink(path);
        n_write++;
        ck_assert_msg(n_write < 10000, "writing never succeeds");
    }
    while (!survives(n_read, false)) {
        n_read++;
        ck_assert_msg(n_read < 10000, "reading never succeeds");
    }
    ck_assert_msg(n_write > 20 && n_read > 20, "%zu and %zu allocations failed", n_write, n_read);
}

#include <math.h>
#include <stdint.h>
#include <unistd.h>

#include "base/allocations.h"
#include "base/expect.h"
#include "base/file.h"
#include "base/json.h"
#include "base/rng.h"
#include "testing.h"

static char path[PATH_SIZE];
static struct error err;

static void set_up(void)
{
    scratch_make();
    scratch_path(path, "x.json");
}

static void expect_file(const char *expected)
{
    char *data;
    size_t size;
    expect_ok(file_read(path, 1 << 20, &data, &size, &err), &err);
    expect_text(data, expected);
    free(data);
}

FIXTURE(set_up, scratch_remove)

TEST(the_dump_is_readable_and_in_order)
{
    json_t *root =
        json_pack("{s:s, s:{s:i, s:b, s:n}, s:[f, i, s], s:[], s:{}}", "zebra", "a\"\\\n\t\x01",
                  "apple", "i", -3, "b", 0, "n", "list", 0.1, 7, "\xc3\xa4", "none", "key \"q\"");
    expect_ok(json_write(path, root, &err), &err);
    json_decref(root);
    expect_file("{\n"
                "  \"zebra\": \"a\\\"\\\\\\n\\t\\u0001\",\n"
                "  \"apple\": {\n"
                "    \"i\": -3,\n"
                "    \"b\": false,\n"
                "    \"n\": null\n"
                "  },\n"
                "  \"list\": [\n"
                "    0.1,\n"
                "    7,\n"
                "    \"\xc3\xa4\"\n"
                "  ],\n"
                "  \"none\": [],\n"
                "  \"key \\\"q\\\"\": {}\n"
                "}\n");
}

TEST(a_list_without_an_object_is_one_line_of_a_dense_dump)
{
    json_t *root = json_pack("{s:[f, n, [s, f]], s:[{s:[i]}], s:[]}", "flat", 0.1, "a", 2.0, "deep",
                             "x", 1, "none");
    expect_ok(json_write_dense(path, root, &err), &err);
    json_decref(root);
    expect_file("{\n"
                "  \"flat\": [0.1,null,[\"a\",2.0]],\n"
                "  \"deep\": [\n"
                "    {\n"
                "      \"x\": [1]\n"
                "    }\n"
                "  ],\n"
                "  \"none\": []\n"
                "}\n");
}

TEST(numbers_are_short)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.1, "0.1"},
        {100, "100.0"},
        {-0.0, "-0.0"},
        {1e-3, "0.001"},
        {1. / 3, "0.3333333333333333"},
        {2. / 3, "0.6666666666666666"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1e22, "1e22"},
        {1.7976931348623157e308, "1.7976931348623157e308"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char expected[64];
        json_t *root = json_pack("{s:f}", "x", cases[i].value);
        expect_ok(json_write(path, root, &err), &err);
        json_decref(root);
        snprintf(expected, sizeof expected, "{\n  \"x\": %s\n}\n", cases[i].text);
        expect_file(expected);
    }
}

TEST(numbers_read_back_as_the_same_bits)
{
    enum { N = 4000 };
    static double values[N];
    json_t *root = json_object(), *list = json_array();
    for (uint64_t i = 0; i < N; i++) {
        uint64_t bits = rng_bits(rng_make(0, "test/json"), i);
        memcpy(&values[i], &bits, sizeof bits);
        values[i] = isfinite(values[i]) ? values[i] : 5e-324;
        json_array_append_new(list, json_number(values[i]));
    }
    json_object_set_new(root, "list", list);
    expect_ok(json_write(path, root, &err), &err);
    json_decref(root);
    expect_ok(json_read(path, &root, &err), &err);
    list = json_object_get(root, "list");
    expect_size(json_array_size(list), N, "length");
    for (size_t i = 0; i < N; i++) {
        double found = json_real_value(json_array_get(list, i));
        ck_assert_msg(memcmp(&found, &values[i], sizeof found) == 0, "%.17g became %.17g",
                      values[i], found);
    }
    json_decref(root);
}

TEST(numbers_that_are_not_finite_are_null)
{
    const double values[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; i++) {
        json_t *value = json_number(values[i]);
        ck_assert_msg(json_is_null(value), "%g is not null", values[i]);
        json_decref(value);
    }
    json_t *value = json_number(2.5);
    ck_assert_msg(json_real_value(value) == 2.5, "2.5 became %g", json_real_value(value));
    json_decref(value);
}

TEST(reading_says_where_it_fails)
{
    static const struct {
        const char *content, *phrase;
    } cases[] = {
        {"{\n  \"a\": 1,\n  \"b\": oops\n}", "line 3, column 11: not valid JSON"},
        {"{\"a\": 1", "line 1"},
        {"", "not valid JSON"},
        {"{\"a\": 1, \"a\": 2}", "duplicate object key"},
        {"{} {}", "end of file expected"},
        {"{\"a\": NaN}", "not valid JSON"},
        {"[1, 2]", "the outermost JSON value is not an object"},
        {"3", "the outermost JSON value is not an object"},
    };
    json_t *root;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        scratch_write(path, cases[i].content, strlen(cases[i].content));
        enum status status = json_read(path, &root, &err);
        expect_error(status, STATUS_DATA, &err, cases[i].phrase);
        expect_error(status, STATUS_DATA, &err, path);
        ck_assert_msg(root == NULL, "a failed read gives a root");
    }
    scratch_path(path, "missing.json");
    expect_error(json_read(path, &root, &err), STATUS_DATA, &err, "cannot open");
    scratch_path(path, "missing/x.json");
    json_t *object = json_object();
    expect_error(json_write(path, object, &err), STATUS_WRITE, &err, "cannot write");
    json_decref(object);
}

TEST(getters_fall_back)
{
    json_t *object =
        json_pack("{s:f, s:i, s:s, s:n}", "real", 1.5, "integer", 7, "text", "abc", "nothing");
    static const char *const others[] = {"text", "nothing", "missing"};
    for (size_t i = 0; i < 3; i++) {
        double number = json_get_number(object, others[i], -1);
        ck_assert_msg(number == -1, "number '%s' is %g", others[i], number);
        long long integer = json_get_integer(object, others[i], -1);
        ck_assert_msg(integer == -1, "integer '%s' is %lld", others[i], integer);
    }
    ck_assert_msg(json_get_number(object, "real", -1) == 1.5, "real");
    ck_assert_msg(json_get_number(object, "integer", -1) == 7, "integer as a number");
    ck_assert_msg(json_get_integer(object, "integer", -1) == 7, "integer");
    ck_assert_msg(json_get_integer(object, "real", -1) == -1, "a real is no integer");
    expect_text(json_get_text(object, "text", "-"), "abc");
    expect_text(json_get_text(object, "integer", "-"), "-");
    expect_text(json_get_text(object, "nothing", "-"), "-");
    expect_text(json_get_text(NULL, "text", "-"), "-");
    ck_assert_msg(json_get_number(NULL, "real", -1) == -1, "number of no object");
    ck_assert_msg(json_get_integer(NULL, "integer", -1) == -1, "integer of no object");
    json_decref(object);
}

/* From allocation number k on, all of jansson's fail. */
TEST(failing_allocations_leave_no_half_file)
{
    json_t *root = json_pack("{s:f, s:[s, f], s:{}}", "a", 1 / 3., "b", "text", 0.1, "c");
    size_t n_failed = 0;
    bool done = false;
    for (size_t k = 0; !done; k++) {
        ck_assert_msg(k < 1000, "fails however many allocations succeed: %s", err.text);
        allocations_limit(k);
        enum status status = json_write(path, root, &err);
        done = allocations_were_enough();
        if (status) {
            expect_error(status, STATUS_MEMORY, &err, "out of memory");
            ck_assert_msg(!file_exists(path), "k %zu: a file was written", k);
            n_failed++;
        } else {
            json_t *copy;
            expect_ok(json_read(path, &copy, &err), &err);
            ck_assert_msg(json_equal(copy, root), "k %zu: another file was written", k);
            json_decref(copy);
            unlink(path);
        }
    }
    ck_assert_msg(n_failed > 0, "no allocation failed");
    json_decref(root);
}

TEST(names_that_are_not_utf8_become_text)
{
    static const struct {
        const char *bytes, *text;
    } name[] = {
        {"", ""},
        {"plain", "plain"},
        {"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80",
         "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"a\xff"
         "b",
         "a\xef\xbf\xbd"
         "b"},
        {"cut \xe2\x82", "cut \xef\xbf\xbd\xef\xbf\xbd"},
        {"\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    };
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        json_t *string = json_text(name[i].bytes);
        ck_assert_ptr_nonnull(string);
        ck_assert_str_eq(json_string_value(string), name[i].text);
        json_decref(string);
    }
}

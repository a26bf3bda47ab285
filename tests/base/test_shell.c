#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shell.h"
#include "base/text.h"

TEST(words_are_quoted_where_a_shell_would_read_something)
{
    static const char *const row[][2] = {
        {"out", "out"},
        {"a/b-1_2.yaml", "a/b-1_2.yaml"},
        {"", "''"},
        {"my runs", "'my runs'"},
        {"it's", "'it'\\''s'"},
        {"$(touch x)", "'$(touch x)'"},
        {"a;b", "'a;b'"},
        {"~", "'~'"},
        {"back\\slash", "'back\\slash'"},
        {"two\nlines", "$'two\\012lines'"},
        {"\033it's\\", "$'\\033it\\'s\\\\'"},
        {"\xC2\x9B", "$'\\302\\233'"},
        {"f\xC3\xBCr", "'f\xC3\xBCr'"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct text text = {0};
        shell_append_word(&text, row[i][0]);
        ck_assert_str_eq(text.data, row[i][1]);
        text_free(&text);
    }
}

TEST(a_path_is_no_option)
{
    char *path = shell_path("-rf");
    ck_assert_str_eq(path, "./-rf");
    free(path);
    path = shell_path("- 1");
    ck_assert_str_eq(path, "'./- 1'");
    free(path);
    path = shell_path("a-b");
    ck_assert_str_eq(path, "a-b");
    free(path);
}

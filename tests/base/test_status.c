#include <ctype.h>
#include <stdbool.h>

#include "base/expect.h"
#include "base/status.h"
#include "base/suggest.h"
#include "testing.h"

TEST(every_status_has_its_name_and_exit_code)
{
    static const struct {
        enum status status;
        const char *name;
        int exit_code;
    } rows[] = {
#define ROW(name, text, exit_code, meaning) {STATUS_##name, #name, exit_code},
        STATUS_TABLE(ROW)
#undef ROW
    };
    for (size_t i = 0; i < STATUS_COUNT; i++) {
        char name[32] = "";
        for (size_t j = 0; rows[i].name[j]; j++) {
            name[j] = (char)tolower((unsigned char)rows[i].name[j]);
        }
        expect_text(status_name(rows[i].status), name);
        int exit_code = status_exit_code(rows[i].status);
        ck_assert_msg(exit_code == rows[i].exit_code, "%s exits with %d, expected %d", name,
                      exit_code, rows[i].exit_code);
    }
}

TEST(error_set_fills_and_returns)
{
    struct error err;
    enum status status = error_set(&err, STATUS_DATA, "%s has %d bytes", "x.npy", 7);
    expect_error(status, STATUS_DATA, &err, "x.npy has 7 bytes");
    ck_assert_msg(error_set(NULL, STATUS_WRITE, "%d", 1) == STATUS_WRITE, "without an error");
}

TEST(error_set_may_quote_its_own_sentence)
{
    struct error err;
    error_set(&err, STATUS_DATA, "inner");
    error_set(&err, STATUS_USAGE, "outer (%s)", err.text);
    expect_text(err.text, "outer (inner)");
}

TEST(long_sentences_end_in_dots)
{
    struct error err;
    char longest[sizeof err.text], longer[4000];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    memset(longer, 'b', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';

    error_set(&err, STATUS_DATA, "%s", longest);
    expect_text(err.text, longest);
    error_set(&err, STATUS_DATA, "%s", longer);
    expect_size(strlen(err.text), sizeof err.text - 1, "length");
    expect_text(err.text + strlen(err.text) - 4, "b...");
    error_set(&err, STATUS_DATA, "%s", longest);
    error_prefix(&err, "%s", "x");
    expect_text(err.text + strlen(err.text) - 4, "a...");
}

TEST(error_prefix_says_where)
{
    struct error err;
    error_set(&err, STATUS_DATA, "bad shape");
    error_prefix(&err, "bundle %d", 3);
    expect_error(err.status, STATUS_DATA, &err, "bundle 3: bad shape");
    error_prefix(NULL, "nowhere");
}

TEST(text_nearest_finds_plausible_misspellings)
{
    static const char *const tasks[] = {"copy", "reverse", "shift", "sort", "swap"};
    static const struct {
        const char *word, *expected;
    } cases[] = {
        {"revers", "reverse"}, {"Reverse", "reverse"}, {"rverse", "reverse"}, {"shft", "shift"},
        {"sorting", NULL},     {"permutation", NULL},  {"xyz", NULL},         {"", NULL},
        {"copy", "copy"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *found = suggest_nearest(cases[i].word, tasks, 5);
        bool same = found && cases[i].expected ? strcmp(found, cases[i].expected) == 0
                                               : found == cases[i].expected;
        ck_assert_msg(same, "nearest to '%s' is %s, expected %s", cases[i].word,
                      found ? found : "nothing", cases[i].expected ? cases[i].expected : "nothing");
    }
    ck_assert_msg(!suggest_nearest("copy", NULL, 0), "no candidates");
}

TEST(text_nearest_ignores_endless_words)
{
    char word[1000];
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    const char *candidates[] = {word, "x"};
    ck_assert_msg(!suggest_nearest(word, candidates, 2), "a word of 999 letters");
    expect_text(suggest_nearest("xy", candidates, 2), "x");
}

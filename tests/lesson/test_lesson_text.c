/* Both languages complete, the same places in them, and how texts are filled in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "lesson/lesson.h"
#include "lesson/lesson_assets.h"
#include "lesson/lesson_text.h"
#include "testing.h"

static struct lesson_texts english, other;
static struct text out;
static struct error err;

static void read_texts(const char *code, struct lesson_texts *texts)
{
    lesson_texts_free(texts);
    ck_assert_msg(lesson_texts_read(code, texts, &err) == STATUS_OK, "%s", err.text);
}

static void set_up(void)
{
    read_texts("en", &english);
}

static void tear_down(void)
{
    lesson_texts_free(&english);
    lesson_texts_free(&other);
    text_free(&out);
}

FIXTURE(set_up, tear_down)

static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part)) {
        n++;
    }
    return n;
}

TEST(languages_have_the_same_keys_in_the_same_order)
{
    ck_assert_uint_gt(english.n_text, 100);
    for (size_t i = 0; lesson_language_at(i); i++) {
        read_texts(lesson_language_at(i), &other);
        ck_assert_uint_eq(other.n_text, english.n_text);
        for (size_t k = 0; k < english.n_text; k++) {
            ck_assert_str_eq(other.text[k].key, english.text[k].key);
            ck_assert_msg(other.text[k].value[0] != '\0', "%s: [%s] is empty", other.code,
                          other.text[k].key);
        }
    }
}

/* What a translation may not lose: places that are filled in, code to copy, questions' markup. */
TEST(languages_fill_in_the_same_places)
{
    static const char *const marks[] = {"<pre>", "</pre>", "<li>", "</li>", "<code>", "</code>"};
    for (size_t i = 0; lesson_language_at(i); i++) {
        read_texts(lesson_language_at(i), &other);
        for (size_t k = 0; k < english.n_text; k++) {
            const char *a = english.text[k].value, *b = other.text[k].value;
            for (size_t m = 0; m < sizeof(marks) / sizeof(marks[0]); m++) {
                ck_assert_msg(count(a, marks[m]) == count(b, marks[m]),
                              "%s: [%s] has another "
                              "number of %s",
                              other.code, other.text[k].key, marks[m]);
            }
            for (const char *at = a; (at = strchr(at, '{')) != NULL; at++) {
                char place[32];
                int n = (int)strcspn(at, "} \n") + 1;
                if (at[n - 1] == '}' && n < (int)sizeof(place)) {
                    snprintf(place, sizeof(place), "%.*s", n, at);
                    ck_assert_msg(strstr(b, place) != NULL, "%s: [%s] lacks %s", other.code,
                                  other.text[k].key, place);
                }
            }
        }
    }
}

TEST(an_unknown_language_is_refused_with_the_ones_there_are)
{
    ck_assert_int_eq(lesson_texts_read("xx", &other, &err), STATUS_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "no language 'xx': there are en, ko"));
}

TEST(names_are_filled_in_and_other_braces_stay)
{
    struct lesson_value value[] = {{"n", "12"}, {"seed", "3"}};
    lesson_text_fill(&out, "{n} runs, seed {seed}; {other} { y = 1; } {n", value, 2);
    ck_assert_str_eq(out.data, "12 runs, seed 3; {other} { y = 1; } {n");
}

TEST(paragraphs_are_separated_by_empty_lines)
{
    lesson_text_paragraphs(&out, "one\nline\n\n<pre>code</pre>\n\n<b>two</b>", NULL, 0);
    ck_assert_str_eq(out.data, "<p>one\nline</p>\n<pre>code</pre>\n<p><b>two</b></p>\n");
}

TEST(the_page_needs_no_text_that_is_missing)
{
    for (size_t i = 0; lesson_language_at(i); i++) {
        read_texts(lesson_language_at(i), &other);
        json_t *data = json_pack("{s:s}", "text", "</script>");
        enum status status = lesson_page_append(&out, lesson_template, &other, NULL, 0, data, &err);
        ck_assert_msg(status == STATUS_OK, "%s", err.text);
        ck_assert_ptr_null(strstr(out.data, "{{"));
        ck_assert_ptr_nonnull(strstr(out.data, "\\u003c/script>"));
        json_decref(data);
        text_free(&out);
    }
}

TEST(a_missing_text_is_named)
{
    json_t *data = json_object();
    ck_assert_int_eq(lesson_page_append(&out, "<p>{{no.such}}</p>", &english, NULL, 0, data, &err),
                     STATUS_DATA);
    ck_assert_ptr_nonnull(strstr(err.text, "'en' have no [no.such]"));
    json_decref(data);
}

/* Every t('key') of the script, so that no widget stops for want of a text. */
TEST(widgets_ask_for_texts_that_are_there)
{
    size_t n = 0;
    for (const char *at = lesson_script; (at = strstr(at, "'js.")) != NULL; at += 4) {
        char key[64];
        int length = (int)strcspn(at + 1, "'");
        snprintf(key, sizeof(key), "%.*s", length, at + 1);
        if (key[strlen(key) - 1] != '.') {
            ck_assert_msg(lesson_text(&english, key) != NULL, "no text %s", key);
            n++;
        }
    }
    ck_assert_uint_gt(n, 60);
}

#include "lesson/lesson_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "lesson/lesson_assets.h"
#include "report/write/html_parts.h"

#define MAX_PLACE 64 /* characters between the braces */

struct page {
    struct text *text;
    const struct lesson_texts *texts;
    const struct lesson_value *value;
    size_t n_value;
    const char *data;
};

static bool append_asset(const struct page *page, const char *place)
{
    if (strcmp(place, "lang") == 0) {
        text_append(page->text, "%s", page->texts->code);
    } else if (strcmp(place, "style") == 0) {
        text_append(page->text, "%s", lesson_style);
    } else if (strcmp(place, "style-hash") == 0) {
        html_append_hash(page->text, lesson_style);
    } else if (strcmp(place, "script") == 0) {
        text_append(page->text, "%s", lesson_script);
    } else if (strcmp(place, "script-hash") == 0) {
        html_append_hash(page->text, lesson_script);
    } else if (strcmp(place, "data") == 0) {
        html_append_json(page->text, page->data);
    } else {
        return false;
    }
    return true;
}

static enum status append_place(const struct page *page, const char *place, struct error *err)
{
    if (append_asset(page, place)) {
        return STATUS_OK;
    }
    bool paragraphs = strncmp(place, "p ", 2) == 0;
    const char *key = paragraphs ? place + 2 : place;
    const char *text = lesson_text(page->texts, key);
    if (!text) {
        return error_set(err, STATUS_DATA,
                         "the lesson's texts in '%s' have no [%s], which the page needs",
                         page->texts->code, key);
    }
    if (paragraphs) {
        lesson_text_paragraphs(page->text, text, page->value, page->n_value);
    } else {
        lesson_text_fill(page->text, text, page->value, page->n_value);
    }
    return STATUS_OK;
}

static enum status append_template(const struct page *page, const char *at, struct error *err)
{
    enum status status = STATUS_OK;
    for (const char *open; status == STATUS_OK && (open = strstr(at, "{{")) != NULL;) {
        char place[MAX_PLACE];
        const char *close = strstr(open, "}}");
        text_append(page->text, "%.*s", (int)(open - at), at);
        snprintf(place, sizeof(place), "%.*s", (int)(close - open - 2), open + 2);
        status = append_place(page, place, err);
        at = close + 2;
    }
    text_append(page->text, "%s", at);
    return status;
}

enum status lesson_page_append(struct text *page, const char *template,
                               const struct lesson_texts *texts, const struct lesson_value *value,
                               size_t n_value, const json_t *data, struct error *err)
{
    char *json =
        data ? json_dumps(data, JSON_COMPACT | JSON_REAL_PRECISION(HTML_REAL_DIGITS)) : NULL;
    if (!json) {
        return error_set(err, STATUS_MEMORY, "out of memory for the page of the lesson");
    }
    struct page parts = {page, texts, value, n_value, json};
    enum status status = append_template(&parts, template, err);
    free(json);
    return status;
}

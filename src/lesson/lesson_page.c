#include "lesson/lesson_page.h"

#include <string.h>

#include "lesson/lesson_assets.h"
#include "report/write/html_parts.h"

struct words {
    const struct lesson_texts *texts;
    const struct lesson_value *value;
    size_t n_value;
};

static enum status append_place(const void *context, const char *place, struct text *page,
                                struct error *err)
{
    const struct words *words = context;
    bool paragraphs = strncmp(place, "p ", 2) == 0;
    const char *key = paragraphs ? place + 2 : place;
    const char *text =
        strcmp(place, "lang") == 0 ? words->texts->code : lesson_text(words->texts, key);
    if (!text) {
        return error_set(err, STATUS_DATA,
                         "the lesson's texts in '%s' have no [%s], which the page needs",
                         words->texts->code, key);
    }
    (paragraphs ? lesson_text_paragraphs : lesson_text_fill)(page, text, words->value,
                                                             words->n_value);
    return STATUS_OK;
}

enum status lesson_page_append(struct text *page, const char *template,
                               const struct lesson_texts *texts, const struct lesson_value *value,
                               size_t n_value, const json_t *data, struct error *err)
{
    struct words words = {texts, value, n_value};
    struct html_page parts = {template, lesson_style, lesson_script, data, append_place, &words};
    return html_append_page(page, &parts, err);
}

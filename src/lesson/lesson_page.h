/* lesson_page: template, style, script, texts and data become one file. */
#ifndef QKVLAB_LESSON_LESSON_PAGE_H
#define QKVLAB_LESSON_LESSON_PAGE_H

#include "base/text.h"
#include "lesson/lesson_text.h"

/* lesson_page_append appends the page. Places of the template beside those of html_parts.h are
 * {{lang}}, {{key}} for a text, and {{p key}} for its paragraphs. Errors: STATUS_DATA for a text
 * that the language has not, STATUS_MEMORY. */
enum status lesson_page_append(struct text *page, const char *template,
                               const struct lesson_texts *texts, const struct lesson_value *value,
                               size_t n_value, const json_t *data, struct error *err);

#endif

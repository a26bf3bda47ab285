/* lesson_text: the texts of one language, and the page that they and the data make.
 *
 * A file is a list of texts, each behind a line with its [key]; '#' in the first lines begins a
 * comment. An empty line separates paragraphs. Texts are trusted: they are part of the program, and
 * may hold HTML.
 */
#ifndef QKVLAB_LESSON_LESSON_TEXT_H
#define QKVLAB_LESSON_LESSON_TEXT_H

#include <stddef.h>

#include "base/json.h"
#include "base/status.h"
#include "base/text.h"

struct lesson_text {
    char *key, *value; /* in the buffer of the texts */
};

struct lesson_texts {
    const char *code; /* of the language; borrowed */
    char *buffer;
    struct lesson_text *text; /* [n_text], in the order of the file */
    size_t n_text;
};

/* lesson_texts_read takes apart the texts of a language. Caller frees with lesson_texts_free, also
 * on failure. Errors: STATUS_USAGE for a language that is not there, STATUS_DATA for a key that
 * comes twice, STATUS_MEMORY. */
enum status lesson_texts_read(const char *code, struct lesson_texts *texts, struct error *err);
void lesson_texts_free(struct lesson_texts *texts);

/* lesson_text returns a text, NULL if there is none of that key. */
const char *lesson_text(const struct lesson_texts *texts, const char *key);

/* What stands for {name} in a text. */
struct lesson_value {
    const char *name;
    char text[64];
};
struct lesson_value lesson_number(const char *name, size_t number);

/* lesson_text_fill appends a text with its {names} filled in; a name without a value stays as it
 * is. */
void lesson_text_fill(struct text *out, const char *text, const struct lesson_value *value,
                      size_t n_value);

/* lesson_text_paragraphs is lesson_text_fill with every paragraph in <p>, but for one that begins
 * with a tag of a block. */
void lesson_text_paragraphs(struct text *out, const char *text, const struct lesson_value *value,
                            size_t n_value);

/* lesson_texts_json returns {key: text} of the keys with a beginning, as a new reference. */
json_t *lesson_texts_json(const struct lesson_texts *texts, const char *beginning);

/* lesson_page_append appends the page. Places of the template beside those of html_parts.h are
 * {{lang}}, {{key}} for a text, and {{p key}} for its paragraphs. Errors: STATUS_DATA for a text
 * that the language has not, STATUS_MEMORY. */
enum status lesson_page_append(struct text *page, const char *template,
                               const struct lesson_texts *texts, const struct lesson_value *value,
                               size_t n_value, const json_t *data, struct error *err);

#endif

#include "lesson/lesson_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lesson/lesson.h"
#include "lesson/lesson_assets.h"
#include "lesson_text_registry.h"
#include "report/write/html_parts.h"

/* The files of text/, in alphabetical order. */
static const struct language {
    const char *code; /* "en", the file's name */
    const char *text;
    size_t size;
} languages[] = {LESSON_TEXT_REGISTRY};

#define N_LANGUAGE (sizeof languages / sizeof languages[0])

const char *lesson_language_at(size_t i)
{
    return i < N_LANGUAGE ? languages[i].code : NULL;
}

static const struct language *find_language(const char *code, struct error *err)
{
    char list[256] = "";
    for (size_t n = 0; n < N_LANGUAGE; n++) {
        if (strcmp(languages[n].code, code) == 0) {
            return &languages[n];
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", n ? ", " : "", languages[n].code);
    }
    error_set(err, STATUS_USAGE, "the lesson has no language '%s': there are %s", code, list);
    return NULL;
}

/* ---- reading ---- */

static size_t count_lines(const char *text)
{
    size_t n = 1;
    for (; *text; text++) {
        n += *text == '\n';
    }
    return n;
}

static bool is_key(const char *line, size_t length)
{
    return length > 2 && line[0] == '[' && line[length - 1] == ']' && line[1] != ' ' &&
           !memchr(line, ',', length);
}

static void trim_end(char *text)
{
    size_t n = strlen(text);
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' ')) {
        text[--n] = '\0';
    }
}

/* Cuts the buffer into keys and values, in place. */
static void cut(struct lesson_texts *texts)
{
    for (char *line = texts->buffer; line;) {
        char *end = strchr(line, '\n');
        size_t length = end ? (size_t)(end - line) : strlen(line);
        if (is_key(line, length)) {
            line[0] = line[length - 1] = '\0';
            texts->text[texts->n_text++] =
                (struct lesson_text){line + 1, end ? end + 1 : line + length - 1};
        }
        line = end ? end + 1 : NULL;
    }
    for (size_t i = 0; i < texts->n_text; i++) {
        trim_end(texts->text[i].value);
    }
}

static enum status check_keys(const struct lesson_texts *texts, struct error *err)
{
    for (size_t i = 0; i < texts->n_text; i++) {
        for (size_t k = 0; k < i; k++) {
            if (strcmp(texts->text[i].key, texts->text[k].key) == 0) {
                return error_set(err, STATUS_DATA,
                                 "the lesson's texts in '%s' have the key [%s] twice", texts->code,
                                 texts->text[i].key);
            }
        }
    }
    return STATUS_OK;
}

enum status lesson_texts_read(const char *code, struct lesson_texts *texts, struct error *err)
{
    *texts = (struct lesson_texts){0};
    const struct language *language = find_language(code, err);
    if (!language) {
        return STATUS_USAGE;
    }
    texts->code = language->code;
    texts->buffer = strdup(language->text);
    texts->text = calloc(count_lines(language->text), sizeof *texts->text);
    if (!texts->buffer || !texts->text) {
        return error_memory(err, "reading the lesson's texts");
    }
    cut(texts);
    return check_keys(texts, err);
}

void lesson_texts_free(struct lesson_texts *texts)
{
    free(texts->buffer);
    free(texts->text);
    *texts = (struct lesson_texts){0};
}

const char *lesson_text(const struct lesson_texts *texts, const char *key)
{
    for (size_t i = 0; i < texts->n_text; i++) {
        if (strcmp(texts->text[i].key, key) == 0) {
            return texts->text[i].value;
        }
    }
    return NULL;
}

json_t *lesson_texts_json(const struct lesson_texts *texts, const char *beginning)
{
    json_t *object = json_object();
    for (size_t i = 0; i < texts->n_text; i++) {
        if (strncmp(texts->text[i].key, beginning, strlen(beginning)) == 0) {
            json_object_set_new(object, texts->text[i].key, json_string(texts->text[i].value));
        }
    }
    return object;
}

/* ---- filling in ---- */

struct lesson_value lesson_number(const char *name, size_t number)
{
    struct lesson_value value = {.name = name};
    snprintf(value.text, sizeof value.text, "%zu", number);
    return value;
}

static void fill(struct text *out, const char *text, size_t size, const struct lesson_value *value,
                 size_t n_value)
{
    const char *end = text + size;
    while (text < end) {
        const char *open = memchr(text, '{', (size_t)(end - text));
        const char *close = open ? memchr(open, '}', (size_t)(end - open)) : NULL;
        const char *found = NULL;
        for (size_t i = 0; close && i < n_value; i++) {
            size_t length = (size_t)(close - open - 1);
            if (strlen(value[i].name) == length && strncmp(value[i].name, open + 1, length) == 0) {
                found = value[i].text;
            }
        }
        const char *stop = found ? open : open ? open + 1 : end;
        text_append(out, "%.*s%s", (int)(stop - text), text, found ? found : "");
        text = found ? close + 1 : stop;
    }
}

void lesson_text_fill(struct text *out, const char *text, const struct lesson_value *value,
                      size_t n_value)
{
    fill(out, text, strlen(text), value, n_value);
}

static bool is_block(const char *paragraph)
{
    return strncmp(paragraph, "<ul", 3) == 0 || strncmp(paragraph, "<pre", 4) == 0;
}

void lesson_text_paragraphs(struct text *out, const char *text, const struct lesson_value *value,
                            size_t n_value)
{
    while (*text) {
        const char *end = strstr(text, "\n\n");
        size_t size = end ? (size_t)(end - text) : strlen(text);
        bool block = is_block(text);
        text_append(out, block ? "" : "<p>");
        fill(out, text, size, value, n_value);
        text_append(out, block ? "\n" : "</p>\n");
        text += size;
        text += strspn(text, "\n");
    }
}

/* ---- the page ---- */

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

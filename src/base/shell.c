/* Single quotes take everything but a single quote itself; only $'...' has names for control
 * characters, and not every shell knows it, so it is kept for them.
 */
#include "base/shell.h"

#include <string.h>

#include "base/wrap.h"

static bool is_plain(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./:=,+@%-";
    return word[0] && word[strspn(word, plain)] == '\0';
}

static bool has_control(const char *word)
{
    while (*word && text_control(word) == 0) {
        word++;
    }
    return *word != '\0';
}

static void append_escaped(struct text *text, const char *word)
{
    text_append(text, "$'");
    while (*word) {
        size_t n = text_control(word);
        for (size_t i = 0; i < n; i++) {
            text_append(text, "\\%03o", (unsigned char)*word++);
        }
        if (n == 0) {
            text_append(text, strchr("'\\", *word) ? "\\%c" : "%c", *word);
            word++;
        }
    }
    text_append(text, "'");
}

static void append_quoted(struct text *text, const char *word)
{
    text_append(text, "'");
    for (; *word; word++) {
        text_append(text, *word == '\'' ? "'\\''" : "%c", *word);
    }
    text_append(text, "'");
}

void shell_append_word(struct text *text, const char *word)
{
    if (is_plain(word)) {
        text_append(text, "%s", word);
    } else if (has_control(word)) {
        append_escaped(text, word);
    } else {
        append_quoted(text, word);
    }
}

char *shell_path(const char *path)
{
    struct text relative = {0}, text = {0};
    text_append(&relative, path[0] == '-' ? "./%s" : "%s", path);
    if (!relative.failed) {
        shell_append_word(&text, relative.data);
    }
    if (relative.failed || text.failed) {
        text_free(&text);
    }
    text_free(&relative);
    return text.data;
}

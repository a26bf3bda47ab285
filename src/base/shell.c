/* Single quotes take everything but a single quote itself; only $'...' has names for control
 * characters, and not every shell knows it, so it is kept for them.
 */
#include "base/shell.h"

#include <string.h>

static bool is_plain(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./:=,+@%-";
    return word[0] && word[strspn(word, plain)] == '\0';
}

/* Bytes 0x80..0x9F behind 0xC2 are the control characters that UTF-8 has beyond ASCII's. */
static bool is_control(const char *at)
{
    unsigned char byte = (unsigned char)at[0], next = byte ? (unsigned char)at[1] : 0;
    return byte < 0x20 || byte == 0x7F || (byte == 0xC2 && next >= 0x80 && next <= 0x9F);
}

static bool has_control(const char *word)
{
    while (*word && !is_control(word)) {
        word++;
    }
    return *word != '\0';
}

static void append_escaped(struct text *text, const char *word)
{
    text_append(text, "$'");
    for (; *word; word++) {
        if (is_control(word)) {
            text_append(text, "\\%03o", (unsigned char)*word);
            if ((unsigned char)*word == 0xC2) {
                word++;
                text_append(text, "\\%03o", (unsigned char)*word);
            }
        } else {
            text_append(text, strchr("'\\", *word) ? "\\%c" : "%c", *word);
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

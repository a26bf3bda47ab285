#include "cli/markdown.h"

#include <string.h>

#define FENCE "```"

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static const char *line_end(const char *line)
{
    return line + strcspn(line, "\n");
}

static const char *next_line(const char *line)
{
    const char *end = line_end(line);
    return *end ? end + 1 : end;
}

/* append adds [n] bytes and cuts what has no room. */
static void append(struct markdown_block *block, const char *text, size_t n)
{
    size_t used = strlen(block->text), room = sizeof block->text - 1 - used;
    n = n < room ? n : room;
    memcpy(block->text + used, text, n);
    block->text[used + n] = '\0';
}

static const char *read_code(const char *line, struct markdown_block *block)
{
    for (line = next_line(line); *line && !begins(line, FENCE); line = next_line(line)) {
        append(block, line, (size_t)(next_line(line) - line));
    }
    return next_line(line);
}

/* Lines up to the next that is empty or begins another block, joined by blanks. */
static const char *read_words(const char *line, struct markdown_block *block)
{
    do {
        line += strspn(line, " ");
        append(block, " ", block->text[0] != '\0');
        append(block, line, (size_t)(line_end(line) - line));
        line = next_line(line);
    } while (*line && *line != '\n' && !begins(line, "- ") && !begins(line, FENCE) &&
             !begins(line, "<!--"));
    return line;
}

bool markdown_next_block(const char **at, struct markdown_block *block)
{
    static const struct {
        const char *mark;
        enum block_kind kind;
    } marks[] = {{"# ", BLOCK_TITLE}, {"## ", BLOCK_HEADING}, {"- ", BLOCK_ITEM}};
    const char *line = *at;
    while (*line == '\n' || begins(line, "<!--")) {
        line = next_line(line);
    }
    *block = (struct markdown_block){.kind = BLOCK_PARAGRAPH};
    if (!*line) {
        return false;
    }
    if (begins(line, FENCE)) {
        block->kind = BLOCK_CODE;
        *at = read_code(line, block);
        return true;
    }
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (begins(line, marks[i].mark)) {
            block->kind = marks[i].kind;
            line += strlen(marks[i].mark);
            break;
        }
    }
    *at = read_words(line, block);
    return true;
}

/* A link's words, and what follows the link; NULL where text begins none. */
static const char *read_link(const char *text, struct markdown_span *span)
{
    const char *close = *text == '[' ? strstr(text, "](") : NULL;
    const char *end = close ? strchr(close, ')') : NULL;
    if (!end || memchr(text + 1, '[', (size_t)(close - text - 1))) {
        return NULL;
    }
    *span = (struct markdown_span){SPAN_WORDS, text + 1, (size_t)(close - text - 1)};
    return end + 1;
}

/* What stands between a mark and its repetition; NULL where text begins with no such pair. */
static const char *read_pair(const char *text, const char *mark, enum span_kind kind,
                             struct markdown_span *span)
{
    const char *inner = text + strlen(mark);
    const char *end = begins(text, mark) ? strstr(inner, mark) : NULL;
    if (!end) {
        return NULL;
    }
    *span = (struct markdown_span){kind, inner, (size_t)(end - inner)};
    return end + strlen(mark);
}

static const char *read_marked(const char *text, struct markdown_span *span)
{
    const char *end = read_pair(text, "`", SPAN_CODE, span);
    end = end ? end : read_pair(text, "**", SPAN_BOLD, span);
    return end ? end : read_link(text, span);
}

bool markdown_next_span(const char **at, struct markdown_span *span)
{
    const char *text = *at, *end = read_marked(text, span);
    if (*text && !end) {
        struct markdown_span next;
        end = text + 1;
        while (*end && !read_marked(end, &next)) {
            end++;
        }
        *span = (struct markdown_span){SPAN_WORDS, text, (size_t)(end - text)};
    }
    *at = end ? end : text;
    return *text != '\0';
}

/* markdown: reads the Markdown of the topics, for a terminal and for troff.
 *
 * Blocks are "# title", "## heading", paragraphs, items "- " whose further lines are indented, and
 * fenced code; a comment on a line of its own is skipped. Spans inside a line are `code`, **bold**
 * and [links](target), of which the words are kept. Nothing else is a mark.
 */
#ifndef QKVLAB_CLI_MARKDOWN_H
#define QKVLAB_CLI_MARKDOWN_H

#include <stdbool.h>
#include <stddef.h>

enum block_kind { BLOCK_TITLE, BLOCK_HEADING, BLOCK_PARAGRAPH, BLOCK_ITEM, BLOCK_CODE };

#define MARKDOWN_BLOCK_SIZE 8192 /* a longer block is cut */

struct markdown_block {
    enum block_kind kind;
    char text[MARKDOWN_BLOCK_SIZE]; /* words on one line with their marks; code with its lines */
};

/* markdown_block reads the next block and moves *at, which begins at the text's start. Returns
 * false at its end. */
bool markdown_next_block(const char **at, struct markdown_block *block);

enum span_kind { SPAN_WORDS, SPAN_BOLD, SPAN_CODE };

struct markdown_span {
    enum span_kind kind;
    const char *text; /* [n] bytes of the block's text, marks taken off */
    size_t n;
};

/* markdown_next_span does the same with the spans of a block's text. */
bool markdown_next_span(const char **at, struct markdown_span *span);

#endif

/* document: what a report says, as data that knows no format: blocks in reading order. Topics
 * (content/) append blocks; a writer (write/) walks them and knows no content.
 *
 * Texts are inline Markdown: **strong**, `code`, [text](address). The document owns what is added
 * to it. A failed allocation, also inside a table, plot or sheet, is kept and told by
 * document_failed.
 */
#ifndef QKVLAB_REPORT_DOCUMENT_H
#define QKVLAB_REPORT_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/table.h"
#include "report/document/facets.h"
#include "report/document/plot.h"
#include "report/document/sheet.h"

enum block_kind {
    BLOCK_HEADING,
    BLOCK_PARAGRAPH,
    BLOCK_ITEM, /* of a list; items in a row are one list */
    BLOCK_TABLE,
    BLOCK_PLOT,
    BLOCK_SHEET,
    BLOCK_PIVOT, /* a plot that its reader makes from a table */
    BLOCK_BEGIN, /* of a group of blocks, up to its BLOCK_END */
    BLOCK_END
};

/* Whom a block is for: a bit set. What is in a group is for those the group is for, at most. */
enum audience {
    FOR_TEXT = 1,  /* report.md, read from top to bottom */
    FOR_PAGE = 2,  /* report.html, explored */
    FOR_LATEX = 4, /* tables for a paper: a group a file, its text the file's name */
    FOR_CSV = 8,   /* tables for programs: each a file */
    FOR_READERS = FOR_TEXT | FOR_PAGE
};

enum group_kind {
    GROUP_SECTION, /* a part of the page with an entry in its menu; the text has headings alone */
    GROUP_FOLD,    /* closed until it is opened */
    GROUP_CHOICE,  /* its members are options, of which one is seen; its text names the choice */
    GROUP_OPTION,
    GROUP_FILE /* for LaTeX: a file */
};

enum tone { TONE_PLAIN, TONE_NOTE, TONE_WARNING };

struct block {
    enum block_kind kind;
    unsigned audience;
    enum group_kind group; /* of BLOCK_BEGIN */
    size_t end;            /* of BLOCK_BEGIN: the index of its BLOCK_END */
    int level;             /* of a heading and of a list item: 1 is the outermost */
    enum tone tone;        /* of a paragraph */
    char *text;            /* heading, paragraph, item, group's title, table's name */
    char *note; /* of a table: its caption; of a section: its anchor; of a file: what it holds */
    char *file; /* of a table for programs: its file's name */
    struct table *table;
    struct plot *plot;
    struct sheet *sheet;
    struct pivot *pivot;
    uint64_t tag;
    bool open; /* of a fold: at first */
};

struct document {
    struct block *block; /* [n_block] */
    size_t n_block, capacity;
    unsigned audience;       /* of the blocks to come */
    size_t open[16], n_open; /* groups that have no end yet */
    json_t *json;            /* the same for programs, an object: topics add members */
    bool failed;
};

/* document_create returns an empty document, for readers. Free with document_free. */
struct document document_create(void);
void document_free(struct document *document);
bool document_failed(const struct document *document);

/* document_escape returns a text from a file or a user as inline Markdown that shows it as it is,
 * on one line. Caller frees. NULL when out of memory, which the document then knows. */
char *document_escape(struct document *document, const char *text);

/* document_for sets whom the next blocks are for and returns whom they were for. */
unsigned document_for(struct document *document, unsigned audience);

void document_begin(struct document *document, enum group_kind group, const char *anchor,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));
void document_end(struct document *document);

/* document_group_open: the innermost open fold is open at first. */
void document_group_open(struct document *document);

/* document_group_tag says which runs the innermost open group speaks of. */
void document_group_tag(struct document *document, uint64_t tag);

void document_heading(struct document *document, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void document_paragraph(struct document *document, enum tone tone, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void document_item(struct document *document, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* These take what they are given, also where it failed. name is the table's name for those who do
 * not see it, caption (or NULL) is seen. */
void document_table(struct document *document, struct table *table, const char *name,
                    const char *caption);
void document_plot(struct document *document, struct plot *plot);
void document_sheet(struct document *document, struct sheet *sheet);
void document_pivot(struct document *document, struct pivot *pivot, const char *name);

/* document_data adds a table for programs: file is its name, note what it holds, as people read. */
void document_data(struct document *document, struct table *table, const char *file,
                   const char *note);

/* document_member adds a member to the JSON and takes value, NULL being a failure. */
void document_member(struct document *document, const char *key, json_t *value);

#endif

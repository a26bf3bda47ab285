#include "report/document/document.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_pivot(struct pivot *pivot)
{
    if (pivot) {
        table_free(pivot->table);
        free(pivot->x);
        free(pivot->y);
        free(pivot->fixed);
        free(pivot);
    }
}

static void free_block(struct block *block)
{
    free(block->text);
    free(block->note);
    free(block->file);
    table_free(block->table);
    plot_free(block->plot);
    sheet_free(block->sheet);
    free_pivot(block->pivot);
}

struct document document_create(void)
{
    struct document document = {.audience = FOR_READERS, .json = json_object()};
    document.failed = !document.json;
    return document;
}

void document_free(struct document *document)
{
    json_decref(document->json);
    for (size_t i = 0; i < document->n_block; i++) {
        free_block(&document->block[i]);
    }
    free(document->block);
    *document = (struct document){0};
}

bool document_failed(const struct document *document)
{
    bool failed = document->failed;
    for (size_t i = 0; i < document->n_block; i++) {
        const struct block *block = &document->block[i];
        failed |= (block->table && table_failed(block->table)) ||
                  (block->plot && block->plot->failed) || (block->sheet && block->sheet->failed) ||
                  (block->pivot && table_failed(block->pivot->table));
    }
    return failed;
}

char *document_escape(struct document *document, const char *text)
{
    char *made = malloc(2 * strlen(text) + 1), *at = made;
    document->failed |= !made;
    for (; made && *text; text++) {
        if (strchr("|`<*_[", *text)) {
            *at++ = '\\';
        }
        *at++ = (unsigned char)*text < ' ' ? ' ' : *text;
    }
    if (made) {
        *at = '\0';
    }
    return made;
}

unsigned document_for(struct document *document, unsigned audience)
{
    unsigned before = document->audience;
    document->audience = audience;
    return before;
}

/* Appends a block and takes what it holds. */
static void add(struct document *document, struct block block)
{
    if (document->n_block == document->capacity) {
        size_t capacity = document->capacity ? 2 * document->capacity : 64;
        struct block *grown = realloc(document->block, capacity * sizeof *grown);
        if (!grown) {
            document->failed = true;
            free_block(&block);
            return;
        }
        document->block = grown;
        document->capacity = capacity;
    }
    block.audience = block.audience ? block.audience : document->audience;
    document->block[document->n_block++] = block;
}

static char *copy(struct document *document, const char *text)
{
    char *made = text ? strdup(text) : NULL;
    document->failed |= text && !made;
    return made;
}

static char *format_text(struct document *document, const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    int n = vsnprintf(NULL, 0, format, list);
    char *text = n < 0 ? NULL : malloc((size_t)n + 1);
    if (text) {
        vsnprintf(text, (size_t)n + 1, format, again);
    }
    va_end(again);
    document->failed |= !text;
    return text;
}

void document_begin(struct document *document, enum group_kind group, const char *anchor,
                    const char *format, ...)
{
    va_list list;
    va_start(list, format);
    struct block block = {.kind = BLOCK_BEGIN,
                          .group = group,
                          .text = format_text(document, format, list),
                          .note = copy(document, anchor)};
    va_end(list);
    if (document->n_open == sizeof document->open / sizeof *document->open) {
        document->failed = true;
        free_block(&block);
        return;
    }
    document->open[document->n_open++] = document->n_block;
    add(document, block);
}

void document_end(struct document *document)
{
    if (document->n_open == 0) {
        document->failed = true;
        return;
    }
    size_t begin = document->open[--document->n_open];
    if (begin < document->n_block) {
        document->block[begin].end = document->n_block;
    }
    add(document, (struct block){.kind = BLOCK_END});
}

void document_group_open(struct document *document)
{
    size_t begin = document->n_open > 0 ? document->open[document->n_open - 1] : 0;
    if (begin < document->n_block) {
        document->block[begin].open = true;
    }
}

void document_group_tag(struct document *document, uint64_t tag)
{
    size_t begin = document->n_open > 0 ? document->open[document->n_open - 1] : 0;
    if (begin < document->n_block) {
        document->block[begin].tag = tag;
    }
}

void document_heading(struct document *document, int level, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    add(document, (struct block){.kind = BLOCK_HEADING,
                                 .level = level,
                                 .text = format_text(document, format, list)});
    va_end(list);
}

void document_paragraph(struct document *document, enum tone tone, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    add(document, (struct block){.kind = BLOCK_PARAGRAPH,
                                 .tone = tone,
                                 .text = format_text(document, format, list)});
    va_end(list);
}

void document_item(struct document *document, int level, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    add(document, (struct block){.kind = BLOCK_ITEM,
                                 .level = level,
                                 .text = format_text(document, format, list)});
    va_end(list);
}

void document_table(struct document *document, struct table *table, const char *name,
                    const char *caption)
{
    document->failed |= !table;
    add(document, (struct block){.kind = BLOCK_TABLE,
                                 .text = copy(document, name),
                                 .note = copy(document, caption),
                                 .table = table});
}

void document_plot(struct document *document, struct plot *plot)
{
    document->failed |= !plot;
    add(document, (struct block){.kind = BLOCK_PLOT, .plot = plot});
}

void document_sheet(struct document *document, struct sheet *sheet)
{
    document->failed |= !sheet;
    add(document, (struct block){.kind = BLOCK_SHEET, .sheet = sheet});
}

void document_pivot(struct document *document, struct pivot *pivot, const char *name)
{
    document->failed |= !pivot;
    add(document,
        (struct block){.kind = BLOCK_PIVOT, .text = copy(document, name), .pivot = pivot});
}

void document_data(struct document *document, struct table *table, const char *file,
                   const char *note)
{
    document->failed |= !table;
    add(document, (struct block){.kind = BLOCK_TABLE,
                                 .audience = FOR_CSV,
                                 .text = copy(document, file),
                                 .note = copy(document, note),
                                 .file = copy(document, file),
                                 .table = table});
}

void document_member(struct document *document, const char *key, json_t *value)
{
    document->failed |= json_object_set_new(document->json, key, value) != 0;
}

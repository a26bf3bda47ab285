#include "report/write/markdown.h"

#include <string.h>

#include "base/file.h"

/* Texts of cells may come from folders and messages: they must not break the table. */
static void append_escaped(struct text *text, const char *value)
{
    for (; *value; value++) {
        if (*value == '|' || *value == '`' || *value == '<') {
            text_append(text, "\\%c", *value);
        } else {
            text_append(text, "%c", (unsigned char)*value < ' ' ? ' ' : *value);
        }
    }
}

static void append_cell(struct text *text, const struct table *table, size_t row, size_t column)
{
    char buffer[TABLE_CELL_SIZE];
    const char *shown = table_cell_text(table, row, column, buffer);
    enum column_look look = table_column_at(table, column)->look;
    const char *mark = table_row_aside(table, row) ? "_" : look == LOOK_CODE ? "`" : "";
    text_append(text, " %s", mark);
    if (table_cell_at(table, row, column)->type == CELL_TEXT) {
        append_escaped(text, shown);
    } else {
        text_append(text, "%s", shown);
    }
    text_append(text, "%s |", mark);
}

static void append_table(struct text *text, const struct table *table)
{
    text_append(text, "|");
    for (size_t i = 0; i < table_n_column(table); i++) {
        const char *title = table_column_at(table, i)->title;
        if (title) {
            text_append(text, " %s |", title);
        }
    }
    text_append(text, "\n|");
    for (size_t i = 0; i < table_n_column(table); i++) {
        if (table_column_at(table, i)->title) {
            text_append(text, "%s|", table_is_number(table, i) ? "---:" : "---");
        }
    }
    text_append(text, "\n");
    for (size_t row = 0; row < table_n_row(table); row++) {
        text_append(text, "|");
        for (size_t i = 0; i < table_n_column(table); i++) {
            if (table_column_at(table, i)->title) {
                append_cell(text, table, row, i);
            }
        }
        text_append(text, "\n");
    }
    text_append(text, "\n");
}

static void append_picture(struct text *text, const char *title, const char *name)
{
    if (name) {
        text_append(text, "![%s](%s.png)\n\n", title, name);
    }
}

static void append_block(struct text *text, const struct block *block, bool list_ends)
{
    switch (block->kind) {
    case BLOCK_HEADING:
        text_append(text, "%.*s %s\n\n", block->level, "######", block->text);
        break;
    case BLOCK_PARAGRAPH:
        text_append(text, block->tone == TONE_NOTE ? "_%s_\n\n" : "%s\n\n", block->text);
        break;
    case BLOCK_ITEM:
        text_append(text, "%*s- %s\n%s", 2 * (block->level - 1), "", block->text,
                    list_ends ? "\n" : "");
        break;
    case BLOCK_TABLE:
        append_table(text, block->table);
        break;
    case BLOCK_PLOT:
        append_picture(text, block->plot->alt ? block->plot->alt : block->plot->title,
                       block->plot->name);
        break;
    case BLOCK_SHEET:
        append_picture(text, block->sheet->alt ? block->sheet->alt : block->sheet->title,
                       block->sheet->name);
        break;
    case BLOCK_BEGIN:
        if (block->group == GROUP_FOLD) {
            text_append(text, "<details><summary>%s</summary>\n\n", block->text);
        }
        break;
    case BLOCK_PIVOT:
    case BLOCK_END:
        break;
    }
}

void markdown_append(struct text *text, const struct document *document)
{
    const struct block *blocks = document->block;
    size_t fold_end[sizeof document->open / sizeof *document->open], n_fold = 0;
    for (size_t i = 0; i < document->n_block; i++) {
        const struct block *block = &blocks[i];
        if (n_fold > 0 && i == fold_end[n_fold - 1]) {
            text_append(text, "</details>\n\n");
            n_fold--;
        }
        if (!(block->audience & FOR_TEXT)) {
            i = block->kind == BLOCK_BEGIN ? block->end : i;
            continue;
        }
        if (block->kind == BLOCK_BEGIN && block->group == GROUP_FOLD) {
            fold_end[n_fold++] = block->end;
        }
        bool list_ends = i + 1 == document->n_block || blocks[i + 1].kind != BLOCK_ITEM ||
                         !(blocks[i + 1].audience & FOR_TEXT);
        append_block(text, block, list_ends);
    }
}

enum status markdown_write(const struct document *document, const char *folder, struct error *err)
{
    char path[PATH_SIZE];
    struct text text = {0};
    TRY(path_format(path, err, "%s/report.md", folder));
    markdown_append(&text, document);
    enum status status = text_write_unsynced(&text, path, err);
    text_free(&text);
    return status;
}

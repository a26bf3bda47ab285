#include "report/write/latex.h"

#include <ctype.h>
#include <string.h>

#include "base/file.h"

static void append_escaped(struct text *text, const char *value)
{
    static const char plus_minus[] = "\xc2\xb1";
    for (; *value; value++) {
        if (strncmp(value, plus_minus, 2) == 0) {
            text_append(text, "$\\pm$");
            value++;
        } else if (*value == '\\') {
            text_append(text, "\\textbackslash{}");
        } else if (*value == '~' || *value == '^') {
            text_append(text, "\\%c{}", *value);
        } else if (*value == '<' || *value == '>') {
            text_append(text, "$%c$", *value);
        } else if (strchr("&%$#_{}", *value)) {
            text_append(text, "\\%c", *value);
        } else {
            text_append(text, "%c", *value);
        }
    }
}

/* A title of a column begins with a capital. */
static void append_title(struct text *text, const char *title)
{
    text_append(text, "%c", toupper((unsigned char)title[0]));
    append_escaped(text, title[0] ? title + 1 : title);
}

/* "table_accuracy.tex" gives the label accuracy. */
static void append_label(struct text *text, const char *file, size_t number)
{
    const char *name = strchr(file, '_') ? strchr(file, '_') + 1 : file;
    text_append(text, "\\label{tab:%.*s-%zu}\n", (int)strcspn(name, "."), name, number);
}

static void append_table(struct text *text, const struct block *block, const char *file,
                         size_t number)
{
    const struct table *table = block->table;
    text_append(text, "\\begin{table}[t]\n\\centering\n\\caption{");
    append_escaped(text, block->note ? block->note : block->text);
    text_append(text, "}\n");
    append_label(text, file, number);
    text_append(text, "\\begin{tabular}{");
    for (size_t i = 0; i < table_n_column(table); i++) {
        text_append(text, table_is_number(table, i) ? "r" : "l");
    }
    text_append(text, "}\n\\toprule\n");
    for (size_t i = 0; i < table_n_column(table); i++) {
        text_append(text, "%s", i ? " & " : "");
        append_title(text, table_column_at(table, i)->title);
    }
    text_append(text, " \\\\\n\\midrule\n");
    for (size_t row = 0; row < table_n_row(table); row++) {
        for (size_t i = 0; i < table_n_column(table); i++) {
            char buffer[TABLE_CELL_SIZE];
            const char *shown = table_cell_text(table, row, i, buffer);
            text_append(text, "%s", i ? " & " : "");
            append_escaped(text, strcmp(shown, "-") == 0 ? "--" : shown);
        }
        text_append(text, " \\\\\n");
    }
    text_append(text, "\\bottomrule\n\\end{tabular}\n\\end{table}\n\n");
}

void latex_append(struct text *text, const struct document *document, size_t begin)
{
    const struct block *blocks = document->block;
    size_t number = 0;
    text_append(text, "%% Written by qkvlab report; needs \\usepackage{booktabs}.\n");
    for (size_t i = begin + 1; i < blocks[begin].end; i++) {
        if (blocks[i].kind == BLOCK_TABLE) {
            append_table(text, &blocks[i], blocks[begin].text, ++number);
        }
    }
}

enum status latex_write(const struct document *document, const char *folder, struct error *err)
{
    for (size_t i = 0; i < document->n_block; i++) {
        const struct block *block = &document->block[i];
        if (block->kind != BLOCK_BEGIN || !(block->audience & FOR_LATEX) ||
            block->group != GROUP_FILE) {
            continue;
        }
        char path[PATH_SIZE];
        struct text text = {0};
        latex_append(&text, document, i);
        enum status status = path_format(path, err, "%s/%s", folder, block->text);
        if (status == STATUS_OK) {
            status = text_write_unsynced(&text, path, err);
        }
        text_free(&text);
        TRY(status);
    }
    return STATUS_OK;
}

#include "report/document/sheet.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sheet *sheet_create(const char *title, size_t n_row, size_t n_column)
{
    struct sheet *sheet = calloc(1, sizeof *sheet);
    if (!sheet) {
        return NULL;
    }
    sheet->n_row = n_row;
    sheet->n_column = n_column;
    sheet->high = 1;
    sheet->panel = calloc(n_row * n_column + 1, sizeof *sheet->panel);
    sheet->row_title = calloc(n_row + 1, sizeof *sheet->row_title);
    sheet->column_title = calloc(n_column + 1, sizeof *sheet->column_title);
    sheet->failed = !sheet->panel || !sheet->row_title || !sheet->column_title;
    sheet_text(sheet, &sheet->title, "%s", title);
    return sheet;
}

static void free_panel(struct sheet_panel *panel)
{
    free(panel->title);
    free(panel->note);
    free(panel->value);
    free(panel->rgb);
    free(panel->folder);
}

/* Lists end with a NULL. */
static void free_texts(char **text, size_t n)
{
    for (size_t i = 0; text && i < n; i++) {
        free(text[i]);
    }
    free(text);
}

void sheet_free(struct sheet *sheet)
{
    if (!sheet) {
        return;
    }
    size_t n_label_row = 0, n_label_column = 0;
    for (size_t i = 0; sheet->panel && i < sheet->n_row * sheet->n_column; i++) {
        n_label_row = sheet->panel[i].n_row > n_label_row ? sheet->panel[i].n_row : n_label_row;
        n_label_column =
            sheet->panel[i].n_column > n_label_column ? sheet->panel[i].n_column : n_label_column;
        free_panel(&sheet->panel[i]);
    }
    for (size_t i = 0; i < sheet->n_dimension; i++) {
        free(sheet->dimension[i].title);
        free_texts(sheet->dimension[i].label, sheet->dimension[i].n);
    }
    free_texts(sheet->row_title, sheet->n_row);
    free_texts(sheet->column_title, sheet->n_column);
    free_texts(sheet->row_label, n_label_row);
    free_texts(sheet->column_label, n_label_column);
    free(sheet->dimension);
    free(sheet->panel);
    free(sheet->title);
    free(sheet->subtitle);
    free(sheet->name);
    free(sheet->scale_title);
    free(sheet->query);
    free(sheet->key);
    free(sheet);
}

struct sheet_panel *sheet_panel_at(struct sheet *sheet, size_t row, size_t column)
{
    return &sheet->panel[row * sheet->n_column + column];
}

void sheet_text(struct sheet *sheet, char **text, const char *format, ...)
{
    char buffer[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(buffer, sizeof buffer, format, list);
    va_end(list);
    free(*text);
    *text = strdup(buffer);
    sheet->failed |= !*text;
}

#include "report/document/sheet.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 116.0 /* points */

struct sheet *sheet_create(const char *title, size_t n_row, size_t n_column)
{
    struct sheet *sheet = calloc(1, sizeof *sheet);
    if (!sheet) {
        return NULL;
    }
    sheet->n_row = n_row;
    sheet->n_column = n_column;
    sheet->top = 1;
    sheet->side = SIDE;
    sheet->panel = calloc(n_row * n_column + 1, sizeof *sheet->panel);
    sheet->row_title = calloc(n_row + 1, sizeof *sheet->row_title);
    sheet->column_title = calloc(n_column + 1, sizeof *sheet->column_title);
    sheet->failed = !sheet->panel || !sheet->row_title || !sheet->column_title;
    sheet_text(sheet, &sheet->title, "%s", title);
    return sheet;
}

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
    for (size_t i = 0; sheet->panel && i < sheet->n_row * sheet->n_column; i++) {
        free(sheet->panel[i].value);
        free(sheet->panel[i].number);
        free(sheet->panel[i].note);
        free(sheet->panel[i].folder);
    }
    for (size_t i = 0; i < sheet->n_dimension; i++) {
        free(sheet->dimension[i].title);
        free_texts(sheet->dimension[i].label, sheet->dimension[i].n);
    }
    free_texts(sheet->row_title, sheet->n_row);
    free_texts(sheet->column_title, sheet->n_column);
    free_texts(sheet->label, sheet->n_label);
    free(sheet->dimension);
    free(sheet->panel);
    free(sheet->title);
    free(sheet->subtitle);
    free(sheet->name);
    free(sheet->alt);
    free(sheet->scale_title);
    free(sheet->down);
    free(sheet->right);
    free(sheet);
}

struct sheet_panel *sheet_panel_at(const struct sheet *sheet, size_t row, size_t column)
{
    return &sheet->panel[row * sheet->n_column + column];
}

struct sheet_dimension *sheet_dimension(struct sheet *sheet, const char *title, size_t n)
{
    struct sheet_dimension *grown =
        realloc(sheet->dimension, (sheet->n_dimension + 1) * sizeof *grown);
    char **label = calloc(n + 1, sizeof *label);
    if (grown) {
        sheet->dimension = grown;
    }
    if (!grown || !label) {
        free(label);
        sheet->failed = true;
        return NULL;
    }
    grown += sheet->n_dimension++;
    *grown = (struct sheet_dimension){.label = label, .n = n};
    sheet_text(sheet, &grown->title, "%s", title);
    return grown;
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

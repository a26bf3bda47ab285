#include "report/document/sheet.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 116.0 /* points */
#define QUANTILE 0.99
#define MIN_TOP 2.0

/* ---- made and freed ---- */

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
        free(sheet->panel[i].rgb);
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
    free(sheet->alt);
    free(sheet->name);
    free(sheet->scale_title);
    free(sheet->down);
    free(sheet->right);
    free(sheet);
}

struct sheet *sheet_create(const char *title, size_t n_row, size_t n_column)
{
    struct sheet *sheet = calloc(1, sizeof *sheet);
    if (!sheet) {
        return NULL;
    }
    *sheet = (struct sheet){.n_row = n_row,
                            .n_column = n_column,
                            .n_block = 1,
                            .top = 1,
                            .side = SIDE,
                            .panel = calloc(n_row * n_column + 1, sizeof *sheet->panel),
                            .row_title = calloc(n_row + 1, sizeof *sheet->row_title),
                            .column_title = calloc(n_column + 1, sizeof *sheet->column_title)};
    sheet_text(sheet, &sheet->title, "%s", title);
    if (!sheet->panel || !sheet->row_title || !sheet->column_title || sheet->failed) {
        sheet_free(sheet);
        return NULL;
    }
    return sheet;
}

/* ---- filled ---- */

struct sheet_panel *sheet_panel_at(const struct sheet *sheet, size_t row, size_t column)
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

float *sheet_grid(struct sheet *sheet, struct sheet_panel *panel, size_t n_row, size_t n_column)
{
    panel->n_row = n_row;
    panel->n_column = n_column;
    free(panel->value);
    panel->value = calloc(sheet_n_plane(sheet) * n_row * n_column + 1, sizeof *panel->value);
    sheet->failed |= !panel->value;
    return panel->value;
}

unsigned char *sheet_picture(struct sheet *sheet, struct sheet_panel *panel, size_t height,
                             size_t width)
{
    panel->height = height;
    panel->width = width;
    free(panel->rgb);
    panel->rgb = calloc(height * width + 1, 3);
    sheet->failed |= !panel->rgb;
    return panel->rgb;
}

/* ---- read ---- */

size_t sheet_n_plane(const struct sheet *sheet)
{
    size_t n = 1;
    for (size_t i = 0; i < sheet->n_dimension; i++) {
        n *= sheet->dimension[i].n;
    }
    return n;
}

/* The share of a plane in what is seen at first: 0, 1, or that of a mean. */
static double plane_weight(const struct sheet *sheet, size_t plane)
{
    double weight = 1;
    for (size_t i = sheet->n_dimension; i-- > 0; plane /= sheet->dimension[i].n) {
        const struct sheet_dimension *dimension = &sheet->dimension[i];
        weight *= dimension->can_mean ? 1 / (double)dimension->n
                                      : plane % dimension->n == dimension->n - 1;
    }
    return weight;
}

double sheet_value(const struct sheet *sheet, const struct sheet_panel *panel, size_t row,
                   size_t column)
{
    double value = 0;
    size_t n = panel->n_row * panel->n_column, i = row * panel->n_column + column;
    for (size_t plane = 0, n_plane = sheet_n_plane(sheet); plane < n_plane; plane++) {
        double weight = plane_weight(sheet, plane);
        value += weight > 0 ? weight * panel->value[plane * n + i] : 0;
    }
    return value;
}

/* ---- the scale ---- */

static int compare(const void *a, const void *b)
{
    float left = *(const float *)a, right = *(const float *)b;
    return (left > right) - (left < right);
}

/* The next of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten. */
static double round_up(double value)
{
    static const double nice[] = {1, 1.5, 2, 3, 4, 5, 6, 8};
    double power = pow(10, floor(log10(value)));
    for (size_t i = 0; i < sizeof nice / sizeof nice[0]; i++) {
        if (value <= nice[i] * power * (1 + 1e-6)) {
            return nice[i] * power;
        }
    }
    return 10 * power;
}

static size_t n_value(const struct sheet *sheet, const struct sheet_panel *panel)
{
    return panel->value ? sheet_n_plane(sheet) * panel->n_row * panel->n_column : 0;
}

void sheet_scale(struct sheet *const *sheet, size_t n_sheet)
{
    size_t n_all = 0, n = 0;
    for (size_t s = 0; s < n_sheet; s++) {
        for (size_t i = 0; i < sheet[s]->n_row * sheet[s]->n_column; i++) {
            n_all += n_value(sheet[s], &sheet[s]->panel[i]);
        }
    }
    float *value = calloc(n_all + 1, sizeof *value);
    for (size_t s = 0; value && s < n_sheet; s++) {
        for (size_t i = 0; i < sheet[s]->n_row * sheet[s]->n_column; i++) {
            const struct sheet_panel *panel = &sheet[s]->panel[i];
            for (size_t k = 0; k < n_value(sheet[s], panel); k++) {
                value[n] = panel->value[k];
                n += isfinite(panel->value[k]) != 0;
            }
        }
    }
    double top = MIN_TOP;
    bool clipped = false;
    if (n > 0) {
        qsort(value, n, sizeof *value, compare);
        double most = value[(size_t)(QUANTILE * (double)(n - 1))];
        top = most > MIN_TOP ? round_up(most) : MIN_TOP;
        clipped = value[n - 1] > top * (1 + 1e-6);
    }
    for (size_t s = 0; s < n_sheet; s++) {
        sheet[s]->top = top;
        sheet[s]->clipped = clipped;
        sheet[s]->failed |= !value;
    }
    free(value);
}

#define _GNU_SOURCE /* vasprintf */
#include "base/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/wrap.h"

struct row_mark {
    uint64_t tag;
    bool aside;
};

struct table {
    struct column *column; /* [n_column], with texts of their own */
    size_t n_column;
    struct cell_value *cell; /* row by row */
    size_t n_cell, cell_capacity;
    struct row_mark *mark; /* [n_mark] of the rows up to the last marked one */
    size_t n_mark, mark_capacity;
    int digits;
    bool failed;
};

#define COLUMN_GAP 2
#define LAST_COLUMN_ROOM 20 /* below that, wrapping would not make it readable */
#define LAST_COLUMN_INDENT 4
#define CSV_DIGITS 9

/* Makes room for one more item. */
static bool reserve(void **items, size_t n, size_t *capacity, size_t size)
{
    if (n < *capacity) {
        return true;
    }
    size_t wanted = *capacity ? 2 * *capacity : 64;
    void *grown = realloc(*items, wanted * size);
    if (grown) {
        *items = grown;
        *capacity = wanted;
    }
    return grown != NULL;
}

/* ---- columns ---- */

static const char *copy_of(struct table *table, const char *text)
{
    char *copy = text ? strdup(text) : NULL;
    table->failed |= text && !copy;
    return copy;
}

void table_column(struct table *table, const struct column *column)
{
    if (!table || table->failed) {
        return;
    }
    struct column *grown = realloc(table->column, (table->n_column + 1) * sizeof *grown);
    if (!grown) {
        table->failed = true;
        return;
    }
    table->column = grown;
    grown += table->n_column++;
    *grown = *column;
    grown->key = copy_of(table, column->key);
    grown->title = copy_of(table, column->title);
    grown->hint = copy_of(table, column->hint);
    grown->path = copy_of(table, column->path);
    grown->link = copy_of(table, column->link);
}

struct table *table_create(const struct column *columns, size_t n_column)
{
    struct table *table = calloc(1, sizeof *table);
    if (!table) {
        return NULL;
    }
    table->digits = CSV_DIGITS;
    for (size_t i = 0; i < n_column; i++) {
        table_column(table, &columns[i]);
    }
    return table;
}

void table_free(struct table *table)
{
    if (!table) {
        return;
    }
    for (size_t i = 0; i < table->n_cell; i++) {
        free(table->cell[i].text);
    }
    for (size_t i = 0; i < table->n_column; i++) {
        const struct column *column = &table->column[i];
        const char *text[] = {column->key, column->title, column->hint, column->path, column->link};
        for (size_t j = 0; j < sizeof text / sizeof *text; j++) {
            free((char *)text[j]);
        }
    }
    free(table->column);
    free(table->cell);
    free(table->mark);
    free(table);
}

/* ---- cells ---- */

/* Takes over text; NULL: out of memory. */
static void add_cell(struct table *table, struct cell_value cell, char *text)
{
    if (!table || table->failed || !text ||
        !reserve((void **)&table->cell, table->n_cell, &table->cell_capacity, sizeof cell)) {
        free(text);
        if (table) {
            table->failed = true;
        }
        return;
    }
    cell.text = text;
    table->cell[table->n_cell++] = cell;
}

static void add_formatted(struct table *table, struct cell_value cell, const char *format,
                          va_list list)
{
    char *text;
    add_cell(table, cell, vasprintf(&text, format, list) < 0 ? NULL : text);
}

void table_text(struct table *table, const char *text)
{
    if (text) {
        add_cell(table, (struct cell_value){.type = CELL_TEXT}, strdup(text));
    } else {
        table_missing(table);
    }
}

void table_format(struct table *table, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    add_formatted(table, (struct cell_value){.type = CELL_TEXT}, format, list);
    va_end(list);
}

void table_integer(struct table *table, long long value)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", value);
    add_cell(table,
             (struct cell_value){.type = CELL_INTEGER, .integer = value, .number = (double)value},
             strdup(text));
}

void table_number(struct table *table, double value)
{
    if (!table || !isfinite(value)) {
        table_missing(table);
        return;
    }
    char text[48];
    snprintf(text, sizeof text, "%.*g", table->digits, value);
    add_cell(table, (struct cell_value){.type = CELL_NUMBER, .number = value}, strdup(text));
}

void table_bool(struct table *table, bool value)
{
    add_cell(table, (struct cell_value){.type = CELL_BOOL, .integer = value},
             strdup(value ? "yes" : "no"));
}

void table_flag(struct table *table, bool value)
{
    add_cell(table, (struct cell_value){.type = CELL_BOOL, .integer = value},
             strdup(value ? "true" : "false"));
}

void table_missing(struct table *table)
{
    add_cell(table, (struct cell_value){.type = CELL_MISSING, .number = NAN}, strdup(""));
}

void table_shown(struct table *table, double value, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    add_formatted(table, (struct cell_value){.type = CELL_NUMBER, .shown = true, .number = value},
                  format, list);
    va_end(list);
}

void table_sums_up(struct table *table, size_t n, double low, double high)
{
    if (table && !table->failed && table->n_cell > 0) {
        struct cell_value *cell = &table->cell[table->n_cell - 1];
        cell->n = n;
        cell->low = low;
        cell->high = high;
    }
}

void table_row(struct table *table, uint64_t tag, bool aside)
{
    size_t row = table_n_row(table);
    while (table && !table->failed && table->n_mark <= row) {
        if (!reserve((void **)&table->mark, table->n_mark, &table->mark_capacity,
                     sizeof *table->mark)) {
            table->failed = true;
            return;
        }
        table->mark[table->n_mark++] = (struct row_mark){0};
    }
    if (table && !table->failed) {
        table->mark[row] = (struct row_mark){tag, aside};
    }
}

void table_digits(struct table *table, int digits)
{
    if (table) {
        table->digits = digits;
    }
}

/* ---- reading ---- */

bool table_failed(const struct table *table)
{
    return !table || table->failed;
}

size_t table_n_row(const struct table *table)
{
    return table && table->n_column > 0 ? table->n_cell / table->n_column : 0;
}

size_t table_n_column(const struct table *table)
{
    return table ? table->n_column : 0;
}

const struct column *table_column_at(const struct table *table, size_t column)
{
    return &table->column[column];
}

const struct cell_value *table_cell_at(const struct table *table, size_t row, size_t column)
{
    return &table->cell[row * table->n_column + column];
}

uint64_t table_row_tag(const struct table *table, size_t row)
{
    return row < table->n_mark ? table->mark[row].tag : 0;
}

bool table_row_aside(const struct table *table, size_t row)
{
    return row < table->n_mark && table->mark[row].aside;
}

const char *table_cell_text(const struct table *table, size_t row, size_t column,
                            char buffer[TABLE_CELL_SIZE])
{
    const struct cell_value *cell = table_cell_at(table, row, column);
    if (cell->type == CELL_MISSING) {
        return "-";
    }
    if (cell->type != CELL_NUMBER || cell->shown) {
        return cell->text;
    }
    int decimals = table->column[column].decimals;
    if (decimals >= 0) {
        snprintf(buffer, TABLE_CELL_SIZE, "%.*f", decimals, cell->number);
    } else {
        snprintf(buffer, TABLE_CELL_SIZE, "%.*g", -decimals, cell->number);
    }
    return buffer;
}

bool table_is_number(const struct table *table, size_t column)
{
    for (size_t row = 0; row < table_n_row(table); row++) {
        enum cell_type type = table_cell_at(table, row, column)->type;
        if (type == CELL_TEXT || type == CELL_BOOL) {
            return false;
        }
        if (type != CELL_MISSING) {
            return true;
        }
    }
    return true;
}

/* ---- aligned text ---- */

/* A column of the text, and its cell of the line in work. */
struct text_column {
    size_t column; /* of the table */
    size_t width;
    bool right;
    const char *shown;
    char buffer[TABLE_CELL_SIZE];
};

struct layout {
    struct text_column *column; /* [n] those that people read */
    size_t n;
    size_t total; /* columns of the terminal, 0: any */
};

static void shape_columns(struct layout *layout, const struct table *table)
{
    for (size_t column = 0; column < table->n_column; column++) {
        const char *title = table->column[column].title;
        if (!title) {
            continue;
        }
        struct text_column *shaped = &layout->column[layout->n++];
        shaped->column = column;
        shaped->width = text_columns(title);
        shaped->right = table_is_number(table, column);
        shaped->shown = title;
        for (size_t row = 0; row < table_n_row(table); row++) {
            size_t wanted = text_columns(table_cell_text(table, row, column, shaped->buffer));
            shaped->width = wanted > shaped->width ? wanted : shaped->width;
        }
    }
}

/* The last cell of a line, from column `at` on: wrapped under its column if it is too long, or on
 * lines of its own where too little room is left for that. */
static void append_last(const struct layout *layout, struct text *text, size_t printed, size_t at,
                        size_t start)
{
    const char *words = layout->column[layout->n - 1].shown;
    size_t total = layout->total;
    bool fits = total == 0 || at + text_columns(words) <= total;
    bool room = total > start + LAST_COLUMN_ROOM;
    if (fits || room) {
        text_append(text, "%*s", words[0] ? (int)(at - printed) : 0, "");
        text_wrap(text, words, at, start, fits ? 0 : total);
    } else {
        text_append(text, "\n%*s", LAST_COLUMN_INDENT, "");
        text_wrap(text, words, LAST_COLUMN_INDENT, LAST_COLUMN_INDENT, total);
    }
}

/* One line: cells padded to their column. Blanks are written only when something follows. */
static void append_line(const struct layout *layout, struct text *text)
{
    size_t start = 0, printed = 0; /* columns */
    for (size_t i = 0; i < layout->n; i++) {
        const struct text_column *column = &layout->column[i];
        size_t wide = text_columns(column->shown);
        size_t at = start + (column->right ? column->width - wide : 0);
        if (i + 1 == layout->n) {
            append_last(layout, text, printed, at, start);
        } else if (wide > 0) {
            text_append(text, "%*s%s", (int)(at - printed), "", column->shown);
            printed = at + wide;
        }
        start += column->width + COLUMN_GAP;
    }
}

void table_append_text(const struct table *table, struct text *text, size_t width)
{
    struct layout layout = {.total = width};
    if (!table_failed(table)) {
        layout.column = calloc(table->n_column + 1, sizeof *layout.column);
    }
    if (!layout.column) {
        text->failed = true;
        return;
    }
    shape_columns(&layout, table);
    if (layout.n > 0) {
        append_line(&layout, text);
    }
    for (size_t row = 0; layout.n > 0 && row < table_n_row(table); row++) {
        for (size_t i = 0; i < layout.n; i++) {
            struct text_column *column = &layout.column[i];
            column->shown = table_cell_text(table, row, column->column, column->buffer);
        }
        append_line(&layout, text);
    }
    free(layout.column);
}

/* ---- CSV ---- */

static void append_field(struct text *text, const char *field)
{
    if (!strpbrk(field, ",\"\r\n")) {
        text_append(text, "%s", field);
        return;
    }
    text_append(text, "\"");
    for (; *field; field++) {
        text_append(text, *field == '"' ? "\"\"" : "%c", *field);
    }
    text_append(text, "\"");
}

/* One line of those columns that have a key: the keys, or a row's cells. */
static void append_fields(const struct table *table, const struct cell_value *cells,
                          struct text *text)
{
    const char *gap = "";
    for (size_t column = 0; column < table->n_column; column++) {
        const char *key = table->column[column].key;
        if (key) {
            text_append(text, "%s", gap);
            append_field(text, cells ? cells[column].text : key);
            gap = ",";
        }
    }
    text_append(text, "\n");
}

void table_append_csv(const struct table *table, struct text *text)
{
    if (table_failed(table)) {
        text->failed = true;
        return;
    }
    append_fields(table, NULL, text);
    for (size_t row = 0; row < table_n_row(table); row++) {
        append_fields(table, table_cell_at(table, row, 0), text);
    }
}

/* ---- JSON ---- */

static json_t *cell_json(const struct cell_value *cell)
{
    switch (cell->type) {
    case CELL_TEXT:
        return json_text(cell->text);
    case CELL_INTEGER:
        return json_integer(cell->integer);
    case CELL_NUMBER:
        return json_number(cell->number);
    case CELL_BOOL:
        return json_boolean(cell->integer);
    case CELL_MISSING:
        break;
    }
    return json_null();
}

/* Sets row[a][b][c] for the path "a/b/c", making objects on the way. */
static bool set_at(json_t *row, const char *path, json_t *value)
{
    for (const char *slash; (slash = strchr(path, '/')) != NULL; path = slash + 1) {
        size_t n = (size_t)(slash - path);
        json_t *below = json_object_getn(row, path, n);
        if (!below) {
            json_object_setn_new(row, path, n, below = json_object());
        }
        row = below;
    }
    return json_object_set_new(row, path, value) == 0;
}

/* Returns a new reference, NULL when out of memory. */
static json_t *row_json(const struct table *table, size_t row)
{
    json_t *object = json_object();
    for (size_t i = 0; object && i < table->n_column; i++) {
        const struct column *column = &table->column[i];
        const char *path = column->path ? column->path : column->key;
        if (path && path[0] && !set_at(object, path, cell_json(table_cell_at(table, row, i)))) {
            json_decref(object);
            object = NULL;
        }
    }
    return object;
}

json_t *table_json(const struct table *table)
{
    json_t *rows = table_failed(table) ? NULL : json_array();
    for (size_t row = 0; rows && row < table_n_row(table); row++) {
        if (json_array_append_new(rows, row_json(table, row)) != 0) {
            json_decref(rows);
            rows = NULL;
        }
    }
    return rows;
}

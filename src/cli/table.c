#include "cli/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/terminal.h"

enum cell_type { CELL_MISSING, CELL_TEXT, CELL_INTEGER, CELL_NUMBER, CELL_BOOL };

struct cell {
    enum cell_type type;
    char *text; /* as it stands in CSV; in aligned text too, except for numbers */
    double number;
    long long integer;
};

struct table {
    struct column column[TABLE_MAX_COLUMN];
    size_t n_column;
    struct cell *cell; /* row by row */
    size_t n_cell, capacity;
    bool failed;
};

#define COLUMN_GAP 2
#define LAST_COLUMN_ROOM 20 /* below that, wrapping would not make it readable */
#define LAST_COLUMN_INDENT 4

struct table *table_create(const struct column *columns, size_t n_column)
{
    struct table *table = calloc(1, sizeof *table);
    if (!table) {
        return NULL;
    }
    if (n_column > TABLE_MAX_COLUMN) {
        n_column = TABLE_MAX_COLUMN;
    }
    memcpy(table->column, columns, n_column * sizeof *columns);
    table->n_column = n_column;
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
    free(table->cell);
    free(table);
}

static void add_cell(struct table *table, struct cell cell, const char *text)
{
    if (!table || table->failed) {
        return;
    }
    if (table->n_cell == table->capacity) {
        size_t capacity = table->capacity ? 2 * table->capacity : 64;
        struct cell *grown = realloc(table->cell, capacity * sizeof *grown);
        if (!grown) {
            table->failed = true;
            return;
        }
        table->cell = grown;
        table->capacity = capacity;
    }
    cell.text = strdup(text);
    if (!cell.text) {
        table->failed = true;
        return;
    }
    table->cell[table->n_cell++] = cell;
}

void table_text(struct table *table, const char *text)
{
    add_cell(table, (struct cell){.type = CELL_TEXT}, text);
}

void table_integer(struct table *table, long long value)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", value);
    add_cell(table, (struct cell){.type = CELL_INTEGER, .integer = value}, text);
}

void table_number(struct table *table, double value)
{
    if (!isfinite(value)) {
        table_missing(table);
        return;
    }
    char text[32];
    snprintf(text, sizeof text, "%.9g", value);
    add_cell(table, (struct cell){.type = CELL_NUMBER, .number = value}, text);
}

void table_bool(struct table *table, bool value)
{
    add_cell(table, (struct cell){.type = CELL_BOOL, .integer = value}, value ? "yes" : "no");
}

void table_missing(struct table *table)
{
    add_cell(table, (struct cell){.type = CELL_MISSING}, "");
}

static const struct cell *cell_at(const struct table *table, size_t row, size_t column)
{
    return &table->cell[row * table->n_column + column];
}

static size_t n_row(const struct table *table)
{
    return table->n_cell / table->n_column;
}

/* ---- aligned text ---- */

static const char *cell_shown(const struct table *table, size_t row, size_t column, char buffer[64])
{
    const struct cell *cell = cell_at(table, row, column);
    if (cell->type == CELL_MISSING) {
        return "-";
    }
    if (cell->type == CELL_TEXT) {
        terminal_clean(cell->text);
    }
    if (cell->type != CELL_NUMBER) {
        return cell->text;
    }
    int decimals = table->column[column].decimals;
    if (decimals >= 0) {
        snprintf(buffer, 64, "%.*f", decimals, cell->number);
    } else {
        snprintf(buffer, 64, "%.*g", -decimals, cell->number);
    }
    return buffer;
}

static bool is_right_aligned(const struct table *table, size_t column)
{
    for (size_t row = 0; row < n_row(table); row++) {
        enum cell_type type = cell_at(table, row, column)->type;
        if (type == CELL_TEXT || type == CELL_BOOL) {
            return false;
        }
        if (type != CELL_MISSING) {
            return true;
        }
    }
    return true;
}

static size_t column_width(const struct table *table, size_t column)
{
    size_t width = terminal_columns(table->column[column].title);
    for (size_t row = 0; row < n_row(table); row++) {
        char buffer[64];
        size_t wanted = terminal_columns(cell_shown(table, row, column, buffer));
        if (wanted > width) {
            width = wanted;
        }
    }
    return width;
}

/* The last cell of a line, from column `at` on: wrapped under its column if it is too long, or on
 * lines of its own where too little room is left for that. */
static void print_last(const char *text, size_t printed, size_t at, size_t start, size_t total)
{
    bool fits = total == 0 || at + terminal_columns(text) <= total;
    bool room = total > start + LAST_COLUMN_ROOM;
    if (fits || room) {
        printf("%*s", text[0] ? (int)(at - printed) : 0, "");
        terminal_wrap(stdout, text, at, start, fits ? 0 : total);
    } else {
        printf("\n%*s", LAST_COLUMN_INDENT, "");
        terminal_wrap(stdout, text, LAST_COLUMN_INDENT, LAST_COLUMN_INDENT, total);
    }
}

/* One line: cells padded to their column. Blanks are printed only when something follows. */
static void print_line(const char *const *shown, const size_t *width, const bool *right, size_t n,
                       size_t total)
{
    size_t start = 0, printed = 0; /* columns */
    for (size_t i = 0; i + 1 < n; i++) {
        size_t wide = terminal_columns(shown[i]);
        size_t at = start + (right[i] ? width[i] - wide : 0);
        if (wide > 0) {
            printf("%*s%s", (int)(at - printed), "", shown[i]);
            printed = at + wide;
        }
        start += width[i] + COLUMN_GAP;
    }
    size_t at = start + (right[n - 1] ? width[n - 1] - terminal_columns(shown[n - 1]) : 0);
    print_last(shown[n - 1], printed, at, start, total);
}

static void print_text(const struct table *table)
{
    size_t chosen[TABLE_MAX_COLUMN], width[TABLE_MAX_COLUMN], n = 0;
    bool right[TABLE_MAX_COLUMN];
    const char *shown[TABLE_MAX_COLUMN];
    for (size_t column = 0; column < table->n_column; column++) {
        if (!table->column[column].title) {
            continue;
        }
        chosen[n] = column;
        width[n] = column_width(table, column);
        right[n] = is_right_aligned(table, column);
        shown[n] = table->column[column].title;
        n++;
    }
    size_t total = terminal_width(stdout, 0);
    print_line(shown, width, right, n, total);
    for (size_t row = 0; row < n_row(table); row++) {
        char buffer[TABLE_MAX_COLUMN][64];
        for (size_t i = 0; i < n; i++) {
            shown[i] = cell_shown(table, row, chosen[i], buffer[i]);
        }
        print_line(shown, width, right, n, total);
    }
}

/* ---- CSV ---- */

static void print_csv_field(const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, stdout);
        return;
    }
    putchar('"');
    for (; *text; text++) {
        if (*text == '"') {
            putchar('"');
        }
        putchar(*text);
    }
    putchar('"');
}

static void print_csv(const struct table *table)
{
    const char *gap = "";
    for (size_t column = 0; column < table->n_column; column++) {
        if (table->column[column].key) {
            fputs(gap, stdout);
            print_csv_field(table->column[column].key);
            gap = ",";
        }
    }
    putchar('\n');
    for (size_t row = 0; row < n_row(table); row++) {
        gap = "";
        for (size_t column = 0; column < table->n_column; column++) {
            if (table->column[column].key) {
                fputs(gap, stdout);
                print_csv_field(cell_at(table, row, column)->text);
                gap = ",";
            }
        }
        putchar('\n');
    }
}

/* ---- JSON ---- */

static json_t *cell_json(const struct cell *cell)
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

/* Returns a new reference, NULL when out of memory. */
static json_t *row_json(const struct table *table, size_t row)
{
    json_t *object = json_object();
    for (size_t column = 0; object && column < table->n_column; column++) {
        const char *key = table->column[column].key;
        if (key && json_object_set_new(object, key, cell_json(cell_at(table, row, column))) != 0) {
            json_decref(object);
            object = NULL;
        }
    }
    return object;
}

static bool print_json(const struct table *table)
{
    json_t *rows = json_array();
    bool fine = rows != NULL;
    for (size_t row = 0; fine && row < n_row(table); row++) {
        fine = json_array_append_new(rows, row_json(table, row)) == 0;
    }
    struct text text = {0};
    if (fine) {
        json_append(&text, rows);
        fine = !text.failed;
    }
    if (fine) {
        puts(text.data);
    }
    text_free(&text);
    json_decref(rows);
    return fine;
}

enum status table_print(const struct table *table, enum format format, struct error *err)
{
    bool fine = table && !table->failed;
    if (fine && format == FORMAT_JSON) {
        fine = print_json(table);
    } else if (fine && format == FORMAT_CSV) {
        print_csv(table);
    } else if (fine) {
        print_text(table);
    }
    return fine ? STATUS_OK : error_memory(err, "making a table");
}

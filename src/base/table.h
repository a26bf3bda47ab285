/* table: rows of typed cells under columns; what every command prints and every report holds.
 *
 * A table knows no format. Written here are those that programs and terminals read: aligned text,
 * CSV (RFC 4180, plain newlines) and strict JSON; other writers walk the cells. Cells are added row
 * by row, left to right. A failed allocation is kept (table_failed) and told by whoever writes.
 */
#ifndef QKVLAB_BASE_TABLE_H
#define QKVLAB_BASE_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"

enum format { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON };

enum column_look { LOOK_PLAIN, LOOK_HEAD, LOOK_CODE }; /* LOOK_HEAD: it names its row */

struct column {
    const char *key;   /* name in CSV, and in JSON; NULL: the column is left out there */
    const char *title; /* head of the column for people; NULL: the column is left out for them */
    int decimals;      /* of numbers, for people; negative: significant digits */
    const char *hint;  /* what it means, for people who ask; NULL: nothing */
    const char
        *path; /* in JSON the place below the row, "measures/loss/mean"; "": none; NULL: key */
    const char *link; /* the cell's text behind this is an address; NULL: it is none */
    enum column_look look;
    uint64_t tag; /* what the column speaks of; its meaning is the user's */
};

enum cell_type { CELL_MISSING, CELL_TEXT, CELL_INTEGER, CELL_NUMBER, CELL_BOOL };

struct cell_value {
    enum cell_type type;
    bool shown; /* people read `text`, whatever the number */
    char *text; /* as it stands in CSV; for people too, except for a number that is not `shown` */
    double number;
    long long integer;
    size_t n;         /* of values that the number sums up; 0: it sums up nothing */
    double low, high; /* of them */
};

struct table;

/* table_create copies the columns and their texts. Returns NULL when out of memory; every function
 * below accepts that. Caller frees with table_free. */
struct table *table_create(const struct column *columns, size_t n_column);
void table_free(struct table *table);

/* table_column adds a column behind the others, before the first cell. */
void table_column(struct table *table, const struct column *column);

/* Each adds the next cell. */
void table_text(struct table *table, const char *text); /* NULL is missing */
void table_format(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* a text */
void table_integer(struct table *table, long long value);
/* A number that is not finite is missing: "-" for people, empty in CSV, null in JSON. */
void table_number(struct table *table, double value);
void table_bool(struct table *table, bool value); /* yes or no */
void table_flag(struct table *table, bool value); /* the same as true or false */
void table_missing(struct table *table);
/* table_shown adds a number that people read as this text, such as "0.998 ± 0.001"; a number that
 * is not finite has a text but no place in an order. */
void table_shown(struct table *table, double value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* table_sums_up: the last cell sums up n values from low to high, which its reader may open. */
void table_sums_up(struct table *table, size_t n, double low, double high);

/* table_row marks the row of the next cell: what it speaks of, and whether it stands aside (a row
 * that was computed and not measured, at the end of measured ones). */
void table_row(struct table *table, uint64_t tag, bool aside);

/* table_digits: numbers have so many significant digits in CSV (9 unless set). */
void table_digits(struct table *table, int digits);

bool table_failed(const struct table *table);
size_t table_n_row(const struct table *table);
size_t table_n_column(const struct table *table);
const struct column *table_column_at(const struct table *table, size_t column);
const struct cell_value *table_cell_at(const struct table *table, size_t row, size_t column);
uint64_t table_row_tag(const struct table *table, size_t row);
bool table_row_aside(const struct table *table, size_t row);

/* table_cell_text returns a cell as people read it, "-" where it is missing; borrows from the table
 * or from buffer. */
#define TABLE_CELL_SIZE 64
const char *table_cell_text(const struct table *table, size_t row, size_t column,
                            char buffer[TABLE_CELL_SIZE]);

/* table_is_number: the column's cells are numbers, so that it is set flush right. */
bool table_is_number(const struct table *table, size_t column);

/* Each appends the whole table; width: columns of the terminal, 0: lines are never broken. */
void table_append_text(const struct table *table, struct text *text, size_t width);
void table_append_csv(const struct table *table, struct text *text);

/* table_json returns a new array of objects, NULL when out of memory. */
json_t *table_json(const struct table *table);

#endif

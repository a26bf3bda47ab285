/* table: rows and columns for stdout, as aligned text, CSV (RFC 4180) or strict JSON.
 *
 * Cells are added row by row. A failed allocation is kept and told by table_print.
 */
#ifndef QKVLAB_CLI_TABLE_H
#define QKVLAB_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum format { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON };

#define TABLE_MAX_COLUMN 32

struct column {
    const char *key;   /* name in CSV and JSON; NULL: the column is left out there */
    const char *title; /* head of the column in text; NULL: the column is left out there */
    int decimals;      /* of numbers, in text; negative: significant digits */
};

struct table;

/* table_create copies the columns and borrows their texts. Returns NULL when out of memory; every
 * function below accepts that. Caller frees with table_free. */
struct table *table_create(const struct column *columns, size_t n_column);
void table_free(struct table *table);

void table_text(struct table *table, const char *text);
void table_integer(struct table *table, long long value);
/* A number that is not finite is missing: "-" in text, empty in CSV, null in JSON. */
void table_number(struct table *table, double value);
void table_bool(struct table *table, bool value);
void table_missing(struct table *table);

/* table_print writes the table to stdout. */
enum status table_print(const struct table *table, enum format format, struct error *err);

#endif

/* table: a table on stdout. */
#ifndef QKVLAB_CLI_TABLE_H
#define QKVLAB_CLI_TABLE_H

#include "base/table.h"

/* table_print writes the table to stdout: as aligned text it is fitted to the terminal, and control
 * characters are replaced. */
enum status table_print(const struct table *table, enum format format, struct error *err);

/* table_finish prints the table and frees it. */
enum status table_finish(struct table *table, enum format format, struct error *err);

#endif

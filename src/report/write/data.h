/* data: the tables of a document that programs read, each a CSV file, and its JSON. */
#ifndef QKVLAB_REPORT_DATA_H
#define QKVLAB_REPORT_DATA_H

#include "report/document/document.h"

/* data_write writes <folder>/<file> of every table that is FOR_CSV, and report.json. Errors:
 * STATUS_WRITE, STATUS_MEMORY. */
enum status data_write(const struct document *document, const char *folder, struct error *err);

#endif

#include "cli/table.h"

#include <stdio.h>

#include "base/json.h"
#include "base/wrap.h"
#include "cli/terminal.h"

static void append_json(const struct table *table, struct text *text)
{
    json_t *rows = table_json(table);
    if (rows) {
        json_append(text, rows);
        text_append(text, "\n");
    }
    text->failed |= !rows;
    json_decref(rows);
}

enum status table_print(const struct table *table, enum format format, struct error *err)
{
    struct text text = {0};
    if (format == FORMAT_JSON) {
        append_json(table, &text);
    } else if (format == FORMAT_CSV) {
        table_append_csv(table, &text);
    } else {
        table_append_text(table, &text, terminal_width(stdout, 0));
        if (text.data) {
            text_clean(text.data);
        }
    }
    bool fine = !text.failed;
    if (fine && text.data) {
        fputs(text.data, stdout);
    }
    text_free(&text);
    return fine ? STATUS_OK : error_memory(err, "making a table");
}

enum status table_finish(struct table *table, enum format format, struct error *err)
{
    enum status status = table_print(table, format, err);
    table_free(table);
    return status;
}

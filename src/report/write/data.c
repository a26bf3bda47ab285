#include "report/write/data.h"

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"

static enum status write_text(struct text *text, const char *folder, const char *file,
                              struct error *err)
{
    char path[PATH_SIZE];
    enum status status = path_format(path, err, "%s/%s", folder, file);
    if (status == STATUS_OK) {
        status = text_write_unsynced(text, path, err);
    }
    text_free(text);
    return status;
}

enum status data_write(const struct document *document, const char *folder, struct error *err)
{
    struct text text = {0};
    for (size_t i = 0; i < document->n_block; i++) {
        const struct block *block = &document->block[i];
        if (block->kind == BLOCK_TABLE && block->audience & FOR_CSV) {
            table_append_csv(block->table, &text);
            TRY(write_text(&text, folder, block->file, err));
        }
    }
    json_append(&text, document->json);
    text_append(&text, "\n");
    return write_text(&text, folder, "report.json", err);
}

#include "fuzz.h"
#include "lab/data/data_lines.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct data_lines lines;
    struct error err;
    memcpy(text, data, size);
    text[size] = '\0';
    if (data_lines_split(text, &lines, &err) == STATUS_OK) {
        for (size_t i = 0; i < lines.n_line; i++) {
            if (lines.line[i] < lines.text || strlen(lines.line[i]) == 0) {
                abort();
            }
        }
        data_lines_free(&lines);
    }
    return 0;
}

#include "fuzz.h"
#include "lab/config/config_file.h"

#include <string.h>

/* Expanding is left out: a few bytes may ask for a hundred thousand runs. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct grid_list list = {0};
    struct error err = {0};
    enum status status = config_file_parse((const char *)data, size, "fuzz.yaml", &list, &err);
    if (status != STATUS_OK && (status != STATUS_USAGE || err.text[0] == '\0')) {
        abort();
    }
    if (status == STATUS_OK && list.n_grid == 0) {
        abort();
    }
    for (size_t i = 0; i < list.n_grid; i++) {
        size_t n_run;
        grid_count(list.item[i].grid, &n_run, &err);
    }
    grid_list_free(&list);
    return 0;
}

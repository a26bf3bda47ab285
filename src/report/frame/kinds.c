#include "report/frame/kinds.h"

#include <string.h>

const struct report_kind report_kinds[N_REPORT_KIND] = {
    {.name = "sequences",
     .bit = OF_SEQUENCES,
     .accuracy = MEASURE_TOKEN_ACCURACY,
     .has_floor = true,
     .has_settings = true},
    {.name = "images", .bit = OF_IMAGES, .accuracy = MEASURE_TOP1},
};

const struct report_kind *report_kind_of(const struct config *config)
{
    const char *name = config->task->kind->name;
    for (size_t i = 0; i < N_REPORT_KIND; i++) {
        if (strcmp(report_kinds[i].name, name) == 0) {
            return &report_kinds[i];
        }
    }
    return NULL;
}
